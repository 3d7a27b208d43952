//! Doc comments as descriptions.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment among these attributes as one text, empty if there is none.
///
/// Comments are wrapped for the width of an editor. In a description a line
/// break means something, so a paragraph's lines are joined; paragraphs, list
/// items, headings, tables and code keep theirs.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(text)
        .flat_map(|text| text.split('\n').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    join(&unindent(&lines))
}

fn text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    if !meta.path.is_ident("doc") {
        return None;
    }
    match &meta.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// Takes off the space after `///`, or the `*` column of a block comment.
fn unindent(lines: &[String]) -> Vec<&str> {
    let indent = |line: &&String| line.len() - line.trim_start_matches(' ').len();
    let common = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent(&line))
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| line.get(common..).unwrap_or("").trim_end())
        .collect()
}

fn join(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut in_code = false;
    let mut joinable = false;
    for line in lines {
        let fence = line.trim_start().starts_with("```");
        let keeps_its_line = in_code || fence || starts_a_block(line);
        if !text.is_empty() {
            if joinable && !keeps_its_line && !line.is_empty() {
                text.push(' ');
                text.push_str(line.trim_start());
                continue;
            }
            text.push('\n');
        }
        text.push_str(line);
        in_code ^= fence;
        // A list item's text may go on, a heading's or a table row's may not.
        joinable = !line.is_empty() && !in_code && !fence && !stands_alone(line);
    }
    text.trim().to_owned()
}

/// Headings, table rows, indented code.
fn stands_alone(line: &str) -> bool {
    line.starts_with(['#', '|']) || line.starts_with("    ")
}

fn starts_a_block(line: &str) -> bool {
    let text = line.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    stands_alone(line)
        || text.starts_with("- ")
        || text.starts_with("* ")
        || text.starts_with("+ ")
        || text.starts_with('>')
        || (number.len() < text.len() && (number.starts_with(". ") || number.starts_with(") ")))
}
