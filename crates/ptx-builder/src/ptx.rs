//! The part of PTX's grammar that cutting needs: words, comments, and where top-level items end.

use std::collections::HashSet;

use crate::cut::{CutError, Version};

/// A parsed PTX text.
#[derive(Debug)]
pub(crate) struct Ptx<'a> {
    pub(crate) version: Version,
    /// The operands of `.target`, such as `sm_80`.
    pub(crate) target: &'a str,
    pub(crate) address_size: &'a str,
    pub(crate) items: Vec<Item<'a>>,
}

/// A top-level item: a function, a variable, an alias.
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    /// The place of the body's `{` in `text`; `None` for a variable, an alias, or a declaration.
    pub(crate) body: Option<usize>,
    /// Every word in it that could be a name.
    pub(crate) words: HashSet<&'a str>,
    /// The names it calls.
    pub(crate) calls: Vec<&'a str>,
    /// N of the first comment `warpswarm.maxntid N`, and any other N that contradicts it.
    pub(crate) max_threads: Vec<&'a str>,
    /// T of a comment `warpswarm.target T`.
    pub(crate) target: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Entry,
    Function,
    Variable,
    Alias,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Text,
    Comment(&'a str),
    Mark(u8),
}

/// The comments in place of directives that rustc cannot write.
const MAX_THREADS: &str = "warpswarm.maxntid";
const TARGET: &str = "warpswarm.target";

struct Lexer<'a> {
    ptx: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// The next token and its start; `None` at the end.
    fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, CutError> {
        let bytes = self.ptx.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let start = self.at;
        let rest = &self.ptx[start..];
        let Some(&first) = bytes.get(start) else { return Ok(None) };
        let unfinished = || CutError::Unfinished { line: line_of(self.ptx, start) };
        let (length, token) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            (length, Token::Comment(&rest[2..length]))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let length = comment.find("*/").ok_or_else(unfinished)?;
            (length + 4, Token::Comment(&comment[..length]))
        } else if first == b'"' {
            (text_length(rest).ok_or_else(unfinished)?, Token::Text)
        } else if is_word(first) {
            let length = rest.bytes().position(|b| !is_word(b)).unwrap_or(rest.len());
            (length, Token::Word(&rest[..length]))
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), Token::Mark(first))
        };
        self.at += length;
        Ok(Some((start, token)))
    }

    /// The rest of the line, without its comment.
    fn rest_of_line(&mut self) -> &'a str {
        let rest = &self.ptx[self.at..];
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at += length;
        rest[..length].split("//").next().unwrap_or_default().trim()
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

/// The length of the string literal at the beginning of `rest`, quotes included.
fn text_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while *bytes.get(at)? != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

fn line_of(ptx: &str, at: usize) -> usize {
    ptx.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() + 1
}

/// Parses a PTX text.
pub(crate) fn parse(ptx: &str) -> Result<Ptx<'_>, CutError> {
    let mut lexer = Lexer { ptx, at: 0 };
    let (mut version, mut target, mut address_size) = (None, None, "64");
    let mut items = Vec::new();
    while let Some((start, token)) = lexer.next()? {
        match token {
            Token::Comment(_) => {}
            Token::Word(".version") => version = Version::parse(lexer.rest_of_line()),
            Token::Word(".target") => target = Some(lexer.rest_of_line()),
            Token::Word(".address_size") => address_size = lexer.rest_of_line(),
            _ => {
                lexer.at = start;
                items.push(item(&mut lexer)?);
            }
        }
    }
    let version = version.ok_or(CutError::NoHeader { directive: ".version" })?;
    let target = target.ok_or(CutError::NoHeader { directive: ".target" })?;
    Ok(Ptx { version, target, address_size, items })
}

