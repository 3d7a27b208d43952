//! Copies of a guest, each with one case written into it: what a plugin says
//! when it is loaded may depend on nothing it is given.

use std::fs;
use std::path::PathBuf;

use palisade_tests::{Palisade, guest};
use tempfile::TempDir;

/// Bytes the guest keeps for the case.
const LENGTH: usize = 48;

pub(crate) struct Cases {
    folder: TempDir,
    guest: &'static str,
    marker: &'static str,
}

impl Cases {
    /// `marker` is what stands before the case in the guest.
    pub(crate) fn new(guest: &'static str, marker: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            folder,
            guest,
            marker,
        }
    }

    pub(crate) fn plugin(&self, case: &str) -> PathBuf {
        let mut component = fs::read(guest(self.guest)).unwrap();
        let marker = format!("{}:good", self.marker);
        let places: Vec<_> = component
            .windows(marker.len())
            .enumerate()
            .filter_map(|(place, bytes)| (bytes == marker.as_bytes()).then_some(place))
            .collect();
        let [place] = places[..] else {
            panic!("the marker is there {} times", places.len());
        };
        let text = format!("{:.<LENGTH$}", format!("{}:{case}", self.marker));
        assert_eq!(text.len(), LENGTH, "{case} is too long");
        component[place..place + LENGTH].copy_from_slice(text.as_bytes());
        let path = self.folder.path().join(format!("{case}.wasm"));
        fs::write(&path, component).unwrap();
        path
    }

    /// The one sentence with which the case is refused.
    pub(crate) fn refused(&self, case: &str) -> String {
        let plugin = self.plugin(case);
        let finished = Palisade::inspect(&plugin).output();
        assert_eq!(finished.code, Some(1), "{case}: {finished:?}");
        assert_eq!(finished.stdout, "", "{case}");
        let mut told = finished
            .stderr
            .lines()
            .filter(|line| line.starts_with("palisade: "));
        let line = told.next().unwrap_or_default().to_owned();
        assert_eq!(told.next(), None, "{case}: {finished:?}");
        assert!(line.contains(&format!("{case}.wasm")), "{case}: {line}");
        let steers = |c: char| c.is_control();
        assert!(!line.contains(steers), "{case}: {line:?}");
        line
    }
}
