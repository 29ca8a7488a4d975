//! Results of runs, and the files that store them, so that no run is repeated.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::suite::{Case, TARGETS};

const HEAD: [&str; 6] = ["version", "function", "instance", "dimensions", "evaluations", "hits"];

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) case: Case,
    /// The number of evaluations until the last target or the end of the run.
    pub(super) evaluations: u64,
    /// The number of the evaluation at which each target was reached, without targets that were not reached.
    pub(super) hits: Vec<u64>,
}

impl Record {
    /// Parses the words: function, instance, dimensions, evaluations, and one for each reached target.
    pub(super) fn parse(text: &str) -> Option<Record> {
        let numbers: Option<Vec<u64>> =
            text.split_whitespace().map(|word| word.parse().ok()).collect();
        let numbers = numbers?;
        let [function, instance, dimensions, evaluations, ref hits @ ..] = numbers[..] else {
            return None;
        };
        let is_sound = hits.len() <= TARGETS
            && hits.is_sorted()
            && hits.last().is_none_or(|last| *last <= evaluations);
        let case = Case {
            function: u32::try_from(function).ok()?,
            instance: u32::try_from(instance).ok()?,
            dimensions: usize::try_from(dimensions).ok()?,
        };
        is_sound.then(|| Record { case, evaluations, hits: hits.to_vec() })
    }

    /// Whether the run has reached the last target.
    pub(super) fn is_solved(&self) -> bool {
        self.hits.len() == TARGETS
    }

    fn row(&self, version: &str) -> [String; 6] {
        let Case { function, instance, dimensions } = self.case;
        let hits: Vec<String> = self.hits.iter().map(u64::to_string).collect();
        [
            version.into(),
            function.to_string(),
            instance.to_string(),
            dimensions.to_string(),
            self.evaluations.to_string(),
            hits.join(" "),
        ]
    }
}

/// The stored runs of a search. Each new run is appended to a file.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    /// The version of the search.
    pub(super) version: String,
    pub(super) records: Vec<Record>,
}

impl Kept {
    /// Reads the runs of this version from the file. All other rows are removed from the file; with `anew`, all rows.
    pub(super) fn open(path: &Path, version: &str, anew: bool) -> Result<Kept> {
        let mut kept = Kept { path: path.into(), version: version.into(), records: Vec::new() };
        if path.is_file() && !anew {
            let mut rows = csv::Reader::from_path(path)?;
            for row in rows.records() {
                // The last row may be incomplete.
                let Ok(row) = row else { continue };
                if row.get(0) == Some(version) {
                    let words: Vec<&str> = row.iter().skip(1).collect();
                    kept.records.extend(Record::parse(&words.join(" ")));
                }
            }
        }
        kept.write()?;
        Ok(kept)
    }

    /// The problems without a run.
    pub(super) fn missing(&self, cases: &[Case]) -> Vec<Case> {
        let is_missing = |case: &&Case| !self.records.iter().any(|record| record.case == **case);
        cases.iter().filter(is_missing).copied().collect()
    }

    /// The runs of these problems, in their order; `None` if one is missing.
    pub(super) fn of(&self, cases: &[Case]) -> Option<Vec<&Record>> {
        let of = |case: &Case| self.records.iter().find(|record| record.case == *case);
        cases.iter().map(of).collect()
    }

    pub(super) fn add(&mut self, record: Record) -> Result<()> {
        let file = OpenOptions::new().append(true).open(&self.path);
        let file = file.with_context(|| format!("cannot write {}", self.path.display()))?;
        let mut out = csv::Writer::from_writer(file);
        out.write_record(record.row(&self.version))?;
        out.flush()?;
        self.records.push(record);
        Ok(())
    }

    fn write(&self) -> Result<()> {
        let folder = self.path.parent().context("a file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(HEAD)?;
        for record in &self.records {
            out.write_record(record.row(&self.version))?;
        }
        // Write to another name and rename, so that the file is replaced as a whole or not at all.
        let new = self.path.with_extension("new");
        fs::write(&new, out.into_inner()?)
            .and_then(|()| fs::rename(&new, &self.path))
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_run() {
        let record = Record::parse("3 2 5 700 10 20 20").unwrap();
        assert_eq!(record.case, Case { function: 3, instance: 2, dimensions: 5 });
        assert_eq!((record.evaluations, &record.hits[..]), (700, &[10, 20, 20][..]));
        assert!(!record.is_solved());
        let all = format!("1 1 5 60 {}", "60 ".repeat(TARGETS));
        assert!(Record::parse(&all).unwrap().is_solved());
        let more = format!("1 1 5 60 {}", "60 ".repeat(TARGETS + 1));
        for wrong in ["", "1 1 5", "1 1 5 700 x", "1 1 5 700 20 10", "1 1 5 700 701", &more] {
            assert_eq!(Record::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn runs_of_the_same_version_are_there_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bbob/auto.csv");
        let open = |version, anew| Kept::open(&path, version, anew).unwrap();
        let record = |text| Record::parse(text).unwrap();
        let mut kept = open("1", false);
        kept.add(record("1 1 5 700 10 20")).unwrap();
        kept.add(record("2 1 5 800")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().nth(1), Some("1,1,1,5,700,10 20"));
        // An incomplete last row.
        fs::write(&path, format!("{text}1,3,1")).unwrap();
        let mut kept = open("1", false);
        assert_eq!(kept.records, [record("1 1 5 700 10 20"), record("2 1 5 800")]);
        kept.add(record("3 1 5 900")).unwrap();
        let case = |function| Case { function, instance: 1, dimensions: 5 };
        assert_eq!(open("1", false).missing(&[case(3), case(4)]), [case(4)]);
        assert_eq!(kept.of(&[case(3), case(1)]).unwrap()[1].evaluations, 700);
        assert!(kept.of(&[case(3), case(4)]).is_none());
        assert!(open("1", true).records.is_empty());
        kept.add(record("3 1 5 900")).unwrap();
        assert!(open("2", false).records.is_empty() && open("1", false).records.is_empty());
    }
}
