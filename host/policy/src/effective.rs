//! What a plugin may really do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::limits::Limits;
use crate::network::{EffectiveNetwork, NetworkRequest};
use crate::roots::{Access, RootKind};
use crate::secrets::{EffectiveSecret, SecretUse};
use crate::storage::StorageRequest;
use crate::tools::ToolRules;

/// The permission that holds: never wider than the request, never wider than
/// the grant. The default is no permission at all, with the default limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effective {
    /// Directories, in the order of the grant; no two have one name.
    pub roots: Vec<EffectiveRoot>,
    /// What may be reached.
    pub network: EffectiveNetwork,
    /// Environment variables with their values.
    pub env: BTreeMap<String, String>,
    /// Secrets, without their values.
    pub secrets: Vec<EffectiveSecret>,
    /// Storage kept between calls.
    pub storage: Option<StorageRequest>,
    /// Limits.
    pub limits: Limits,
    /// Which tools may be called.
    pub tools: ToolRules,
}

/// A directory, or a single file, the plugin gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveRoot {
    /// Its name, and mount point (`/NAME`) in the guest.
    pub name: String,
    /// Whether `path` is a directory or a file.
    pub kind: RootKind,
    /// The directory or file on the host, as the person wrote it.
    pub path: PathBuf,
    /// What may be done there.
    pub access: Access,
    /// Patterns of paths that must not be seen, written or created: those of
    /// the request and those of the grant.
    pub hide: Vec<String>,
}

impl Effective {
    /// A short fingerprint (16 hexadecimal digits) of the permission, for logs
    /// and audit records. Equal permissions have equal fingerprints, in every
    /// run and on every machine; the order of rules does not matter.
    ///
    /// Names of environment variables count, their values do not: whoever reads
    /// a log must not be able to test guesses at a value.
    pub fn hash(&self) -> String {
        let mut canon = Canon(Sha256::new());
        canon.list("roots", &self.roots, |canon, root| {
            canon.field(root.name.as_bytes());
            canon.field(root.path.as_os_str().as_encoded_bytes());
            canon.field(root.access.short().as_bytes());
            canon.sorted(root.hide.iter());
            if root.kind == RootKind::File {
                canon.field(b"file");
            }
        });
        canon.list("network", &self.network.granted, network);
        if let Some(asked) = &self.network.asked {
            canon.list("asked", asked, network);
        }
        canon.field(b"env");
        canon.sorted(self.env.keys());
        canon.list("secrets", &self.secrets, |canon, rule| {
            canon.field(rule.name.as_bytes());
            canon.field(rule.source.to_string().as_bytes());
            match &rule.use_as {
                SecretUse::Expose => canon.field(b"expose"),
                SecretUse::Inject(injection) => {
                    canon.field(injection.to.to_string().as_bytes());
                    canon.field(injection.carrier.to_string().as_bytes());
                }
            }
        });
        canon.field(b"storage");
        canon.sorted(self.storage.map(|storage| storage.quota.to_string()).iter());
        canon.field(b"tools");
        canon.sorted(
            (self.tools.iter())
                .map(|(pattern, decision)| format!("{decision} {pattern}"))
                .chain((self.tools.renamed()).map(|(tool, name)| format!("{tool} = {name}")))
                .collect::<Vec<_>>()
                .iter(),
        );
        canon.limits(&self.limits);
        let digest = canon.0.finalize();
        digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

fn network(canon: &mut Canon, rule: &NetworkRequest) {
    canon.field(rule.to.to_string().as_bytes());
    canon.sorted(rule.methods.iter());
    canon.sorted(rule.paths.iter());
    canon.field(&[u8::from(rule.private)]);
}

/// Fields with their lengths, so that no two permissions read the same.
struct Canon(Sha256);

impl Canon {
    fn field(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn sorted<'t>(&mut self, texts: impl Iterator<Item = &'t String>) {
        let mut texts: Vec<_> = texts.collect();
        texts.sort();
        self.count(texts.len());
        for text in texts {
            self.field(text.as_bytes());
        }
    }

    /// A list whose order means nothing: each element is digested on its own.
    fn list<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        let mut digests: Vec<_> = (items.iter())
            .map(|item| {
                let mut canon = Self(Sha256::new());
                write(&mut canon, item);
                canon.0.finalize()
            })
            .collect();
        digests.sort();
        self.field(name.as_bytes());
        self.count(digests.len());
        for digest in digests {
            self.0.update(digest);
        }
    }

    fn limits(&mut self, limits: &Limits) {
        let Limits {
            memory,
            call_time,
            cpu_time,
            output,
            concurrency,
            log,
            instances,
            memories,
            tables,
            table_elements,
            handles,
            directory_entries,
            random,
        } = *limits;
        self.field(b"limits");
        for number in [memory, output, log, random] {
            self.0.update(number.to_le_bytes());
        }
        for time in [call_time, cpu_time] {
            self.0.update(time.as_nanos().to_le_bytes());
        }
        for number in [
            concurrency,
            instances,
            memories,
            tables,
            table_elements,
            handles,
            directory_entries,
        ] {
            self.0.update(number.to_le_bytes());
        }
    }
}
