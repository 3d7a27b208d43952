use crate::failure::{Refusal, message};

fn sentence(status: u16, message: &str, wait: Option<u64>) -> String {
    let message = message.to_owned();
    Refusal {
        status,
        message,
        wait,
    }
    .sentence()
}

#[test]
fn each_refusal_says_what_to_do() {
    assert_eq!(
        sentence(401, "Bad credentials", None),
        "GitHub takes no request without a token that is good (Bad credentials): \
         set one with `palisade secret set GITHUB_TOKEN`"
    );
    assert_eq!(
        sentence(403, "Resource not accessible by integration", None),
        "GitHub does not permit it to this token (Resource not accessible by integration)"
    );
    assert_eq!(
        sentence(403, "API rate limit exceeded", Some(125)),
        "GitHub's limit of requests is used up; there are more in 3 minutes"
    );
    assert_eq!(
        sentence(429, "", Some(60)),
        "GitHub's limit of requests is used up; there are more in 60 seconds"
    );
    assert_eq!(
        sentence(404, "Not Found", None),
        "there is no such thing on GitHub, or this token may not see it"
    );
    assert_eq!(sentence(410, "", None), "it is gone, or switched off");
    assert_eq!(
        sentence(422, "Validation Failed; label missing", None),
        "GitHub can't do that (Validation Failed; label missing)"
    );
    assert_eq!(
        sentence(502, "<html>", None),
        "GitHub fails at the moment (status 502); try again later"
    );
    assert_eq!(sentence(418, "", None), "GitHub answers with status 418");
}

#[test]
fn what_github_says_is_one_line() {
    let body = br#"{"message": "Validation\nFailed", "errors": [
        {"resource": "Issue", "field": "title", "code": "missing_field"},
        {"message": "labels are odd"}, "as text"], "documentation_url": "https://x"}"#;
    assert_eq!(
        message(body),
        "Validation Failed; title missing_field; labels are odd; as text"
    );
    assert_eq!(message(b"<html>"), "");
    assert_eq!(message(b""), "");
    let long = format!("{{\"message\": \"{}\"}}", "x".repeat(9000));
    assert_eq!(message(long.as_bytes()).len(), 500);
}
