//! A plugin that has been fetched and is not part of the store yet.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use palisade_net::{Needs, Outside};
use palisade_policy::{Manifest, is_name, name_from};
use palisade_registry::{
    Credentials, Digest, Entry, Fetched, Fetcher, Offer, Progress, Source, TempBlob,
};
use palisade_runtime::Plugin;
use palisade_server::{prompt_json, template_json, tool_json};
use palisade_signing::is_broken;

use super::{Home, failure};
use crate::args::{CompileArgs, NetworkArgs};
use crate::failure::Failure;
use crate::load::{Loader, file_name, manifest_text};
use crate::places::Places;
use crate::prepare::runtime;
use crate::signed::{self, Verdict};

/// How long it is waited for what was broken off: for the file of what came to be taken
/// away, and not for a helper for logins that hangs.
const LEFT: Duration = Duration::from_secs(2);

/// What was fetched, and what it is.
pub(crate) struct Arriving {
    pub(crate) blob: TempBlob,
    pub(crate) source: Source,
    pub(crate) digest: Digest,
    manifest_digest: Option<Digest>,
    pub(crate) plugin: Plugin,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) offer: Offer,
    /// Who has signed it.
    pub(crate) verdict: Verdict,
}

impl Arriving {
    /// Fetches it, compiles it, and asks it what it offers.
    pub(crate) fn fetch(
        home: &Home,
        source: Source,
        network: NetworkArgs,
        compile: CompileArgs,
    ) -> Result<Self, Failure> {
        let fetched = fetch(home, &source, network)?;
        let Fetched {
            mut blob,
            digest,
            manifest: manifest_digest,
            chain,
            beside,
            ..
        } = fetched;
        let bytes = blob.bytes(digest).map_err(|error| failure(&error))?;
        let places = Places::find();
        let (what, trust) = (source.to_string(), signed::trust(places.as_ref())?);
        // Before anything else looks at it.
        let verdict = Verdict::of(&trust, &what, &bytes, &chain, &beside);
        let loader = Loader::new(places.as_ref(), 1, compile)?;
        if verdict.is_err() && is_broken(&bytes) {
            loader.load_bytes(&source, &bytes)?;
        }
        let verdict = verdict?;
        verdict.satisfies(&what)?;
        let plugin = compiling(|| loader.load_bytes(&source, &bytes))?;
        let (request, manifest) = request(&source, &plugin)?;
        let offer = offer(request, &plugin)?;
        Ok(Self {
            blob,
            source,
            digest,
            manifest_digest,
            plugin,
            manifest,
            offer,
            verdict,
        })
    }

    /// What it is called: as the person says, else as it says itself, else as its
    /// source is called.
    pub(crate) fn name(&self, given: Option<&str>) -> Result<String, Failure> {
        let own = || {
            self.manifest
                .as_ref()
                .map(|manifest| manifest.plugin.name.clone())
        };
        let by_source = || match &self.source {
            Source::Path(path) => name_from(&file_name(path)),
            other => {
                let text = other.to_string();
                let last = text.rsplit('/').next().unwrap_or_default();
                let last = last.split([':', '@', '?']).next().unwrap_or_default();
                name_from(last.trim_end_matches(".wasm"))
            }
        };
        let name = match given {
            Some(given) => Some(given.to_owned()),
            None => own().or_else(by_source),
        };
        match name {
            Some(name) if is_name(&name) => Ok(name),
            Some(name) => Err(Failure::usage(format!("`{name}` is not a plugin's name"))
                .remedy("a name is 1 to 48 of the characters a-z, 0-9 and -")),
            None => Err(Failure::new(format!("{} has no name", self.source))
                .remedy("give it one: --name NAME")),
        }
    }

    /// Who has signed it, as the lock is to say.
    pub(crate) fn signer(&self) -> Option<String> {
        self.verdict.signer.as_ref().map(ToString::to_string)
    }

    /// What the lock is to say of it.
    pub(crate) fn entry(&self, offer: Digest) -> Entry {
        let about = self.manifest.as_ref().map(|manifest| &manifest.plugin);
        Entry {
            source: self.source.clone(),
            digest: self.digest,
            manifest: self.manifest_digest,
            version: about.and_then(|about| about.version.clone()),
            signer: self.signer(),
            offer,
            agreed: self.offer.digests(),
        }
    }
}

