//! `palisade new`: a project that builds and tests.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use palisade_policy::is_name;

use crate::args::NewArgs;
use crate::failure::Failure;
use crate::output::{self, printable};

/// The files of a project, and what they begin as.
const RUST: [(&str, &str); 5] = [
    (
        "Cargo.toml",
        include_str!("../../templates/rust/Cargo.toml.in"),
    ),
    (
        "palisade.toml",
        include_str!("../../templates/rust/palisade.toml.in"),
    ),
    (
        "README.md",
        include_str!("../../templates/rust/README.md.in"),
    ),
    (
        ".gitignore",
        include_str!("../../templates/rust/gitignore.in"),
    ),
    ("src/lib.rs", include_str!("../../templates/rust/lib.rs.in")),
];

/// Languages that projects can be in.
const LANGUAGES: [&str; 1] = ["rust"];

/// Names that a crate can't have: words of the language, and crates that come
/// with it.
const TAKEN: &str = " abstract alloc as async await become box break const continue core crate \
    do dyn else enum extern false final fn for gen if impl in let loop macro match mod move mut \
    override palisade-sdk priv proc-macro pub ref return self static std struct super test trait \
    true try type typeof unsafe unsized use virtual where while yield ";

/// Where the SDK lies in a checkout.
const SDK: &str = "sdk-guest";

/// Makes the project beside where it is to be, and moves it there as a whole.
pub(crate) fn run(args: &NewArgs) -> Result<ExitCode, Failure> {
    language(&args.lang)?;
    let name = named(&args.name)?;
    let folder = Path::new(name);
    let sdk = sdk(args.sdk.as_deref())?;
    let sdk = sdk.to_str().ok_or_else(|| {
        Failure::new(format!(
            "{} can't be written into a Cargo.toml",
            sdk.display()
        ))
        .remedy("give --sdk PATH, whose name is UTF-8")
    })?;
    // What JSON quotes, TOML reads.
    let sdk = serde_json::Value::from(sdk).to_string();

    let failed = |error: &std::io::Error| match error.kind() {
        ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            Failure::new(format!("{name} is there already, and is not empty"))
                .remedy("give another name, or go to another folder")
        }
        _ => Failure::because(format!("{name} can't be made"), error),
    };
    let here = Path::new(".");
    let new = (tempfile::Builder::new().prefix(".palisade-new-"))
        .tempdir_in(here)
        .map_err(|error| failed(&error))?;
    for (file, text) in RUST {
        let text = text.replace("{{name}}", name).replace("{{sdk}}", &sdk);
        let path = new.path().join(file);
        let written = match path.parent() {
            Some(parent) => std::fs::create_dir_all(parent),
            None => Ok(()),
        };
        (written.and_then(|()| std::fs::write(&path, text))).map_err(|error| failed(&error))?;
    }
    open_to_all(new.path()).map_err(|error| failed(&error))?;
    // Takes the place of an empty folder, and of nothing else.
    std::fs::rename(new.path(), folder).map_err(|error| failed(&error))?;
    // It is not there any more to be removed.
    let _ = new.keep();

    output::line(format_args!(
        "{name} is made: a plugin with one tool\n \
         cd {name}\n \
         cargo test          its tools as ordinary functions\n \
         palisade dev .      serve it, again whenever a file is saved\n \
         palisade pack .     make {name}.wasm, the file to give away"
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn language(lang: &str) -> Result<(), Failure> {
    match LANGUAGES.contains(&lang) {
        true => Ok(()),
        false => Err(
            Failure::usage(format!("there are no projects in {lang:?} yet")).remedy(format!(
                "there are: {}; components from other languages are packed all the same, \
                 with `palisade pack`",
                LANGUAGES.join(", ")
            )),
        ),
    }
}

fn named(name: &str) -> Result<&str, Failure> {
    if !is_name(name) {
        return Err(
            Failure::usage(printable(&format!("{name:?} can't be a plugin's name")))
                .remedy("a name is 1 to 48 of the characters a-z, 0-9 and -"),
        );
    }
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || name.ends_with('-') || TAKEN.contains(&format!(" {name} ")) {
        return Err(
            Failure::usage(format!("{name:?} can't be the name of a Rust crate"))
                .remedy("begin with a letter, end without -, and take no word of the language"),
        );
    }
    Ok(name)
}

/// Where the SDK is: as told, else in the checkout this program was built in.
fn sdk(told: Option<&Path>) -> Result<PathBuf, Failure> {
    let is_sdk = |folder: &Path| {
        let manifest = crate::files::read_text(&folder.join("Cargo.toml"));
        manifest.is_ok_and(|text| text.contains("name = \"palisade-sdk\""))
    };
    if let Some(told) = told {
        return match told.canonicalize() {
            Ok(folder) if is_sdk(&folder) => Ok(folder),
            _ => Err(
                Failure::usage(format!("there is no SDK in {}", told.display())).remedy(
                    "give the folder sdk-guest of Palisade's source, with the Cargo.toml of \
                     palisade-sdk",
                ),
            ),
        };
    }
    let found = std::env::current_exe().ok().and_then(|program| {
        let above = program.ancestors().skip(1).map(|folder| folder.join(SDK));
        above.into_iter().find(|folder| is_sdk(folder))
    });
    found.ok_or_else(|| {
        Failure::new("palisade-sdk is not on crates.io yet, and its source is not found")
            .remedy("give --sdk PATH, the folder sdk-guest of Palisade's source")
    })
}

/// A folder as any that somebody makes: the temporary one is its owner's alone.
#[cfg(unix)]
fn open_to_all(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // What the system made of `src`, by the same rules.
    let mode = std::fs::metadata(folder.join("src"))?.permissions().mode();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> std::io::Result<()> {
    Ok(())
}
