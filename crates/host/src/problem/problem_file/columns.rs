//! Reads columns of a text file with a line of headings.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use super::file::{Column, Format};
use super::names::on_one_line;
use crate::error::meant;

/// The largest count of numbers in all columns.
pub(super) const MOST_NUMBERS: usize = 1 << 27;
/// The largest file, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// The largest number of characters of a cell that a message shows.
const SHOWN: usize = 40;
/// The possible separators of cells, in the order in which they are tried.
const SEPARATORS: [u8; 4] = *b",;\t ";

/// The numbers of these columns, `[column][row]`; a matrix is stored row by row. On failure, what is wrong with the
/// file.
pub(super) fn read(
    path: &Path,
    columns: &[Column],
    format: &Format,
) -> Result<Vec<Vec<f64>>, String> {
    parse(&text(path)?, columns, format)
}

/// The text of a file. On failure, what is wrong with it.
pub(super) fn text(path: &Path) -> Result<String, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("cannot be read ({error})");
    let about = fs::metadata(path).map_err(|error| unreadable(&error))?;
    if !about.is_file() {
        return Err("is not a file; allowed: a file of columns".into());
    }
    if about.len() > MOST_BYTES {
        return Err(format!("{} bytes; allowed: {MOST_BYTES}", about.len()));
    }
    let bytes = fs::read(path).map_err(|error| unreadable(&error))?;
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_string())
}

/// Checks that the numbers match the columns. On failure, what is wrong with them.
pub(super) fn check(numbers: &[Vec<f64>], columns: &[Column]) -> Result<(), String> {
    let mut rows = None;
    for (numbers, column) in numbers.iter().zip(columns) {
        let width = column.headings.len().max(1);
        let is_whole = !numbers.is_empty() && numbers.len().is_multiple_of(width);
        if !is_whole || *rows.get_or_insert(numbers.len() / width) != numbers.len() / width {
            return Err("its data are not columns of as many numbers, at least one".into());
        }
    }
    match numbers.iter().flatten().find(|number| !number.is_finite()) {
        Some(number) => Err(format!("{number} is among its data; allowed: finite numbers")),
        None => Ok(()),
    }
}

fn parse(text: &str, columns: &[Column], format: &Format) -> Result<Vec<Vec<f64>>, String> {
    let wanted: Vec<&str> =
        columns.iter().flat_map(|column| &column.headings).map(String::as_str).collect();
    let sheet = Sheet::new(text, &wanted, &|_| false, format)?;
    let mut numbers = vec![Vec::new(); columns.len()];
    sheet.rows(&wanted, wanted.len(), None, &mut |row, _, _| {
        let mut cells = row.iter();
        for (column, numbers) in columns.iter().zip(&mut numbers) {
            numbers.extend(cells.by_ref().take(column.headings.len()));
        }
    })?;
    Ok(numbers)
}

/// A text of columns whose headings have been read.
pub(super) struct Sheet<'a> {
    text: Cow<'a, str>,
    separator: u8,
    format: &'a Format,
    headings: csv::StringRecord,
}

