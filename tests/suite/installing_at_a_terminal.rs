//! The first time, as a person sees it: install, consent, call, revoke, a call that
//! is refused.

use std::fs;

use palisade_tests::guest;
use palisade_tests::terminal::Terminal;

use crate::install_stage::Desk;

const ASKS: &str = "[plugin]\nname = \"notes\"\n\
    [[roots]]\nname = \"notes\"\naccess = \"read-write\"\n\
    [[network]]\nto = \"https://api.test\"\nmethods = [\"GET\"]\n\
    [[secrets]]\nname = \"TOKEN\"\nrequired = false\n\
    inject = { to = \"https://api.test\", header = \"authorization\" }\n";

const READ: &str = "{\"path\":\"/notes/a.txt\"}";

#[test]
fn a_first_time() {
    const VALUE: &str = "ghp_hunter2";
    let desk = Desk::new();
    let folder = desk.folder();
    let file = desk.source(&guest("escapes"), ASKS);

    let cache = tempfile::tempdir().unwrap();
    let install = desk.palisade(["install"]).arg(&file).cache(cache.path());
    let mut person = Terminal::start(&install);
    person.until("  compiling  done in ");
    let card = person.until("It asks to");
    assert!(card.contains("by nobody"), "{card}");
    person.until("read, write and delete files in ONE folder");
    person.until("which?");
    person.until("folder (empty for none): ");
    person.types("/nowhere/at/all");
    person.until("does not exist");
    person.until("folder (empty for none): ");
    // The tab key completes what is there.
    let typed = folder.display().to_string();
    person.types_only(typed.strip_suffix("der").unwrap());
    person.types_only("\t");
    person.until("folder");
    person.types("");
    person.until("talk to api.test over https, GET only? [y/N]");
    person.types("y");
    person.until("use TOKEN towards https://api.test alone, without seeing it? [y/N]");
    person.types("y");
    person.until("value of TOKEN");
    person.types(VALUE);
    let rest = person.end();
    assert!(rest.contains("notes is installed"), "{rest}");
    assert!(!rest.contains(VALUE), "{rest}");
    assert!(!rest.contains("Not granted"), "{rest}");

    let grant = fs::read_to_string(desk.grant_file()).unwrap();
    assert!(grant.contains(&typed), "{grant}");
    assert!(!grant.contains(VALUE), "{grant}");

    // Nothing says that reading is only reading: the person is asked.
    let call = || Terminal::start(&desk.palisade(["call", "notes", "read", READ]));
    let mut person = call();
    person.until("run read? [y/N]");
    person.types("y");
    let said = person.end();
    assert!(said.contains("the folder's a"), "{said}");
    let mut person = call();
    person.until("run read? [y/N]");
    person.types("");
    let said = person.end();
    assert!(!said.contains("the folder's a"), "{said}");

    let mut person = Terminal::start(&desk.palisade(["revoke", "notes", "--root", "notes"]));
    person.until("folder notes");
    person.end();
    let mut person = call();
    person.until("run read? [y/N]");
    person.types("y");
    let said = person.end();
    assert!(!said.contains("the folder's a"), "{said}");
}

#[test]
fn an_update_is_shown_and_asked_about() {
    let desk = Desk::new();
    desk.install(&desk.notes(), &[]).success();
    desk.source(&guest("escapes"), ASKS);
    for (answer, taken) in [("n", false), ("y", true)] {
        let mut person = Terminal::start(&desk.palisade(["update", "notes"]));
        person.until("+ asks to talk to api.test over https, GET only");
        person.until("take it? [y/N]");
        person.types(answer);
        let said = person.end();
        assert_eq!(said.contains("is updated"), taken, "{said}");
    }
    let same = desk.palisade(["update", "notes"]).output().success();
    assert!(same.stdout.contains("is what its source has"), "{same:?}");
}
