//! The attributes `#[plugin]` and `#[tool]` of `palisade-sdk`, which describes
//! how to use them.

use proc_macro::TokenStream;
use proc_macro2::Span;

mod docs;
mod emit;
mod options;
mod parameters;
mod problems;
mod tools;

/// Makes a plugin of an impl block.
///
/// Methods marked [`#[tool]`](macro@tool) become the plugin's tools, in the
/// order in which they are written; all others stay what they are. The type
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
///   out.
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
///
/// The last four may have a value, as in `destructive = false`. They are hints
/// to clients and never a permission. What is not said is not sent.
#[proc_macro_attribute]
pub fn tool(_options: TokenStream, item: TokenStream) -> TokenStream {
    let error = syn::Error::new(
        Span::call_site(),
        "`#[tool]` marks a method inside an impl block that is marked `#[plugin]`",
    );
    let mut tokens: TokenStream = error.into_compile_error().into();
    tokens.extend(item);
    tokens
}