impl<'a> Sheet<'a> {
    /// Reads the headings. The separator is detected from the `wanted` headings and from those that may be used.
    pub(super) fn new(
        text: &'a str,
        wanted: &[&str],
        may_be_used: &dyn Fn(&str) -> bool,
        format: &'a Format,
    ) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let separator = match format.separator {
            Some(separator) => separator,
            None => found(text, wanted, may_be_used, format)?,
        };
        let text = spaced(text, separator);
        let mut reader = reader(&text, separator, format);
        let headings = reader.headers().map_err(|error| error.to_string())?.clone();
        Ok(Sheet { text, separator, format, headings })
    }

    pub(super) fn headings(&self) -> impl Iterator<Item = &str> {
        self.headings.iter()
    }

    /// Calls `take` with the numbers of each row below these headings, the text below the heading `label`, and the line.
    /// If the format skips missing numbers, those from the heading with index `optional` on are NaN, and rows in which
    /// another number is missing are left out. Returns the number of rows that were left out.
    pub(super) fn rows(
        &self,
        wanted: &[&str],
        optional: usize,
        label: Option<&str>,
        take: &mut dyn FnMut(&[f64], &str, u32),
    ) -> Result<usize, String> {
        let Sheet { separator, format, headings, .. } = self;
        let used: Vec<&str> = wanted.iter().copied().chain(label).collect();
        let mut columns: HashMap<&str, Vec<usize>> = HashMap::new();
        for (column, heading) in headings.iter().enumerate() {
            columns.entry(heading).or_default().push(column);
        }
        let found = |heading: &str, used: &[&str]| match columns.get(heading).map(Vec::as_slice) {
            Some(&[column]) => Ok(column),
            Some(several) => Err(format!(
                "has {} columns `{}`; allowed: headings that tell them apart",
                several.len(),
                on_one_line(heading)
            )),
            None => Err(missing(heading, used, headings, *separator)),
        };
        let places = wanted.iter().map(|heading| found(heading, &used));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let label = label.map(|label| Ok::<_, String>((found(label, &[])?, label))).transpose()?;
        let mut row = Vec::with_capacity(places.len());
        let (mut rows, mut taken) = (0_usize, 0);
        for record in reader(&self.text, *separator, format).records() {
            let record = record.map_err(|error| error.to_string())?;
            rows += 1;
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != headings.len() {
                return Err(format!(
                    "line {line}: {} cells, where there are {} headings; allowed: as many, separated by {}",
                    record.len(),
                    headings.len(),
                    in_words(*separator)
                ));
            }
            let said = |heading: &str, what: String| {
                let heading = on_one_line(heading);
                Err(format!("line {line} (row {rows}), column `{heading}`: {what}"))
            };
            let nothing = |what: &str| {
                format!(
                    "nothing is there; allowed: {what} in every row, or `missing = \"skip row\"` below `[data]`, which leaves \
                     such rows out"
                )
            };
            row.clear();
            for (at, (&place, heading)) in places.iter().zip(wanted).enumerate() {
                let field = record.get(place).unwrap_or_default();
                match number(field, format) {
                    Cell::Number(number) => row.push(number),
                    Cell::Missing if format.skips_missing && at >= optional => row.push(f64::NAN),
                    Cell::Missing if format.skips_missing => break,
                    Cell::Missing => return said(heading, nothing("a number")),
                    Cell::Wrong(hint) => {
                        let what = format!(
                            "{:?} is not a number; allowed: finite numbers{hint}",
                            short(field)
                        );
                        return said(heading, what);
                    }
                }
            }
            let mut of = "";
            if let Some((place, heading)) = label {
                of = record.get(place).unwrap_or_default();
                match of.is_empty() {
                    true if format.skips_missing => continue,
                    true => return said(heading, nothing("a name or a number")),
                    false => {}
                }
            }
            if row.len() < places.len() {
                continue;
            }
            if rows.saturating_mul(places.len()) > MOST_NUMBERS {
                return Err(format!("more than {MOST_NUMBERS} numbers"));
            }
            taken += 1;
            take(&row, of, line.try_into().unwrap_or(u32::MAX));
        }
        match (taken, rows) {
            (0, 0) => {
                Err("has no rows; allowed: a line of headings, and at least one of numbers".into())
            }
            (0, _) => Err("has no row without a missing number".into()),
            (taken, rows) => Ok(rows - taken),
        }
    }
}

fn reader<'a>(text: &'a str, separator: u8, format: &Format) -> csv::Reader<&'a [u8]> {
    csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .delimiter(separator)
        .comment(Some(format.comment.unwrap_or(b'#')))
        .from_reader(text.as_bytes())
}

/// The text with one space between cells, if cells are separated by spaces.
fn spaced(text: &str, separator: u8) -> Cow<'_, str> {
    if separator != b' ' {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    Cow::Owned(text.lines().map(line).collect::<Vec<_>>().join("\n"))
}

/// The separator with which all wanted headings are found. Otherwise, or if none are wanted, the separator that gives
/// the most headings that may be used, and among several of these the most headings.
fn found(
    text: &str,
    wanted: &[&str],
    may_be_used: &dyn Fn(&str) -> bool,
    format: &Format,
) -> Result<u8, String> {
    let mut most = ((0, 0), b',');
    let first = first_lines(text, format);
    let has_others = first.contains([',', ';', '\t']);
    for separator in SEPARATORS {
        // A comma between digits may be a decimal comma, and headings may contain spaces.
        if separator == b',' && format.has_decimal_commas || separator == b' ' && has_others {
            continue;
        }
        let text = spaced(&first, separator);
        let mut reader = reader(&text, separator, format);
        let headings = reader.headers().map_err(|error| error.to_string())?;
        let known: HashSet<&str> = headings.iter().collect();
        if !wanted.is_empty() && wanted.iter().all(|heading| known.contains(heading)) {
            return Ok(separator);
        }
        let used = headings.iter().filter(|heading| may_be_used(heading)).count();
        if (used, headings.len()) > most.0 {
            most = ((used, headings.len()), separator);
        }
    }
    Ok(most.1)
}

/// The text up to the end of its first line that is not a comment.
fn first_lines(text: &str, format: &Format) -> String {
    let comment = char::from(format.comment.unwrap_or(b'#'));
    let is_comment = |line: &&str| line.starts_with(comment) || line.trim().is_empty();
    let comments = text.lines().take_while(is_comment).count();
    text.lines().take(comments + 1).collect::<Vec<_>>().join("\n")
}

