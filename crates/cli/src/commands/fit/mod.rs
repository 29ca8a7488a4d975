//! `warpswarm fit`: fits models to data.
//!
//! * `done`: the results; `table`: text for people; `records`: JSON, CSV and, with the feature, Parquet for programs.
//! * `draw`: pictures; `page`: a web page; `progress`: the progress display.

mod done;
mod draw;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod progress;
mod records;
mod table;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::Serialize;
use warpswarm::fit::FitSettings;
use warpswarm::problem_file::{DataSets, Layout, ProblemFile};
use warpswarm::{Error, Precise, Precision};
use warpswarm_pictures::counted;

use crate::args::{FitArgs, ProgressKind};
use crate::failure::{Code, Failure, SUCCESS};
use crate::output::files::{Files, Output, Written, is_stdout};
use crate::output::folder::Folder;
use crate::problem::Problem;
use crate::shown;
use done::Done;

const CSV: &str = "fits.csv";
/// The same content as `--json`. Only folders of fits have this file.
pub(crate) const JSON: &str = "fits.json";
/// The web page.
pub(crate) const PAGE: &str = "report.html";
/// All files of a folder of fits.
const FILES: [&str; 7] = [CSV, JSON, "fits.parquet", draw::ONE, draw::MANY, draw::PARAMETERS, PAGE];

/// Carries out the fits and writes the requested outputs.
pub(crate) fn run(args: &FitArgs) -> Result<Code, Failure> {
    let (sets, settings) = asked(args)?;
    let warnings = match args.precision {
        Precision::F32 => sets.problem.warnings::<f32>(),
        Precision::F64 => sets.problem.warnings::<f64>(),
    };
    for warning in warnings {
        let _ = writeln!(io::stderr(), "warning: {}", shown::escaped(&warning));
    }
    match args.precision {
        Precision::F32 => perform::<f32>(args, &sets, &settings),
        Precision::F64 => perform::<f64>(args, &sets, &settings),
    }
}

/// The data sets to fit, and the settings.
pub(crate) fn asked(args: &FitArgs) -> Result<(DataSets, FitSettings), Failure> {
    let sets = sets(args)?;
    let settings = settings(args, &sets)?;
    Ok((sets, settings))
}

/// Reads the model and its data.
fn sets(args: &FitArgs) -> Result<DataSets, Failure> {
    let name = args.model.to_string_lossy();
    if !Problem::is_file(&name) {
        return Err(Failure::Input(format!(
            "MODEL is {name}; allowed: a problem file, which ends in .toml"
        )));
    }
    let layout = match &args.group {
        Some(column) => Layout::Groups(column),
        None if args.wide => Layout::Wide,
        None => Layout::One,
    };
    let sets = ProblemFile::load_data_sets(&args.model, args.data.as_deref(), layout)?;
    if !sets.problem.fits_models() {
        return Err(Failure::Input(format!(
            "{name} has no model to fit; allowed: fit = \"y ~ ...\" in place of minimise or maximise, or `warpswarm solve` for this \
             file"
        )));
    }
    Ok(sets)
}

fn settings(args: &FitArgs, sets: &DataSets) -> Result<FitSettings, Failure> {
    let DataSets { problem, names, rows, .. } = sets;
    let bounds = problem.bounds();
    let free = bounds.lower().iter().zip(bounds.upper()).filter(|(lower, upper)| lower < upper);
    let free = free.count();
    let few = rows.iter().position(|&rows| (rows as usize) < free);
    if let Some((at, name)) = few.and_then(|at| Some((at, names.get(at)?))) {
        return Err(Failure::Input(format!(
            "{} `{name}` has {}; allowed: at least {free}, as many as there are parameters to be found",
            if args.wide { "column" } else { "group" },
            counted(rows[at].into(), "row")
        )));
    }
    let is_ragged = rows.iter().any(|count| *count != rows[0]);
    let small = |number: Option<u64>| number.map(|number| number as u32);
    Ok(FitSettings {
        start: if args.polish_only { start(args, problem)? } else { Vec::new() },
        limits: Vec::new(),
        absolute_sigma: args.absolute_sigma,
        rows: if is_ragged { rows.clone() } else { Vec::new() },
        ftol: args.ftol,
        xtol: args.xtol,
        gtol: args.gtol,
        evaluations: small(args.evaluations),
        starts: small(args.starts),
        samples: small(args.samples),
        seed: args.seed,
        backend: args.backend,
        threads: args.threads.map(|threads| threads as usize),
    })
}

