//! The parts of Rust's syntax that the rules need.

/// The part of a file before its unit tests.
pub(crate) fn without_tests(text: &str) -> &str {
    let tests = if text.starts_with("#[cfg(test)]\nmod ") {
        Some(0)
    } else {
        text.find("\n#[cfg(test)]\nmod ").map(|at| at + 1)
    };
    &text[..tests.unwrap_or(text.len())]
}

/// The lines of a file, numbered from 1, without comments and without the contents of literals.
pub(crate) fn code(text: &str) -> impl Iterator<Item = (usize, String)> {
    let lines: Vec<String> = bare(text).lines().map(String::from).collect();
    (1..).zip(lines)
}

/// A text without comments, strings and characters. Line numbers stay the same.
pub(crate) fn bare(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let in_word = code.ends_with(is_word);
        match skipped(rest, in_word) {
            0 => {
                code.push(c);
                rest = &rest[c.len_utf8()..];
            }
            length => {
                code.extend(rest[..length].matches('\n'));
                rest = &rest[length..];
            }
        }
    }
    code
}

/// The length of the comment or literal at the start of a text; 0 if it starts with code.
fn skipped(text: &str, in_word: bool) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return comment(text);
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    // A lifetime has no closing quote.
    let is_character = || text[1..].starts_with('\\') || text.chars().nth(2) == Some('\'');
    if text.starts_with('\'') && is_character() {
        return quoted(text, '\'');
    }
    let raw = text.strip_prefix('r').filter(|_| !in_word).or(text.strip_prefix("br"));
    let Some(raw) = raw else { return 0 };
    let marks = raw.len() - raw.trim_start_matches('#').len();
    let Some(inside) = raw[marks..].strip_prefix('"') else { return 0 };
    let end = format!("\"{}", "#".repeat(marks));
    inside.find(&end).map_or(text.len(), |at| text.len() - inside.len() + at + end.len())
}

/// The length of a block comment, which may contain comments.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let step = match rest {
            _ if rest.starts_with("/*") => 1,
            _ if rest.starts_with("*/") => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { rest.chars().next().map_or(1, char::len_utf8) } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a quoted literal.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == mark => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Whether `code` contains `word` as a whole word.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Whether there is a comment with `SAFETY` directly before line `number` (counted from 1), or in it.
/// Attributes, and the beginning of the line's statement, may come between.
pub(crate) fn has_safety_comment(text: &str, number: usize) -> bool {
    const WORD: &str = "SAFETY:";
    let lines: Vec<&str> = text.lines().collect();
    if lines[number - 1].contains(WORD) {
        return true;
    }
    let mut before = lines[..number - 1].iter().rev().map(|line| line.trim()).peekable();
    while let Some(line) = before.peek() {
        if line.starts_with("//") {
            return before.take_while(|line| line.starts_with("//")).any(|c| c.contains(WORD));
        }
        let attribute = line.starts_with("#[");
        if line.is_empty() || (!attribute && line.ends_with([';', '{', '}'])) {
            return false;
        }
        before.next();
    }
    false
}

/// The number of unsafe items that begin in a line. Function types and attributes do not count.
pub(crate) fn unsafe_in(code: &str) -> usize {
    let words: Vec<&str> = code.split_whitespace().collect();
    let begins = |pair: &[&str]| {
        let opens = pair[0].ends_with("unsafe") && has_word(pair[0], "unsafe");
        opens && (pair[1].starts_with('{') || matches!(pair[1], "fn" | "impl" | "trait" | "extern"))
    };
    words.windows(2).filter(|pair| begins(pair)).count()
}

/// A public type, trait or function.
#[derive(Debug, PartialEq)]
pub(crate) struct Item<'a> {
    /// The line number, counted from 1.
    pub(crate) line: usize,
    pub(crate) name: &'a str,
    /// Whether its documentation has code that runs as a test.
    pub(crate) has_example: bool,
}

/// The public items at the beginning of a line, without those that are hidden in the documentation.
///
/// Not detected: methods, items created by macros, modules inside a file, and re-exports from another crate. `pub`
/// counts as public in every module; the lint `unreachable_pub` ensures this.
pub(crate) fn public_items(text: &str) -> Vec<Item<'_>> {
    let mut found = Vec::new();
    let (mut has_example, mut in_code, mut is_hidden) = (false, false, false);
    for (number, line) in text.lines().enumerate() {
        if let Some(docs) = line.strip_prefix("///") {
            if let Some(language) = docs.trim().strip_prefix("```") {
                in_code = !in_code;
                has_example |= in_code && language.is_empty();
            }
            continue;
        }
        is_hidden |= line == "#[doc(hidden)]";
        if let Some(name) = public_name(line).filter(|_| !is_hidden) {
            found.push(Item { line: number + 1, name, has_example });
        }
        // Attributes, which may span several lines, are between documentation and item.
        if !line.starts_with(['#', ' ', ')']) {
            (has_example, in_code, is_hidden) = (false, false, false);
        }
    }
    found
}

/// The name of the public type, trait or function that a line declares.
fn public_name(line: &str) -> Option<&str> {
    let mut words = line.strip_prefix("pub ")?.split_whitespace();
    let mut kind = words.next()?;
    while matches!(kind, "const" | "unsafe") {
        kind = words.next()?;
    }
    let name =
        words.next().filter(|_| matches!(kind, "struct" | "enum" | "trait" | "type" | "fn"))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}
