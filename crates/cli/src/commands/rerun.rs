//! `warpswarm rerun`.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use csv::StringRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use warpswarm::{Event, Precise, Precision, Runs, Settings};
use warpswarm_pictures::counted;

use crate::args::{PlaceArgs, RerunArgs};
use crate::failure::{Code, Failure, INTERRUPTED, SUCCESS};
use crate::output::json::Solved;
use crate::output::run_folder::{POPULATION, RESULT, RUN, TRACE};
use crate::output::{population, trace};
use crate::run::Run;
use crate::runs::islands;
use crate::runs::outputs::exit_code;
use crate::runs::perform::Started;
use crate::runs::progress::Display;

/// Reasons for stopping that depend on the time of a run, and a reason that may hide one of them.
const BY_CHANCE: [&str; 2] = ["seconds", "interrupted"];
const HIDES_ONE: &str = "nothing-finite";

/// The exit code if the results differ.
const DIFFERS: u8 = 1;

/// Repeats a run and prints the differences.
pub(crate) fn run(args: &RerunArgs) -> Result<Code, Failure> {
    let before = Before::read(&args.folder)?;
    match before.run.precision {
        Precision::F32 => in_precision::<f32>(before, args),
        Precision::F64 => in_precision::<f64>(before, args),
    }
}

/// The contents of a run's folder.
pub(crate) struct Before {
    run: Run,
    result: Json,
    trace: Rows,
    populations: Option<Compared>,
}

impl Before {
    pub(crate) fn read(folder: &Path) -> Result<Before, Failure> {
        Ok(Before {
            run: Run::read(&folder.join(RUN))?,
            result: read_result(&folder.join(RESULT))?,
            trace: read_trace(&folder.join(TRACE))?,
            populations: Compared::open(&folder.join(POPULATION))?,
        })
    }

    /// The run that repeats this one.
    pub(crate) fn again(&self, place: &PlaceArgs) -> Run {
        let mut again = self.run.clone().at(place);
        as_far(&mut again.settings, &self.result);
        again
    }
}

fn in_precision<R: Precise + Serialize + DeserializeOwned>(
    before: Before,
    args: &RerunArgs,
) -> Result<Code, Failure> {
    let again = before.again(&args.place);
    let Before { run: first, mut result, trace: before, mut populations } = before;
    let mut display = Display::new(args.progress, None);
    let mut see = |event: Event<'_, R>, runs: &mut Runs<'_, R>| {
        display.see(&event, runs);
        if let (Event::Populations(shown), Some(before)) = (event, &mut populations) {
            if before.line == 0 {
                population::write_header(again.problem.dimensions(), before)?;
            }
            shown.iter().try_for_each(|shown| population::write(shown, &again.problem, before))?;
        }
        Ok(())
    };
    let report = match again.islands {
        None => Started::new(&again, None)?.run(&mut see)?,
        Some(_) => islands::again(&again, &mut display)?,
    };
    drop(display);
    if exit_code(&report) == INTERRUPTED {
        return Err(Failure::Interrupted);
    }

    let mut out = io::stdout().lock();
    let here = again.done(&report);
    for (what, there, here) in places(&first, &here) {
        writeln!(out, "{what:<12}{there} there, {here} here")?;
    }
    let solved = Solved::new(&again, &report);
    // Converted to text and parsed, as the stored result was. Otherwise numbers of single precision would be widened.
    let mut text = Vec::new();
    solved.write(&mut text)?;
    let mut solved = serde_json::from_slice(&text).map_err(io::Error::from)?;
    forget_chance(&mut result, &mut solved);
    let mut text = Vec::new();
    trace::write(&report, &mut text)?;
    let after = rows(&mut csv::Reader::from_reader(text.as_slice()));
    let after = after.map_err(|error| Failure::Running(error.to_string()))?;

    let differences: Vec<String> = [
        first_difference(&before, &after),
        difference("runs", &result["runs"], &solved["runs"]),
        populations.as_mut().and_then(Compared::difference),
    ]
    .into_iter()
    .flatten()
    .collect();
    if differences.is_empty() {
        let runs = counted(report.runs.len() as u64, "run");
        let rows = counted(after.rows.len() as u64, "row");
        let more = populations.map_or("", |_| ", and the populations");
        writeln!(out, "the same bits: {runs}, {rows} of the trace{more}")?;
        return Ok(SUCCESS);
    }
    differences.iter().try_for_each(|difference| writeln!(out, "differs: {difference}"))?;
    Ok(DIFFERS)
}

