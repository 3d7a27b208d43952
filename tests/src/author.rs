//! What somebody needs who writes plugins: a compiler for WebAssembly, and the
//! crates that are on this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::artifacts::{palisade, target};
use crate::command::Palisade;
use crate::finished::Finished;

/// Variables for a `palisade` that builds plugins: with the compiler, the crates
/// and the build folder that the plugins of this repository are built with.
///
/// # Panics
///
/// If there is no compiler for plugins.
#[must_use]
pub fn environment() -> Vec<(&'static str, OsString)> {
    let mut variables = crates();
    variables.push(("CARGO_TARGET_DIR", target().join("wasm").into()));
    if let Some(rustc) = compiler() {
        variables.push(("RUSTC", rustc.into()));
    }
    variables
}

/// Variables for cargo itself, for tests of a plugin on this machine.
#[must_use]
pub fn native_environment() -> Vec<(&'static str, OsString)> {
    let mut variables = crates();
    variables.push(("CARGO_TARGET_DIR", target().into()));
    variables
}

/// A `palisade` for an author who stands in this folder.
#[must_use]
pub fn author(folder: &Path, arguments: &[&str]) -> Palisade {
    let command = Palisade::new(arguments).in_folder(folder);
    let variables = environment().into_iter();
    variables.fold(command, |command, (name, value)| command.env(name, value))
}

/// Runs it to its end. Compiling takes longer than anything else that is waited
/// for.
///
/// # Panics
///
/// If it can't be started.
#[must_use]
#[track_caller]
pub fn finished(command: &Palisade) -> Finished {
    let output = command.command().output();
    let output = output.expect("the host can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Finished {
        code: output.status.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// Makes a project in this folder with `palisade new`, which builds with the
/// versions of crates that the plugins of this repository have.
///
/// # Panics
///
/// If it can't be made.
#[must_use]
#[track_caller]
pub fn project(folder: &Path, name: &str) -> PathBuf {
    author(folder, &["new", name]).output().success();
    let project = folder.join(name);
    pin(&project);
    project
}

/// Gives a project the versions of crates that are on this machine.
///
/// # Panics
///
/// If it can't be written to.
pub fn pin(project: &Path) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let workspace = workspace.expect("the tests are a folder of the workspace");
    std::fs::copy(
        workspace.join("plugins/Cargo.lock"),
        project.join("Cargo.lock"),
    )
    .expect("the project can be written to");
}

/// The cargo that runs the tests.
#[must_use]
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into())
}

/// The PATH with the host's binary in front.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn path() -> OsString {
    let host = palisade();
    let folder = host.parent().expect("it lies in a folder").to_owned();
    let rest = std::env::var_os("PATH").expect("there is a PATH");
    let all = std::iter::once(folder).chain(std::env::split_paths(&rest));
    std::env::join_paths(all).expect("they were one before")
}

/// Where the crates are, and that nothing else is asked for them.
fn crates() -> Vec<(&'static str, OsString)> {
    let home = PathBuf::from(std::env::var_os("HOME").expect("there is a home"));
    let or_home = |name: &str, folder: &str| {
        std::env::var_os(name).unwrap_or_else(|| home.join(folder).into())
    };
    let mut variables = vec![
        ("CARGO", cargo()),
        ("CARGO_HOME", or_home("CARGO_HOME", ".cargo")),
        ("RUSTUP_HOME", or_home("RUSTUP_HOME", ".rustup")),
        ("CARGO_NET_OFFLINE", "true".into()),
    ];
    if let Some(toolchain) = std::env::var_os("RUSTUP_TOOLCHAIN") {
        variables.push(("RUSTUP_TOOLCHAIN", toolchain));
    }
    variables
}

/// The compiler for plugins, where it is another one than the toolchain's.
fn compiler() -> Option<PathBuf> {
    static COMPILER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../xtask/scripts/setup-rust-wasm.sh");
        let printed = Command::new("bash").arg(script).output().ok()?;
        assert!(
            printed.status.success(),
            "{}",
            String::from_utf8_lossy(&printed.stderr)
        );
        let file = String::from_utf8(printed.stdout).ok()?;
        let ask = Command::new("sh")
            .args(["-c", ". \"$1\" && printf %s \"${RUSTC:-}\"", "sh"])
            .arg(file.trim_end())
            .env_remove("RUSTC")
            .output()
            .ok()?;
        let rustc = String::from_utf8(ask.stdout).ok()?;
        (!rustc.is_empty()).then(|| PathBuf::from(rustc))
    };
    COMPILER.get_or_init(find).clone()
}
