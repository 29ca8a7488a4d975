//! Columns of a CSV file.

use std::fs;
use std::path::Path;

use crate::error::meant;

/// The most numbers of all columns: they are counted in an `f32`.
const MOST_NUMBERS: usize = 1 << 24;
/// The largest file, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// The numbers of these columns, `[column][row]`; or what is wrong with the file, in words.
pub(super) fn read(path: &Path, columns: &[String]) -> Result<Vec<Vec<f64>>, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("cannot be read ({error})");
    let bytes = fs::metadata(path).map_err(|error| unreadable(&error))?.len();
    if bytes > MOST_BYTES {
        return Err(format!("{bytes} bytes; allowed: {MOST_BYTES}"));
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    parse(&text, columns)
}

/// Whether these can be the numbers of so many columns; or what is wrong with them, in words.
pub(super) fn check(columns: &[Vec<f64>], count: usize) -> Result<(), String> {
    let rows = columns.first().map_or(0, Vec::len);
    if columns.len() != count || rows == 0 || columns.iter().any(|column| column.len() != rows) {
        return Err(format!("its data are not {count} columns of as many numbers, at least one"));
    }
    if count.saturating_mul(rows) > MOST_NUMBERS {
        return Err(format!("more than {MOST_NUMBERS} numbers"));
    }
    match columns.iter().flatten().find(|number| !number.is_finite()) {
        Some(number) => Err(format!("{number} is among its data; allowed: finite numbers")),
        None => Ok(()),
    }
}

fn parse(text: &str, columns: &[String]) -> Result<Vec<Vec<f64>>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let headings = reader.headers().map_err(|error| error.to_string())?.clone();
    let mut places = Vec::with_capacity(columns.len());
    for column in columns {
        let place = headings.iter().position(|heading| heading == column);
        places.push(place.ok_or_else(|| missing(column, &headings))?);
    }
    let mut numbers = vec![Vec::new(); columns.len()];
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        for ((&place, column), numbers) in places.iter().zip(columns).zip(&mut numbers) {
            let field = record.get(place).unwrap_or_default();
            let number = field.parse().ok().filter(|number: &f64| number.is_finite());
            numbers.push(number.ok_or_else(|| {
                format!("line {line}, column `{column}`: {field:?} is no number; allowed: finite numbers")
            })?);
        }
        if numbers.len() * numbers[0].len() > MOST_NUMBERS {
            return Err(format!("more than {MOST_NUMBERS} numbers"));
        }
    }
    if numbers.iter().any(Vec::is_empty) {
        return Err("has no rows; allowed: a line of headings, and at least one of numbers".into());
    }
    Ok(numbers)
}

fn missing(column: &str, headings: &csv::StringRecord) -> String {
    let headings: Vec<&str> = headings.iter().collect();
    let like = match meant(column, &headings) {
        Some(like) => format!("; did you mean `{like}`?"),
        None => String::new(),
    };
    format!("has no column `{column}`{like}; its columns: {}", headings.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_mistakes_by_line() {
        let columns =
            |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let read = |text: &str, names: &[&str]| parse(text, &columns(names));
        let text = "\u{feff}t, y ,note\n1,2,a\n3, 4.5 ,b\n";
        assert_eq!(read(text, &["y", "t"]), Ok(vec![vec![2.0, 4.5], vec![1.0, 3.0]]));
        let error = |text: &str, names: &[&str]| read(text, names).unwrap_err();
        let missing = error(text, &["tt"]);
        assert_eq!(missing, "has no column `tt`; did you mean `t`?; its columns: t, y, note");
        let no_number = error("t,y\n1,2\n3,4.5x\n", &["t", "y"]);
        assert!(no_number.starts_with("line 3, column `y`: \"4.5x\" is no number"), "{no_number}");
        assert!(error("t\nNaN\n", &["t"]).contains("line 2"));
        assert!(error("t\n", &["t"]).contains("no rows"));
        assert!(error("", &["t"]).contains("no column"));
        assert!(error("t,y\n1\n", &["t", "y"]).contains("line: 2"));
    }

    #[test]
    fn columns_have_as_many_finite_numbers() {
        let wrong = |columns: &[Vec<f64>], count| check(columns, count).unwrap_err();
        assert_eq!(check(&[vec![1.0, 2.0], vec![3.0, 4.0]], 2), Ok(()));
        assert!(wrong(&[vec![1.0], vec![]], 2).contains("not 2 columns"));
        assert!(wrong(&[vec![1.0]], 2).contains("not 2 columns"));
        assert!(wrong(&[], 0).contains("at least one"));
        assert!(wrong(&[vec![1.0, f64::INFINITY]], 1).starts_with("inf is among its data"));
    }
}
