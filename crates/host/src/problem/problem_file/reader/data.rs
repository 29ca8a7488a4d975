//! Reads data: columns of files, and numbers in the problem file.

use super::{DataFrom, Reader};
use crate::error::{Error, Result};
use crate::problem::problem_file::columns;
use crate::problem::problem_file::file::{Column, Data, Given};
use crate::problem::problem_file::names::{Matrix, Meaning, Names};

impl Reader<'_> {
    /// Reads all data; returns the positions of file columns among them.
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

    /// The columns of a file; if the data are given in memory, those after the first `given`.
    fn columns(&self, table: &Data, given: &mut usize) -> Result<Vec<Vec<f64>>> {
        // If data are given in memory, the file is not checked: it may be a different one.
        if !matches!(self.data, DataFrom::Here(_)) || table.columns.is_empty() {
            match (&table.file, table.columns.is_empty(), table.here.is_empty()) {
                (None, true, false) => return Ok(Vec::new()),
                (None, true, true) if matches!(self.data, DataFrom::Here(_)) => {
                    return Ok(Vec::new());
                }
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

    /// Reads a list of numbers, or of the rows of a matrix.
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

    /// Stores numbers under their name; a matrix with `width` columns is stored row by row.
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

/// The names that a table of data defines.
pub(super) fn names_of(table: &Data) -> impl Iterator<Item = &String> {
    let columns = table.columns.iter().map(|Column { name, .. }| name);
    columns.chain(table.here.iter().map(|(name, _)| name))
}

/// How to rename the column with this name, if there is one.
pub(super) fn renamed(tables: &[Data], name: &str) -> Option<String> {
    let mut columns = tables.iter().flat_map(|table| &table.columns);
    match &columns.find(|column| column.name == name)?.headings[..] {
        [heading] => Some(format!(", as with columns = {{ {name}_data = {heading:?}, ... }}")),
        _ => None,
    }
}
