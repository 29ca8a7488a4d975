//! The data of many fits, from one file of columns.

mod rows;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::columns::{Sheet, text, with_unit};
use super::compile::NAMES;
use super::curves;
use super::file::{Column, Data, File, Format, Given};
use super::named_numbers::OfRuns;
use super::names::on_one_line;
use super::problem::ProblemFile;
use super::reader::{DataFrom, Reader};
use crate::error::{Error, Result};
use rows::{Lines, Rows};

/// How a file of columns contains the data of fits.
///
/// ```
/// use warpswarm::problem_file::Layout;
/// assert_eq!(Layout::default(), Layout::One);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout<'a> {
    /// All rows belong to one fit.
    #[default]
    One,
    /// One fit for each text or number in the column with this heading.
    Groups(&'a str),
    /// One fit for each column that the problem does not name. It replaces the column before `~`.
    Wide,
}

/// A problem with the data of many fits: see [`ProblemFile::load_data_sets`].
///
/// ```
/// use warpswarm::problem_file::{DataSets, ProblemFile};
/// fn longest(sets: &DataSets) -> Option<(&str, u32)> {
///     sets.names.iter().zip(&sets.rows).map(|(name, &rows)| (&**name, rows)).max_by_key(|of| of.1)
/// }
/// let problem = ProblemFile::parse("minimise = \"x\"\nvariables.x = { lower = 0, upper = 1 }")?;
/// let names = vec!["A1".to_string(), "B1".to_string()];
/// assert_eq!(longest(&DataSets { problem, names, rows: vec![2, 3], left_out: 0 }), Some(("B1", 3)));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DataSets {
    /// The problem, with the data.
    pub problem: ProblemFile,
    /// The name of each fit; empty for [`Layout::One`].
    pub names: Vec<String>,
    /// The rows of each fit. If a fit has fewer rows than another, its last row is repeated;
    /// [`FitSettings::rows`](crate::fit::FitSettings::rows) excludes the repeated rows.
    pub rows: Vec<u32>,
    /// The rows of the file that were left out because a number is missing, with `missing = "skip row"`. With
    /// [`Layout::Wide`] a row may be left out of several fits, and counts once for each.
    pub left_out: usize,
}

/// Keys whose values are not searched for names of columns.
const NO_EXPRESSIONS: [&str; 6] = ["name", "unit", "choices", "data", "loss", "scale"];
/// The error if a model has no data.
const NO_DATA: &str = "there is no file of data; name one after the model, as in `warpswarm fit MODEL.toml DATA.csv`, or in \
    the model, as in `data.file = \"DATA.csv\"`";
/// The largest number of columns that a message lists.
const SHOWN: usize = 20;

