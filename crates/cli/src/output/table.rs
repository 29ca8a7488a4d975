//! Tables as text and as Markdown.

use std::io::{self, Write};

use crate::shown::{escaped, markdown};

/// The largest number of characters of a name in a text table.
const NAME_WIDTH: usize = 18;

/// A table. Its first column contains names, the others contain numbers.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Writes the table as text, with long names truncated.
    pub(crate) fn text(&self, mut out: impl Write) -> io::Result<()> {
        let Table { title, head, rows } = &self.each(&|text| escaped(text).into_owned());
        let lines = || std::iter::once(head).chain(rows);
        let width = |column: usize| {
            let width = lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
            if column == 0 { width.min(NAME_WIDTH) } else { width }
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        writeln!(out, "{title}")?;
        for line in lines() {
            let mut text = String::new();
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                match column {
                    0 => text += &format!("{:width$}", shortened(cell, width)),
                    _ => text += &format!(" {cell:>width$}"),
                }
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        writeln!(out)
    }

    /// The same table with every text escaped.
    fn each(&self, escape: &dyn Fn(&str) -> String) -> Table {
        let all = |cells: &Vec<String>| cells.iter().map(|cell| escape(cell)).collect();
        let (title, head) = (escape(&self.title), all(&self.head));
        Table { title, head, rows: self.rows.iter().map(all).collect() }
    }

    /// Writes the table as Markdown.
    pub(crate) fn markdown(&self, mut out: impl Write) -> io::Result<()> {
        let Table { title, head, rows } = &self.each(&markdown);
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        writeln!(out, "## {title}\n\n{}", line(head))?;
        writeln!(out, "|---|{}", "---:|".repeat(head.len() - 1))?;
        for row in rows {
            writeln!(out, "{}", line(row))?;
        }
        writeln!(out)
    }
}

/// The text, truncated to `width` characters; an ellipsis replaces the last one.
fn shortened(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_string(),
    }
}

/// A number with about four significant digits.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        x.to_string()
    } else if !(1e-2..1e5).contains(&size) {
        format!("{x:.2e}")
    } else {
        let digits = 3 - (size.log10().floor() as i32);
        format!("{x:.*}", digits.clamp(0, 5) as usize)
    }
}

/// A p-value.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// An expected running time; a dash if it is infinite.
pub(crate) fn expected(x: f64) -> String {
    if x.is_finite() { short(x) } else { "-".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 1.0, -9.0, 0.0126654, 12345.678, 123456.0, 1.5e-9, f64::INFINITY];
        let texts = ["0", "1.000", "-9.000", "0.01267", "12346", "1.23e5", "1.50e-9", "inf"];
        assert_eq!(numbers.map(short), texts);
        assert_eq!([12.5, f64::INFINITY].map(expected), ["12.50", "-"]);
        assert_eq!([0.0009, 0.05, 1.0].map(p_value), ["<0.001", "0.050", "1.000"]);
    }

    #[test]
    fn text_and_markdown() {
        let cells = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
        let table = Table {
            title: "title".into(),
            head: cells(&["who", "n"]),
            rows: vec![cells(&["a|b", "1.5"]), cells(&["a name of many letters", "10"])],
        };
        let mut text = Vec::new();
        table.text(&mut text).unwrap();
        let expected =
            "title\nwho                  n\na|b                1.5\na name of many le…  10\n\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let mut text = Vec::new();
        table.markdown(&mut text).unwrap();
        let expected = "## title\n\n| who | n |\n|---|---:|\n| a\\|b | 1.5 |\n| a name of many letters | 10 |\n\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
