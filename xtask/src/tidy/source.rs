//! As much of Rust's syntax as the rules need.

/// The part of a file before its unit tests.
pub(crate) fn without_tests(text: &str) -> &str {
    let tests = if text.starts_with("#[cfg(test)]\nmod ") {
        Some(0)
    } else {
        text.find("\n#[cfg(test)]\nmod ").map(|at| at + 1)
    };
    &text[..tests.unwrap_or(text.len())]
}

/// The lines of a file, numbered from 1, without comments and without what is in string literals.
/// Not exact for strings over several lines; those lines count as code.
pub(crate) fn code(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.lines().enumerate().map(|(number, line)| (number + 1, code_of_line(line)))
}

fn code_of_line(line: &str) -> String {
    let mut code = String::new();
    let mut rest = line.chars().peekable();
    let mut in_string = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' if in_string => {
                rest.next();
            }
            // A quotation mark as a character literal opens no string.
            '\'' if !in_string && rest.peek() == Some(&'"') => {
                rest.next();
            }
            '"' => in_string = !in_string,
            _ if in_string => {}
            '/' if rest.peek() == Some(&'/') => break,
            _ => code.push(c),
        }
    }
    code
}

/// Whether `word` stands in `code` as a word of its own.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Whether a comment with `SAFETY` stands just before line `number` (counted from 1), or in it.
/// Attributes, and the beginning of the statement that the line is part of, may come between.
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
