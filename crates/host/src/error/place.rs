//! Marks a place in a text.

use std::ops::Range;

/// The line of the text that contains the place, with markers below it.
pub(super) fn pointed_at(text: &str, at: &Range<usize>) -> String {
    /// The number of characters shown before and after the place.
    const AROUND: usize = 50;
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(at.start);
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[start..].find('\n').map_or(text.len(), |len| start + len);
    let shown = |letters: &str| -> String {
        letters.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let before: Vec<char> = shown(&text[line..start]).chars().collect();
    let after: Vec<char> = shown(&text[start..end]).chars().collect();
    let marked = text[start..floor(at.end).clamp(start, end)].chars().count();
    let left = before.len().saturating_sub(AROUND);
    let right = (marked.min(4 * AROUND) + AROUND).min(after.len());
    let (dots, more) =
        (if left > 0 { "..." } else { "" }, if right < after.len() { "..." } else { "" });
    let line: String = before[left..].iter().chain(&after[..right]).collect();
    let indent = " ".repeat(2 + dots.len() + before.len() - left);
    format!("  {dots}{line}{more}\n{indent}{}", "^".repeat(marked.clamp(1, right.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_pointed_at() {
        assert_eq!(pointed_at("a + * b", &(4..5)), "  a + * b\n      ^");
        assert_eq!(pointed_at("a +", &(3..4)), "  a +\n     ^");
        assert_eq!(pointed_at("", &(0..1)), "  \n  ^");
        assert_eq!(pointed_at("a\n+\tfoo\nb", &(4..7)), "  + foo\n    ^^^");
        assert_eq!(pointed_at("\u{e4} + \u{e4}", &(5..6)), "  \u{e4} + \u{e4}\n      ^");
        let long = format!("{}x{}", "1".repeat(60), "2".repeat(60));
        let shown = pointed_at(&long, &(60..61));
        assert!(shown.starts_with("  ...1") && shown.contains("2...\n"), "{shown}");
        assert_eq!(
            shown.lines().next().unwrap().find('x'),
            shown.lines().nth(1).unwrap().find('^')
        );
    }
}
