//! The list of resource templates.

use std::collections::HashSet;

use iri_string::template::UriTemplateStr;

use super::{bad, check_annotations, check_meta, check_size};
use crate::answer::MAX_URI;
use crate::bindings::contract::ResourceTemplate;
use crate::error::LoadError;

/// Checks the list; an error names the template.
pub(crate) fn check(templates: &[ResourceTemplate]) -> Result<(), LoadError> {
    check_size("resource templates", templates)?;
    let mut seen = HashSet::new();
    for template in templates {
        let uri = template.uri_template.as_str();
        if uri.is_empty() {
            return bad(format!(
                "the resource template {:?} has no URI template",
                template.name
            ));
        }
        if uri.len() > MAX_URI {
            return bad(format!(
                "the URI template of {:?} is {} bytes long, more than the {MAX_URI} it may be",
                template.name,
                uri.len()
            ));
        }
        if let Err(error) = UriTemplateStr::new(uri) {
            return bad(format!(
                "the URI template {uri:?} is none as in RFC 6570 ({error})"
            ));
        }
        if !seen.insert(uri) {
            return bad(format!(
                "there are two resource templates with the URI template {uri:?}"
            ));
        }
        check_annotations(uri, template.annotations.as_ref())?;
        check_meta(uri, template.meta.as_ref())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::bindings::contract::ResourceTemplate;

    fn template(uri_template: &str) -> ResourceTemplate {
        ResourceTemplate {
            uri_template: uri_template.to_owned(),
            name: "thing".to_owned(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: Vec::new(),
            meta: None,
        }
    }

    #[test]
    fn rfc_6570_is_understood() {
        for uri in [
            "test://template/{id}/data",
            "file:///{+path}",
            "https://example.com{/segments*}{?q,page:3}{&more}{#fragment}",
            "test://plain",
        ] {
            let checked = check(&[template(uri)]);
            assert!(checked.is_ok(), "{uri}: {checked:?}");
        }
    }

    #[test]
    fn anything_else_is_refused_by_its_name() {
        for uri in [
            "", "a{", "a}", "a{{b}}", "a{}", "a{b c}", "a b", "a\u{1b}", "a%",
        ] {
            let error = check(&[template("test://good"), template(uri)]).unwrap_err();
            let shown = if uri.is_empty() {
                "\"thing\""
            } else {
                &format!("{uri:?}")
            };
            assert!(error.to_string().contains(shown), "{uri:?}: {error}");
        }
    }
}
