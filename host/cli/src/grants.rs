//! From flags and files to a grant: the I/O around `palisade-policy`.

use std::path::{Path, PathBuf};

use palisade_policy::{
    Access, AllowFlag, EnvFlag, Grant, Manifest, RootFlag, RootGrant, RootKind, name_roots,
};

use crate::args::GrantArgs;
use crate::failure::Failure;
use crate::files::read_text;
use crate::load::manifest_beside;
use crate::places::Places;
use crate::steps::steps;

/// What a person says is granted one plugin.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    /// Directories and single files.
    pub(crate) roots: Vec<RootFlag>,
    /// Variables.
    pub(crate) env: Vec<EnvFlag>,
    /// Places in the network.
    pub(crate) allow: Vec<AllowFlag>,
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
    /// The grant file, where there is one.
    pub(crate) file: Option<PathBuf>,
    /// What it came about by.
    pub(crate) sources: Vec<Source>,
}

/// A path, as written, that decides what is granted the next time.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    path: PathBuf,
    /// Not only by where it leads, but by what is read there.
    is_read: bool,
}

impl Source {
    /// A file that is read.
    pub(crate) fn read(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_read: true,
        }
    }

    /// A directory or file that is granted.
    fn granted(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_read: false,
        }
    }
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
            roots: (args.roots.iter().cloned())
                .chain(args.single.iter().map(|file| file.0.clone()))
                .collect(),
            env: args.env.clone(),
            allow: args.allow.clone(),
            file: args.grant.as_deref().map(GrantFile::read).transpose()?,
        })
    }
}

/// Everything the person grants the plugin in a file: the grant file, then the
/// flags over it.
pub(crate) fn collect(
    granted: Granted,
    plugin: &Path,
    manifest: Option<&Manifest>,
    places: Option<&Places>,
) -> Result<Collected, Failure> {
    let Granted {
        roots,
        env,
        allow,
        file,
    } = granted;
    let (path, mut grant) = match file {
        Some(file) => (Some(file.path), file.grant),
        None => (None, Grant::default()),
    };
    let base = path.as_deref().and_then(Path::parent).map(Path::to_owned);
    let mut sources: Vec<_> = path.iter().map(|path| Source::read(path)).collect();
    for root in &mut grant.roots {
        // As in any configuration file, relative to the file.
        let written = base.as_deref().unwrap_or(Path::new("")).join(&root.path);
        root.path =
            resolve(&written, root.kind).map_err(|wrong| wrong.in_file(path.as_deref(), root))?;
        sources.push(Source::granted(&written));
    }
    sources.extend(roots.iter().map(|flag| Source::granted(&flag.path)));
    let beside = manifest_beside(plugin);
    let secret = places.map_or(&[][..], Places::secret);
    let read = [plugin, &beside]
        .into_iter()
        .chain(secret.iter().map(PathBuf::as_path));
    // A manifest that is not there can be made only by whoever can write beside
    // the plugin, which is there.
    sources.extend(read.filter(|file| file.exists()).map(Source::read));
    let mut flags = Grant {
        roots: named_roots(&roots, manifest)?,
        network: allow.into_iter().map(|AllowFlag(rule)| rule).collect(),
        ..Grant::default()
    };
    for flag in &env {
        flags.env.insert(flag.name.clone(), env_value(flag)?);
    }
    let grant = grant.merge(flags);
    for root in &grant.roots {
        check_place(root, places)?;
    }
    check_dependence(&grant.roots, &sources)?;
    Ok(Collected {
        grant,
        file: path,
        sources,
    })
}

fn named_roots(flags: &[RootFlag], manifest: Option<&Manifest>) -> Result<Vec<RootGrant>, Failure> {
    let resolved = flags
        .iter()
        .map(|flag| {
            Ok(RootFlag {
                path: resolve(&flag.path, flag.kind).map_err(Unusable::in_flag)?,
                ..flag.clone()
            })
        })
        .collect::<Result<_, Failure>>()?;
    name_roots(resolved, manifest).map_err(|error| Failure::usage(error.to_string()))
}

/// Why a path can't be granted.
struct Unusable {
    path: PathBuf,
    kind: RootKind,
    why: Why,
}

enum Why {
    Missing,
    Unreadable(std::io::Error),
    /// Whether it is of the other kind, and not something else altogether.
    OtherKind(bool),
}

/// What the path really leads to: links are followed once, now.
fn resolve(path: &Path, kind: RootKind) -> Result<PathBuf, Unusable> {
    let unusable = |why| Unusable {
        path: path.to_owned(),
        kind,
        why,
    };
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => unusable(Why::Missing),
        _ => unusable(Why::Unreadable(error)),
    };
    let resolved = path.canonicalize().map_err(failed)?;
    let metadata = resolved.metadata().map_err(failed)?;
    match (kind, metadata.is_dir(), metadata.is_file()) {
        (RootKind::Directory, true, _) | (RootKind::File, _, true) => Ok(resolved),
        (_, is_dir, is_file) => Err(unusable(Why::OtherKind(is_dir || is_file))),
    }
}