/// Reads one item, which begins at the next token.
fn item<'a>(lexer: &mut Lexer<'a>) -> Result<Item<'a>, CutError> {
    let (ptx, start) = (lexer.ptx, lexer.at);
    let line = || line_of(ptx, start);
    let (mut kind, mut name, mut body) = (None, None, None);
    let mut reader = Reader::default();
    let mut depth = 0usize;
    loop {
        let (at, token) = lexer.next()?.ok_or_else(|| CutError::Unfinished { line: line() })?;
        let end = match token {
            Token::Mark(b'(' | b'[' | b'{') => {
                if token == Token::Mark(b'{') && depth == 0 && body.is_none() {
                    body = Some(at - start);
                }
                depth += 1;
                false
            }
            Token::Mark(mark @ (b')' | b']' | b'}')) => {
                depth =
                    depth.checked_sub(1).ok_or_else(|| CutError::Unbalanced { line: line() })?;
                let function = matches!(kind, Some(Kind::Entry | Kind::Function));
                mark == b'}' && depth == 0 && function
            }
            Token::Mark(b';') => depth == 0,
            Token::Word(word) if depth == 0 && body.is_none() && name.is_none() => {
                let said = kind_of(word);
                kind = if kind.is_none() { said } else { kind };
                // Before its kind an item has only directives, such as `.visible`.
                if kind.is_none() && !matches!(word, ".visible" | ".weak" | ".extern" | ".common") {
                    return Err(CutError::Unexpected { line: line(), word: word.into() });
                }
                if !word.starts_with('.') && !word.starts_with(|c: char| c.is_ascii_digit()) {
                    name = Some(word);
                }
                false
            }
            _ => false,
        };
        reader.read(token);
        if end {
            break;
        }
    }
    let text = &ptx[start..lexer.at];
    let nameless = || CutError::Unexpected { line: line(), word: text.chars().take(40).collect() };
    let (kind, name) = (kind.ok_or_else(nameless)?, name.ok_or_else(nameless)?);
    let body = body.filter(|_| matches!(kind, Kind::Entry | Kind::Function));
    let Reader { words, calls, max_threads, target, .. } = reader;
    Ok(Item { kind, name, text, body, words, calls, max_threads, target })
}

fn kind_of(word: &str) -> Option<Kind> {
    match word {
        ".entry" => Some(Kind::Entry),
        ".func" => Some(Kind::Function),
        ".global" | ".const" | ".shared" => Some(Kind::Variable),
        ".alias" => Some(Kind::Alias),
        _ => None,
    }
}

/// Whether a word may be the name of an item: not a register, a number, a label or an opcode. These are almost all of a
/// large text.
fn could_be_name(word: &str) -> bool {
    let first = word.as_bytes()[0];
    first != b'%' && !first.is_ascii_digit() && !word.starts_with("$L") && !word.contains('.')
}

/// Collects names, calls and our comments from the tokens of one item.
#[derive(Default)]
struct Reader<'a> {
    words: HashSet<&'a str>,
    calls: Vec<&'a str>,
    max_threads: Vec<&'a str>,
    target: Option<&'a str>,
    /// After `call`: how many parentheses are open in the list of results before the callee's name.
    call: Option<usize>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, token: Token<'a>) {
        match (token, self.call) {
            (Token::Word("call" | "call.uni"), _) => self.call = Some(0),
            (Token::Mark(b'('), Some(open)) => self.call = Some(open + 1),
            (Token::Mark(b')'), Some(open)) => self.call = Some(open.saturating_sub(1)),
            (Token::Word(callee), Some(0)) => {
                self.call = None;
                // A register holds the address of some function: an indirect call.
                if !callee.starts_with('%') {
                    self.calls.push(callee);
                }
                self.words.insert(callee);
            }
            (Token::Word(word), _) if could_be_name(word) => {
                self.words.insert(word);
            }
            (Token::Comment(text), _) => {
                let said = text.trim().strip_prefix(MAX_THREADS).map(str::trim);
                if let Some(threads) = said.filter(|threads| !self.max_threads.contains(threads)) {
                    self.max_threads.push(threads);
                }
                self.target = text.trim().strip_prefix(TARGET).map(str::trim).or(self.target);
            }
            _ => {}
        }
    }
}
