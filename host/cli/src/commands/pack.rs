//! `palisade pack`: a plugin with all that belongs to it, in one file.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use palisade_policy::Manifest;
use palisade_policy::units::format_size;
use palisade_runtime::Metadata;
use serde_json::json;
use tempfile::NamedTempFile;

use crate::args::PackArgs;
use crate::failure::Failure;
use crate::load::Loader;
use crate::output::{self, printable};
use crate::places::Places;
use crate::prepare::runtime;
use crate::project::{Project, build};

/// Packs, and loads what was packed before anybody else gets to see it.
pub(crate) fn run(args: &PackArgs) -> Result<ExitCode, Failure> {
    // Once there is one, a file that grows too large is only an error.
    let _runtime = runtime()?;
    let project = Project::read(&args.folder)?;
    let about = &project.asks.plugin;
    let output = match &args.output {
        Some(output) => output.clone(),
        None => PathBuf::from(format!("{}.wasm", about.name)),
    };
    replaceable(&output)?;
    let component = match &args.component {
        Some(component) => component.clone(),
        None if project.is_cargos() => {
            let built = build(&project.folder)?;
            other_version(about.version.as_deref(), built.version.as_deref());
            built.file
        }
        None => project.lying_there(&output)?,
    };
    let package = project.package(&component)?;

    let unwritten = |error: &std::io::Error| {
        Failure::because(format!("{} can't be written", output.display()), error)
    };
    let mut file = beside(&output).map_err(|error| unwritten(&error))?;
    (file.write_all(&package.bytes))
        .and_then(|()| file.as_file().sync_all())
        .map_err(|error| unwritten(&error))?;
    let loader = Loader::new(Places::find().as_ref(), 1, args.compile)?;
    let plugin = loader.load_bytes(&component.display(), &package.bytes)?;
    for warning in of_no_use(&project.asks, plugin.metadata()) {
        output::error_line(&format!("palisade: {}", printable(&warning)));
    }
    file.persist(&output)
        .map_err(|error| unwritten(&error.error))?;

    let digest = format!("sha256:{}", plugin.digest());
    let size = package.bytes.len();
    if args.json {
        let tools = plugin.metadata().tools.iter();
        let json = json!({
            "name": about.name,
            "version": about.version,
            "file": output,
            "size": size,
            "digest": digest,
            "tools": tools.map(|tool| &tool.name).collect::<Vec<_>>(),
            "readme": project.readme.is_some(),
            "licence": project.licence.is_some(),
        });
        let json = serde_json::to_string_pretty(&json)
            .map_err(|error| Failure::because("the result can't be written as JSON", &error))?;
        output::line(json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let version = about.version.as_deref().unwrap_or("without a version");
    let mut carries = vec!["manifest"];
    carries.extend(project.readme.as_ref().map(|_| "README"));
    carries.extend(project.licence.as_ref().map(|_| "licence"));
    output::line(printable(&format!(
        "{} {version}\n file     {}\n size     {}\n digest   {digest}\n carries  {}",
        about.name,
        output.display(),
        format_size(size as u64),
        carries.join(", "),
    )))?;
    Ok(ExitCode::SUCCESS)
}

/// A new file in the folder of `output`, to take its place.
pub(super) fn beside(output: &Path) -> std::io::Result<NamedTempFile> {
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".palisade-").suffix(".wasm");
    // As any file that somebody makes, and not for its owner alone.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Whether a package may take the place of what is there: only a slip would
/// name another kind of file.
pub(super) fn replaceable(output: &Path) -> Result<(), Failure> {
    let begins = |path: &Path| -> std::io::Result<[u8; 4]> {
        let mut bytes = [0; 4];
        std::io::Read::read_exact(&mut crate::files::open_file(path, u64::MAX)?, &mut bytes)?;
        Ok(bytes)
    };
    match begins(output) {
        Ok(bytes) if bytes == *b"\0asm" => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(Failure::because(
            format!("{} can't be written", output.display()),
            &error,
        )),
        Ok(_) | Err(_) => Err(Failure::new(format!(
            "{} is there, and is no plugin",
            output.display()
        ))
        .remedy("give the name of a file that may be replaced: -o FILE.wasm")),
    }
}

/// Two versions of one thing are most likely a slip.
fn other_version(manifest: Option<&str>, cargo: Option<&str>) {
    if let (Some(manifest), Some(cargo)) = (manifest, cargo)
        && manifest != cargo
    {
        output::error_line(&printable(&format!(
            "palisade: palisade.toml says version {manifest}, Cargo.toml says {cargo}: \
             the package has the first"
        )));
    }
}

/// What it asks for and has no way to use.
fn of_no_use(asks: &Manifest, plugin: &Metadata) -> Vec<String> {
    let imports = |package: &str| (plugin.imports.iter()).any(|import| import.starts_with(package));
    let http = imports("wasi:http/");
    let cases = [
        ("roots", !asks.roots.is_empty(), imports("wasi:filesystem/")),
        (
            "network",
            !asks.network.is_empty(),
            http || imports("wasi:sockets/"),
        ),
        ("env", !asks.env.is_empty(), imports("wasi:cli/environment")),
    ];
    (cases.into_iter())
        .filter(|(_, asked, usable)| *asked && !usable)
        .map(|(what, ..)| {
            format!(
                "it asks for [{what}] and imports nothing to use it with: \
                 people are asked for what it does not need"
            )
        })
        .collect()
}
