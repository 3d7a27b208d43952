//! URI templates (RFC 6570), level 1.

use syn::LitStr;

use crate::problems::Problems;

/// A template taken apart.
#[derive(Default)]
pub(crate) struct Template {
    /// What stands before the first variable.
    pub(crate) start: String,
    /// Each variable, and what stands after it.
    pub(crate) variables: Vec<(String, String)>,
}

/// Takes a template apart.
pub(crate) fn read(text: &LitStr, problems: &mut Problems) -> Template {
    match parse(&text.value()) {
        Ok(template) => template,
        Err(why) => {
            problems.at(text, why);
            Template::default()
        }
    }
}

fn parse(text: &str) -> Result<Template, String> {
    let mut parts = text.split('{');
    let mut template = Template {
        start: parts.next().unwrap_or_default().to_owned(),
        variables: Vec::new(),
    };
    if template.start.contains('}') {
        return Err("a `}` without its `{`".to_owned());
    }
    for part in parts {
        let Some((name, after)) = part.split_once('}') else {
            return Err("a `{` without its `}`".to_owned());
        };
        if after.contains('}') {
            return Err("a `}` without its `{`".to_owned());
        }
        if let Some((before, "")) = template
            .variables
            .last()
            .map(|(name, after)| (name, &after[..]))
        {
            return Err(format!(
                "nothing stands between `{{{before}}}` and `{{{name}}}`, so nobody can tell them apart"
            ));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "`{{{name}}}` is not a plain variable: only `{{name}}` is understood, made of \
                 `A-Z a-z 0-9 _` (level 1 of RFC 6570)"
            ));
        }
        if template.variables.iter().any(|(other, _)| other == name) {
            return Err(format!("`{{{name}}}` is there twice"));
        }
        template.variables.push((name.to_owned(), after.to_owned()));
    }
    if template.variables.is_empty() {
        return Err("there is no variable in it: write `uri` instead of `template`".to_owned());
    }
    Ok(template)
}