impl Unusable {
    /// As one sentence, beginning with the place that names the path.
    fn failure(self, place: &str) -> Failure {
        let word = match self.kind {
            RootKind::Directory => "directory",
            RootKind::File => "file",
        };
        let shown = self.path.display();
        match self.why {
            Why::Missing => Failure::new(format!("{place}the {word} {shown} does not exist")),
            Why::Unreadable(error) => Failure::because(
                format!("{place}the {word} {shown} can't be granted"),
                &error,
            ),
            Why::OtherKind(_) => Failure::new(format!(
                "{place}{shown} can't be granted: it is not a {}",
                match self.kind {
                    RootKind::Directory => "directory",
                    RootKind::File => "regular file",
                }
            )),
        }
    }

    /// For a flag.
    fn in_flag(self) -> Failure {
        let shown = self.path.display();
        let flag = self.kind.flag();
        let remedy = match (&self.why, self.kind) {
            (Why::OtherKind(true), RootKind::Directory) => {
                format!("grant this file alone, --file {shown}, or the directory it lies in")
            }
            (Why::OtherKind(true), RootKind::File) => format!("grant it as one: --root {shown}"),
            (Why::OtherKind(false), _) => "grant the directory it lies in".to_owned(),
            _ => format!("create it, or grant another one with {flag}"),
        };
        self.failure("").remedy(remedy)
    }

    /// For a line of a grant file.
    fn in_file(self, file: Option<&Path>, root: &RootGrant) -> Failure {
        let (key, other) = match self.kind {
            RootKind::Directory => ("path", "file"),
            RootKind::File => ("file", "path"),
        };
        let remedy = match self.why {
            Why::OtherKind(true) => format!(
                "write `{other}` instead of `{key}` to grant {}",
                match self.kind {
                    RootKind::Directory => "this file alone",
                    RootKind::File => "the directory",
                }
            ),
            Why::OtherKind(false) => "grant the directory it lies in".to_owned(),
            _ if self.path.components().any(|part| part.as_os_str() == "~") => {
                "`~` is the shell's word for your home; here, write the path in full".to_owned()
            }
            _ => format!("create it, or correct `{key}` of `{}`", root.name),
        };
        self.failure(&place(file, root.line)).remedy(remedy)
    }
}

/// "the grant file FILE, line 7: ", as far as it is known.
pub(crate) fn place(file: Option<&Path>, line: Option<usize>) -> String {
    let file = file.map(|file| format!("the grant file {}", file.display()));
    let line = line.map(|line| format!("line {line}"));
    let parts: Vec<_> = file.into_iter().chain(line).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("{}: ", parts.join(", ")),
    }
}

fn check_place(root: &RootGrant, places: Option<&Places>) -> Result<(), Failure> {
    let shown = root.path.display();
    let refused = |why: String| {
        Err(Failure::new(format!("{shown} can't be granted: {why}"))
            .remedy("grant a directory that has nothing to do with it, for example one below")
            .into_refusal())
    };
    if let Some(own) = places.and_then(|places| places.touched_by(&root.path)) {
        return refused(format!("Palisade keeps its own files in {}", own.display()));
    }
    let holds = |file: &&PathBuf| {
        let resolved = file.canonicalize();
        resolved.is_ok_and(|file| file.starts_with(&root.path))
    };
    if let Some(secret) = places.and_then(|places| places.secret().iter().find(holds)) {
        let why = format!(
            "the plugin could read {}, by which this server and its clients know each other",
            secret.display()
        );
        return refused(why);
    }
    if shows_processes(&root.path) {
        return refused("what the system shows of running programs, this one too, is in it".into());
    }
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    if root.access == Access::ReadWrite
        && let Ok(program) = program
        && program.starts_with(&root.path)
    {
        return refused(format!(
            "the plugin could put another program in the place of {}",
            program.display()
        ));
    }
    Ok(())
}

/// Whether a directory holds what Linux shows of processes: their memory and
/// environment as files.
fn shows_processes(path: &Path) -> bool {
    match path.strip_prefix("/proc") {
        Err(_) => Path::new("/proc").starts_with(path),
        Ok(below) => below.components().next().is_none_or(|first| {
            let first = first.as_os_str().to_string_lossy();
            first.ends_with("self") || first.bytes().all(|byte| byte.is_ascii_digit())
        }),
    }
}

/// A plugin that can change what its own grant depends on (the grant file, a
/// directory on the way to another one that is granted) decides what it gets
/// the next time. Of several plugins, the same goes for what others' grants
/// depend on.
pub(crate) fn check_dependence(roots: &[RootGrant], sources: &[Source]) -> Result<(), Failure> {
    for source in sources {
        let shown = source.path.display();
        let steps = steps(&source.path)
            .map_err(|error| Failure::because(format!("{shown} can't be resolved"), &error))?;
        let changeable = roots
            .iter()
            .filter(|root| root.access == Access::ReadWrite)
            .find(|root| {
                steps.iter().any(|step| match root.kind {
                    RootKind::Directory => *step != root.path && step.starts_with(&root.path),
                    // It can be filled, but not be made to lead elsewhere.
                    RootKind::File => source.is_read && *step == root.path,
                })
            });
        if let Some(root) = changeable {
            let remedy = match root.kind {
                RootKind::Directory => "grant the outer directory read-only, or grant it alone",
                RootKind::File => "grant the file read-only",
            };
            let why = match source.is_read {
                true => {
                    format!("the plugin could put another {shown} in its place for the next time")
                }
                false => format!(
                    "{shown} depends on it, and the plugin could make it lead anywhere the next time"
                ),
            };
            return Err(Failure::new(format!(
                "{} can't be granted for writing: {why}",
                root.path.display(),
            ))
            .remedy(remedy)
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