impl ProblemFile {
    /// Reads a problem file that fits models, with the data of many fits. The data are in the file `data`, which
    /// replaces the file that the problem file names and has the same columns. If the problem file names no columns,
    /// every heading that its expressions use is a column.
    ///
    /// ```
    /// use warpswarm::fit::FitSettings;
    /// use warpswarm::problem_file::{Layout, ProblemFile};
    /// let folder = std::env::temp_dir().join(format!("warpswarm-sets-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// let text = "fit = \"y ~ a * t\"\nvariables.a = { lower = 0, upper = 9 }";
    /// std::fs::write(folder.join("line.toml"), text)?;
    /// std::fs::write(folder.join("lines.csv"), "well,t,y\nA1,1,2\nA1,2,4\nB1,1,3\nB1,2,6\nB1,3,9\n")?;
    /// let data = folder.join("lines.csv");
    /// let sets = ProblemFile::load_data_sets(folder.join("line.toml"), Some(&data), Layout::Groups("well"))?;
    /// assert_eq!((&sets.names[..], &sets.rows[..]), (&["A1".to_string(), "B1".to_string()][..], &[2, 3][..]));
    /// let settings = FitSettings { rows: sets.rows, ..FitSettings::default() };
    /// let fits = sets.problem.fit_models::<f64>(&settings)?;
    /// assert!((fits.parameters()[0] - 2.0).abs() < 1e-9 && (fits.parameters()[1] - 3.0).abs() < 1e-9);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`load`](ProblemFile::load), and if there are no data, or they do not have this layout.
    pub fn load_data_sets(
        path: impl AsRef<Path>,
        data: Option<&Path>,
        layout: Layout<'_>,
    ) -> Result<DataSets> {
        let path = path.as_ref();
        let text = ProblemFile::text_at(path)?;
        let shown = path.display().to_string();
        let said = |message: String| Error::ProblemFile { file: shown.clone(), message };
        let file: File =
            toml::from_str(&text).map_err(|error| said(error.to_string().trim_end().into()))?;
        // A table may say nothing but how the file is written, as `missing = "skip row"`.
        let of_file = |table: &&Data| {
            table.file.is_some() || !table.columns.is_empty() || table.here.is_empty()
        };
        let mut tables = file.data.0.iter().filter(of_file);
        let table = tables.next();
        let own = table.and_then(|table| table.file.as_ref());
        let own = own.map(|file| path.parent().unwrap_or(Path::new("")).join(file));
        let Some(data) = data.map(PathBuf::from).or(own) else {
            if layout == Layout::One {
                let problem = ProblemFile::load(path).map_err(|error| match error {
                    Error::Expression { key, .. } if key.starts_with("fit") && !file.has_data() => {
                        said(NO_DATA.into())
                    }
                    error => error,
                })?;
                let rows = vec![problem.observed_rows()];
                return Ok(DataSets { problem, names: Vec::new(), rows, left_out: 0 });
            }
            return Err(said(NO_DATA.into()));
        };
        if tables.next().is_some() {
            return Err(said(
                "[data] has several files; allowed: one, in whose place the data are".into(),
            ));
        }
        let wanted = Wanted::of(&file, table, &text, layout).map_err(said)?;
        let read = wanted.read(&data);
        let read = read
            .map_err(|message| Error::ProblemFile { file: data.display().to_string(), message })?;
        let name = path.file_stem().map_or("problem".into(), |stem| stem.to_string_lossy());
        let place = |fit: usize, row: usize| {
            let line = read.lines.of(fit, row);
            line.map_or_else(String::new, |line| format!(" ({}: line {line})", data.display()))
        };
        let problem = read.problem((&shown, &name, &text), &place);
        let problem = problem.map_err(|error| match error {
            // A missing name may be a column with another name.
            Error::Expression { file, key, text, at, message } if wanted.columns.is_empty() => {
                let its = if message.ends_with('?') { " Columns" } else { "; columns" };
                let message = format!("{message}{its} of the data: {}{}", read.headings, read.hint);
                Error::Expression { file, key, text, at, message }
            }
            error => error,
        })?;
        Ok(DataSets { problem, names: read.names, rows: read.rows, left_out: read.left_out })
    }

    /// The number of rows of all models.
    fn observed_rows(&self) -> u32 {
        self.curves.iter().flat_map(|curves| &curves.all).map(|curve| curve.rows).sum()
    }
}

