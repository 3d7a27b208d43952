//! What holds for every request and every grant.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::time::Duration;

use palisade_policy::{
    Access, EnvRequest, Grant, Limits, LimitsRequest, Manifest, NetworkRequest, PolicyError,
    RootGrant, RootKind, RootRequest, RowKind, ToolDecision, intersect,
};
use proptest::prelude::*;

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::ReadOnly), Just(Access::ReadWrite)]
}

fn hide() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[p-r]", 0..3)
}

/// Few names, so that requests and grants often meet.
fn name() -> impl Strategy<Value = String> {
    "[a-d]"
}

fn limits() -> impl Strategy<Value = LimitsRequest> {
    let size = |range| prop::option::of(range);
    let time = || prop::option::of((10_u64..=86_400_000).prop_map(Duration::from_millis));
    (
        size(1_u64 << 20..=4 << 30),
        time(),
        time(),
        size(1 << 10..=1 << 30),
        prop::option::of(1_u32..=256),
    )
        .prop_map(
            |(memory, call_time, cpu_time, output, concurrency)| LimitsRequest {
                memory,
                call_time,
                cpu_time,
                output,
                concurrency,
            },
        )
}

fn network() -> impl Strategy<Value = Vec<NetworkRequest>> {
    let rule =
        ("[xy]", prop::option::of("[GP]"), any::<bool>()).prop_map(|(host, method, private)| {
            let methods = method.map_or(String::new(), |method| {
                format!("methods = [\"{method}\"]\n")
            });
            format!("[[network]]\nto = \"https://{host}\"\n{methods}private = {private}\n")
        });
    prop::collection::btree_set(rule, 0..4).prop_map(|rules| {
        let text: String = rules.into_iter().collect();
        Grant::parse(&text).unwrap().network
    })
}

fn manifest() -> impl Strategy<Value = Manifest> {
    let root = (access(), any::<bool>(), hide());
    let roots = prop::collection::btree_map("[a-d]|\\*", root, 0..5).prop_map(|roots| {
        (roots.into_iter())
            .map(|(name, (access, required, hide))| RootRequest {
                name,
                access,
                required,
                hide,
            })
            .collect()
    });
    let env = prop::collection::btree_map(
        "[A-D]",
        any::<bool>().prop_map(|required| EnvRequest { required }),
        0..4,
    );
    (roots, env, limits(), network()).prop_map(|(roots, env, limits, network)| Manifest {
        roots,
        env,
        limits,
        network,
        ..Manifest::parse("plugin.name = \"p\"").unwrap()
    })
}

fn granted_root() -> impl Strategy<Value = RootGrant> {
    (name(), "/[a-z]{1,3}", access(), hide()).prop_map(|(name, path, access, hide)| RootGrant {
        name,
        kind: RootKind::Directory,
        path: path.into(),
        access,
        hide,
        line: None,
    })
}

fn grant() -> impl Strategy<Value = Grant> {
    let roots = prop::collection::vec(granted_root(), 0..5);
    let env = prop::collection::btree_map("[A-D]", "[a-z]{0,3}", 0..4);
    (roots, env, limits(), network()).prop_map(|(roots, env, limits, network)| {
        let roots: BTreeMap<_, _> = roots
            .into_iter()
            .map(|root| (root.name.clone(), root))
            .collect();
        Grant {
            roots: roots.into_values().collect(),
            env,
            limits,
            network,
            ..Grant::default()
        }
    })
}

/// `manifest` with nothing required, so that there always is a decision.
fn modest(mut manifest: Manifest) -> Manifest {
    manifest
        .roots
        .iter_mut()
        .for_each(|root| root.required = false);
    manifest
        .env
        .values_mut()
        .for_each(|env| env.required = false);
    manifest
}

fn each(limits: &Limits) -> [u128; 5] {
    [
        limits.memory.into(),
        limits.call_time.as_nanos(),
        limits.cpu_time.as_nanos(),
        limits.output.into(),
        limits.concurrency.into(),
    ]
}

fn each_said(limits: &LimitsRequest) -> [Option<u128>; 5] {
    [
        limits.memory.map(Into::into),
        limits.call_time.map(|time| time.as_nanos()),
        limits.cpu_time.map(|time| time.as_nanos()),
        limits.output.map(Into::into),
        limits.concurrency.map(Into::into),
    ]
}

