//! The attribute `#[plugin]` of `palisade-sdk` and those for the methods in it.
//! The SDK describes how to use them.

use proc_macro::TokenStream;
use proc_macro2::Span;

mod docs;
mod emit;
mod methods;
mod offers;
mod options;
mod pairs;
mod parameters;
mod problems;
mod prompts;
mod resources;
mod template;
mod tools;

/// Makes a plugin of an impl block.
///
/// Methods marked [`#[tool]`](macro@tool), [`#[resource]`](macro@resource) and
/// [`#[prompt]`](macro@prompt) become the plugin's tools, resources and
/// prompts, in the order in which they are written; those marked
/// [`#[resources]`](macro@resources), [`#[read]`](macro@read),
/// [`#[complete]`](macro@complete) and [`#[start]`](macro@start) serve them.
/// All others stay what they are, and what no method is marked for is not
/// exported. The type
/// needs a `Default`, which is what every instance starts from. Unless the
/// person who runs the plugin asks for something else, the host makes a new
/// instance for every call.
#[proc_macro_attribute]
pub fn plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    emit::plugin(options.into(), item.into()).into()
}

/// Makes a tool of a method in an impl block marked [`#[plugin]`](macro@plugin).
///
/// The method takes `&self` or `&mut self`, its arguments, and `ctx: &Context`
/// if it wants to; what it may return is listed at `IntoToolResult`.
///
/// - Its doc comment is the tool's description, which a model reads to decide
///   when to call it. A tool without one does not compile.
/// - A parameter is an argument of that name (without leading underscores);
///   its doc comment describes it. Its type is owned and implements
///   `serde::Deserialize` and `schemars::JsonSchema`. One of type `Option<T>`
///   may be left out.
/// - `#[arg(name = "dryRun")]` on a parameter gives the argument another name,
///   `#[arg(default)]` and `#[arg(default = 10)]` a value for when it is left
///   out, `#[arg(title = "…")]` a name for people, and
///   `#[arg(extend("maximum" = 10, "x-mcp-header" = "Region"))]` more keywords
///   to its schema.
/// - A single parameter `Args<T>` takes all arguments as one struct.
///
/// Options, each at most once:
///
/// | option | says |
/// |---|---|
/// | `name = "…"` | the tool's name, if not that of the method: 1 to 128 of `A-Z a-z 0-9 _ . -` |
/// | `title = "…"` | a name for people |
/// | `read_only` | it changes nothing |
/// | `destructive` | it may delete or overwrite; what a client assumes unless told otherwise |
/// | `idempotent` | calling it again with the same arguments changes nothing more |
/// | `open_world` | it deals with things outside, such as the web; what a client assumes unless told otherwise |
/// | `task = "…"` | `"optional"` or `"required"`: it may, or must, run as a task that outlives its request |
/// | `icons = […]` | pictures: `https:` or `data:` URIs, or `Icon`s |
/// | `meta = …` | `_meta`, as JSON text |
/// | `schema = …` | the input schema, as JSON text that is passed on as it is; arguments are read as ever, `Args<serde_json::Value>` takes any |
///
/// The four flags may have a value, as in `destructive = false`. They are hints
/// to clients and never a permission. What is not said is not sent.
#[proc_macro_attribute]
pub fn tool(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("tool", item)
}

/// Makes a resource of a method in an impl block marked
/// [`#[plugin]`](macro@plugin).
///
/// - `#[resource(uri = "notes://today")]`: one resource. The method takes
///   `&self` or `&mut self`, and `ctx: &Context` if it wants to.
/// - `#[resource(template = "notes://{folder}/{name}")]`: a family of them. Each
///   variable is a parameter of that name, of any type that implements
///   `FromStr`; where a value does not parse, there is no such resource.
///   Templates are those of RFC 6570, level 1: plain `{name}` only. A value is
///   percent-decoded, is never empty, and spans no `/`, `?` or `#` that is not
///   encoded: check what you do with it.
///
/// It returns text, bytes, `Contents`, or a list of them; see `IntoContents`.
/// The doc comment is the description. Further options: `mime_type = "…"`,
/// `size = …` (in bytes), and `name`, `title`, `icons`, `meta` as for tools.
#[proc_macro_attribute]
pub fn resource(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("resource", item)
}

/// Marks the method that lists resources which come and go. It returns a
/// `Vec<ResourceLink>`; those with a fixed address are listed before them.
#[proc_macro_attribute]
pub fn resources(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("resources", item)
}

/// Marks the method that reads every resource no other method is for:
/// `fn read(&self, uri: String) -> Result<Contents>`. Return
/// `Error::not_found` for those that are not there.
#[proc_macro_attribute]
pub fn read(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("read", item)
}

/// Makes a prompt of a method in an impl block marked
/// [`#[plugin]`](macro@plugin).
///
/// Its parameters are the arguments: `String`, or `Option<String>` for one that
/// may be left out, with doc comments for descriptions and `#[arg(name, title)]`
/// as for tools; and `ctx: &Context`. It returns text, `Message`s, or a
/// `PromptResult`; see `IntoPrompt`. Options: `name`, `title`, `icons`, `meta`
/// as for tools.
#[proc_macro_attribute]
pub fn prompt(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("prompt", item)
}

/// Marks a method that completes an argument:
/// `#[complete(prompt = "…", argument = "…")]` of a prompt,
/// `#[complete(template = "…", argument = "…")]` a variable of a template. A
/// method may be marked several times.
///
/// It takes `value: String`, what there is of the argument; then, as
/// `Option<String>` of their names, others that may be filled in already; and
/// `ctx: &Context`. It returns a `Vec<String>` or a `Completion`.
#[proc_macro_attribute]
pub fn complete(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("complete", item)
}

/// Marks the method that is told the configuration, before any other is
/// called: `fn start(&mut self, config: Config) -> Result<()>`. `Config` is
/// any type that implements `serde::Deserialize`; where nobody configured
/// anything it is read from `{}`. An error ends the instance, and is one
/// sentence for the person who configured it.
#[proc_macro_attribute]
pub fn start(_options: TokenStream, item: TokenStream) -> TokenStream {
    out_of_place("start", item)
}

fn out_of_place(mark: &str, item: TokenStream) -> TokenStream {
    let error = syn::Error::new(
        Span::call_site(),
        format!("`#[{mark}]` marks a method inside an impl block that is marked `#[plugin]`"),
    );
    let mut tokens: TokenStream = error.into_compile_error().into();
    tokens.extend(item);
    tokens
}