/// What is read from a file of data.
struct Wanted<'a> {
    /// The columns that the problem file names; empty if it names none.
    columns: &'a [Column],
    format: Format,
    layout: Layout<'a>,
    /// Words in expressions, without the names that the problem file defines.
    words: HashSet<String>,
    /// For the wide layout, the name of the observed column.
    observed: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn of(
        file: &'a File,
        table: Option<&'a Data>,
        text: &str,
        layout: Layout<'a>,
    ) -> std::result::Result<Self, String> {
        let table_of = toml::from_str::<toml::Table>(text).unwrap_or_default();
        let mut words = HashSet::new();
        words_of(&toml::Value::Table(table_of), &mut words);
        let variables = file.variables.0.iter().map(|(name, _)| name);
        let constants = file.constants.0.iter().map(|(name, _)| name);
        let lets = file.r#let.0.iter().map(|(name, _)| name);
        for name in variables.chain(constants).chain(lets) {
            words.remove(name);
        }
        let observed = match (layout, &file.fit) {
            (Layout::Wide, Some(Given::Text(text))) => {
                let left = curves::parted(text).map(|(left, _)| left.trim()).unwrap_or_default();
                let is_word = left.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if left.is_empty() || !is_word {
                    return Err(format!(
                        "fit has `{}` before `~`; allowed of wide data: one name, in whose place the columns are",
                        on_one_line(left)
                    ));
                }
                Some(left)
            }
            (Layout::Wide, _) => {
                return Err("wide data are of one model; allowed: fit = \"y ~ ...\"".into());
            }
            _ => None,
        };
        let columns = table.map_or(&[][..], |table| &table.columns);
        let format = table.map_or_else(Format::default, |table| table.format.clone());
        Ok(Wanted { columns, format, layout, words, observed })
    }

    /// The columns that all fits have, from a file with these headings.
    fn columns<'h>(&self, headings: impl Iterator<Item = &'h str>) -> Vec<Column> {
        let is_observed = |column: &Column| Some(&*column.name) == self.observed;
        if !self.columns.is_empty() {
            return self.columns.iter().filter(|column| !is_observed(column)).cloned().collect();
        }
        let used = headings.filter(|heading| self.words.contains(*heading));
        let column = |heading: &str| Column {
            name: heading.into(),
            headings: vec![heading.into()],
            is_matrix: false,
        };
        used.map(column).collect()
    }

    /// Reads the file, or returns what is wrong with it.
    fn read(&self, path: &Path) -> std::result::Result<Sets, String> {
        let text = text(path)?;
        let known = self.columns([].into_iter());
        let known: Vec<&str> =
            known.iter().flat_map(|column| &column.headings).map(String::as_str).collect();
        let sheet =
            Sheet::new(&text, &known, &|heading| self.words.contains(heading), &self.format)?;
        let shown: Vec<String> = sheet.headings().take(SHOWN).map(on_one_line).collect();
        let mut columns = self.columns(sheet.headings());
        let of_all: Vec<String> = columns.iter().flat_map(|of| of.headings.clone()).collect();
        let mut wanted: Vec<&str> = of_all.iter().map(String::as_str).collect();
        let (all, mut series) = (wanted.len(), Vec::new());
        if let Some(observed) = self.observed {
            if sheet.headings().any(|heading| heading == observed) {
                return Err(format!(
                    "has a column `{observed}`, in whose place each other column should be; allowed of wide data: a name before \
                     `~` that no column has"
                ));
            }
            let shared: HashSet<&str> = wanted.iter().copied().collect();
            let is_named =
                |heading: &&str| shared.contains(heading) || self.words.contains(*heading);
            series.extend(sheet.headings().filter(|heading| !is_named(heading)));
            if series.is_empty() {
                return Err("has no column that the problem does not name; allowed: at least one, for a fit each".into());
            }
            wanted.extend(&series);
        }
        let label = match self.layout {
            Layout::Groups(label) => Some(label),
            _ => None,
        };
        let mut rows = Rows::new(wanted.len());
        let mut left_out =
            sheet.rows(&wanted, all, label, &mut |row, of, line| rows.take(row, of, line))?;
        if let Some(observed) = self.observed {
            let name = observed.to_string();
            columns.push(Column { headings: vec![name.clone()], name, is_matrix: false });
            let cells = (rows.lines.count() + left_out) * series.len();
            rows = rows.of_each(all, &series);
            left_out = cells - rows.lines.count();
        }
        if rows.counts.iter().all(|count| *count == 1) {
            let each = if rows.counts.len() > 1 { " for each fit" } else { "" };
            return Err(format!(
                "has one row{each}; allowed: at least as many as parameters, and two"
            ));
        }
        let numbers = rows.by_fit(&columns)?;
        let hint = self.hint(sheet.headings());
        let names = if self.layout == Layout::One { Vec::new() } else { rows.names };
        let in_table = self.columns.iter().map(|column| column.name.clone()).collect();
        Ok(Sets {
            columns,
            numbers,
            names,
            rows: rows.counts,
            left_out,
            in_table,
            headings: shown.join(", "),
            lines: rows.lines,
            hint,
        })
    }

    /// How to name columns whose headings begin with a name in an expression, such as `t [s]`; empty if there are none.
    fn hint<'h>(&self, headings: impl Iterator<Item = &'h str>) -> String {
        let mut has_unit = false;
        let mut named = |heading: &'h str| {
            let is_name = |word: &&String| with_unit(word, heading) && !NAMES.contains(&&***word);
            let name = match self.words.get(heading) {
                Some(name) => name,
                None => self.words.iter().find(is_name)?,
            };
            has_unit |= name != heading;
            Some(format!("{name} = \"{}\"", on_one_line(heading)))
        };
        let all: Vec<String> = headings.filter_map(&mut named).collect();
        match has_unit {
            true => format!("; write `data.columns = {{ {} }}` in the model", all.join(", ")),
            false => String::new(),
        }
    }
}

