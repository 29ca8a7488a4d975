//! Text of others, such as names, headings and arguments, as it is shown.

use std::borrow::Cow;

/// The most characters of a message.
const MOST: usize = 4000;

/// Whether a character does something to a terminal, or turns text round, instead of being seen.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text on one line, in which everything is seen: what is not is written as in Rust.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return text.into();
    }
    text.chars()
        .fold(String::new(), |mut shown, c| {
            match acts(c) {
                true => shown.extend(c.escape_default()),
                false => shown.push(c),
            }
            shown
        })
        .into()
}

/// A message of several lines, all of which but the first are indented, so that none is taken for another message; it is
/// cut where it is long.
pub(crate) fn message(text: &str) -> String {
    let mut cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    let mut lines = cut.split('\n').map(escaped);
    let mut shown = lines.next().unwrap_or_default().into_owned();
    for line in lines {
        let indent = if line.is_empty() || line.starts_with(' ') { "" } else { "  " };
        shown += &format!("\n{indent}{line}");
    }
    shown
}

/// A cell of a CSV file, which no spreadsheet takes for a formula.
pub(crate) fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let mark = if is_formula { "'" } else { "" };
    format!("{mark}{}", escaped(text))
}

/// Text of Markdown.
pub(crate) fn markdown(text: &str) -> String {
    escaped(text).chars().fold(String::new(), |mut shown, c| {
        match c {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            '|' | '\\' | '`' | '[' | ']' | '*' | '_' | '!' => shown.extend(['\\', c]),
            c => shown.push(c),
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_seen() {
        assert_eq!(escaped("größe x²"), "größe x²");
        assert_eq!(escaped("\u{1b}[31mred\n\r\u{202e}"), "\\u{1b}[31mred\\n\\r\\u{202e}");
        assert_eq!(
            message("one\nerror: two\n  | three\u{7}"),
            "one\n  error: two\n  | three\\u{7}"
        );
        let long = message(&"x".repeat(5_000_000));
        assert!(long.chars().count() == MOST + 1 && long.ends_with('…'));
    }

    #[test]
    fn formats_have_escapes_of_their_own() {
        assert_eq!(cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!((cell("pso"), cell("@SUM(1)")), ("pso".into(), "'@SUM(1)".into()));
        assert_eq!(markdown("a|b<script>"), "a\\|b&lt;script&gt;");
    }
}
