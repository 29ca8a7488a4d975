//! Tables as text and Markdown.

use std::fmt::Write;

use warpswarm_pictures::grouped;

/// A table of right-aligned cells with a title above and notes below.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) title: String,
    /// Headings of groups of columns, each with the number of its columns; may be empty.
    pub(crate) groups: Vec<(String, usize)>,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) notes: Vec<String>,
}

impl Table {
    /// The table for a terminal, or for any fixed-width font.
    pub(crate) fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| self.lines().map(|row| width(&row[c])).max().unwrap_or(0))
            .collect();
        let mut out = format!("{}\n", self.title);
        let mut first = 0;
        for (name, span) in &self.groups {
            let total: usize = widths[first..first + span].iter().map(|w| w + 2).sum();
            let left = (total + 2).saturating_sub(width(name)) / 2;
            let right = total.saturating_sub(left + width(name));
            let _ = write!(out, "{}{name}{}", " ".repeat(left), " ".repeat(right));
            first += span;
        }
        if !self.groups.is_empty() {
            trim_end(&mut out);
            out.push('\n');
        }
        for row in self.lines() {
            for (cell, w) in row.iter().zip(&widths) {
                let _ = write!(out, "  {}{cell}", " ".repeat(w - width(cell)));
            }
            out.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(out, "{}", wrapped(note, "  "));
        }
        out
    }

    /// The table as Markdown; group headings become part of the column headings.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("### {}\n\n", self.title);
        let groups =
            self.groups.iter().flat_map(|(name, span)| std::iter::repeat_n(&name[..], *span));
        for (group, column) in groups.chain(std::iter::repeat("")).zip(&self.columns) {
            let separator = if group.is_empty() || column.is_empty() { "" } else { ": " };
            let _ = write!(out, "| {group}{separator}{column} ");
        }
        let _ = writeln!(out, "|\n|{}", "--:|".repeat(self.columns.len()));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('*', "\\*")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        for note in &self.notes {
            let _ = write!(out, "\n{}\n", note.replace('*', "\\*"));
        }
        out
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.columns).chain(&self.rows)
    }
}

/// The text in lines of about 110 characters, each after `indent`.
pub(crate) fn wrapped(text: &str, indent: &str) -> String {
    const MOST: usize = 110;
    let mut out = String::from(indent);
    let mut length = width(indent);
    for (i, word) in text.split_whitespace().enumerate() {
        if i > 0 && length + 1 + width(word) > MOST {
            let _ = write!(out, "\n{indent}");
            length = width(indent);
        } else if i > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += width(word);
    }
    out
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn trim_end(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
}

/// A positive number, such as a time in milliseconds, with about four digits and commas between
/// thousands.
pub(crate) fn number(x: f64) -> String {
    let decimals = match x.abs() {
        x if x >= 1_000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        x if x >= 1.0 || x == 0.0 => 3,
        _ => 4,
    };
    if decimals == 0 { grouped(x, 0) } else { format!("{x:.decimals$}") }
}

/// A number with three digits and an exponent, as in `1.31E-09`.
pub(crate) fn scientific(x: f64) -> String {
    let text = format!("{x:.2e}");
    match text.split_once('e').map(|(digits, power)| (digits, power.parse::<i32>())) {
        Some((digits, Ok(power))) => {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}E{sign}{:02}", power.abs())
        }
        _ => text,
    }
}

/// An integer with commas between thousands.
pub(crate) fn integer(n: u64) -> String {
    grouped(n as f64, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            title: "Title".into(),
            groups: vec![(String::new(), 1), ("paper".into(), 2)],
            columns: ["n", "min", "max"].map(String::from).to_vec(),
            rows: vec![["1,000", "2*", "3"].map(String::from).to_vec()],
            notes: vec!["* scaled".into()],
        }
    }

    #[test]
    fn as_text() {
        let expected = "\
Title
          paper
      n  min  max
  1,000   2*    3
  * scaled
";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn as_markdown() {
        let expected = "\
### Title

| n | paper: min | paper: max |
|--:|--:|--:|
| 1,000 | 2\\* | 3 |

\\* scaled
";
        assert_eq!(table().markdown(), expected);
    }

    #[test]
    fn without_groups() {
        let table = Table { groups: vec![], notes: vec![], ..table() };
        assert_eq!(table.text(), "Title\n      n  min  max\n  1,000   2*    3\n");
        assert!(table.markdown().contains("| n | min | max |\n|--:|--:|--:|\n"));
    }

    #[test]
    fn long_notes_are_wrapped() {
        let text = wrapped(&"word ".repeat(40), "  ");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], format!("  {}", ["word"; 21].join(" ")));
        assert_eq!(lines[1], format!("  {}", ["word"; 19].join(" ")));
        assert_eq!(wrapped("", "  "), "  ");
    }

    #[test]
    fn powers_of_ten_have_two_digits() {
        let expected = [
            (1.314e-9, "1.31E-09"),
            (-8.09e3, "-8.09E+03"),
            (0.0, "0.00E+00"),
            (1.9999, "2.00E+00"),
            (1e-123, "1.00E-123"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in expected {
            assert_eq!(scientific(x), text);
        }
    }

    #[test]
    fn numbers_have_about_four_digits() {
        let expected =
            [(0.01234, "0.0123"), (1.2345, "1.234"), (12.345, "12.35"), (999.94, "999.9")];
        for (x, text) in expected {
            assert_eq!(number(x), text);
        }
        assert_eq!(number(1_234_567.8), "1,234,568");
        assert_eq!(number(0.0), "0.000");
        assert_eq!(integer(65_536), "65,536");
        assert_eq!(integer(999), "999");
        assert_eq!(integer(100_000), "100,000");
    }
}
