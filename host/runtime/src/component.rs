//! What a component file is, before any of it runs.

use serde::{Deserialize, Serialize};
use wasmparser::Payload;
use wasmtime::component::{Component, types::ComponentItem};

use crate::error::LoadError;

/// The packages whose every interface the host offers, and the version prefix
/// it offers them in. wasmtime's linker matches any patch release.
const OFFERED: [(&str, &str); 8] = [
    ("wasi:cli/", "0.2."),
    ("wasi:clocks/", "0.2."),
    ("wasi:filesystem/", "0.2."),
    ("wasi:http/", "0.2."),
    ("wasi:io/", "0.2."),
    ("wasi:random/", "0.2."),
    ("wasi:sockets/", "0.2."),
    ("palisade:mcp/", "0.1."),
];

/// An interface of `palisade:mcp` that a plugin may export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Tools.
    Tools,
    /// Resources and their templates.
    Resources,
    /// Prompts.
    Prompts,
    /// Completion of arguments.
    Completion,
    /// To be told the configuration.
    Lifecycle,
}

impl Interface {
    /// Its full name, in the version this host speaks.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tools => "palisade:mcp/tools@0.1.0",
            Self::Resources => "palisade:mcp/resources@0.1.0",
            Self::Prompts => "palisade:mcp/prompts@0.1.0",
            Self::Completion => "palisade:mcp/completion@0.1.0",
            Self::Lifecycle => "palisade:mcp/lifecycle@0.1.0",
        }
    }

    /// Its name in a sentence.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Prompts => "prompts",
            Self::Completion => "completion",
            Self::Lifecycle => "lifecycle",
        }
    }
}

/// The interfaces of `palisade:mcp` that a plugin exports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// MCP tools.
    pub tools: bool,
    /// MCP resources and resource templates.
    pub resources: bool,
    /// MCP prompts.
    pub prompts: bool,
    /// MCP completion of arguments.
    pub completion: bool,
    /// It is told its configuration.
    pub lifecycle: bool,
}

impl Offers {
    /// What a component with these exports offers.
    pub(crate) fn of(exports: &[Export]) -> Self {
        let offered =
            |interface: Interface| exports.iter().any(|export| export == interface.name());
        Self {
            tools: offered(Interface::Tools),
            resources: offered(Interface::Resources),
            prompts: offered(Interface::Prompts),
            completion: offered(Interface::Completion),
            lifecycle: offered(Interface::Lifecycle),
        }
    }
}

/// Custom section in which a component may carry its manifest.
const MANIFEST: &str = "palisade-manifest";

/// How a component is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// It exports interfaces of `palisade:mcp`.
    Mcp,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mcp => f.write_str("mcp (palisade:mcp@0.1)"),
        }
    }
}

/// An interface or function a component offers, by its full name.
pub type Export = String;

/// An interface or function a component needs, by its full name.
pub type Import = String;

/// Refuses bytes that are not a component, in words that say what they are.
pub(crate) fn check_header(bytes: &[u8]) -> Result<(), LoadError> {
    let no = |what: &str| Err(LoadError::NotAComponent(what.to_owned()));
    match bytes {
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => no(
            "it is a core WebAssembly module, not a component; build it for wasm32-wasip2, \
             or wrap it with `wasm-tools component new`",
        ),
        [0, b'a', b's', b'm', ..] => no(
            "it is WebAssembly of a version this host does not know; rebuild it with current tools",
        ),
        [] => no("the file is empty; give a WebAssembly component (.wasm)"),
        _ => no("it is not WebAssembly; give a WebAssembly component (.wasm)"),
    }
}

/// Names of what a component imports and exports, sorted.
pub(crate) fn names(
    engine: &wasmtime::Engine,
    component: &Component,
) -> (Vec<Import>, Vec<Export>) {
    let ty = component.component_type();
    let mut imports: Vec<_> = ty
        .imports(engine)
        .map(|(name, _)| name.to_owned())
        .collect();
    let mut exports: Vec<_> = ty
        .exports(engine)
        // Types are no use to a caller by themselves.
        .filter(|(_, item)| !matches!(item.ty, ComponentItem::Type(_)))
        .map(|(name, _)| name.to_owned())
        .collect();
    imports.sort();
    exports.sort();
    (imports, exports)
}

/// The first import this host has nothing for.
pub(crate) fn unknown_import(imports: &[Import]) -> Option<&Import> {
    imports.iter().find(|import| {
        !OFFERED.iter().any(|(package, version)| {
            import
                .strip_prefix(package)
                .and_then(|rest| rest.split_once('@'))
                .is_some_and(|(_, found)| found.starts_with(version))
        })
    })
}

/// What the host offers, for a person whose plugin wants something else.
#[must_use]
pub fn offered() -> String {
    OFFERED
        .iter()
        .map(|(package, version)| format!("{}@{version}x", package.trim_end_matches('/')))
        .collect::<Vec<_>>()
        .join(", ")
}

/// How the component is to be served.
pub(crate) fn kind(exports: &[Export], offers: Offers) -> Result<Kind, LoadError> {
    // Completion and configuration are of something else that is offered.
    if offers.tools || offers.resources || offers.prompts {
        return Ok(Kind::Mcp);
    }
    let found = if exports.is_empty() {
        "it exports nothing".to_owned()
    } else {
        format!(
            "it exports {}, but none of {}, {} and {}",
            exports.join(", "),
            Interface::Tools.name(),
            Interface::Resources.name(),
            Interface::Prompts.name()
        )
    };
    Err(LoadError::NothingToServe { found })
}

/// The manifest a component carries, if it carries one.
///
/// # Errors
///
/// [`LoadError::BadManifestSection`].
pub fn manifest(bytes: &[u8]) -> Result<Option<String>, LoadError> {
    let bad = |why: &str| LoadError::BadManifestSection(why.to_owned());
    let mut depth = 0_u32;
    let mut found = None;
    for payload in wasmparser::Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| bad(error.message()))? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            // Only the component's own: what it is made of has no say.
            Payload::CustomSection(section) if depth == 0 && section.name() == MANIFEST => {
                let text =
                    std::str::from_utf8(section.data()).map_err(|_| bad("it is not UTF-8"))?;
                if found.replace(text.to_owned()).is_some() {
                    return Err(bad("there are two"));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Interface, Offers, kind};

    fn served(interfaces: &[Interface]) -> bool {
        let names = interfaces.iter().map(|interface| interface.name());
        let exports: Vec<_> = names.map(str::to_owned).collect();
        kind(&exports, Offers::of(&exports)).is_ok()
    }

    #[test]
    fn one_interface_that_offers_something_is_enough() {
        assert!(served(&[Interface::Tools]));
        assert!(served(&[Interface::Resources, Interface::Lifecycle]));
        assert!(served(&[Interface::Prompts, Interface::Completion]));
        assert!(!served(&[Interface::Completion, Interface::Lifecycle]));
        assert!(!served(&[]));
    }

    #[test]
    fn another_version_is_not_offered() {
        let exports = ["palisade:mcp/tools@0.2.0".to_owned()];
        let offers = Offers::of(&exports);
        assert!(!offers.tools);
        let why = kind(&exports, offers).map_err(|error| error.to_string());
        assert!(why.is_err_and(|why| why.contains("palisade:mcp/tools@0.2.0")));
    }
}