/// The differences in version, device and compiler between the two runs.
fn places(first: &Run, again: &Run) -> Vec<(&'static str, String, String)> {
    let toolchain = |run: &Run| run.taken.as_ref()?.device_toolchain.clone();
    let place = |run: &Run| run.taken.as_ref().map(|taken| taken.to_string()).unwrap_or_default();
    let mut all = vec![
        ("version", first.version.clone(), again.version.clone()),
        ("ran on", place(first), place(again)),
    ];
    if let (Some(there), Some(here)) = (toolchain(first), toolchain(again)) {
        all.push(("toolchain", there, here));
    }
    all.retain(|(_, there, here)| there != here);
    all
}

/// If the run was stopped by its time limit or Ctrl-C, limits its repetition to the same number of iterations.
fn as_far(settings: &mut Settings, result: &Json) {
    let runs = || result["runs"].as_array().into_iter().flatten();
    let reason = |run: &Json| run["stop_reason"].as_str().unwrap_or_default().to_owned();
    let by_chance = |run: &Json| {
        let reason = reason(run);
        BY_CHANCE.contains(&reason.as_str()) || reason == HIDES_ONE
    };
    let stop = &mut settings.stop;
    // If the time was the only limit, the repetition would have none.
    let by_time = stop.seconds.is_some() && stop.iterations.is_none() && stop.evaluations.is_none();
    if by_time || runs().any(by_chance) {
        stop.iterations = runs().filter_map(|run| run["iterations"].as_u64()).max();
    }
    stop.seconds = None;
}

/// Ignores reasons for stopping that depend on the time of a run.
fn forget_chance(there: &mut Json, here: &mut Json) {
    let runs = |of: &mut Json| of["runs"].as_array().map_or(0, Vec::len);
    for i in 0..runs(there).min(runs(here)) {
        let reason = there["runs"][i]["stop_reason"].as_str().unwrap_or_default();
        if BY_CHANCE.contains(&reason) {
            here["runs"][i]["stop_reason"] = there["runs"][i]["stop_reason"].clone();
        }
    }
}

/// The first place at which two values differ.
fn difference(name: &str, there: &Json, here: &Json) -> Option<String> {
    match (there, here) {
        (Json::Object(a), Json::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(key, a)| {
                difference(&format!("{name}.{key}"), a, b.get(key).unwrap_or(&Json::Null))
            })
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => (a.iter().zip(b).enumerate())
            .find_map(|(i, (a, b))| difference(&format!("{name}[{i}]"), a, b)),
        // Compared as text, in which -0 differs from 0.
        _ => {
            let [there, here] = [there, here].map(Json::to_string);
            (there != here).then(|| format!("{name} is {there} there, {here} here"))
        }
    }
}

/// A trace as read from a file.
struct Rows {
    names: StringRecord,
    rows: Vec<StringRecord>,
}

fn rows(reader: &mut csv::Reader<impl io::Read>) -> csv::Result<Rows> {
    let names = reader.headers()?.clone();
    Ok(Rows { names, rows: reader.records().collect::<csv::Result<_>>()? })
}

