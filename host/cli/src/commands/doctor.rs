//! `palisade doctor`: what protects this machine, and what could be better.

use std::process::ExitCode;

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use palisade_hardening::{Part, probe};
use palisade_runtime::{CompiledCache, Engine, EngineOptions, WASMTIME};
use palisade_secrets::Place;
use serde_json::{Value, json};

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::keyring;
use crate::output;
use crate::places::{Places, State};
use crate::secrets::store_remedy;

mod installed;

/// Looks at everything a plugin's safety, or its speed, depends on. The exit
/// code says whether all is well.
pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let checks = checks();
    let well = checks.iter().all(|check| check.remedy.is_none());
    if args.json {
        let json = serde_json::to_string_pretty(&as_json(&checks, well))
            .map_err(|error| Failure::because("the result can't be written as JSON", &error))?;
        output::line(json)?;
    } else {
        output::line(as_text(&checks))?;
    }
    Ok(match well {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// One thing that was looked at.
struct Check {
    name: &'static str,
    found: String,
    /// What to do, if it is not well.
    remedy: Option<String>,
}

impl Check {
    fn well(name: &'static str, found: impl Into<String>) -> Self {
        Self {
            name,
            found: output::one_line(&found.into()),
            remedy: None,
        }
    }

    fn ill(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            remedy: Some(output::one_line(&remedy.into())),
            ..Self::well(name, found)
        }
    }
}

fn checks() -> Vec<Check> {
    let mut checks = vec![
        Check::well("palisade", env!("CARGO_PKG_VERSION")),
        Check::well("wasmtime", WASMTIME),
        Check::well("machine", machine()),
        instances(),
    ];
    checks.extend(wall());
    checks.extend(places());
    checks
}

/// The system, and what of its processor compiled code depends on: code of
/// another machine is not used but made again.
fn machine() -> String {
    let mut machine = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let features = features();
    if !features.is_empty() {
        machine = format!("{machine} with {}", features.join(", "));
    }
    machine
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    macro_rules! found {
        ($($name:tt),*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let known = found!(
        "sse4.1", "sse4.2", "popcnt", "avx", "avx2", "fma", "bmi1", "bmi2", "lzcnt", "avx512f"
    );
    let here = known.into_iter().filter(|(_, here)| *here);
    here.map(|(name, _)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

/// Whether WebAssembly runs here, and as fast as it can.
fn instances() -> Check {
    const NAME: &str = "plugins";
    match Engine::new(&EngineOptions::default()) {
        Ok(engine) if engine.is_pooling() => Check::well(NAME, "run, from a pool of instances"),
        Ok(_) => Check::ill(
            NAME,
            "run, but slower than they could: there is no room for a pool of instances",
            "let this process reserve address space: raise `ulimit -v`",
        ),
        Err(error) => Check::ill(
            NAME,
            format!("can't be run: {error}"),
            "use a 64-bit x86 or ARM processor, and a system that allows programs to make code",
        ),
    }
}

/// The second wall, as it would stand.
fn wall() -> Vec<Check> {
    let remedies = [
        (
            "landlock",
            "boot Linux 5.19 or newer with `landlock` in the list of `lsm=`; in a container, \
             allow the landlock system calls",
        ),
        (
            "seccomp",
            "use a kernel with CONFIG_SECCOMP_FILTER; in a container, allow the seccomp system \
             call",
        ),
    ];
    let active = match probe() {
        Ok(active) => active,
        Err(error) => {
            let ill = |(name, remedy)| Check::ill(name, error.to_string(), remedy);
            return remedies.map(ill).into();
        }
    };
    let parts = [active.landlock, active.seccomp];
    let checks = remedies.into_iter().zip(parts);
    let check = |((name, remedy), part)| match part {
        Part::Holds(what) => Check::well(name, format!("holds ({what})")),
        Part::Missing(why) => Check::ill(name, format!("missing: {why}"), remedy),
    };
    checks.map(check).collect()
}

/// Palisade's own directories: whoever can write there runs code, or grants.
fn places() -> Vec<Check> {
    let Some(places) = Places::find() else {
        let remedy = "set HOME, so that plugins need not be compiled at every start";
        return vec![Check::ill("cache", "there is no home directory", remedy)];
    };
    let compiled = places.compiled();
    let cache = match CompiledCache::open(&compiled) {
        Ok(_) => Check::well("cache", format!("{}, private", compiled.display())),
        Err(error) => Check::ill(
            "cache",
            error.to_string(),
            format!("make {} a directory of your own", compiled.display()),
        ),
    };
    let config = places.config();
    let shown = config.display();
    let config = match State::of(config) {
        State::Missing => Check::well("config", format!("{shown}, not there yet")),
        State::Private => Check::well("config", format!("{shown}, private")),
        State::Open(why) => Check::ill(
            "config",
            format!("{shown}: {why}, who could grant what they like"),
            format!("make it yours alone: chmod go-w {shown}"),
        ),
    };
    let mut checks = vec![cache, config, secrets(&places)];
    checks.extend(installed::checks(&places));
    checks
}

/// Where secrets are kept, which only their owner may read.
fn secrets(places: &Places) -> Check {
    const NAME: &str = "secrets";
    let store = places.secrets(keyring::AT_START);
    let shown = store.path().display();
    let names = match store.names() {
        Ok(names) => names,
        Err(error) => {
            return Check::ill(NAME, error.to_string(), store_remedy("NAME", &error));
        }
    };
    let (mut files, mut keyring) = (0, 0);
    for name in &names {
        match store.place(name) {
            Ok(Some(Place::File)) => files += 1,
            // It is not asked: that could mean asking for a password.
            Ok(Some(Place::Keyring)) => keyring += 1,
            Ok(None) => {}
            Err(error) => {
                return Check::ill(NAME, error.to_string(), store_remedy(name, &error));
            }
        }
    }
    let found = match (files, keyring) {
        (0, 0) => format!("{shown}, none yet"),
        (files, 0) => format!("{shown}, private ({files})"),
        (0, keyring) => format!("{shown}, in the keyring ({keyring})"),
        (files, keyring) => format!("{shown}, private ({files}), in the keyring ({keyring})"),
    };
    Check::well(NAME, found)
}

fn as_json(checks: &[Check], well: bool) -> Value {
    let one = |check: &Check| {
        json!({
            "name": check.name,
            "well": check.remedy.is_none(),
            "found": check.found,
            "remedy": check.remedy,
        })
    };
    json!({
        "well": well,
        "checks": checks.iter().map(one).collect::<Vec<_>>(),
    })
}

fn as_text(checks: &[Check]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    for check in checks {
        let mark = if check.remedy.is_none() { "✓" } else { "✗" };
        table.add_row([mark, check.name, &check.found]);
        if let Some(remedy) = &check.remedy {
            table.add_row(["", "", &format!("→ {remedy}")]);
        }
    }
    let text = table.to_string();
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}
