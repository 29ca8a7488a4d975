//! The differences between the result and the populations of a stored run and those of its repetition.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde_json::Value as Json;
use warpswarm_pictures::counted;

use crate::failure::Failure;
use crate::output::number::Number;
use crate::output::run_folder::POPULATION;

/// The first place at which two values differ, and in how many more coordinates a point differs. Values that only one of
/// two objects has come last.
pub(super) fn difference(name: &str, there: &Json, here: &Json) -> Option<String> {
    match (there, here) {
        (Json::Object(a), Json::Object(b)) => {
            let mut both = a.iter().filter_map(|(key, a)| Some((key, a, b.get(key)?)));
            let differs =
                |(key, a, b): (&String, &Json, &Json)| difference(&format!("{name}.{key}"), a, b);
            let only = |of: &serde_json::Map<String, Json>, key: &&String| !of.contains_key(*key);
            let missing = |key: &String, place| format!("{name}.{key} is missing {place}");
            both.find_map(differs)
                .or_else(|| a.keys().find(|key| only(b, key)).map(|key| missing(key, "here")))
                .or_else(|| b.keys().find(|key| only(a, key)).map(|key| missing(key, "there")))
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            let mut both = a.iter().zip(b).enumerate();
            let (i, first) = both.find_map(|(i, (a, b))| {
                difference(&format!("{name}[{i}]"), a, b).map(|first| (i, first))
            })?;
            // Only points are lists of plain values.
            let is_point = !a[i].is_object() && !a[i].is_array();
            let more =
                both.filter(|(_, (a, b))| is_point && difference("", a, b).is_some()).count();
            Some(match more {
                0 => first,
                more => format!("{first} (and {})", counted(more as u64, "more coordinate")),
            })
        }
        (Json::Array(a), Json::Array(b)) => {
            Some(format!("{name} has a length of {} there, {} here", a.len(), b.len()))
        }
        // Compared as text, in which -0 differs from 0.
        _ => {
            let [there, here] = [there, here].map(Json::to_string);
            (there != here).then(|| format!("{name} is {there} there, {here} here"))
        }
    }
}

/// The value of the best run of a result.
pub(super) fn best(result: &Json) -> Option<String> {
    let sign = if result["maximised"] == true { -1.0 } else { 1.0 };
    // NaN counts as the worst.
    let number = |of: &Json| serde_json::from_value(of.clone()).map_or(f64::NAN, |Number(x)| x);
    let rank = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
    let key = |run: &&Json| {
        let best = &run["best"];
        (rank(number(&best["violation"])), rank(sign * number(&best["value"])))
    };
    let better = |a: &&Json, b: &&Json| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    let best = result["runs"].as_array()?.iter().min_by(better)?;
    Some(best["best"]["value"].to_string())
}

/// A writer that compares what is written with a file, line by line.
pub(super) struct Compared {
    file: BufReader<File>,
    /// The number of lines compared so far.
    pub(super) line: u64,
    pending: Vec<u8>,
    /// The number of the first line that differs, from 1.
    differs: Option<u64>,
}

impl Compared {
    /// `None` if there is no such file, or if it was written by a resumed run and therefore starts at a later
    /// iteration.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Failure> {
        if !path.exists() {
            return Ok(None);
        }
        let open = || File::open(path).map(BufReader::new);
        let opened = open().and_then(|file| Ok((file.lines().nth(1).transpose()?, open()?)));
        let (first, file) = opened.map_err(|error| Failure::unreadable(path, &error))?;
        let begins = first.is_none_or(|row| row.split(',').nth(1) == Some("0"));
        let compared = Compared { file, line: 0, pending: Vec::new(), differs: None };
        Ok(begins.then_some(compared))
    }

    pub(super) fn difference(&mut self) -> Option<String> {
        if self.differs.is_none() && self.file.fill_buf().is_ok_and(|rest| !rest.is_empty()) {
            self.differs = Some(self.line + 1);
        }
        self.differs.map(|line| format!("{POPULATION} from line {line} on"))
    }
}

impl Write for Compared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let mut there = Vec::new();
            self.file.read_until(b'\n', &mut there)?;
            self.line += 1;
            if there != self.pending[..=end] {
                self.differs.get_or_insert(self.line);
            }
            self.pending.drain(..=end);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn numbers_differ_by_a_bit() {
        let value = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        let check = |a: &str, b: &str| difference("runs", &value(a), &value(b));
        assert_eq!(check("[{\"x\":[0.1]}]", "[{\"x\":[0.1]}]"), None);
        let said = check("[{\"x\":[0.1]}]", "[{\"x\":[0.10000000000000002]}]").unwrap();
        assert_eq!(said, "runs[0].x[0] is 0.1 there, 0.10000000000000002 here");
        let said = check("[{\"x\":[1, 2, 3, 4]}]", "[{\"x\":[1, 5, 3, 6]}]").unwrap();
        assert_eq!(said, "runs[0].x[1] is 2 there, 5 here (and 1 more coordinate)");
        assert!(check("[0.0]", "[-0.0]").is_some());
        assert!(check("[\"NaN\"]", "[0.0]").is_some());
        assert_eq!(check("[1, 2]", "[1]").unwrap(), "runs has a length of 2 there, 1 here");
    }

    #[test]
    fn the_best_run_is_found() {
        let run = |violation: &str, value: &str| {
            format!("{{\"best\":{{\"violation\":{violation},\"value\":{value}}}}}")
        };
        let runs =
            [run("0.0", "2.5"), run("0.0", "\"NaN\""), run("1.0", "-9.0"), run("0.0", "0.5")];
        let check = |maximised: bool, value: &str| {
            let text = format!("{{\"maximised\":{maximised},\"runs\":[{}]}}", runs.join(","));
            assert_eq!(best(&serde_json::from_str(&text).unwrap()).unwrap(), value);
        };
        check(false, "0.5");
        check(true, "2.5");
    }

    #[test]
    fn an_object_with_more_values_is_not_printed_whole() {
        let value = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        let check = |a: &str, b: &str| difference("runs[0]", &value(a), &value(b)).unwrap();
        let (less, more) = ("{\"best\":1,\"seed\":2}", "{\"best\":1,\"polish\":{},\"seed\":2}");
        assert_eq!(check(less, more), "runs[0].polish is missing there");
        assert_eq!(check(more, less), "runs[0].polish is missing here");
        let other = "{\"best\":1,\"polish\":{},\"seed\":3}";
        assert_eq!(check(less, other), "runs[0].seed is 2 there, 3 here");
    }

    #[test]
    fn what_is_written_is_compared_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("there");
        fs::write(&path, "one\n2,0\nthree\n").unwrap();
        let check = |text: &str| {
            let mut compared = Compared::open(&path).ok().unwrap().unwrap();
            text.bytes().for_each(|byte| compared.write_all(&[byte]).unwrap());
            compared.difference()
        };
        assert_eq!(check("one\n2,0\nthree\n"), None);
        assert_eq!(check("one\n2,1\nthree\n").unwrap(), "population.csv from line 2 on");
        assert_eq!(check("one\n2,0\n").unwrap(), "population.csv from line 3 on");
        fs::write(&path, "one\n2,7\n").unwrap();
        assert!(Compared::open(&path).ok().unwrap().is_none());
    }
}