/// The difference at the earliest iteration, ignoring the column of seconds.
fn first_difference(there: &Rows, here: &Rows) -> Option<String> {
    if there.names != here.names {
        return Some("the trace has other columns".into());
    }
    let iteration = |row: &StringRecord| row.get(1).and_then(|n| n.parse::<u64>().ok());
    let names = &there.names;
    let pairs = there.rows.iter().zip(&here.rows);
    let differing = pairs.filter_map(|(there, here)| {
        let mut columns = (0..here.len()).filter(|&i| names.get(i) != Some("seconds"));
        columns.find(|&i| there.get(i) != here.get(i)).map(|i| (there, here, i))
    });
    let first = differing.min_by_key(|(there, _, _)| iteration(there));
    if let Some((there_row, here_row, i)) = first {
        let value = |row: &StringRecord, i| row.get(i).unwrap_or_default().to_owned();
        let name = names.get(i).unwrap_or_default();
        return Some(format!(
            "run {} from iteration {} on: {name} is {} there, {} here",
            value(there_row, 0),
            value(there_row, 1),
            value(there_row, i),
            value(here_row, i)
        ));
    }
    let (a, b) = (there.rows.len(), here.rows.len());
    (a != b).then(|| format!("the trace has {} there, {b} here", counted(a as u64, "row")))
}

fn read_result(path: &Path) -> Result<Json, Failure> {
    let text = fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    serde_json::from_slice(&text).map_err(|error| Failure::unreadable(path, &error))
}

fn read_trace(path: &Path) -> Result<Rows, Failure> {
    let read = csv::Reader::from_path(path).and_then(|mut reader| rows(&mut reader));
    read.map_err(|error| Failure::unreadable(path, &error))
}

/// A writer that compares what is written with a file, line by line.
struct Compared {
    file: BufReader<File>,
    /// The number of lines compared so far.
    line: u64,
    pending: Vec<u8>,
    /// The number of the first line that differs, from 1.
    differs: Option<u64>,
}

impl Compared {
    /// `None` if there is no such file, or if it was written by a resumed run and therefore starts at a later
    /// iteration.
    fn open(path: &Path) -> Result<Option<Self>, Failure> {
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

    fn difference(&mut self) -> Option<String> {
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
    use super::*;

    fn trace(text: &str) -> Rows {
        rows(&mut csv::Reader::from_reader(text.as_bytes())).unwrap()
    }

    #[test]
    fn the_earliest_iteration_is_said() {
        let head = "run,iteration,seconds,best\n";
        let there = trace(&format!("{head}0,0,0.1,1\n0,9,0.2,0.5\n1,0,0,1\n1,5,0,-0.0\n"));
        let same = trace(&format!("{head}0,0,7,1\n0,9,8,0.5\n1,0,9,1\n1,5,9,-0.0\n"));
        assert_eq!(first_difference(&there, &same), None);
        let here = trace(&format!("{head}0,0,0.1,1\n0,9,0.2,0.25\n1,0,0,1\n1,5,0,0.0\n"));
        let said = first_difference(&there, &here).unwrap();
        assert_eq!(said, "run 1 from iteration 5 on: best is -0.0 there, 0.0 here");
        let shorter = trace(&format!("{head}0,0,0.1,1\n"));
        assert_eq!(
            first_difference(&there, &shorter).unwrap(),
            "the trace has 4 rows there, 1 here"
        );
    }

    #[test]
    fn numbers_differ_by_a_bit() {
        let value = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        let check = |a: &str, b: &str| difference("runs", &value(a), &value(b));
        assert_eq!(check("[{\"x\":[0.1]}]", "[{\"x\":[0.1]}]"), None);
        let said = check("[{\"x\":[0.1]}]", "[{\"x\":[0.10000000000000002]}]").unwrap();
        assert_eq!(said, "runs[0].x[0] is 0.1 there, 0.10000000000000002 here");
        assert!(check("[0.0]", "[-0.0]").is_some());
        assert!(check("[\"NaN\"]", "[0.0]").is_some());
        assert!(check("[1, 2]", "[1]").is_some());
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
