//! One file that is a whole plugin.
//!
//! A package is the component itself, with what belongs to it in custom sections:
//!
//! | section | |
//! |---|---|
//! | `palisade-manifest` | what it asks for, as in `palisade.toml` |
//! | `palisade-readme` | its README |
//! | `palisade-licence` | the text of its licence |
//! | `component-name` | its name, where every tool for components finds it |
//! | `version`, `description`, `authors`, `licenses`, `source`, `homepage` | as the [registries' convention][oci] has them |
//!
//! [oci]: https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact/
//!
//! Pure: bytes in, bytes out. The same parts make the same bytes, and packing a
//! package replaces what was in it.

mod carried;
mod error;
mod pack;
mod sections;

pub use carried::{Carried, carried};
pub use error::PackageError;
pub use pack::{Package, Parts, pack};

/// Custom section of the manifest.
const MANIFEST: &str = "palisade-manifest";

/// Custom section of the README.
const README: &str = "palisade-readme";

/// Custom section of the licence's text.
const LICENCE: &str = "palisade-licence";

/// Largest README and largest text of licences, in bytes.
pub const MOST_TEXT: usize = 256 * 1024;