proptest! {
    #[test]
    fn never_wider_than_the_grant(manifest in prop::option::of(manifest()), grant in grant()) {
        let manifest = manifest.map(modest);
        let decision = intersect(manifest.as_ref(), &grant).unwrap();
        let effective = decision.effective;
        for root in &effective.roots {
            let granted = grant.roots.iter().find(|granted| granted.name == root.name).unwrap();
            prop_assert_eq!(&granted.path, &root.path);
            prop_assert!(root.access <= granted.access);
            prop_assert!(granted.hide.iter().all(|pattern| root.hide.contains(pattern)));
        }
        for (name, value) in &effective.env {
            prop_assert_eq!(grant.env.get(name), Some(value));
        }
        prop_assert!(effective.network.granted.iter().all(|rule| grant.network.contains(rule)));
        let defaults = each(&Limits::default());
        for ((value, ceiling), default) in
            each(&effective.limits).into_iter().zip(each_said(&grant.limits)).zip(defaults)
        {
            prop_assert!(value <= ceiling.unwrap_or(default));
        }
    }

    #[test]
    fn never_wider_than_the_request(manifest in manifest(), grant in grant()) {
        let manifest = modest(manifest);
        let decision = intersect(Some(&manifest), &grant).unwrap();
        let effective = decision.effective;
        for root in &effective.roots {
            let asked = |name: &str| manifest.roots.iter().find(|asked| asked.name == name);
            let asked = asked(&root.name).or(asked("*")).unwrap();
            prop_assert!(root.access <= asked.access);
            prop_assert!(asked.hide.iter().all(|pattern| root.hide.contains(pattern)));
        }
        prop_assert!(effective.env.keys().all(|name| manifest.env.contains_key(name)));
        let asked = effective.network.asked.unwrap_or_default();
        prop_assert!(asked.iter().all(|rule| manifest.network.contains(rule)));
        for (value, asked) in each(&effective.limits).into_iter().zip(each_said(&manifest.limits)) {
            prop_assert!(asked.is_none_or(|asked| value <= asked));
        }
    }

    #[test]
    fn exactly_what_is_asked_and_granted_holds(manifest in manifest(), grant in grant()) {
        let manifest = modest(manifest);
        let effective = intersect(Some(&manifest), &grant).unwrap().effective;
        let any = manifest.roots.iter().any(RootRequest::is_any);
        for granted in &grant.roots {
            let asked = any || manifest.roots.iter().any(|asked| asked.name == granted.name);
            let holds = effective.roots.iter().any(|root| root.name == granted.name);
            prop_assert_eq!(asked, holds);
        }
        for name in grant.env.keys() {
            prop_assert_eq!(manifest.env.contains_key(name), effective.env.contains_key(name));
        }
    }

    #[test]
    fn granting_more_takes_nothing_away(
        manifest in prop::option::of(manifest()),
        grant in grant(),
        root in granted_root(),
        more in grant(),
    ) {
        let manifest = manifest.map(modest);
        let before = intersect(manifest.as_ref(), &grant).unwrap().effective;
        let mut wider = grant.clone();
        if wider.roots.iter().all(|old| old.name != root.name) {
            wider.roots.push(root);
        }
        for (name, value) in more.env {
            wider.env.entry(name).or_insert(value);
        }
        wider.network.extend(more.network);
        let after = intersect(manifest.as_ref(), &wider).unwrap().effective;
        prop_assert!(before.roots.iter().all(|root| after.roots.contains(root)));
        prop_assert!(before.env.iter().all(|(name, value)| after.env.get(name) == Some(value)));
        prop_assert!(before.network.granted.iter().all(|rule| after.network.granted.contains(rule)));
    }

    #[test]
    fn what_is_required_holds_or_nothing_starts(manifest in manifest(), grant in grant()) {
        let required = |asked: &RootRequest, granted: &RootGrant| {
            asked.name == granted.name
                || asked.is_any() && manifest.roots.iter().all(|other| other.name != granted.name)
        };
        let missing = (manifest.roots.iter())
            .filter(|asked| asked.required && !grant.roots.iter().any(|root| required(asked, root)))
            .count()
            + (manifest.env.iter())
                .filter(|(name, asked)| asked.required && !grant.env.contains_key(*name))
                .count();
        match intersect(Some(&manifest), &grant) {
            Ok(_) => prop_assert_eq!(missing, 0),
            Err(PolicyError::Missing { needs }) => prop_assert_eq!(needs.len(), missing),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn the_fingerprint_follows_the_permission(
        manifest in prop::option::of(manifest()),
        one in grant(),
        other in grant(),
    ) {
        let manifest = manifest.map(modest);
        let decide = |grant: &Grant| {
            let mut effective = intersect(manifest.as_ref(), grant).unwrap().effective;
            effective.env.values_mut().for_each(String::clear);
            effective.network.granted.sort();
            effective.network.asked.iter_mut().for_each(|asked| asked.sort());
            effective.roots.iter_mut().for_each(|root| root.hide.sort());
            effective
        };
        let (one, other) = (decide(&one), decide(&other));
        prop_assert_eq!(one == other, one.hash() == other.hash());
    }

    #[test]
    fn rows_show_what_holds(manifest in prop::option::of(manifest()), grant in grant()) {
        let manifest = manifest.map(modest);
        let decision = intersect(manifest.as_ref(), &grant).unwrap();
        for root in &decision.effective.roots {
            let what = format!("folder {}", root.name);
            let start = format!("{} {}", root.path.display(), root.access.short());
            let row = decision.rows.iter().find(|row| row.what == what).unwrap();
            prop_assert!(row.effective.as_ref().unwrap().starts_with(&start));
        }
        for row in &decision.rows {
            let lost = row.effective.is_none();
            let changed = row.kind == RowKind::Limit && row.asked.is_some() && row.asked != row.effective;
            prop_assert!(!(lost || changed) || row.why.is_some(), "{:?}", row);
        }
    }

    #[test]
    fn merging_flags_keeps_everything_else(file in grant(), flags in grant()) {
        let merged = file.clone().merge(flags.clone());
        prop_assert!(intersect(None, &merged).is_ok());
        for root in &flags.roots {
            let merged = merged.roots.iter().find(|merged| merged.name == root.name).unwrap();
            prop_assert_eq!((&merged.path, merged.access), (&root.path, root.access));
        }
        for root in &file.roots {
            let merged = merged.roots.iter().find(|merged| merged.name == root.name).unwrap();
            prop_assert!(root.hide.iter().all(|pattern| merged.hide.contains(pattern)));
        }
        prop_assert_eq!(file.clone().merge(Grant::default()).roots.len(), file.roots.len());
        prop_assert_eq!(merged.tools.decide("x"), ToolDecision::Allow);
    }
}
