//! What a failing tool says, and to whom.

use std::fmt;
use std::num::ParseIntError;

use palisade_sdk::bindings::types::ErrorKind;
use palisade_sdk::prelude::*;
use serde_json::json;

use crate::{call, failure};

#[derive(Debug)]
struct Broken(std::io::Error);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the index is broken")
    }
}

impl std::error::Error for Broken {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[derive(Default)]
struct Fails;

#[plugin]
impl Fails {
    /// Fails like a number.
    #[tool]
    fn number(&self, text: String) -> Result<String> {
        let number: u8 = text.parse().with_context(|| format!("reading {text:?}"))?;
        Ok(number.to_string())
    }

    /// Fails with somebody else's type.
    #[tool]
    fn foreign(&self) -> Result<String, ParseIntError> {
        Ok("x".parse::<u8>()?.to_string())
    }

    /// Fails deep down.
    #[tool]
    fn deep(&self) -> Result<()> {
        Err(Broken(std::io::Error::from_raw_os_error(2)))?;
        Ok(())
    }

    /// Fails for want of something.
    #[tool]
    fn none(&self) -> Result<String> {
        None.context("there is no such city")
    }

    /// Gives up.
    #[tool]
    fn gives_up(&self, city: String) -> Result<()> {
        bail!("no city is called {city}");
    }

    /// Refuses.
    #[tool]
    fn refuses(&self, how: String) -> Result<()> {
        Err(match how.as_str() {
            "params" => Error::invalid_params("no"),
            "found" => Error::not_found("no"),
            "supported" => Error::unsupported("no"),
            "denied" => Error::denied("no"),
            _ => Error::internal("no")
                .with_data(json!({ "how": how }))
                .context("trying"),
        })
    }
}

#[test]
fn a_failure_is_a_result_that_says_what_and_why() {
    assert_eq!(
        failure::<Fails>("number", r#"{"text":"x"}"#),
        r#"reading "x": invalid digit found in string"#
    );
    assert_eq!(
        failure::<Fails>("foreign", "{}"),
        "invalid digit found in string"
    );
    assert_eq!(failure::<Fails>("none", "{}"), "there is no such city");
    assert_eq!(
        failure::<Fails>("gives_up", r#"{"city":"Atlantis"}"#),
        "no city is called Atlantis"
    );
}

#[test]
fn causes_are_told_and_error_numbers_are_not() {
    assert_eq!(
        failure::<Fails>("deep", "{}"),
        "the index is broken: No such file or directory"
    );
}

#[test]
fn a_refusal_is_a_protocol_error() {
    let refusal =
        |how: &str| call::<Fails>("refuses", &json!({ "how": how }).to_string()).unwrap_err();
    assert_eq!(refusal("params").kind, ErrorKind::InvalidParams);
    assert_eq!(refusal("found").kind, ErrorKind::NotFound);
    assert_eq!(refusal("supported").kind, ErrorKind::Unsupported);
    assert_eq!(refusal("denied").kind, ErrorKind::Denied);
    let internal = refusal("else");
    assert_eq!(internal.kind, ErrorKind::Internal);
    assert_eq!(internal.message, "trying: no");
    assert_eq!(internal.data.as_deref(), Some(r#"{"how":"else"}"#));
}

#[test]
fn a_cause_that_is_already_told_is_not_told_twice() {
    #[derive(Debug)]
    struct Outer(ParseIntError);
    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "bad port: {}", self.0)
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let inner = "x".parse::<u8>().unwrap_err();
    assert_eq!(
        Error::from(Outer(inner)).message(),
        "bad port: invalid digit found in string"
    );
}
