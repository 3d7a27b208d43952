//! `palisade push`: a plugin into an OCI registry.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use palisade_net::{Needs, Outside};
use palisade_policy::Manifest;
use palisade_registry::{Credentials, FetchError, Fetcher, Source};
use palisade_signing::LARGEST_BUNDLE;
use serde_json::json;

use crate::args::PushArgs;
use crate::failure::Failure;
use crate::files::read_file;
use crate::load::{Loader, MAX_PLUGIN, unreadable};
use crate::output::{self, printable};
use crate::places::Places;
use crate::prepare::runtime;
use crate::signed;

/// Pushes a file that can be loaded.
pub(crate) fn run(args: &PushArgs) -> Result<ExitCode, Failure> {
    let Source::Oci(reference) = &args.to else {
        return Err(
            Failure::usage(format!("{} is no place in a registry", args.to))
                .remedy("write oci://REGISTRY/NAME:TAG"),
        );
    };
    let bytes =
        read_file(&args.file, MAX_PLUGIN).map_err(|error| unreadable(&args.file, &error))?;
    let shown = args.file.display();
    let loader = Loader::new(Places::find().as_ref(), 1, args.compile)?;
    let plugin = loader.load_bytes(&shown, &bytes)?;
    let bundle = (args.bundle.as_ref())
        .map(|bundle| checked_bundle(bundle, &bytes))
        .transpose()?;
    let annotations = match &plugin.metadata().manifest {
        Some(text) => annotations(
            &Manifest::parse(text)
                .map_err(|error| Failure::new(format!("{shown}: its manifest, {error}")))?,
        ),
        None => {
            return Err(Failure::new(format!("{shown} carries no manifest"))
                .remedy("pack it first: palisade pack DIR"));
        }
    };
    let needs = Needs {
        network: true,
        tls: true,
    };
    let outside = Outside::system(args.network.resolver, needs)
        .map_err(|error| Failure::because("the network can't be used", &error))?;
    let fetcher = Fetcher::new(outside).with_credentials(Credentials::Docker);
    let runtime = runtime()?;
    let pushed = runtime.block_on(async {
        let push = fetcher.push(bytes.into(), reference, &annotations, SystemTime::now());
        let pushed = push.await?;
        if let Some(bundle) = bundle {
            fetcher.attach(&pushed, bundle.into()).await?;
        }
        Ok::<_, FetchError>(pushed)
    });
    // A helper for logins that hangs is not waited for.
    runtime.shutdown_background();
    let pushed = pushed.map_err(|error| {
        Failure::because(format!("{shown} can't be pushed to {}", args.to), &error)
    })?;
    let pinned = Source::Oci(pushed.reference).to_string();
    if args.json {
        output::line(json!({
            "reference": args.to.to_string(),
            "pinned": pinned,
            "digest": format!("sha256:{}", pushed.digest.hex()),
            "manifest": format!("sha256:{}", pushed.manifest.hex()),
        }))?;
    } else {
        output::line(printable(&format!(
            "{} is pushed\n  by its digest  {pinned}",
            args.to
        )))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A bundle that holds and is of these bytes: no other would be believed by those who
/// install.
fn checked_bundle(file: &Path, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let shown = file.display();
    let most = u64::try_from(LARGEST_BUNDLE).unwrap_or(u64::MAX);
    let bundle = read_file(file, most)
        .map_err(|error| Failure::because(format!("the bundle {shown} can't be read"), &error))?;
    let trust = signed::trust(Places::find().as_ref())?;
    let checked = signed::root(&trust)?.check(&bundle, &[bytes], &trust.keys());
    match checked {
        Ok(Some(_)) => Ok(bundle),
        Ok(None) => Err(Failure::new(format!(
            "the bundle {shown} does not say that somebody made this"
        ))
        .remedy("sign the packed file: cosign sign-blob --bundle FILE")),
        Err(error) => Err(Failure::new(format!(
            "nothing is pushed: the signature in {shown} {error}"
        ))
        .remedy("it has to be of the packed file as it is")),
    }
}

/// What a registry shows of it, in the keys that all of them know.
fn annotations(manifest: &Manifest) -> BTreeMap<String, String> {
    let about = &manifest.plugin;
    let known = [
        ("title", Some(&about.name)),
        ("version", about.version.as_ref()),
        ("description", about.description.as_ref()),
    ];
    (known.into_iter())
        .filter_map(|(key, value)| {
            Some((format!("org.opencontainers.image.{key}"), value?.clone()))
        })
        .collect()
}