/// The data of fits.
struct Sets {
    columns: Vec<Column>,
    /// For each column `[fit][row]`.
    numbers: Vec<Vec<f64>>,
    names: Vec<String>,
    rows: Vec<u32>,
    left_out: usize,
    /// The names of the columns that the problem file defines, in its order.
    in_table: Vec<String>,
    /// Headings of the file, as messages show them.
    headings: String,
    /// The lines of the rows in the file.
    lines: Lines,
    /// How to name columns, if their headings are not names.
    hint: String,
}

impl Sets {
    /// The problem of this text, with these data. `place` says where a row of a fit is in the file of data.
    fn problem(
        &self,
        (file, name, text): (&str, &str, &str),
        place: &dyn Fn(usize, usize) -> String,
    ) -> Result<ProblemFile> {
        let fits = self.rows.len().max(1);
        let of_first = |numbers: &[f64]| numbers[..numbers.len() / fits].to_vec();
        let all = || self.columns.iter().zip(&self.numbers);
        let in_table = |name: &String| {
            let found = all().find(|(column, _)| column.name == *name);
            found.map_or_else(Vec::new, |(_, numbers)| of_first(numbers))
        };
        let here: Vec<Vec<f64>> = self.in_table.iter().map(in_table).collect();
        let others = all().filter(|(column, _)| !self.in_table.contains(&column.name));
        let constants: Vec<(String, Given)> = others
            .map(|(column, numbers)| (column.name.clone(), Given::list(of_first(numbers))))
            .collect();
        let own = |(column, numbers): (&Column, &Vec<f64>)| OfRuns {
            name: column.name.clone(),
            runs: fits,
            numbers: Arc::new(numbers.clone()),
        };
        let of_runs: Vec<OfRuns> = if fits > 1 { all().map(own).collect() } else { Vec::new() };
        let data = DataFrom::Here(&here);
        let (constants, of_runs) = (&constants[..], &of_runs[..]);
        Reader { file, data, name, constants, of_runs, place }.read(text)
    }
}

/// Adds all words in expressions.
fn words_of(value: &toml::Value, words: &mut HashSet<String>) {
    match value {
        toml::Value::String(text) => {
            let all = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            words.extend(all.map(str::to_string));
        }
        toml::Value::Array(all) => all.iter().for_each(|one| words_of(one, words)),
        toml::Value::Table(all) => {
            let all = all.iter().filter(|(key, _)| !NO_EXPRESSIONS.contains(&&***key));
            all.for_each(|(_, one)| words_of(one, words));
        }
        _ => {}
    }
}
