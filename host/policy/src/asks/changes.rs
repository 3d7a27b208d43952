//! What an update asks for that the version before did not, and the reverse.

use super::{Ask, Wants};
use crate::network::meet;
use crate::secrets::SecretUse;

/// Which way a request has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It asks for more: nobody has said yes to that.
    More,
    /// It asks for less, or for the same under fewer conditions.
    Less,
}

/// One difference between two requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which way.
    pub kind: ChangeKind,
    /// What is asked for now, or no more.
    pub ask: Ask,
}

/// What is asked for more and less in `new` than in `old`. Whatever is not
/// certainly covered by something that was asked for before counts as more.
#[must_use]
pub fn changes(old: &[Ask], new: &[Ask]) -> Vec<Change> {
    let mut all = Vec::new();
    let uncovered = |asks: &[Ask], by: &[Ask], kind| {
        (asks.iter())
            .filter(|ask| !by.iter().any(|other| covers(other, ask)))
            .map(|ask| Change {
                kind,
                ask: ask.clone(),
            })
            .collect::<Vec<_>>()
    };
    all.extend(uncovered(new, old, ChangeKind::More));
    all.extend(uncovered(old, new, ChangeKind::Less));
    all
}

/// Whether who said yes to `wide` has said yes to `narrow` too.
fn covers(wide: &Ask, narrow: &Ask) -> bool {
    if narrow.required && !wide.required {
        return false;
    }
    match (&wide.wants, &narrow.wants) {
        (Wants::Root(wide), Wants::Root(narrow)) => {
            wide.name == narrow.name
                && wide.access >= narrow.access
                && wide.hide.iter().all(|hidden| narrow.hide.contains(hidden))
        }
        (Wants::Network(wide), Wants::Network(narrow)) => {
            meet(narrow, wide).is_some_and(|both| both.is(narrow))
        }
        (Wants::Secret(wide), Wants::Secret(narrow)) => {
            wide.name == narrow.name
                && match (&wide.use_as, &narrow.use_as) {
                    (SecretUse::Inject(wide), SecretUse::Inject(narrow)) => {
                        narrow.meet(wide).as_ref() == Some(narrow)
                    }
                    (wide, narrow) => wide == narrow,
                }
        }
        (Wants::Storage(wide), Wants::Storage(narrow)) => wide >= narrow,
        (Wants::Limit(wide, most), Wants::Limit(narrow, amount)) => {
            wide == narrow && most >= amount
        }
        (wide, narrow) => wide == narrow,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::asks;
    use super::*;
    use crate::Manifest;

    fn of(text: &str) -> Vec<Ask> {
        let text = format!("[plugin]\nname = \"a\"\n{text}");
        asks(&Manifest::parse(&text).unwrap())
    }

    fn told(old: &str, new: &str) -> Vec<String> {
        let sign = |kind| match kind {
            ChangeKind::More => '+',
            ChangeKind::Less => '-',
        };
        let all = changes(&of(old), &of(new));
        all.iter()
            .map(|change| format!("{} {}", sign(change.kind), change.ask.words()))
            .collect()
    }

    #[test]
    fn the_same_is_no_change() {
        let all = "[[roots]]\nname = \"n\"\naccess = \"read-write\"\nhide = [\"x\"]\n\
                   [[network]]\nto = \"https://a.test\"\nmethods = [\"GET\"]\npaths = [\"/v1/**\"]\n\
                   [[secrets]]\nname = \"T\"\ninject = { to = \"https://a.test\", header = \"x\" }\n\
                   [env]\nLANG = { required = true }\n[storage]\nquota = \"1 MiB\"\n\
                   [limits]\nmemory = \"1 MiB\"\n";
        assert_eq!(told(all, all), [""; 0]);
        assert_eq!(told("", all).len(), 6);
        assert!(told("", all).iter().all(|line| line.starts_with('+')));
        assert!(told(all, "").iter().all(|line| line.starts_with('-')));
    }

    #[test]
    fn more_is_more_and_less_is_less() {
        let root = |rest: &str| format!("[[roots]]\nname = \"n\"\n{rest}");
        let rule = |rest: &str| format!("[[network]]\n{rest}\n");
        let any = rule("to = \"https://*\"");
        let one = rule("to = \"https://a.test\"");
        let get = rule("to = \"https://a.test\"\nmethods = [\"GET\"]");
        let path = rule("to = \"https://a.test\"\npaths = [\"/v1/**\"]");
        let other = rule("to = \"https://a.test\"\npaths = [\"/v2/**\"]");
        let private = rule("to = \"https://a.test\"\nprivate = true");
        let secret = |rest: &str| format!("[[secrets]]\nname = \"T\"\n{rest}\n");
        let inject = secret("inject = { to = \"https://a.test\", header = \"x\" }");
        let below = secret("inject = { to = \"https://*.a.test\", header = \"x\" }");
        let there = secret("inject = { to = \"https://b.a.test\", header = \"x\" }");
        let shown = secret("expose = true");
        for (narrow, wide) in [
            (root(""), root("access = \"read-write\"")),
            (root(""), root("required = true")),
            (root("hide = [\"x\"]"), root("")),
            (one.clone(), any),
            (get, one.clone()),
            (path.clone(), one.clone()),
            (one, private),
            (there, below),
            (
                "[limits]\nmemory = \"1 MiB\"".into(),
                "[limits]\nmemory = \"2 MiB\"".into(),
            ),
            (
                "[storage]\nquota = \"1 MiB\"".into(),
                "[storage]\nquota = \"2 MiB\"".into(),
            ),
        ] {
            let more = told(&narrow, &wide);
            assert_eq!(more.len(), 1, "{narrow} → {wide}: {more:?}");
            assert!(more[0].starts_with('+'), "{more:?}");
            let less = told(&wide, &narrow);
            assert_eq!(less.len(), 1, "{less:?}");
            assert!(less[0].starts_with('-'), "{less:?}");
        }
        // What is merely other is both.
        assert_eq!(told(&path, &other).len(), 2);
        assert_eq!(told(&inject, &shown).len(), 2);
        assert_eq!(told(&root(""), "[[roots]]\nname = \"m\"\n").len(), 2);
    }

    #[test]
    fn words_say_what_is_meant() {
        let words = |text: &str| of(text)[0].words();
        assert_eq!(
            words("[[roots]]\nname = \"n\"\naccess = \"read-write\""),
            "read, write and delete files in ONE folder you choose, which it calls n"
        );
        assert_eq!(
            words(
                "[[network]]\nto = \"https://*.a.test:444\"\nmethods = [\"GET\"]\npaths = [\"/v1/**\"]"
            ),
            "talk to any server below a.test over https at port 444, GET only, under /v1/**"
        );
        let shown = &of("[[secrets]]\nname = \"T\"\nexpose = true")[0];
        assert_eq!(shown.words(), "SEE the secret T");
        assert!(shown.warning().is_some());
    }
}
