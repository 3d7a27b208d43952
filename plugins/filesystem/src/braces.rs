//! Brace expansion, as shells know it: `{a,b}`, `{1..9}`, `{a..e..2}`, nested.

/// The most patterns one may become.
const MOST: usize = 1000;

/// The deepest that braces are looked into; deeper ones stand for themselves.
const DEEPEST: usize = 16;

/// A pattern becomes more than [`MOST`] patterns.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// Every pattern a pattern with braces stands for. Braces that say nothing
/// (`{a}`, `{}`, `{` alone, `${a,b}`, `\{`) stay as they are.
pub(crate) fn expand(pattern: &str) -> Result<Vec<String>, TooMany> {
    expand_at(pattern, 0)
}

fn expand_at(pattern: &str, depth: usize) -> Result<Vec<String>, TooMany> {
    let mut done = vec![String::new()];
    let mut literal = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let (this, after) = rest.split_at(c.len_utf8());
        rest = after;
        if c == '\\' {
            let next = after.chars().next().map_or(0, char::len_utf8);
            literal.push('\\');
            literal.push_str(&after[..next]);
            rest = &after[next..];
            continue;
        }
        let set = match c == '{' && !literal.ends_with('$') && depth < DEEPEST {
            true => close(after),
            false => None,
        };
        let Some(end) = set else {
            literal.push_str(this);
            continue;
        };
        let body = &after[..end];
        rest = &after[end + 1..];
        let options = options(body, depth)?;
        if done.len() * options.len() > MOST {
            return Err(TooMany);
        }
        done = done
            .iter()
            .flat_map(|start| options.iter().map(move |option| (start, option)))
            .map(|(start, option)| format!("{start}{literal}{option}"))
            .collect();
        literal.clear();
    }
    for text in &mut done {
        text.push_str(&literal);
    }
    Ok(done)
}

/// What a set of braces stands for.
fn options(body: &str, depth: usize) -> Result<Vec<String>, TooMany> {
    let members = members(body);
    if let [only] = members.as_slice() {
        if let Some(sequence) = sequence(only)? {
            return Ok(sequence);
        }
        let inner = expand_at(only, depth + 1)?;
        return Ok(inner
            .into_iter()
            .map(|text| format!("{{{text}}}"))
            .collect());
    }
    let mut all = Vec::new();
    for member in members {
        all.extend(expand_at(member, depth + 1)?);
        if all.len() > MOST {
            return Err(TooMany);
        }
    }
    Ok(all)
}

/// Where the brace closes that was opened just before `text`.
fn close(text: &str) -> Option<usize> {
    scan(text, |c, depth| c == '}' && depth == 0)
}

/// The parts between the commas that are in no inner braces.
fn members(body: &str) -> Vec<&str> {
    let mut members = Vec::new();
    let mut rest = body;
    while let Some(at) = scan(rest, |c, depth| c == ',' && depth == 0) {
        members.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    members.push(rest);
    members
}

/// The first unescaped character for which `wanted` holds, given how many
/// braces are open before it.
fn scan(text: &str, wanted: impl Fn(char, usize) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if wanted(c, depth) {
            return Some(at);
        }
        match c {
            '\\' => {
                chars.next();
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// `1..9`, `01..10`, `a..e`, each with a step where there is a third number.
fn sequence(body: &str) -> Result<Option<Vec<String>>, TooMany> {
    let parts: Vec<&str> = body.split("..").collect();
    let ([from, to] | [from, to, _]) = parts[..] else {
        return Ok(None);
    };
    let Some(step) = parts
        .get(2)
        .map_or(Some(1), |step| step.parse::<i64>().ok())
    else {
        return Ok(None);
    };
    let step = usize::try_from(step.unsigned_abs().max(1)).unwrap_or(usize::MAX);
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    if let (Some(first), Some(last)) = (letter(from), letter(to)) {
        let name = |code: i64| {
            u8::try_from(code).map_or(String::new(), |byte| char::from(byte).to_string())
        };
        return run(first, last, step, name).map(Some);
    }
    let number = |text: &str| match text.starts_with('+') {
        true => None,
        false => text.parse::<i64>().ok(),
    };
    let (Some(first), Some(last)) = (number(from), number(to)) else {
        return Ok(None);
    };
    let padded = parts.iter().any(|text| {
        let digits = text.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    });
    let width = if padded { from.len().max(to.len()) } else { 0 };
    run(first, last, step, |value| format!("{value:0width$}")).map(Some)
}

fn run(
    first: i64,
    last: i64,
    step: usize,
    name: impl Fn(i64) -> String,
) -> Result<Vec<String>, TooMany> {
    if first.abs_diff(last) / step as u64 >= MOST as u64 {
        return Err(TooMany);
    }
    Ok(match first <= last {
        true => (first..=last).step_by(step).map(name).collect(),
        false => (last..=first).rev().step_by(step).map(name).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_a_shell_says() {
        // What bash's echo prints for each.
        for (pattern, expected) in [
            ("a{b,c}d", "abd acd"),
            ("{a,b}{1..3}", "a1 a2 a3 b1 b2 b3"),
            ("{08..10}", "08 09 10"),
            ("{3..-1..2}", "3 1 -1"),
            ("{e..a..2}", "e c a"),
            ("x{a,{b,c}y}z", "xaz xbyz xcyz"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("a}b", "a}b"),
            ("{{a,b}}", "{a} {b}"),
            ("{a..}", "{a..}"),
        ] {
            assert_eq!(expand(pattern).unwrap().join(" "), expected, "{pattern}");
        }
        assert_eq!(expand(r"\{a,b}").unwrap(), [r"\{a,b}"]);
    }

    #[test]
    fn refuses_to_explode() {
        assert_eq!(expand(&"{a,b}".repeat(11)), Err(TooMany));
        assert_eq!(expand("{1..100000}"), Err(TooMany));
        assert_eq!(
            expand("{-9223372036854775808..9223372036854775807}"),
            Err(TooMany)
        );
        assert!(expand(&"{".repeat(3000)).is_ok());
        assert!(expand(&format!("{}a,b{}", "{".repeat(500), "}".repeat(500))).is_ok());
    }
}
