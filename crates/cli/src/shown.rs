//! Escaping of text from outside the program, such as names, headings and arguments, before it is displayed.

use std::borrow::Cow;

/// The largest number of characters in a message.
const MOST: usize = 4000;

/// Whether a character controls a terminal or changes the direction of text instead of being visible.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text on one line. Characters that are not visible are escaped as in Rust.
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

/// A message of several lines. All lines but the first are indented, so that none can be mistaken for another message.
/// A long message is truncated.
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

/// A cell of a CSV file, escaped so that no spreadsheet reads it as a formula.
pub(crate) fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let mark = if is_formula { "'" } else { "" };
    format!("{mark}{}", escaped(text))
}

/// Escapes text for Markdown.
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

/// A path, quoted for a shell if necessary.
pub(crate) fn for_shell(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,=@%".contains(c);
    match path.chars().all(is_plain) {
        true => path.into(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
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

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(
            ["a/run.ws", "my run", "it's"].map(for_shell),
            ["a/run.ws", "'my run'", r"'it'\''s'"]
        );
    }
}