enum Cell {
    Number(f64),
    Missing,
    /// Not a number; the text suggests what may be meant.
    Wrong(&'static str),
}

fn number(field: &str, format: &Format) -> Cell {
    let missing = ["", "na", "n/a", "nan", "null", "none"];
    if field.len() < 5 && missing.contains(&&*field.to_ascii_lowercase()) {
        return Cell::Missing;
    }
    let parsed = match format.has_decimal_commas {
        false => field.parse().ok(),
        true if field.contains('.') => None,
        true => field.replace(',', ".").parse().ok(),
    };
    match parsed.filter(|number: &f64| number.is_finite()) {
        Some(number) => Cell::Number(number),
        None if !format.has_decimal_commas
            && field.contains(',')
            && field.replace(',', ".").parse::<f64>().is_ok() =>
        {
            Cell::Wrong(", with decimal = \",\" such as 3,5")
        }
        None if format.has_decimal_commas => Cell::Wrong(" such as 3,5"),
        None => Cell::Wrong(""),
    }
}

/// Whether a heading is a name with a unit, such as `t [s]`.
pub(super) fn with_unit(name: &str, heading: &str) -> bool {
    heading.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '[', '(', '/']))
}

/// What is wrong if there is no such heading. Only headings that are not used are suggested.
fn missing(heading: &str, used: &[&str], headings: &csv::StringRecord, separator: u8) -> String {
    let known: Vec<&str> = headings.iter().collect();
    let unused: Vec<&str> = known.iter().copied().filter(|known| !used.contains(known)).collect();
    let same = unused.iter().find(|known| known.eq_ignore_ascii_case(heading)).copied();
    let unit = unused.iter().copied().find(|known| with_unit(heading, known));
    // A single column that nothing uses may be the one that is meant.
    let only = unused.first().copied().filter(|_| unused.len() == 1 && known.len() > 1);
    let like = match (same, unit, meant(heading, &unused), only) {
        (Some(like), ..) | (None, None, Some(like), _) => {
            format!("; did you mean `{}`?", on_one_line(&short(like)))
        }
        (None, Some(like), ..) | (None, None, None, Some(like)) => {
            let heading = on_one_line(heading);
            format!("; allowed: columns = {{ {heading} = \"{}\", ... }}", on_one_line(&short(like)))
        }
        (None, None, None, None) => String::new(),
    };
    let text = known.join(&char::from(separator).to_string());
    let other = SEPARATORS
        .into_iter()
        .find(|&other| other != separator && known.len() == 1 && text.contains(char::from(other)));
    let separated = match other {
        Some(other) => format!("; the separator looks like {}", in_words(other)),
        None => String::new(),
    };
    let listed = |all: &[&str]| {
        let shown = all.iter().take(20).map(|heading| on_one_line(&short(heading)));
        let more = if all.len() > 20 { ", ..." } else { "" };
        shown.collect::<Vec<_>>().join(", ") + more
    };
    let others = match unused.len() {
        _ if !like.is_empty() => String::new(),
        0 => "; all are used".into(),
        count if count < known.len() => format!("; not used: {}", listed(&unused)),
        _ => String::new(),
    };
    let heading = on_one_line(heading);
    let its = if like.ends_with('?') { " Its" } else { "; its" };
    format!("has no column `{heading}`{like}{its} columns: {}{others}{separated}", listed(&known))
}

fn in_words(separator: u8) -> String {
    match separator {
        b'\t' => "tab".into(),
        b' ' => "space".into(),
        other => format!("`{}`", char::from(other)),
    }
}

