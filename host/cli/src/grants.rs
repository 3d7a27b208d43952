//! From flags and files to a grant: the I/O around `palisade-policy`.

use std::path::{Path, PathBuf};

use palisade_policy::{
    AllowFlag, EnvFlag, Grant, GrantText, Manifest, RootFlag, RootGrant, RootKind, SecretFlag,
    SecretGrant, SecretSource, name_roots,
};

use crate::args::{GrantArgs, GrantFlags};
use crate::failure::Failure;
use crate::files::read_text;
use crate::installed::{Installed, Subject};
use crate::load::manifest_beside;
use crate::places::Places;
use crate::secrets;

mod dependence;

use dependence::check_place;
pub(crate) use dependence::{Source, check_dependence};

/// What a person says is granted one plugin.
#[derive(Debug, Default)]
pub(crate) struct Granted {
    /// Directories and single files.
    pub(crate) roots: Vec<RootFlag>,
    /// Variables.
    pub(crate) env: Vec<EnvFlag>,
    /// Places in the network.
    pub(crate) allow: Vec<AllowFlag>,
    /// Secrets, to be used as the plugin asks for it.
    pub(crate) secrets: Vec<SecretFlag>,
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
    /// What of it is of this run alone.
    pub(crate) flags: Grant,
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
        Self::parse(path, &text)
    }

    /// That of an installed plugin, if there is one.
    fn of(installed: &Installed) -> Result<Option<Self>, Failure> {
        let text = installed.grant.as_deref();
        text.map(|text| Self::parse(&installed.grant_file, text))
            .transpose()
    }

    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let grant = Grant::parse(text)
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
            file: args.grant.as_deref().map(GrantFile::read).transpose()?,
            ..Self::by_flags(&args.flags)?
        })
    }

    /// What they say without a file.
    pub(crate) fn by_flags(flags: &GrantFlags) -> Result<Self, Failure> {
        Ok(Self {
            roots: (flags.roots.iter().cloned())
                .chain(flags.single.iter().map(|file| file.0.clone()))
                .collect(),
            env: flags.env.clone(),
            allow: flags.allow.clone(),
            secrets: (flags.secrets.iter())
                .map(|arg| secrets::named(&arg.0))
                .collect::<Result<_, _>>()?,
            file: None,
        })
    }
}

/// Everything the person grants the plugin in a file: the grant file, then the
/// flags over it.
pub(crate) fn collect(
    granted: Granted,
    plugin: &Subject,
    manifest: Option<&Manifest>,
    places: Option<&Places>,
) -> Result<Collected, Failure> {
    let Granted {
        roots,
        env,
        allow,
        secrets,
        file,
    } = granted;
    let file = match (file, plugin) {
        (Some(file), _) => Some(file),
        (None, Subject::Installed(installed, _)) => GrantFile::of(installed)?,
        (None, Subject::File(_)) => None,
    };
    let (path, grant) = match file {
        Some(file) => (Some(file.path), file.grant),
        None => (None, Grant::default()),
    };
    // As in any configuration file, relative to the file.
    let base = path.as_deref().and_then(Path::parent);
    let mut grant = at(grant, base.unwrap_or(Path::new("")));
    let mut sources: Vec<_> = path.iter().map(|path| Source::read(path)).collect();
    for root in &mut grant.roots {
        let written = root.path.clone();
        root.path =
            resolve(&written, root.kind).map_err(|wrong| wrong.in_file(path.as_deref(), root))?;
        sources.push(Source::granted(&written));
    }
    for secret in &grant.secrets {
        if let SecretSource::File(file) = &secret.source {
            sources.push(Source::secret(file));
        }
    }
    sources.extend(roots.iter().map(|flag| Source::granted(&flag.path)));
    // A manifest that is not there can be made only by whoever can write beside
    // the plugin, which is there.
    let path_of = plugin.path();
    let beside = manifest_beside(&path_of);
    let read = [&path_of, &beside].into_iter().filter(|file| file.exists());
    sources.extend(read.map(|file| Source::read(file)));
    let secret = places.map_or(&[][..], Places::secret);
    sources.extend(secret.iter().map(|file| Source::secret(file)));
    let mut flags = Grant {
        roots: named_roots(&roots, manifest)?,
        network: allow.into_iter().map(|AllowFlag(rule)| rule).collect(),
        secrets: secrets.into_iter().map(as_asked).collect(),
        ..Grant::default()
    };
    for flag in &env {
        flags.env.insert(flag.name.clone(), env_value(flag)?);
    }
    let grant = grant.merge(flags.clone());
    for root in &grant.roots {
        check_place(root, places)?;
    }
    check_dependence(&grant.roots, &sources)?;
    Ok(Collected {
        grant,
        file: path,
        sources,
        flags,
    })
}

/// A grant whose relative paths are taken from the folder its file lies in.
pub(crate) fn at(mut grant: Grant, folder: &Path) -> Grant {
    for root in &mut grant.roots {
        root.path = folder.join(&root.path);
    }
    for secret in &mut grant.secrets {
        if let SecretSource::File(file) = &mut secret.source {
            *file = folder.join(&*file);
        }
    }
    grant
}

/// Looks whether a grant that is about to be kept could be one: what it names is
/// there, and is anybody's to be granted.
pub(crate) fn check_text(
    plugin: &str,
    text: &GrantText,
    places: Option<&Places>,
) -> Result<(), Failure> {
    let mut grant = text
        .grant()
        .map_err(|error| Failure::new(format!("the grant of {plugin}, {error}")))?;
    let mut sources = Vec::new();
    for root in &mut grant.roots {
        let written = root.path.clone();
        root.path = resolve(&written, root.kind).map_err(Unusable::in_flag)?;
        sources.push(Source::granted(&written));
        check_place(root, places)?;
    }
    check_dependence(&grant.roots, &sources)
}

fn as_asked(SecretFlag(name): SecretFlag) -> SecretGrant {
    SecretGrant {
        name,
        use_as: None,
        source: SecretSource::Store,
    }
}

pub(crate) fn named_roots(
    flags: &[RootFlag],
    manifest: Option<&Manifest>,
) -> Result<Vec<RootGrant>, Failure> {
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

pub(crate) fn env_value(flag: &EnvFlag) -> Result<String, Failure> {
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
