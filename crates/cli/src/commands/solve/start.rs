//! Initial points of individuals, from a CSV file.

use std::path::Path;

use crate::failure::Failure;
use crate::problem::Problem;

/// The points of a file, `[point][coordinate]`; NaN if a coordinate has no column or its cell is empty.
pub(crate) fn read(path: &Path, problem: &Problem) -> Result<Vec<Vec<f64>>, Failure> {
    let said = |what: String| Failure::Input(format!("--start: {}: {what}", path.display()));
    if !path.is_file() {
        return Err(said("is not a file that can be read; allowed: a CSV file".into()));
    }
    let reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path);
    let mut reader = reader.map_err(|error| Failure::unreadable(path, &error))?;
    let headings = reader.headers().map_err(|error| said(error.to_string()))?.clone();
    // For each column its coordinate, and whether its cells are plain numbers rather than values of the variable.
    let columns: Vec<Option<(usize, bool)>> = headings
        .iter()
        .map(|heading| {
            let name = |&i: &usize| problem.coordinate(i) == heading;
            let plain = || {
                let number = heading.strip_prefix('x')?.parse::<usize>().ok()?;
                number.checked_sub(1).filter(|&i| i < problem.dimensions())
            };
            let named = (0..problem.dimensions()).find(name).map(|i| (i, false));
            named.or_else(|| plain().map(|i| (i, true)))
        })
        .collect();
    if columns.iter().all(Option::is_none) {
        let names: Vec<String> =
            (0..problem.dimensions().min(8)).map(|i| problem.coordinate(i)).collect();
        return Err(said(format!(
            "none of its columns is a variable; allowed: headings such as {}",
            names.join(",")
        )));
    }
    let mut points = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| said(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let mut point = vec![f64::NAN; problem.dimensions()];
        for (cell, column) in record.iter().zip(&columns) {
            let (Some((i, is_plain)), false) = (*column, cell.is_empty()) else { continue };
            let number = match is_plain {
                true => cell.parse().map_err(|_| "a number".to_string()),
                false => problem.coordinate_of(i, cell),
            };
            let name = problem.coordinate(i);
            let cell: String = cell.chars().take(40).collect();
            point[i] = number.map_err(|allowed| {
                said(format!("line {line}, `{name}`: {cell:?}; allowed: {allowed}"))
            })?;
            let (lower, upper) = (problem.bounds().lower()[i], problem.bounds().upper()[i]);
            if !(lower..=upper).contains(&point[i]) {
                return Err(said(format!(
                    "line {line}, `{name}` is {cell}; allowed: {lower} to {upper}, its bounds"
                )));
            }
        }
        points.push(point);
    }
    if points.is_empty() {
        return Err(said("has no rows; allowed: one or more points".into()));
    }
    Ok(points)
}
