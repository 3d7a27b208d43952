//! `palisade keygen` and `palisade sign`: whoever installs it can tell who made it.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use palisade_signing::{BadSignature, Key, SecretKey, sign};
use serde_json::json;
use tempfile::NamedTempFile;

use super::pack::{beside, replaceable};
use crate::args::{KeygenArgs, SignArgs};
use crate::failure::Failure;
use crate::files::{open_file, read_file};
use crate::load::{MAX_PLUGIN, unreadable};
use crate::output::{self, printable};
use crate::places::Places;

/// Largest key that is read, in bytes.
const MAX_KEY: u64 = 16 << 10;

/// Makes a key pair. A file that is there is never replaced: what it has signed
/// could not be signed again.
pub(crate) fn keygen(args: &KeygenArgs) -> Result<ExitCode, Failure> {
    let file = key_file(args.file.as_ref())?;
    let secret = SecretKey::generate().map_err(|error| Failure::new(format!("a key {error}")))?;
    write_new(&file, &secret).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(format!("{} is there already", file.display()))
            .remedy("a key is never replaced; name another file: palisade keygen FILE"),
        _ => Failure::because(format!("{} can't be written", file.display()), &error),
    })?;
    let key = secret.public();
    if args.json {
        output::line(json!({ "key": key.to_string(), "file": file }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(printable(&format!(
        "{} is written. It is secret: whoever has it signs as you.\n\n\
         The public key, for those who are to trust you:\n\n{}\n\n\
         They write into their trust.toml:\n\n{}",
        file.display(),
        key,
        in_the_list(&key),
    )))?;
    Ok(ExitCode::SUCCESS)
}

fn in_the_list(key: &Key) -> String {
    format!(
        "[[signer]]\nname = \"your name\"\nkey = \"{key}\"\n\
         sources = [\"oci://registry.example/you/*\"]"
    )
}

/// Puts a signature into a plugin.
pub(crate) fn run(args: &SignArgs) -> Result<ExitCode, Failure> {
    let key_file = key_file(args.key.as_ref())?;
    let secret = read_key(&key_file, args.key.is_some())?;
    let shown = args.file.display();
    let bytes =
        read_file(&args.file, MAX_PLUGIN).map_err(|error| unreadable(&args.file, &error))?;
    let named = palisade_package::carried(&bytes)
        .map_err(|error| Failure::because(format!("{shown} can't be signed"), &error))?;
    if named.manifest.is_none() {
        return Err(Failure::new(format!("{shown} carries no manifest"))
            .remedy("pack it first, since packing it changes it: palisade pack DIR"));
    }
    let sealed = sign(&bytes, &secret).map_err(|error| match error {
        BadSignature::Already => Failure::new(format!("{shown} is signed by this key already")),
        error => Failure::new(format!("{shown}: its signature {error}"))
            .remedy("pack it again, which takes the signature away: palisade pack DIR"),
    })?;
    let output = args.output.as_ref().unwrap_or(&args.file);
    if args.output.is_some() {
        replaceable(output)?;
    }
    let unwritten = |error: &std::io::Error| {
        Failure::because(format!("{} can't be written", output.display()), error)
    };
    let mut file = beside(output).map_err(|error| unwritten(&error))?;
    (file.write_all(&sealed.bytes))
        .and_then(|()| file.as_file().sync_all())
        .map_err(|error| unwritten(&error))?;
    file.persist(output)
        .map_err(|error| unwritten(&error.error))?;
    let digest = palisade_registry::Digest::of(&sealed.bytes);
    let signers: Vec<_> = sealed.signers.iter().map(ToString::to_string).collect();
    if args.json {
        output::line(json!({
            "file": output,
            "digest": digest.to_string(),
            "key": secret.public().to_string(),
            "signers": signers,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(printable(&format!(
        "{} is signed\n  by      {}\n  digest  {digest}\n\n\
         Publish it as it is now:  palisade push {0} oci://REGISTRY/NAME:TAG",
        output.display(),
        signers.join("\n          "),
    )))?;
    Ok(ExitCode::SUCCESS)
}

fn key_file(given: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    match given {
        Some(given) => Ok(given.clone()),
        None => Places::find()
            .map(|places| places.signing_key())
            .ok_or_else(|| {
                Failure::new("there is no home directory in which a key could be kept")
                    .remedy("name a file for it")
            }),
    }
}

/// Written in full before it has its name, for its owner alone.
fn write_new(file: &Path, secret: &SecretKey) -> std::io::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut temporary = NamedTempFile::new_in(folder)?;
    (temporary.as_file()).set_permissions(std::fs::Permissions::from_mode(0o600))?;
    temporary.write_all(secret.to_pem().as_bytes())?;
    temporary.as_file().sync_all()?;
    temporary
        .persist_noclobber(file)
        .map_err(|error| error.error)?;
    // So that it is still there after the power has failed.
    let flags = rustix::fs::OFlags::DIRECTORY.bits().cast_signed();
    let folder = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(folder)?;
    folder.sync_all()
}

fn read_key(path: &Path, given: bool) -> Result<SecretKey, Failure> {
    let shown = path.display();
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound if !given => {
            Failure::new("there is no key to sign with").remedy("make one: palisade keygen")
        }
        _ => Failure::because(format!("the key {shown} can't be read"), &error),
    };
    let file = open_file(path, MAX_KEY).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(
            Failure::new(format!("the key {shown} can be read by others"))
                .remedy(format!("if nobody has: chmod 600 {shown}")),
        );
    }
    let mut text = zeroize::Zeroizing::new(String::new());
    let mut file = file.take(MAX_KEY);
    file.read_to_string(&mut text).map_err(failed)?;
    SecretKey::from_pem(&text).map_err(|error| Failure::new(format!("the key {shown} {error}")))
}
