use palisade_sdk::http::Url;

use crate::api::{Page, next_page};
use crate::place::{Repository, below, segments};
use crate::search::within;

#[test]
fn addresses_are_below_the_api_whatever_is_asked_for() {
    let at = |base: &str, segments: &[&str], query: &[(&str, String)]| {
        String::from(below(&Url::parse(base).unwrap(), segments, query).unwrap())
    };
    let repository = Repository::new("octocat", "Hello-World").unwrap();
    assert_eq!(
        at(
            "https://api.github.com",
            &repository.at(&["issues", "7"]),
            &[]
        ),
        "https://api.github.com/repos/octocat/Hello-World/issues/7"
    );
    assert_eq!(
        at(
            "https://api.acme.ghe.com/v3/",
            &["search", "code"],
            &[("q", "a b&c=d".to_owned())]
        ),
        "https://api.acme.ghe.com/v3/search/code?q=a+b%26c%3Dd"
    );
    let odd = segments("/docs/a b?#%2e%2e/é/").unwrap();
    assert_eq!(
        at("https://api.github.com", &repository.at(&odd), &[]),
        "https://api.github.com/repos/octocat/Hello-World/docs/a%20b%3F%23%252e%252e/%C3%A9"
    );
}

#[test]
fn names_and_paths_that_lead_elsewhere_are_refused() {
    for (owner, name) in [
        ("..", "x"),
        ("x", "."),
        ("", "x"),
        ("a/b", "x"),
        ("a", "b?c"),
        ("a", "b%2fc"),
        ("a", "b c"),
        ("é", "x"),
    ] {
        assert!(Repository::new(owner, name).is_err(), "{owner} {name}");
    }
    for path in ["../x", "a/../b", "a//b", "a/./b", "a/.."] {
        assert!(segments(path).is_err(), "{path}");
    }
    assert_eq!(segments("/").unwrap(), [""; 0]);
    assert_eq!(segments("a/..b/c...").unwrap(), ["a", "..b", "c..."]);
}

#[test]
fn a_search_can_be_narrowed_and_not_widened() {
    assert_eq!(within("is:open", None, None).unwrap(), "is:open");
    assert_eq!(within("x", Some("a"), None).unwrap(), "x user:a");
    assert_eq!(within("x", Some("a"), Some("b")).unwrap(), "x repo:a/b");
    assert!(within("x", Some("a user:b"), None).is_err());
    assert!(within("x", Some("a"), Some("b repo:c/d")).is_err());
    assert!(within("x", None, Some("b")).is_err());
}

#[test]
fn pages() {
    assert_eq!(
        Page::new(0, 1000).query(),
        [("per_page", "100".to_owned()), ("page", "1".to_owned())]
    );
    let link = "<https://api.github.com/x?page=1>; rel=\"prev\", \
                <https://api.github.com/x?per_page=5&page=3>; rel=\"next\", \
                <https://api.github.com/x?page=9>; rel=\"last\"";
    assert_eq!(next_page(link), Some(3));
    for none in [
        "",
        "<https://api.github.com/x?page=1>; rel=\"prev\"",
        "x; rel=\"next\"",
        "<x>; rel=\"next\"",
    ] {
        assert_eq!(next_page(none), None, "{none}");
    }
}
