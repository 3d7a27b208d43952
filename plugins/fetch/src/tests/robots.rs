use palisade_sdk::http::Url;

use crate::robots::Robots;

const AGENT: &str = "ExampleBot/1.0 (Autonomous; +https://example.org)";

fn allows(robots: &str, path: &str) -> bool {
    let url = Url::parse("https://example.com")
        .unwrap()
        .join(path)
        .unwrap();
    Robots::parse(robots, AGENT).allows(&url)
}

#[track_caller]
fn check(robots: &str, allowed: &[&str], denied: &[&str]) {
    for path in allowed {
        assert!(allows(robots, path), "{path} is denied by:\n{robots}");
    }
    for path in denied {
        assert!(!allows(robots, path), "{path} is allowed by:\n{robots}");
    }
}

/// RFC 9309, section 5.1.
#[test]
fn simple_example_of_the_rfc() {
    let robots = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
        User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
        User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
        User-Agent: quxbot\n\nEOF";
    let as_agent = |agent: &str, path: &str| {
        let url = Url::parse("https://example.com")
            .unwrap()
            .join(path)
            .unwrap();
        Robots::parse(robots, agent).allows(&url)
    };
    assert!(!as_agent("other", "/a.gif"));
    assert!(!as_agent("other", "/example/x"));
    assert!(as_agent("other", "/publications/"));
    assert!(as_agent("foobot", "/example/page.html"));
    assert!(as_agent("foobot", "/example/allowed.gif"));
    assert!(!as_agent("foobot", "/example/"));
    for bot in ["barbot", "BazBot/2.1"] {
        assert!(!as_agent(bot, "/example/page.html"));
        assert!(as_agent(bot, "/a.gif"));
    }
    assert!(as_agent("quxbot", "/example/page.html"));
}

/// RFC 9309, section 5.2.
#[test]
fn the_longest_match_of_the_rfc() {
    let robots =
        "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif";
    let url = |path: &str| {
        Url::parse("https://example.com")
            .unwrap()
            .join(path)
            .unwrap()
    };
    let rules = Robots::parse(robots, "foobot");
    assert!(rules.allows(&url("/example/page/")));
    assert!(!rules.allows(&url("/example/page/disallowed.gif")));
}

/// RFC 9309, section 2.2.1: groups of one visitor are one, none but its own
/// count, and lines of other kinds change nothing.
#[test]
fn whom_a_group_is_for() {
    let robots = "user-agent: *\ndisallow: /x\nuser-agent: EXAMPLEBOT\ndisallow: /a\n\
        user-agent: other\ndisallow: /\nuser-agent: examplebot/9 # us\ndisallow: /b";
    check(robots, &["/x", "/c"], &["/a", "/b"]);
    check("User-agent: example\nDisallow: /", &["/"], &[]);
    check("User-agent: ExampleBotX\nDisallow: /", &["/"], &[]);
    check(
        "User-agent: Example\nUser-agent: ExampleBot\nDisallow: /x",
        &["/"],
        &["/x"],
    );
    check(
        "User-agent: ExampleBot\nSitemap: https://x\nCrawl-delay: 4\nDisallow: /x",
        &["/"],
        &["/x"],
    );
    // Named, and with nothing to say.
    check(
        "User-agent: *\nDisallow: /\nUser-agent: examplebot\n",
        &["/"],
        &[],
    );
    check("Disallow: /\nUser-agent: other\nDisallow: /", &["/"], &[]);
}

/// RFC 9309, section 2.2.2.
#[test]
fn paths() {
    let rule = |pattern: &str| format!("User-agent: *\nDisallow: {pattern}");
    check(
        &rule("/fish"),
        &["/Fish", "/a/fish"],
        &["/fish", "/fish.html", "/fish/x"],
    );
    check(
        &rule("/fish/"),
        &["/fish", "/fish.html"],
        &["/fish/", "/fish/x"],
    );
    check(
        &rule("/fish*.php"),
        &["/Fish.php", "/fish"],
        &["/fish.php", "/fishes/x.php?a"],
    );
    check(
        &rule("/*.php$"),
        &["/a.php5", "/a.php?x", "/php"],
        &["/a.php", "/b/c.php"],
    );
    check(&rule("/a$"), &["/ab", "/a/"], &["/a"]);
    check(
        &rule("/*a*b*c$"),
        &["/abcd", "/acb"],
        &["/abc", "/xaxbxc", "/abcc"],
    );
    check(&rule("*"), &[], &["/", "/x"]);
    check(&rule("/x?y=1"), &["/x", "/x?y=2"], &["/x?y=1", "/x?y=12"]);
    check(&rule(""), &["/"], &[]);
    check(&rule("/"), &["/robots.txt"], &["/"]);
    // Escapes: octets that mean the same are the same.
    check(
        &rule("/foo/bar?baz=http://foo.bar"),
        &[],
        &["/foo/bar?baz=http://foo.bar"],
    );
    check(&rule("/foo/bar/\u{30c4}"), &[], &["/foo/bar/%E3%83%84"]);
    check(
        &rule("/foo/bar/%e3%83%84"),
        &["/foo/bar/%83"],
        &["/foo/bar/%E3%83%84"],
    );
    check(&rule("/foo/bar/%62%61%7a"), &[], &["/foo/bar/baz"]);
    check(&rule("/a%2fb"), &["/a/b"], &["/a%2Fb"]);
    check(&rule("/%"), &["/x"], &["/%"]);
}

#[test]
fn an_allow_counts_before_a_disallow_as_long() {
    let robots = "User-agent: *\nDisallow: /page\nAllow: /page";
    check(robots, &["/page"], &[]);
    check("User-agent: *\nAllow: /p\nDisallow: /", &["/page"], &["/q"]);
    check(
        "User-agent: *\nAllow: /$\nDisallow: /",
        &["/"],
        &["/page.htm"],
    );
}

#[test]
fn how_files_are_written() {
    check("\u{feff}User-agent: *\r\nDisallow: /x\r\n", &["/"], &["/x"]);
    check("USER-AGENT:*\rDISALLOW:/x # why\r", &["/"], &["/x"]);
    check("# User-agent: *\n# Disallow: /", &["/"], &[]);
    check("<html><body>Not found: sorry</body></html>", &["/"], &[]);
    check("", &["/"], &[]);
}

/// A stranger's file must not take long.
#[test]
fn a_file_made_to_be_slow_is_not() {
    let star = format!("User-agent: *\nDisallow: /{}$\n", "*a".repeat(5000));
    let many = format!("User-agent: *\n{}", "Disallow: /*a*b*c*d$\n".repeat(20_000));
    let path = format!("/{}", "a".repeat(8000));
    let began = std::time::Instant::now();
    check(&star, &[], &[&path]);
    check(&many, &[&path], &[]);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
