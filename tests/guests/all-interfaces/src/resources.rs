//! Resources; which list of them is given is said in the request's `_meta`.

use crate::bindings::exports::palisade::mcp::resources::{Guest, ReadOutcome, ResourceTemplate};
use crate::bindings::palisade::mcp::types::{
    Context, Error, ResourceBody, ResourceContents, ResourceInfo,
};
use crate::{AllInterfaces, large, questions, unknown};

impl Guest for AllInterfaces {
    fn list_resources(context: Context) -> Result<Vec<ResourceInfo>, Error> {
        let meta = context.meta.unwrap_or_default();
        let good = resource("test://one".into());
        Ok(match meta.as_str() {
            r#"{"list":"no-uri"}"# => vec![good, resource(String::new())],
            r#"{"list":"two-alike"}"# => vec![good.clone(), good],
            r#"{"list":"long-uri"}"# => vec![resource("x".repeat(9 << 10))],
            r#"{"list":"many"}"# => (0..10_001)
                .map(|n| resource(format!("test://{n}")))
                .collect(),
            r#"{"list":"never"}"# => never(),
            r#"{"list":"large"}"# => vec![ResourceInfo {
                description: Some(large()),
                ..good
            }],
            _ => vec![good],
        })
    }

    fn list_templates() -> Result<Vec<ResourceTemplate>, Error> {
        Ok(vec![ResourceTemplate {
            uri_template: "test://{name}".into(),
            name: "thing".into(),
            title: None,
            description: Some("A thing by its name.".into()),
            mime_type: Some("text/plain".into()),
            annotations: None,
            icons: Vec::new(),
            meta: None,
        }])
    }

    fn read_resource(uri: String, _: Context) -> Result<ReadOutcome, Error> {
        let body = match uri.as_str() {
            "test://one" => ResourceBody::Text("one".into()),
            "test://bytes" => ResourceBody::Blob(vec![0, 255]),
            "test://large" => ResourceBody::Text(large()),
            "test://asks" => {
                return Ok(ReadOutcome::InputRequired(questions(&["name"], "Who?")));
            }
            other => return Err(unknown(other)),
        };
        Ok(ReadOutcome::Complete(vec![ResourceContents {
            uri,
            mime_type: None,
            body,
            meta: None,
        }]))
    }
}

fn resource(uri: String) -> ResourceInfo {
    ResourceInfo {
        uri,
        name: "thing".into(),
        title: None,
        description: None,
        mime_type: None,
        size: None,
        annotations: None,
        icons: Vec::new(),
        meta: None,
    }
}

#[expect(clippy::disallowed_methods, reason = "a guest that does not answer")]
fn never() -> Vec<ResourceInfo> {
    std::thread::sleep(std::time::Duration::from_secs(3600));
    Vec::new()
}
