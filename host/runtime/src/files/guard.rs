//! What of a granted directory does not exist for the guest.
//!
//! Where something is hidden, every descriptor of a directory is a [`Place`]: it
//! knows where below which root it lies. Paths are then walked name by name
//! (`way`), and what a name leads to is asked of the [`Guard`] first.

use std::collections::HashMap;
use std::fs::File as StdFile;
use std::sync::Arc;

use palisade_policy::{Entered, HideSet, Trail};
use tokio::sync::RwLock;

/// A granted directory, and what may be seen in it.
pub(crate) struct Guard {
    /// The directory, as opened when the session began.
    pub(super) root: Arc<StdFile>,
    rule: Rule,
}

/// What may be seen.
pub(crate) enum Rule {
    /// Everything but what is hidden, which may be nothing.
    Hide(HideSet),
    /// The one file of this name.
    Only(String),
}

/// What is known of a place that may be seen.
#[derive(Clone)]
pub(super) enum Known {
    /// Below a directory of which something is hidden.
    Trail(Trail),
    /// The directory in which one file may be seen.
    Around,
    /// That file.
    File,
}

impl Guard {
    pub(crate) fn new(root: Arc<StdFile>, rule: Rule) -> Arc<Self> {
        Arc::new(Self { root, rule })
    }

    /// What is known of the root itself.
    pub(super) fn known(&self) -> Known {
        match &self.rule {
            Rule::Hide(set) => Known::Trail(set.root()),
            Rule::Only(_) => Known::Around,
        }
    }

    /// What is known of a name in a directory; none if it is hidden. `folds`
    /// says whether a directory on the way takes names for one that differ.
    pub(super) fn enter(
        &self,
        directory: &Known,
        name: &str,
        folds: impl FnOnce() -> bool,
    ) -> Option<Known> {
        match (&self.rule, directory) {
            (Rule::Hide(set), Known::Trail(trail)) => match set.enter(trail, name) {
                Entered::Hidden => None,
                Entered::UnlessFolded(_) if folds() => None,
                Entered::UnlessFolded(trail) | Entered::Visible(trail) => Some(Known::Trail(trail)),
            },
            (Rule::Only(file), Known::Around) => (file == name).then_some(Known::File),
            _ => None,
        }
    }

    /// Whether what lies below the root under these names is hidden, or could be
    /// where names fold.
    pub(crate) fn hides<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> bool {
        let visible = |known, name| self.enter(&known, name, || true);
        names.into_iter().try_fold(self.known(), visible).is_none()
    }

    /// The patterns, if it is by patterns that something is hidden.
    pub(super) fn hide_set(&self) -> Option<&HideSet> {
        match &self.rule {
            Rule::Hide(set) => Some(set),
            Rule::Only(_) => None,
        }
    }

    /// Whether it is one file that may be seen, of which nothing is to change
    /// but what it holds.
    pub(super) fn is_one_file(&self) -> bool {
        matches!(self.rule, Rule::Only(_))
    }
}

/// Where a directory lies.
#[derive(Clone)]
pub(crate) struct Place {
    pub(super) guard: Arc<Guard>,
    /// The names from the granted directory on down.
    pub(super) names: Vec<String>,
}

impl Place {
    /// The place these names below a granted directory.
    pub(crate) fn new(guard: Arc<Guard>, names: Vec<String>) -> Self {
        Self { guard, names }
    }
}

/// Held while a path is walked and something is done there; alone, while
/// something is renamed. So no guest finds what another one is moving away
/// between a look and the deed. All views of a sandbox have the same.
pub(crate) type Moves = Arc<RwLock<()>>;

/// What one instance has open, by the number of the handle.
#[derive(Default)]
pub(crate) struct Places {
    /// There is one where something is hidden.
    pub(super) moves: Option<Moves>,
    /// Directories, every one of them.
    pub(super) open: HashMap<u32, Place>,
    /// Directories whose entries are being read.
    pub(super) listed: HashMap<u32, Listed>,
}

/// A directory whose entries are being read.
pub(super) struct Listed {
    pub(super) guard: Arc<Guard>,
    pub(super) known: Known,
    pub(super) folds: bool,
}

impl Listed {
    /// Whether an entry may be seen.
    pub(super) fn shows(&self, name: &str) -> bool {
        let entered = self.guard.enter(&self.known, name, || self.folds);
        entered.is_some()
    }
}

impl Places {
    pub(crate) fn new(moves: Option<Moves>) -> Self {
        Self {
            moves,
            ..Self::default()
        }
    }

    /// Whether nothing is hidden anywhere, so that none of this is needed.
    pub(super) fn is_free(&self) -> bool {
        self.moves.is_none()
    }

    /// A directory has been moved, with all that is open in it.
    pub(super) fn moved(&mut self, from: &Place, to: &Place) {
        for place in self.open.values_mut() {
            if Arc::ptr_eq(&place.guard, &from.guard)
                && let Some(below) = place.names.strip_prefix(from.names.as_slice())
            {
                *place = Place {
                    guard: Arc::clone(&to.guard),
                    names: [to.names.as_slice(), below].concat(),
                };
            }
        }
    }
}
