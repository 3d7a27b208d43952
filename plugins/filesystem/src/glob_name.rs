//! Matching one name of a path: `*`, `?`, `[a-z]`, `@(a|b)` and its kin.

use crate::glob_class::Class;

/// Groups inside groups beyond this stand for themselves.
const DEEPEST: usize = 3;

/// The part of a pattern between two slashes.
#[derive(Debug)]
pub(crate) struct Name(Vec<Token>);

#[derive(Debug)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    Class(Class),
    Group(Kind, Vec<Vec<Token>>),
}

/// How often a group may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `@(a|b)`
    Once,
    /// `?(a|b)`
    AtMostOnce,
    /// `+(a|b)`
    AtLeastOnce,
    /// `*(a|b)`
    AnyTimes,
    /// `!(a|b)`
    Not,
}

/// A set of positions in a text.
type Positions = Vec<bool>;

impl Name {
    /// Reads a pattern without slashes.
    pub(crate) fn new(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        Self(sequence(&chars, &mut 0, 0).0)
    }

    /// Whether the whole text matches.
    pub(crate) fn matches(&self, text: &[char]) -> bool {
        ends(&self.0, text, only(0, text)).last() == Some(&true)
    }
}

/// Why reading a sequence stopped.
#[derive(PartialEq, Eq)]
enum Stop {
    End,
    Bar,
    Close,
}

fn sequence(pattern: &[char], at: &mut usize, depth: usize) -> (Vec<Token>, Stop) {
    let mut tokens = Vec::new();
    while let Some(&c) = pattern.get(*at) {
        if let Some(group) = group(pattern, at, depth) {
            tokens.push(group);
            continue;
        }
        *at += 1;
        tokens.push(match c {
            '\\' => {
                // At the very end it is a backslash.
                let escaped = pattern.get(*at).copied();
                *at += usize::from(escaped.is_some());
                Token::Char(escaped.unwrap_or('\\'))
            }
            '|' if depth > 0 => return (tokens, Stop::Bar),
            ')' if depth > 0 => return (tokens, Stop::Close),
            '?' => Token::One,
            '*' => Token::Many,
            '[' => match Class::read(&pattern[*at..]) {
                Some((class, length)) => {
                    *at += length;
                    Token::Class(class)
                }
                None => Token::Char('['),
            },
            c => Token::Char(c),
        });
    }
    (tokens, Stop::End)
}

/// Reads a group, if one starts here and ends somewhere.
fn group(pattern: &[char], at: &mut usize, depth: usize) -> Option<Token> {
    let kind = match pattern.get(*at)? {
        '@' => Kind::Once,
        '?' => Kind::AtMostOnce,
        '+' => Kind::AtLeastOnce,
        '*' => Kind::AnyTimes,
        '!' => Kind::Not,
        _ => return None,
    };
    if pattern.get(*at + 1) != Some(&'(') || depth >= DEEPEST {
        return None;
    }
    let mut inside = *at + 2;
    let mut options = Vec::new();
    loop {
        let (tokens, stop) = sequence(pattern, &mut inside, depth + 1);
        options.push(tokens);
        match stop {
            Stop::Bar => {}
            Stop::Close => break,
            Stop::End => return None,
        }
    }
    *at = inside;
    Some(Token::Group(kind, options))
}

/// Every position at which the tokens can end when they start at one of `at`.
fn ends(tokens: &[Token], text: &[char], mut at: Positions) -> Positions {
    for (index, token) in tokens.iter().enumerate() {
        let Some(first) = at.iter().position(|here| *here) else {
            return at;
        };
        at = match token {
            Token::Char(c) => step(&at, text, |here| here == *c),
            Token::One => step(&at, text, |_| true),
            Token::Class(class) => step(&at, text, |here| class.contains(here)),
            Token::Many => from(first, text),
            Token::Group(kind, options) => {
                group_ends(*kind, options, &tokens[index + 1..], text, at)
            }
        };
    }
    at
}

fn group_ends(
    kind: Kind,
    options: &[Vec<Token>],
    rest: &[Token],
    text: &[char],
    at: Positions,
) -> Positions {
    let once = |at: &Positions| {
        let mut all = vec![false; at.len()];
        for option in options {
            add(&mut all, &ends(option, text, at.clone()));
        }
        all
    };
    match kind {
        Kind::Once => once(&at),
        Kind::AtMostOnce => {
            let mut all = once(&at);
            add(&mut all, &at);
            all
        }
        Kind::AnyTimes | Kind::AtLeastOnce => {
            let mut all = once(&at);
            loop {
                let again = once(&all);
                if !add(&mut all, &again) {
                    break;
                }
            }
            if kind == Kind::AnyTimes {
                add(&mut all, &at);
            }
            all
        }
        // Anything, unless an option and then the rest would match up to the
        // end: `!(a)b` refuses "ab", and would otherwise take it as "" + "ab".
        Kind::Not => {
            let mut all = vec![false; at.len()];
            for start in (0..at.len()).filter(|start| at[*start]) {
                let excluded = ends(rest, text, once(&only(start, text)));
                if excluded.last() != Some(&true) {
                    add(&mut all, &from(start, text));
                }
            }
            all
        }
    }
}

/// One character further, where it fits.
fn step(at: &Positions, text: &[char], fits: impl Fn(char) -> bool) -> Positions {
    let mut next = vec![false; at.len()];
    for (i, c) in text.iter().enumerate() {
        next[i + 1] = at[i] && fits(*c);
    }
    next
}

fn only(start: usize, text: &[char]) -> Positions {
    (0..=text.len()).map(|i| i == start).collect()
}

fn from(start: usize, text: &[char]) -> Positions {
    (0..=text.len()).map(|i| i >= start).collect()
}

/// Adds positions; true if any was new.
fn add(all: &mut Positions, more: &Positions) -> bool {
    let mut grew = false;
    for (here, new) in all.iter_mut().zip(more) {
        grew |= *new && !*here;
        *here |= *new;
    }
    grew
}