/// The start of a fit without a search: the first guess in the file.
fn start(args: &FitArgs, problem: &ProblemFile) -> Result<Vec<f64>, Failure> {
    let guesses = problem.guesses();
    let bounds = problem.bounds();
    let ends = bounds.lower().iter().zip(bounds.upper()).enumerate();
    let of = |(i, (&lower, &upper)): (usize, (&f64, &f64))| {
        if lower == upper {
            return Ok(lower);
        }
        let guess = guesses.first().map_or(f64::NAN, |guess| guess[i]);
        if guess.is_nan() {
            return Err(Failure::Input(format!(
                "--polish-only: {}: variable `{}` has no start; allowed: start = ... of every variable, or a fit without --polish-only, \
                 which searches",
                args.model.display(),
                problem.coordinate(i).unwrap_or_default()
            )));
        }
        Ok(guess)
    };
    ends.map(of).collect()
}

fn perform<R: Precise + Serialize>(
    args: &FitArgs,
    sets: &DataSets,
    settings: &FitSettings,
) -> Result<Code, Failure> {
    // Checked before the work, so that an unwritable path costs no time.
    let mut files = Files::new();
    let json = outputs(args, &mut files)?;
    let kind = if args.quiet { ProgressKind::None } else { args.progress };
    let done = Arc::new(AtomicU64::new(0));
    let total = sets.problem.runs().unwrap_or(1);
    let fits = progress::shown(kind, total, &done, || {
        sets.problem.fit_models_counted::<R>(settings, &done)
    });
    let fits = fits.map_err(|error| in_words(error, &args.model))?;
    let DataSets { problem, names, rows, left_out } = sets;
    let done = Done { args, problem, names, rows, left_out: *left_out, fits };
    let mut written = Written::default();
    if let Some(file) = json {
        written.note(file.write(&mut |out| done.json(out)));
    }
    let kept =
        args.out.as_deref().map(|path| Ok::<_, Failure>((path, done.keep(path)?))).transpose();
    let mut out = io::stdout().lock();
    let shown = if args.json.as_deref().is_some_and(is_stdout) {
        done.json(&mut io::BufWriter::new(out))
    } else if args.quiet {
        Ok(())
    } else {
        out.write_all(done.table().as_bytes()).and_then(|()| match &kept {
            Ok(Some((path, files))) => {
                writeln!(out, "{:<12}{}: {}", "written to", path.display(), files.join(", "))
            }
            _ => Ok(()),
        })
    };
    written.note(kept.map(|_| ()));
    written.note(shown.map_err(Failure::from));
    written.result()?;
    Ok(SUCCESS)
}

/// Checks that everything can be written; returns the file for JSON.
fn outputs(args: &FitArgs, files: &mut Files) -> Result<Option<Output>, Failure> {
    files.reads_problem(&args.model.to_string_lossy());
    if let Some(data) = &args.data {
        files.reads("the data", data);
    }
    let json = args.json.as_deref().filter(|path| !is_stdout(path));
    let json = json.map(|path| files.output("--json", path)).transpose()?;
    if let Some(path) = &args.out {
        files.folder("--out", path)?;
        Folder::check(path, args.force, ("fit", JSON))?;
    }
    Ok(json)
}

/// The message for an error in the model or its data, rather than in an option.
fn in_words(error: Error, model: &Path) -> Failure {
    let model = model.display();
    match error {
        Error::Setting { field: "rows", value, allowed } => {
            Failure::Input(format!("{model}: the data have {value} rows; allowed: {allowed}"))
        }
        Error::Setting { field: field @ ("parameters" | "scale" | "start"), value, allowed } => {
            Failure::Input(format!("{model}: {field} is {value}; allowed: {allowed}"))
        }
        error => error.into(),
    }
}

impl<R: Precise + Serialize> Done<'_, R> {
    /// Writes the folder, and returns the names of its files.
    fn keep(&self, path: &Path) -> Result<Vec<&'static str>, Failure> {
        let folder = Folder::new(path, &FILES)?;
        folder.file(CSV, |out| Ok(self.csv(out)?))?;
        folder.file(JSON, |out| Ok(self.json(out)?))?;
        #[cfg(feature = "parquet")]
        folder.file("fits.parquet", |out| self.parquet(out))?;
        let mut files = vec![CSV, JSON];
        #[cfg(feature = "parquet")]
        files.push("fits.parquet");
        for (name, picture) in self.pictures()? {
            files.push(name);
            folder.file(name, |out| {
                let svg = picture.svg().map_err(|error| Failure::Running(error.to_string()))?;
                Ok(out.write_all(svg.as_bytes())?)
            })?;
        }
        let page = self.page(files.clone())?;
        folder.file(PAGE, |out| Ok(out.write_all(page.as_bytes())?))?;
        folder.done()?;
        files.push(PAGE);
        Ok(files)
    }
}
