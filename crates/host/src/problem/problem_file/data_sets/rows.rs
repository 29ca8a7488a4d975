//! Rows of a file, which belong to fits.

use std::collections::HashMap;

use crate::problem::problem_file::columns::MOST_NUMBERS;
use crate::problem::problem_file::file::Column;

/// The lines of a file that are rows of fits.
#[derive(Default)]
pub(super) struct Lines {
    /// The fit that each row belongs to.
    fits: Vec<u32>,
    /// The number of each row's line.
    numbers: Vec<u32>,
}

impl Lines {
    /// The number of rows.
    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// The line of a row of a fit; `None` if the row is not in the file.
    pub(super) fn of(&self, fit: usize, row: usize) -> Option<u32> {
        let of_fit = self.fits.iter().zip(&self.numbers).filter(|of| *of.0 as usize == fit);
        of_fit.map(|(_, &line)| line).nth(row)
    }
}

/// Rows of a file.
#[derive(Default)]
pub(super) struct Rows {
    /// The count of numbers in a row.
    width: usize,
    /// `[row][number]`
    numbers: Vec<f64>,
    /// The fit and the line of each row.
    pub(super) lines: Lines,
    /// The names of the fits, in order of appearance.
    pub(super) names: Vec<String>,
    /// The index of each name.
    places: HashMap<String, u32>,
    /// The number of rows of each fit.
    pub(super) counts: Vec<u32>,
}

impl Rows {
    /// No rows of this many numbers.
    pub(super) fn new(width: usize) -> Self {
        Rows { width, ..Rows::default() }
    }

    /// Adds a row, from this line of the file, to the fit of this name.
    pub(super) fn take(&mut self, row: &[f64], of: &str, line: u32) {
        let fit = match self.places.get(of) {
            Some(&fit) => fit,
            None => {
                let fit = self.names.len() as u32;
                self.names.push(of.into());
                self.counts.push(0);
                self.places.insert(of.into(), fit);
                fit
            }
        };
        self.counts[fit as usize] += 1;
        self.lines.fits.push(fit);
        self.lines.numbers.push(line);
        self.numbers.extend(row);
    }

    /// The rows of each fit, from rows with the numbers that all fits share, followed by one number for each fit.
    pub(super) fn of_each(&self, all: usize, series: &[&str]) -> Self {
        let mut rows = Rows::new(all + 1);
        for (at, name) in series.iter().enumerate() {
            for (row, &line) in self.numbers.chunks(self.width.max(1)).zip(&self.lines.numbers) {
                let number = row[all + at];
                if !number.is_nan() {
                    rows.take(&[&row[..all], &[number]].concat(), name, line);
                }
            }
        }
        rows
    }

    /// The numbers of each column, `[fit][row]`, with the same number of rows for each fit; a matrix is stored row by
    /// row.
    pub(super) fn by_fit(&self, columns: &[Column]) -> std::result::Result<Vec<Vec<f64>>, String> {
        let (fits, most) =
            (self.counts.len(), self.counts.iter().copied().max().unwrap_or(0) as usize);
        if fits.saturating_mul(most).saturating_mul(self.width) > MOST_NUMBERS {
            return Err(format!(
                "{fits} fits of up to {most} rows have more than {MOST_NUMBERS} numbers in all; allowed: fewer, in several files"
            ));
        }
        let mut first = 0;
        let of_column = columns.iter().map(|column| {
            let width = column.headings.len();
            let mut numbers = vec![0.0; fits * most * width];
            let mut filled = vec![0; fits];
            for (row, &fit) in self.numbers.chunks(self.width.max(1)).zip(&self.lines.fits) {
                let row_of_fit = &mut filled[fit as usize];
                let at = (fit as usize * most + *row_of_fit) * width;
                numbers[at..at + width].copy_from_slice(&row[first..first + width]);
                *row_of_fit += 1;
            }
            for (fit, &count) in filled.iter().enumerate() {
                for row in fit * most + count..(fit + 1) * most {
                    numbers.copy_within((row - 1) * width..row * width, row * width);
                }
            }
            first += width;
            numbers
        });
        Ok(of_column.collect())
    }
}
