//! `palisade client`: plugins in the configuration of the clients that start them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use palisade_clients::{
    Bases, CLIENTS, Change, Client, ConfigError, Entry, Os, Scope, Server, add, entries, remove,
};
use serde_json::json;

use crate::args::{ClientAddArgs, ClientCommand, ClientRemoveArgs, ConfigArgs};
use crate::config_file::{ConfigFile, Written};
use crate::failure::Failure;
use crate::installed::Home;
use crate::output::{self, printable};
use crate::permissions::table;

/// How often an edit is made anew because somebody else was faster.
const TRIES: usize = 5;

/// Does what was said.
pub(crate) fn run(command: &ClientCommand) -> Result<ExitCode, Failure> {
    match command {
        ClientCommand::Add(args) => put(args),
        ClientCommand::Remove(args) => take(args),
        ClientCommand::List { json } => list(*json),
    }
}

fn put(args: &ClientAddArgs) -> Result<ExitCode, Failure> {
    let (client, name) = (args.config.client, args.config.name.as_str());
    Home::find()?.get(name)?;
    let server = server(name, args.config.scope.into())?;
    if args.print {
        output::line(format!("{:#}", server.snippet(client, name)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let path = config_path(&args.config)?;
    let met = path.parent().is_some_and(Path::exists);
    let (change, backup) = edited(client, &path, |file| {
        let edit = add(file.text(), client, name, &server, args.replace)?;
        let text = (edit.change != Change::Same).then_some(edit.text);
        Ok((edit.change, text))
    })?;
    let shown = path.display();
    let said = match change {
        Change::Same => format!("{} starts {name} already: {shown}", client.name),
        _ => format!("{} will start {name}: {shown}", client.name),
    };
    output::line(printable(&said))?;
    if change != Change::Same {
        tell_backup(backup.as_deref())?;
        output::line(match met {
            true => format!("  restart {} if it is running", client.name),
            false => format!("  its folder was not there: is {} installed?", client.name),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A client's own configuration, and the entries in it or why it can't be read.
pub(crate) struct Configured {
    pub(crate) client: &'static Client,
    pub(crate) file: PathBuf,
    pub(crate) entries: Result<Vec<Entry>, Failure>,
}

/// What the clients' own configurations have, as far as there are any.
pub(crate) fn configured() -> Result<Vec<Configured>, Failure> {
    let bases = bases()?;
    let read = |client: &'static Client| {
        let file = client.user_file(Os::current(), &bases);
        if matches!(file.try_exists(), Ok(false)) {
            return None;
        }
        let entries = ConfigFile::open(&file)
            .and_then(|text| entries(text.text(), client).map_err(|e| failure(client, &file, &e)));
        Some(Configured {
            client,
            file,
            entries,
        })
    };
    Ok(CLIENTS.iter().filter_map(read).collect())
}

/// Takes a plugin out of the clients' own configurations, and says from which.
/// What can't be done is told, and stops nothing.
pub(crate) fn forget(name: &str) -> Result<(), Failure> {
    for one in configured()? {
        // One that can't be read may never have had it.
        let Ok(entries) = &one.entries else { continue };
        for entry in entries.iter().filter(|e| e.plugin.as_deref() == Some(name)) {
            let shown = one.file.display();
            if entry.name != name {
                output::error_line(&printable(&format!(
                    "palisade: {} still starts {name}, as {:?}; take that out of {shown}",
                    one.client.name, entry.name
                )));
                continue;
            }
            match taken(one.client, &one.file, name) {
                Ok((true, backup)) => {
                    let what = format!("  {} no longer starts it: {shown}", one.client.name);
                    output::line(printable(&what))?;
                    tell_backup(backup.as_deref())?;
                }
                Ok((false, _)) => {}
                Err(failure) => output::error_line(&printable(&format!(
                    "palisade: {} still starts {name}: {}",
                    one.client.name,
                    failure.sentence()
                ))),
            }
        }
    }
    Ok(())
}

/// Whether the entry was there, and is gone now; and where the backup is.
fn taken(client: &Client, path: &Path, name: &str) -> Result<(bool, Option<PathBuf>), Failure> {
    edited(client, path, |file| {
        remove(file.text(), client, name).map(|text| (text.is_some(), text))
    })
}

fn take(args: &ClientRemoveArgs) -> Result<ExitCode, Failure> {
    let (client, name) = (args.config.client, args.config.name.as_str());
    let path = config_path(&args.config)?;
    let (found, backup) = taken(client, &path, name)?;
    if !found {
        return Err(Failure::new(format!(
            "{} does not start {name}: {} has no such entry",
            client.name,
            path.display()
        ))
        .remedy("palisade client list shows which plugins clients start"));
    }
    output::line(printable(&format!(
        "{} no longer starts {name}: {}",
        client.name,
        path.display()
    )))?;
    tell_backup(backup.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

fn tell_backup(backup: Option<&Path>) -> Result<(), Failure> {
    let Some(backup) = backup else {
        return Ok(());
    };
    output::line(printable(&format!(
        "  {} has what stood there before Palisade first changed it",
        backup.display()
    )))
}

fn list(as_json: bool) -> Result<ExitCode, Failure> {
    let bases = bases()?;
    let mut rows = table();
    rows.set_header(["client", "starts", "other servers", "configuration"]);
    let mut all = Vec::new();
    for client in &CLIENTS {
        let path = client.user_file(Os::current(), &bases);
        let read = ConfigFile::open(&path).and_then(|file| {
            let entries = entries(file.text(), client);
            let entries = entries.map_err(|error| failure(client, &path, &error))?;
            Ok((file.exists(), entries))
        });
        let (exists, entries, problem) = match read {
            Ok((exists, entries)) => (exists, entries, None),
            Err(failure) => (true, Vec::new(), Some(failure.sentence())),
        };
        let plugins: Vec<_> = entries
            .iter()
            .filter_map(|entry| entry.plugin.clone())
            .collect();
        let others = entries.len() - plugins.len();
        all.push(json!({
            "client": client.id,
            "name": client.name,
            "file": path.display().to_string(),
            "exists": exists,
            "plugins": entries.iter().filter_map(of_ours).collect::<Vec<_>>(),
            "others": others,
            "problem": problem,
        }));
        let place = match (&problem, exists) {
            (Some(problem), _) => problem.clone(),
            (None, true) => path.display().to_string(),
            (None, false) => "—".to_owned(),
        };
        rows.add_row([
            client.id.to_owned(),
            printable(&plugins.join(", ")),
            others.to_string(),
            printable(&place),
        ]);
    }
    if as_json {
        output::line(format!("{:#}", json!(all)))?;
    } else {
        let lines = rows.to_string();
        let lines: Vec<_> = lines.lines().map(str::trim_end).collect();
        output::line(lines.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn of_ours(entry: &Entry) -> Option<serde_json::Value> {
    let plugin = entry.plugin.as_deref()?;
    Some(json!({ "entry": entry.name, "plugin": plugin }))
}

/// Edits a file; what the edit says, and where the backup is.
fn edited<T>(
    client: &Client,
    path: &Path,
    edit: impl Fn(&ConfigFile) -> Result<(T, Option<String>), ConfigError>,
) -> Result<(T, Option<PathBuf>), Failure> {
    for _ in 0..TRIES {
        let file = ConfigFile::open(path)?;
        let (said, text) = edit(&file).map_err(|error| failure(client, path, &error))?;
        let Some(text) = text else {
            return Ok((said, None));
        };
        if let Written::Done(backup) = file.write(&text)? {
            return Ok((said, backup));
        }
    }
    Err(Failure::new(format!(
        "{} changes all the time, so it is left as it is",
        path.display()
    ))
    .remedy(format!("close {}, and try again", client.name)))
}

fn failure(client: &Client, path: &Path, error: &ConfigError) -> Failure {
    let failure = Failure::new(format!("{} is left as it is: {error}", path.display()));
    match error {
        ConfigError::Foreign(_) => failure.remedy(
            "--replace puts Palisade's in its place; or install the plugin under another name, \
             with --name",
        ),
        _ => failure.remedy(format!(
            "correct it ({} may not read it either), or see with --print what to put there",
            client.name
        )),
    }
}

fn bases() -> Result<Bases, Failure> {
    let home = etcetera::home_dir().ok().filter(|home| home.is_absolute());
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    Ok(Bases {
        home: home.ok_or_else(|| {
            Failure::new("there is no home directory in which clients keep their configuration")
                .remedy("set HOME, or name the file: --file PATH")
        })?,
        config: variable("XDG_CONFIG_HOME"),
        app_data: variable("APPDATA"),
    })
}

fn config_path(args: &ConfigArgs) -> Result<PathBuf, Failure> {
    let here = || {
        std::env::current_dir()
            .map_err(|error| Failure::because("the current folder can't be found", &error))
    };
    match (&args.file, args.scope.into()) {
        (Some(file), _) => Ok(here()?.join(file)),
        (None, Scope::User) => Ok(args.client.user_file(Os::current(), &bases()?)),
        (None, Scope::Project) => args.client.project_file(&here()?).ok_or_else(|| {
            Failure::usage(format!("{} has no servers of a project", args.client.name))
                .remedy("leave out --scope project")
        }),
    }
}

/// How the client is to start the plugin.
fn server(name: &str, scope: Scope) -> Result<Server, Failure> {
    let (command, env) = match scope {
        Scope::User => (program()?, own_places()),
        // A file that others read: on their machines it is somewhere else.
        Scope::Project => ("palisade".to_owned(), BTreeMap::new()),
    };
    Ok(Server {
        command,
        args: vec!["run".to_owned(), name.to_owned()],
        env,
    })
}

/// Where plugins and grants are, if a variable says so: a client that a desktop
/// starts does not have the shell's variables.
fn own_places() -> BTreeMap<String, String> {
    let set = |name: &str| {
        let value = std::env::var(name).ok()?;
        Path::new(&value)
            .is_absolute()
            .then(|| (name.to_owned(), value))
    };
    (["XDG_CONFIG_HOME", "XDG_DATA_HOME"].into_iter())
        .filter_map(set)
        .collect()
}

/// Where this program is. By the name it is found under, where that is a link: an
/// upgrade changes what it leads to.
fn program() -> Result<String, Failure> {
    let lost = |error: &std::io::Error| {
        Failure::because("it can't be found out where palisade is", error)
            .remedy("with --scope project, the entry names no place")
    };
    let this = std::env::current_exe().map_err(|error| lost(&error))?;
    let real = this.canonicalize().map_err(|error| lost(&error))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("palisade"))
        .find(|file| file.canonicalize().is_ok_and(|file| file == real));
    let program = found.unwrap_or(real).into_os_string().into_string();
    program.map_err(|_| Failure::new("palisade is in a folder whose name is not text"))
}
