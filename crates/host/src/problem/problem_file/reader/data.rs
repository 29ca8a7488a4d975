//! Data: columns of files, and numbers that the problem file has itself.

use super::{DataFrom, Reader};
use crate::error::{Error, Result};
use crate::problem::problem_file::columns;
use crate::problem::problem_file::file::{Column, Data, Given};
use crate::problem::problem_file::names::{Matrix, Meaning, Names};

impl Reader<'_> {
    /// All data, and where among them those of files are.
    pub(super) fn all_data(&self, tables: &[Data], names: &mut Names) -> Result<Vec<(u32, u32)>> {
        let mut from_files = Vec::new();
        let mut given = 0;
        for table in tables {
            let columns = self.columns(table, &mut given)?;
            for (column, numbers) in table.columns.iter().zip(columns) {
                from_files.push((names.data.len() as u32, numbers.len() as u32));
                let width = column.is_matrix.then_some(column.headings.len());
                self.keep("[data]", &column.name, numbers, width, names)?;
            }
            for (name, of) in &table.here {
                self.many("[data]", name, of, names)?;
            }
        }
        Ok(from_files)
    }

    /// The columns of a file; of those that are given, those behind so many.
    fn columns(&self, table: &Data, given: &mut usize) -> Result<Vec<Vec<f64>>> {
        // Of data that are here the file may be another one.
        if !matches!(self.data, DataFrom::Here(_)) || table.columns.is_empty() {
            match (&table.file, table.columns.is_empty(), table.here.is_empty()) {
                (None, true, false) => return Ok(Vec::new()),
                (None, true, true) => {
                    return Err(self.said(
                        "[data] says nothing; allowed: file and columns, or names with lists of numbers",
                    ));
                }
                (None, false, _) => {
                    return Err(self.said(
                        "[data] has columns and no file; allowed: file = \"...\", or of a fit `warpswarm fit MODEL.toml \
                         DATA.csv`",
                    ));
                }
                (Some(_), ..) => {}
            }
        }
        let file = table.file.as_deref().unwrap_or_default();
        let is_here = matches!(self.data, DataFrom::Here(_));
        if !is_here && table.columns.iter().all(|column| column.headings.is_empty()) {
            return Err(self.said("[data] has no columns; allowed: at least one"));
        }
        match self.data {
            DataFrom::Nowhere => Err(self
                .said("[data] needs a file, and none can be read here; allowed: lists of numbers")),
            DataFrom::Folder(folder) => {
                let path = folder.join(file);
                columns::read(&path, &table.columns, &table.format).map_err(|message| {
                    Error::ProblemFile { file: path.display().to_string(), message }
                })
            }
            DataFrom::Here(all) => {
                let count = table.columns.len();
                let of = all.get(*given..).and_then(|rest| rest.get(..count));
                let of = of.ok_or_else(|| self.said("its data are not all there"))?;
                *given += count;
                let check = columns::check(of, &table.columns);
                check.map_err(|message| self.said(message))?;
                Ok(of.to_vec())
            }
        }
    }

    /// A list of numbers, or of rows of a matrix.
    pub(super) fn many(
        &self,
        table: &str,
        name: &str,
        given: &Given,
        names: &mut Names,
    ) -> Result<()> {
        let key = format!("{table} {name}");
        let rows: Option<Vec<&Vec<Given>>> = match given {
            Given::List(all) => all
                .iter()
                .map(|row| match row {
                    Given::List(row) => Some(row),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        let numbers = |all: &[Given], names: &Names| {
            all.iter().map(|one| self.number(&key, one, names)).collect::<Result<Vec<_>>>()
        };
        match (given, rows) {
            (Given::List(all), _) if all.is_empty() => {
                Err(self.said(format!("{key} is empty; allowed: at least one number")))
            }
            (_, Some(rows)) => {
                let width = rows[0].len();
                if width == 0 || rows.iter().any(|row| row.len() != width) {
                    let what = "has rows of different lengths; allowed: as many numbers in each";
                    return Err(self.said(format!("{key} {what}")));
                }
                let mut all = Vec::with_capacity(rows.len() * width);
                for row in rows {
                    all.extend(numbers(row, names)?);
                }
                self.keep(table, name, all, Some(width), names)
            }
            (Given::List(all), None) => {
                let all = numbers(all, names)?;
                self.keep(table, name, all, None, names)
            }
            _ => Err(self.said(format!("{key}: allowed: a list of numbers"))),
        }
    }

    /// Keeps numbers under their name; of a matrix with so many columns row after row.
    pub(super) fn keep(
        &self,
        table: &str,
        name: &str,
        numbers: Vec<f64>,
        width: Option<usize>,
        names: &mut Names,
    ) -> Result<()> {
        let (first, len) = (names.data.len() as u32, numbers.len() as u32);
        if names.data.len() + numbers.len() > columns::MOST_NUMBERS {
            let most = columns::MOST_NUMBERS;
            return Err(self.said(format!("{table} {name}: more than {most} numbers in all")));
        }
        names.add_data(&numbers);
        let meaning = match width {
            None => Meaning::Data(first, len),
            Some(width) => {
                let columns = width as u32;
                Meaning::Matrix(Matrix { first, rows: len / columns, columns })
            }
        };
        names.meanings.insert(name.into(), meaning);
        Ok(())
    }
}

/// The names that a table of data has.
pub(super) fn names_of(table: &Data) -> impl Iterator<Item = &String> {
    let columns = table.columns.iter().map(|Column { name, .. }| name);
    columns.chain(table.here.iter().map(|(name, _)| name))
}
