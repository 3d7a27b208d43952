//! From flags and files to a grant: the I/O around `palisade-policy`.

use std::path::{Path, PathBuf};

use palisade_policy::{Access, EnvFlag, Grant, Manifest, RootFlag, RootGrant, name_roots};

use crate::args::GrantArgs;
use crate::failure::Failure;
use crate::files::read_text;
use crate::places::Places;
use crate::steps::steps;

/// What a person says is granted one plugin.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    /// Directories.
    pub(crate) roots: Vec<RootFlag>,
    /// Variables.
    pub(crate) env: Vec<EnvFlag>,
    /// More, in a file.
    pub(crate) file: Option<GrantFile>,
}

/// A grant file that has been read.
#[derive(Debug)]
pub(crate) struct GrantFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it says.
    pub(crate) grant: Grant,
}

/// A grant in which every path is absolute and resolved.
pub(crate) struct Collected {
    /// The grant.
    pub(crate) grant: Grant,
    /// The paths by which it came about, as written: what they lead to decides
    /// what is granted the next time.
    pub(crate) written: Vec<PathBuf>,
}

impl GrantFile {
    /// Reads one.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path).map_err(|error| {
            Failure::because(
                format!("the grant file {} can't be read", path.display()),
                &error,
            )
            .remedy("give the path of a grant file, a small TOML text")
        })?;
        let grant = Grant::parse(&text)
            .map_err(|error| Failure::new(format!("the grant file {}, {error}", path.display())))?;
        Ok(Self {
            path: path.to_owned(),
            grant,
        })
    }
}

impl Granted {
    /// What flags for one plugin say.
    pub(crate) fn by(args: &GrantArgs) -> Result<Self, Failure> {
        Ok(Self {
            roots: args.roots.clone(),
            env: args.env.clone(),
            file: args.grant.as_deref().map(GrantFile::read).transpose()?,
        })
    }
}

/// Everything the person grants: the file, then the flags over it.
pub(crate) fn collect(
    granted: Granted,
    manifest: Option<&Manifest>,
    places: Option<&Places>,
) -> Result<Collected, Failure> {
    let Granted { roots, env, file } = granted;
    let (path, mut grant) = match file {
        Some(file) => (Some(file.path), file.grant),
        None => (None, Grant::default()),
    };
    let base = path.as_deref().and_then(Path::parent).map(Path::to_owned);
    let mut written: Vec<PathBuf> = path.into_iter().collect();
    for root in &mut grant.roots {
        // As in any configuration file, relative to the file.
        let path = base.as_deref().unwrap_or(Path::new("")).join(&root.path);
        root.path = resolve(&path)?;
        written.push(path);
    }
    written.extend(roots.iter().map(|flag| flag.path.clone()));
    let mut flags = Grant {
        roots: named_roots(&roots, manifest)?,
        ..Grant::default()
    };
    for flag in &env {
        flags.env.insert(flag.name.clone(), env_value(flag)?);
    }
    let grant = grant.merge(flags);
    for root in &grant.roots {
        check_place(root, places)?;
    }
    check_dependence(&grant.roots, &written)?;
    Ok(Collected { grant, written })
}

fn named_roots(flags: &[RootFlag], manifest: Option<&Manifest>) -> Result<Vec<RootGrant>, Failure> {
    let resolved = flags
        .iter()
        .map(|flag| {
            Ok(RootFlag {
                path: resolve(&flag.path)?,
                ..flag.clone()
            })
        })
        .collect::<Result<_, Failure>>()?;
    name_roots(resolved, manifest).map_err(|error| Failure::usage(error.to_string()))
}

/// What the directory really is: links are followed once, now.
fn resolve(path: &Path) -> Result<PathBuf, Failure> {
    let shown = path.display();
    let resolved = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::new(format!("the directory {shown} does not exist"))
                .remedy("create it, or grant another one with --root")
        }
        _ => Failure::because(format!("the directory {shown} can't be granted"), &error),
    })?;
    if !resolved.is_dir() {
        return Err(
            Failure::new(format!("{shown} can't be granted: it is not a directory"))
                .remedy("grant the directory it lies in"),
        );
    }
    Ok(resolved)
}

fn check_place(root: &RootGrant, places: Option<&Places>) -> Result<(), Failure> {
    let Some(own) = places.and_then(|places| places.touched_by(&root.path)) else {
        return Ok(());
    };
    Err(Failure::new(format!(
        "{} can't be granted: Palisade keeps its own files in {}",
        root.path.display(),
        own.display()
    ))
    .remedy("grant a directory that has nothing to do with it, for example one below")
    .into_refusal())
}

/// A plugin that can change what its own grant depends on (the grant file, a
/// directory on the way to another one that is granted) decides what it gets
/// the next time. Of several plugins, the same goes for what others' grants
/// depend on.
pub(crate) fn check_dependence(roots: &[RootGrant], written: &[PathBuf]) -> Result<(), Failure> {
    for path in written {
        let shown = path.display();
        let steps = steps(path)
            .map_err(|error| Failure::because(format!("{shown} can't be resolved"), &error))?;
        let changeable = roots
            .iter()
            .filter(|root| root.access == Access::ReadWrite)
            .find(|root| {
                let below = |step: &PathBuf| *step != root.path && step.starts_with(&root.path);
                steps.iter().any(below)
            });
        if let Some(root) = changeable {
            return Err(Failure::new(format!(
                "{} can't be granted for writing: {shown} depends on it, and the plugin could \
                 make it lead anywhere the next time",
                root.path.display(),
            ))
            .remedy("grant the outer directory read-only, or grant it alone")
            .into_refusal());
        }
    }
    Ok(())
}

fn env_value(flag: &EnvFlag) -> Result<String, Failure> {
    match &flag.value {
        Some(value) => Ok(value.clone()),
        None => std::env::var(&flag.name).map_err(|_| {
            Failure::usage(format!(
                "--env {0}: you have no variable {0} that could be passed on",
                flag.name
            ))
            .remedy(format!(
                "set it, or give its value: --env {}=VALUE",
                flag.name
            ))
        }),
    }
}
