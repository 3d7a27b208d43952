//! Several plugins as one server.
//!
//! They do not know each other, and one that is no good is not the others'
//! fault: it is left out, and both the person and the client are told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use palisade_hardening::Wall;
use palisade_policy::{is_name, name_from};
use palisade_server::{PluginSetup, Service};

use crate::args::{CompileArgs, RunGrantArgs};
use crate::failure::Failure;
use crate::grants::{Granted, Source, check_dependence};
use crate::installed::Subject;
use crate::installed::watch::Seen;
use crate::load::{Loader, file_name, manifest};
use crate::outside::Ways;
use crate::places::Places;
use crate::plugin_arg::PluginArg;
use crate::prepare::{Loaded, Prepared};
use crate::scopes;

mod about;

use about::{About, LeftOut};

/// Plugins one server has.
const MAX: usize = 32;

/// Serves those that can be served, and keeps what they are granted within
/// reach of this process.
pub(crate) fn service(
    plugins: &[PluginArg],
    args: &RunGrantArgs,
    compile: CompileArgs,
    places: Option<&Places>,
    ways: &Ways,
    wall: &mut Wall,
) -> Result<(Service, Vec<(usize, Seen)>), Failure> {
    if plugins.len() > MAX {
        return Err(Failure::usage(format!(
            "{} plugins are too many for one server",
            plugins.len()
        ))
        .remedy(format!(
            "give {MAX} at most, and start another one for the rest"
        )));
    }
    let example = plugins.first().map(guessed_name).unwrap_or_default();
    let mut granted = scopes::for_several(args, &example)?;
    let loader = Loader::new(places, plugins.len(), compile)?;
    let candidates = load(plugins, &loader, places);
    check_names(&candidates)?;
    check_all_reached(&granted, &candidates)?;

    let mut about = About::default();
    let mut prepared: Vec<Prepared> = Vec::new();
    for Candidate { name, loaded, .. } in candidates {
        let granted = granted.remove(&name).unwrap_or_default();
        let decided = loaded.and_then(|loaded| loaded.decide(granted, places));
        match decided {
            Ok(one) => prepared.push(one),
            Err(failure) => about.leave_out(LeftOut::told(name, &failure)?),
        }
    }
    let on_which_others_depend = |this: usize| -> Vec<Source> {
        let others = prepared
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != this);
        others
            .flat_map(|(_, one)| one.sources.iter().cloned())
            .collect()
    };
    let dependence: Vec<_> = (0..prepared.len())
        .map(|place| check_dependence(&prepared[place].roots, &on_which_others_depend(place)))
        .collect();
    let mut setups: Vec<PluginSetup> = Vec::new();
    let mut seen = Vec::new();
    for (one, independent) in prepared.into_iter().zip(dependence) {
        let name = one.name.clone();
        let description = one
            .manifest
            .as_ref()
            .and_then(|it| it.plugin.description.clone());
        one.tell_unused();
        let mut needs = Wall::default();
        one.keep(&mut needs);
        match independent.and_then(|()| one.setup(ways)) {
            Ok((setup, one)) => {
                seen.push((setups.len(), one));
                wall.readable.append(&mut needs.readable);
                wall.writable.append(&mut needs.writable);
                wall.network |= needs.network;
                about.serve(name, description);
                setups.push(setup);
            }
            Err(failure) => about.leave_out(LeftOut::told(name, &failure)?),
        }
    }
    if setups.is_empty() {
        return Err(Failure::new("none of the plugins can be served")
            .remedy("what is wrong with each is said above"));
    }
    let service = Service::several(about.identity(), setups)
        .map_err(|error| Failure::because("the recorded tool lists can't be read", &error))?;
    Ok((service, seen))
}

/// A plugin of the command line, as far as it has come.
struct Candidate {
    name: String,
    file: PathBuf,
    loaded: Result<Loaded, Failure>,
}

/// Loads all of them, side by side. Each has its time and no more, and no thread
/// is left when this returns.
fn load(plugins: &[PluginArg], loader: &Loader, places: Option<&Places>) -> Vec<Candidate> {
    std::thread::scope(|scope| {
        let loading: Vec<_> = plugins
            .iter()
            .map(|arg| {
                std::thread::Builder::new()
                    .name("palisade-load".to_owned())
                    .spawn_scoped(scope, || load_one(arg, loader, places))
            })
            .collect();
        let candidates = plugins.iter().zip(loading).map(|(arg, loading)| {
            let failed = |error: &std::io::Error| {
                Failure::because(format!("{} can't be loaded", arg.file.display()), error)
            };
            let loaded = match loading {
                Ok(loading) => loading.join().unwrap_or_else(|_| {
                    Err(failed(&std::io::Error::other("this is a bug in Palisade")))
                }),
                Err(error) => Err(failed(&error)),
            };
            Candidate {
                name: match &loaded {
                    Ok(loaded) => loaded.name.clone(),
                    Err(_) => name_of_bad(arg),
                },
                file: arg.file.clone(),
                loaded,
            }
        });
        candidates.collect()
    })
}

fn load_one(arg: &PluginArg, loader: &Loader, places: Option<&Places>) -> Result<Loaded, Failure> {
    let subject = Subject::find(&arg.file, places)?;
    let plugin = loader.load(&subject)?;
    let mut loaded = Loaded::new(subject, arg.name.as_deref(), plugin)?;
    if !is_name(&loaded.name) {
        loaded.name = guessed_name(arg);
    }
    Ok(loaded)
}

/// What a plugin is called if it does not say so itself.
fn guessed_name(arg: &PluginArg) -> String {
    arg.name
        .clone()
        .or_else(|| name_from(&file_name(&arg.file)))
        .unwrap_or_else(|| "plugin".to_owned())
}

/// What one that can't be loaded is called, by its manifest if that much can
/// be read: what is granted by that name was meant for it and for no other.
fn name_of_bad(arg: &PluginArg) -> String {
    if arg.name.is_some() {
        return guessed_name(arg);
    }
    let bytes = crate::files::read_file(&arg.file, crate::load::MAX_PLUGIN).unwrap_or_default();
    let carried = palisade_runtime::carried_manifest(&bytes).ok().flatten();
    match manifest(&arg.file, carried.as_ref()) {
        Ok(Some(manifest)) => manifest.plugin.name,
        _ => guessed_name(arg),
    }
}

/// Two plugins of one name would get what is granted to the other.
fn check_names(candidates: &[Candidate]) -> Result<(), Failure> {
    for (place, one) in candidates.iter().enumerate() {
        let Some(other) = candidates[..place]
            .iter()
            .find(|other| other.name == one.name)
        else {
            continue;
        };
        return Err(Failure::usage(format!(
            "two plugins are called {}: {} and {}",
            one.name,
            other.file.display(),
            one.file.display()
        ))
        .remedy(format!(
            "give one of them another name: OTHER-NAME={}",
            one.file.display()
        )));
    }
    Ok(())
}

/// What is granted to nobody is a slip.
fn check_all_reached(
    granted: &BTreeMap<String, Granted>,
    candidates: &[Candidate],
) -> Result<(), Failure> {
    let names: BTreeSet<_> = candidates.iter().map(|one| one.name.as_str()).collect();
    let Some(unknown) = granted.keys().find(|name| !names.contains(name.as_str())) else {
        return Ok(());
    };
    let names: Vec<_> = names.into_iter().collect();
    Err(Failure::usage(format!(
        "something is granted to {unknown}, and no plugin is called that"
    ))
    .remedy(format!("the plugins are called {}", names.join(", "))))
}
