//! Character classes in patterns: `[abc]`, `[a-z]`, `[!x]`, `[[:digit:]]`.

/// A set of characters.
#[derive(Debug)]
pub(crate) struct Class {
    negated: bool,
    items: Vec<Item>,
}

#[derive(Debug)]
enum Item {
    /// Both ends included.
    Range(char, char),
    Named(Holds),
}

/// Whether a character belongs to a class that has a name.
type Holds = fn(char) -> bool;

impl Class {
    /// Reads what follows a `[`, and how many characters that is. `None` when
    /// the class never ends: then the bracket stands for itself.
    pub(crate) fn read(pattern: &[char]) -> Option<(Self, usize)> {
        let negated = matches!(pattern.first(), Some('!' | '^'));
        let start = usize::from(negated);
        let mut at = start;
        let mut items = Vec::new();
        loop {
            let c = *pattern.get(at)?;
            if c == ']' && at > start {
                return Some((Self { negated, items }, at + 1));
            }
            if let Some((named, length)) = named(&pattern[at..]) {
                items.push(Item::Named(named));
                at += length;
                continue;
            }
            let (first, length) = member(&pattern[at..])?;
            at += length;
            // A hyphen before the end is a hyphen.
            let ranged = pattern.get(at) == Some(&'-') && pattern.get(at + 1)? != &']';
            let mut last = first;
            if ranged {
                let (end, length) = member(&pattern[at + 1..])?;
                last = end;
                at += 1 + length;
            }
            // The other way round it holds nothing.
            items.push(Item::Range(first, last));
        }
    }

    /// Whether a character belongs to it.
    pub(crate) fn contains(&self, c: char) -> bool {
        let listed = self.items.iter().any(|item| match item {
            Item::Range(first, last) => (*first..=*last).contains(&c),
            Item::Named(holds) => holds(c),
        });
        // A class of nothing matches nothing, and neither does its opposite.
        let empty = self
            .items
            .iter()
            .all(|item| matches!(item, Item::Range(a, b) if a > b));
        !empty && listed != self.negated
    }
}

/// One character, perhaps after a backslash.
fn member(pattern: &[char]) -> Option<(char, usize)> {
    match *pattern.first()? {
        '\\' => Some((*pattern.get(1)?, 2)),
        c => Some((c, 1)),
    }
}

/// `[:alpha:]` and the like.
fn named(pattern: &[char]) -> Option<(Holds, usize)> {
    let inside = pattern.strip_prefix(&['[', ':'])?;
    let length = inside.iter().position(|c| *c == ':')?;
    if inside.get(length + 1) != Some(&']') {
        return None;
    }
    let name: String = inside[..length].iter().collect();
    let holds: Holds = match name.as_str() {
        "alnum" => char::is_alphanumeric,
        "alpha" => char::is_alphabetic,
        "ascii" => |c| c.is_ascii(),
        "blank" => |c| c == '\t' || (c.is_whitespace() && !c.is_control()),
        "cntrl" => char::is_control,
        "digit" => |c| c.is_ascii_digit(),
        "graph" => |c| !c.is_whitespace() && !c.is_control(),
        "lower" => char::is_lowercase,
        "print" => |c| !c.is_control(),
        "punct" => |c| c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c),
        "space" => char::is_whitespace,
        "upper" => char::is_uppercase,
        "word" => |c| c.is_alphanumeric() || c == '_',
        "xdigit" => |c| c.is_ascii_hexdigit(),
        _ => return None,
    };
    Some((holds, length + 4))
}