fn fetch(home: &Home, source: &Source, network: NetworkArgs) -> Result<Fetched, Failure> {
    let outside = match source {
        Source::Path(_) => Outside::default(),
        _ => {
            let needs = Needs {
                network: true,
                tls: true,
            };
            Outside::system(network.resolver, needs)
                .map_err(|error| Failure::because("the network can't be used", &error))?
        }
    };
    let fetcher = Fetcher::new(outside).with_credentials(Credentials::Docker);
    let mut told = Told::new(source);
    let runtime = runtime()?;
    let fetched = runtime.block_on(fetcher.fetch(&home.store, source, &mut |progress| {
        told.tell(progress);
    }));
    runtime.shutdown_timeout(LEFT);
    told.end();
    fetched.map_err(|error| Failure::because(format!("{source} can't be fetched"), &error))
}

/// Says on a terminal that it takes a moment, and how long it took.
fn compiling(load: impl FnOnce() -> Result<Plugin, Failure>) -> Result<Plugin, Failure> {
    if !std::io::stderr().is_terminal() {
        return load();
    }
    crate::terminal::status("  compiling");
    let began = std::time::Instant::now();
    let loaded = load();
    crate::terminal::status("");
    if loaded
        .as_ref()
        .is_ok_and(|plugin| !plugin.was_compiled_before())
    {
        let took = began.elapsed().as_secs_f64();
        crate::output::error_line(&format!("  compiling  done in {took:.1} s"));
    }
    loaded
}

/// Its manifest, as text and parsed: the one it carries, or beside a file the one
/// that lies there.
fn request(
    source: &Source,
    plugin: &Plugin,
) -> Result<(Option<String>, Option<Manifest>), Failure> {
    let carried = plugin.metadata().manifest.as_ref();
    let found = match source {
        Source::Path(path) => manifest_text(path, carried)?,
        _ => manifest_text(Path::new(""), carried)
            .ok()
            .flatten()
            .filter(|_| carried.is_some()),
    };
    let Some((text, place)) = found else {
        return Ok((None, None));
    };
    let manifest = Manifest::parse(&text)
        .map_err(|error| Failure::new(format!("{source}: {place}, {error}")))?;
    Ok((Some(text), Some(manifest)))
}

fn offer(request: Option<String>, plugin: &Plugin) -> Result<Offer, Failure> {
    let metadata = plugin.metadata();
    let unwritten =
        |error: serde_json::Error| Failure::because("what it offers can't be written down", &error);
    let mut offer = Offer {
        request,
        ..Offer::default()
    };
    for tool in &metadata.tools {
        let json = tool_json(tool).map_err(unwritten)?;
        offer.tools.insert(tool.name.clone(), json);
    }
    for prompt in &metadata.prompts {
        let json = prompt_json(prompt).map_err(unwritten)?;
        offer.prompts.insert(prompt.name.clone(), json);
    }
    for template in &metadata.templates {
        let json = template_json(template).map_err(unwritten)?;
        offer.templates.insert(template.uri_template.clone(), json);
    }
    Ok(offer)
}

/// Shows on a terminal how far it is, on one line.
struct Told {
    shown: bool,
    last: Option<std::time::Instant>,
    what: String,
}

/// How often the line is written anew.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

impl Told {
    fn new(source: &Source) -> Self {
        Self {
            shown: std::io::stderr().is_terminal() && !matches!(source, Source::Path(_)),
            last: None,
            what: source.to_string(),
        }
    }

    fn tell(&mut self, progress: Progress) {
        if !self.shown || self.last.is_some_and(|last| last.elapsed() < AGAIN) {
            return;
        }
        self.last = Some(std::time::Instant::now());
        let size = palisade_policy::units::format_size;
        let received = size(progress.received & !0x3ff);
        let text = match progress.total {
            Some(total) => format!("{received} of {}", size(total)),
            None => received,
        };
        crate::terminal::status(&format!("  fetching  {}  {text}", self.what));
    }

    fn end(&self) {
        if self.last.is_some() {
            crate::terminal::status("");
        }
    }
}