/// The part of a text that messages show.
fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<Column> {
        let column = |name: &&str| Column {
            name: name.to_string(),
            headings: vec![name.to_string()],
            is_matrix: false,
        };
        names.iter().map(column).collect()
    }

    fn read(text: &str, names: &[&str]) -> Result<Vec<Vec<f64>>, String> {
        parse(text, &columns(names), &Format::default())
    }

    fn error(text: &str, names: &[&str]) -> String {
        read(text, names).unwrap_err()
    }

    #[test]
    fn columns_are_found_by_name_and_mistakes_by_line() {
        let text = "\u{feff}t, y ,note\n1,2,a\n3, 4.5 ,b\n";
        assert_eq!(read(text, &["y", "t"]), Ok(vec![vec![2.0, 4.5], vec![1.0, 3.0]]));
        let missing = error(text, &["tt"]);
        assert_eq!(missing, "has no column `tt`; did you mean `t`? Its columns: t, y, note");
        let renamed = error("t,y,error\n1,2,3\n", &["t", "y", "dy"]);
        let columns = "allowed: columns = { dy = \"error\", ... }; its columns: t, y, error";
        assert_eq!(renamed, format!("has no column `dy`; {columns}"));
        let several = error("t,y,error,note\n1,2,3,4\n", &["t", "y", "dy"]);
        assert!(
            several.ends_with("its columns: t, y, error, note; not used: error, note"),
            "{several}"
        );
        let no_number = error("t,y\n1,2\n3,4.5x\n", &["t", "y"]);
        assert!(
            no_number.starts_with("line 3 (row 2), column `y`: \"4.5x\" is not a number"),
            "{no_number}"
        );
        assert!(error("t\ninf\n", &["t"]).contains("line 2"));
        assert!(error("t\n", &["t"]).contains("no rows"));
        assert!(error("", &["t"]).contains("no column"));
        assert!(error("t,y\n1\n", &["t", "y"]).contains("line 2: 1 cells, where there are 2"));
        assert!(error("T,y\n1,2\n", &["t"]).contains("did you mean `T`?"));
        assert!(error("t [s],y\n1,2\n", &["t"]).contains("columns = { t = \"t [s]\", ... }"));
        assert!(error("t,y,y\n1,2,3\n", &["y"]).contains("has 2 columns `y`"));
        assert!(error("t\n3,5\n", &["t"]).contains("1 headings"));
        assert!(error("t;y\n3,5;2\n", &["t"]).contains("with decimal = \",\""));
        let long = error(&format!("t\n{}\n", "x".repeat(1000)), &["t"]);
        assert!(long.contains("xxx...") && long.len() < 150, "{long}");
    }

    #[test]
    fn separators_are_found() {
        for text in ["t;y\n1;2\n", "t\ty\n1\t2\n", "t,y\n1,2\n", "  t   y\n 1    2\n"] {
            assert_eq!(read(text, &["t", "y"]), Ok(vec![vec![1.0], vec![2.0]]), "{text}");
        }
        let text = "# measured by hand\nt;y,z\n1;2\n# a break\n3;4\n";
        assert_eq!(read(text, &["t"]), Ok(vec![vec![1.0, 3.0]]));
        assert_eq!(error("t;y\n1;2\n", &["x"]), "has no column `x`; its columns: t, y");
        let format = Format { separator: Some(b','), ..Format::default() };
        let said = parse("t;y\n1;2\n", &columns(&["t"]), &format).unwrap_err();
        assert!(said.ends_with("its columns: t;y; the separator looks like `;`"), "{said}");
    }

    #[test]
    fn commas_are_decimal_where_asked_for() {
        let format = Format { has_decimal_commas: true, ..Format::default() };
        let read = |text: &str| parse(text, &columns(&["t", "y"]), &format);
        assert_eq!(read("t;y\n1,5;-2,25e3\n"), Ok(vec![vec![1.5], vec![-2250.0]]));
        assert!(read("t;y\n1.5;2\n").unwrap_err().contains("such as 3,5"));
        assert!(read("t;y\n1.234,5;2\n").is_err());
    }

    #[test]
    fn missing_numbers_are_said_or_left_out() {
        let text = "t,y,z\n1,2,\n3,,5\n4,NA,5\n6,7,8\n";
        let said = error(text, &["t", "y"]);
        assert!(said.starts_with("line 3 (row 2), column `y`: nothing is there"), "{said}");
        let format = Format { skips_missing: true, ..Format::default() };
        let read = |names| parse(text, &columns(names), &format);
        assert_eq!(read(&["t", "y"]), Ok(vec![vec![1.0, 6.0], vec![2.0, 7.0]]));
        assert_eq!(read(&["y", "z"]), Ok(vec![vec![7.0], vec![8.0]]));
        let none = parse("t\nNA\n", &columns(&["t"]), &format).unwrap_err();
        assert!(none.contains("no row without"), "{none}");
    }

    #[test]
    fn many_columns_are_a_matrix() {
        let headings = ["b", "a"].map(String::from).to_vec();
        let both = Column { name: "m".into(), headings, is_matrix: true };
        let read = parse("a,b\n1,2\n3,4\n", &[both], &Format::default());
        assert_eq!(read, Ok(vec![vec![2.0, 1.0, 4.0, 3.0]]));
    }

    #[test]
    fn columns_have_as_many_finite_numbers() {
        let wrong =
            |numbers: &[Vec<f64>], names: &[&str]| check(numbers, &columns(names)).unwrap_err();
        assert_eq!(check(&[vec![1.0, 2.0], vec![3.0, 4.0]], &columns(&["t", "y"])), Ok(()));
        assert!(wrong(&[vec![1.0], vec![]], &["t", "y"]).contains("not columns"));
        assert!(wrong(&[vec![1.0], vec![1.0, 2.0]], &["t", "y"]).contains("not columns"));
        assert!(wrong(&[vec![1.0, f64::INFINITY]], &["t"]).starts_with("inf is among its data"));
    }
}
