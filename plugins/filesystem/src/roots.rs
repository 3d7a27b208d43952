//! The granted directories, and paths inside them.
//!
//! This is not the guard: the sandbox holds whatever this gets wrong. It
//! decides which directory a path means and turns "outside" into a clear
//! answer.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::error::Failure;
use crate::host_path::{HostPath, normalise, starts_with_drive};

/// What has to be escaped in the path of a `file:` URI.
const IN_URI: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// One granted directory.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    mount: String,
    uri: String,
    host: Option<HostPath>,
    writable: bool,
}

impl Root {
    /// A directory mounted at `mount` that the client knows as `uri`.
    pub(crate) fn new(mount: &str, uri: &str, writable: bool) -> Self {
        Self {
            mount: mount.trim_end_matches('/').to_owned(),
            uri: uri.trim_end_matches('/').to_owned(),
            host: HostPath::from_uri(uri),
            writable,
        }
    }

    /// The directory as the client knows it.
    fn shown(&self) -> String {
        match &self.host {
            Some(host) => host.show(&[]),
            None => self.mount.clone(),
        }
    }
}

/// Every directory this call can use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Vec<Root>);

impl Roots {
    /// Keeps the order in which they were granted.
    pub(crate) fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        Self(roots.into_iter().collect())
    }

    /// One path a line, as the client knows them.
    pub(crate) fn lines(&self) -> String {
        self.shown("\n")
    }

    fn shown(&self, separator: &str) -> String {
        let shown: Vec<_> = self.0.iter().map(Root::shown).collect();
        shown.join(separator)
    }

    /// Finds what a path argument means: a path as the guest sees it, the
    /// host's absolute path, or, where one directory is granted, a path
    /// relative to that.
    ///
    /// A path that could be both is taken as the host's, since that is what
    /// clients know.
    pub(crate) fn resolve(&self, path: &str) -> Result<Place<'_>, Failure> {
        let first = self.0.first().ok_or(Failure::NothingGranted)?;
        let windows = self
            .0
            .iter()
            .filter_map(|root| root.host.as_ref())
            .any(HostPath::is_windows);
        if path.contains('\0') {
            return Err(self.outside(path.replace('\0', "\\0")));
        }
        if path == "~" || path.starts_with("~/") || (windows && path.starts_with("~\\")) {
            return Err(Failure::Refused(format!(
                "Access denied - \"~\" is not known here: give the full path instead of {path}"
            )));
        }
        if windows && (starts_with_drive(path) || path.starts_with("\\\\")) {
            let host = HostPath::windows(path).ok_or_else(|| self.outside(path.to_owned()))?;
            return self
                .on_host(&host)
                .ok_or_else(|| self.outside(host.show(&[])));
        }
        if !windows
            && starts_with_drive(path)
            && matches!(path.as_bytes().get(2), None | Some(b'/' | b'\\'))
        {
            return Err(Failure::Refused(format!(
                "Access denied - Windows-style path received on a POSIX host: {path}"
            )));
        }
        if path.starts_with('/') {
            let host = HostPath::posix(path);
            let place = (!windows).then(|| self.on_host(&host)).flatten();
            return place
                .or_else(|| self.in_guest(&normalise(Vec::new(), path, windows)))
                .ok_or_else(|| self.outside(host.show(&[])));
        }
        if self.0.len() > 1 {
            return Err(Failure::Refused(format!(
                "Several directories are granted, so the relative path {path} could mean any of them: \
                 give the full path, in one of {}",
                self.shown(", ")
            )));
        }
        match &first.host {
            Some(host) => {
                let host = host.join(path);
                self.on_host(&host)
                    .ok_or_else(|| self.outside(host.show(&[])))
            }
            None => {
                let parts = normalise(normalise(Vec::new(), &first.mount, false), path, windows);
                self.in_guest(&parts)
                    .ok_or_else(|| self.outside(path.to_owned()))
            }
        }
    }

    /// The innermost granted directory that holds a host's path.
    fn on_host(&self, path: &HostPath) -> Option<Place<'_>> {
        let mut best: Option<(usize, &Root, &[String])> = None;
        for root in &self.0 {
            let Some(host) = &root.host else { continue };
            let Some(names) = path.below(host) else {
                continue;
            };
            if best.is_none_or(|(depth, ..)| host.depth() > depth) {
                best = Some((host.depth(), root, names));
            }
        }
        best.map(|(_, root, names)| Place {
            roots: self,
            root,
            names: names.to_vec(),
            guest: false,
        })
    }

    /// The directory that is mounted on the way to a guest's path.
    fn in_guest(&self, parts: &[String]) -> Option<Place<'_>> {
        self.0.iter().find_map(|root| {
            let mount = normalise(Vec::new(), &root.mount, false);
            let names = parts.strip_prefix(mount.as_slice())?;
            Some(Place {
                roots: self,
                root,
                names: names.to_vec(),
                guest: true,
            })
        })
    }

    fn outside(&self, path: String) -> Failure {
        Failure::Outside {
            path,
            allowed: self.shown(", "),
        }
    }
}

/// A path inside a granted directory, free of `..`.
#[derive(Debug, Clone)]
pub(crate) struct Place<'r> {
    roots: &'r Roots,
    root: &'r Root,
    names: Vec<String>,
    guest: bool,
}

impl Place<'_> {
    /// The path to hand to the operating system.
    pub(crate) fn real(&self) -> String {
        let mut path = self.root.mount.clone();
        for name in &self.names {
            path.push('/');
            path.push_str(name);
        }
        if path.is_empty() {
            path.push('/');
        }
        path
    }

    /// The path in the form it was asked for.
    pub(crate) fn shown(&self) -> String {
        match &self.root.host {
            Some(host) if !self.guest => host.show(&self.names),
            _ => self.real(),
        }
    }

    /// As [`Place::shown`], for what is at a relative path below.
    pub(crate) fn shown_below(&self, relative: &str) -> String {
        let below = relative.split('/').map(str::to_owned);
        self.with_names(self.names.iter().cloned().chain(below).collect())
            .shown()
    }

    /// The `file:` URI by which the client knows it.
    pub(crate) fn uri(&self) -> String {
        let mut uri = self.root.uri.clone();
        for name in &self.names {
            uri.push('/');
            uri.extend(utf8_percent_encode(name, IN_URI));
        }
        uri
    }

    /// The granted directory itself?
    pub(crate) fn is_root(&self) -> bool {
        self.names.is_empty()
    }

    /// The names below the granted directory.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The same directory, other names below it.
    pub(crate) fn with_names(&self, names: Vec<String>) -> Self {
        Self {
            names,
            ..self.clone()
        }
    }

    /// Refuses a change where only reading is granted.
    pub(crate) fn writable(self) -> Result<Self, Failure> {
        if self.root.writable {
            return Ok(self);
        }
        Err(Failure::ReadOnly {
            root: match self.guest {
                true => self.root.mount.clone(),
                false => self.root.shown(),
            },
            path: self.shown(),
        })
    }

    /// Whether changes are granted here.
    pub(crate) fn is_writable(&self) -> bool {
        self.root.writable
    }

    /// Every granted directory, for a message.
    pub(crate) fn allowed(&self) -> String {
        self.roots.shown(", ")
    }
}
