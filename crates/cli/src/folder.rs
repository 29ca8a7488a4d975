//! The folder in which a run is kept: it is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use warpswarm::faults::{Call, Written, before};
use warpswarm::{Event, Precise, Report};

use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::json::Solved;
use crate::run::Run;
use crate::{population, trace};

/// Everything needed to repeat the run.
pub(crate) const RUN: &str = "run.toml";
/// What `--json` writes.
pub(crate) const RESULT: &str = "result.json";
/// How the runs went.
pub(crate) const TRACE: &str = "trace.csv";
/// The individuals.
pub(crate) const POPULATION: &str = "population.csv";

type Out = BufWriter<Written<File>>;

/// A folder that is being written, beside the place where it will be.
pub(crate) struct Folder {
    path: PathBuf,
    part: PathBuf,
    replaces: bool,
    populations: Option<Out>,
    headed: bool,
}

impl Folder {
    /// Begins a folder; one that is there already is refused, unless it is a run's and to be replaced.
    pub(crate) fn new(path: &Path, args: &OutputArgs) -> Result<Self, Failure> {
        let there = path.symlink_metadata().is_ok();
        let shown = path.display();
        if there && !args.force {
            return Err(Failure::Input(format!(
                "--out is {shown}, which exists; allowed: a folder that does not, or --force to replace a run's"
            )));
        }
        if there && !path.join(RUN).is_file() {
            return Err(Failure::Input(format!(
                "--out is {shown}, which exists and is no run's folder; allowed with --force: a folder with a {RUN}"
            )));
        }
        let failed = |error| Failure::file("--out", path, &error);
        if path.file_name().is_none() {
            return Err(failed(io::Error::other("it has no name")));
        }
        let part = beside(path, "warpswarm-part");
        // What an earlier run left that was killed.
        let cleared = if part.exists() { fs::remove_dir_all(&part) } else { Ok(()) };
        let created =
            cleared.and_then(|()| before(Call::Create)).and_then(|()| fs::create_dir(&part));
        created.map_err(failed)?;
        let mut folder =
            Folder { path: path.into(), part, replaces: there, populations: None, headed: false };
        if args.population_every.is_some() {
            folder.populations = Some(folder.create(POPULATION)?);
        }
        Ok(folder)
    }

    fn create(&self, name: &str) -> Result<Out, Failure> {
        let file = before(Call::Create).and_then(|()| File::create(self.part.join(name)));
        file.map(|file| BufWriter::new(Written(file)))
            .map_err(|error| Failure::file("--out", &self.path, &error))
    }

    /// Keeps the populations that an event shows.
    pub(crate) fn see<R: Precise>(&mut self, event: &Event<'_, R>) -> Result<(), Failure> {
        self.keep(event).map_err(|error| self.named(error.into()))
    }

    fn keep<R: Precise>(&mut self, event: &Event<'_, R>) -> io::Result<()> {
        if let (Event::Populations(populations), Some(out)) = (event, &mut self.populations) {
            for shown in *populations {
                if !self.headed {
                    let dimensions = shown.positions.len() / shown.fitness.len();
                    population::write_header(dimensions, out)?;
                    self.headed = true;
                }
                population::write(shown, out)?;
            }
        }
        Ok(())
    }

    /// Writes the rest, and puts the folder where it belongs.
    pub(crate) fn finish<R: Precise + Serialize>(
        mut self,
        run: &Run,
        report: &Report<R>,
    ) -> Result<(), Failure> {
        self.write(run, report).map_err(|failure| self.named(failure))
    }

    /// A failure with the folder's name.
    fn named(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Running(message) => {
                Failure::Running(format!("--out {}: {message}", self.path.display()))
            }
            other => other,
        }
    }

    fn write<R: Precise + Serialize>(
        &mut self,
        run: &Run,
        report: &Report<R>,
    ) -> Result<(), Failure> {
        if let Some(out) = self.populations.take() {
            closed(out)?;
        }
        let mut out = self.create(RUN)?;
        out.write_all(run.to_toml()?.as_bytes())?;
        closed(out)?;
        let mut out = self.create(RESULT)?;
        Solved::new(run, report).write(&mut out)?;
        closed(out)?;
        let mut out = self.create(TRACE)?;
        trace::write(report, &mut out)?;
        closed(out)?;
        #[cfg(feature = "parquet")]
        {
            let mut out = self.create("trace.parquet")?;
            crate::parquet::write(report, &mut out)?;
            closed(out)?;
        }
        Ok(self.put()?)
    }

    fn put(&self) -> io::Result<()> {
        if !self.replaces {
            return rename(&self.part, &self.path);
        }
        let old = beside(&self.path, "warpswarm-old");
        if old.exists() {
            fs::remove_dir_all(&old)?;
        }
        rename(&self.path, &old)?;
        if let Err(error) = rename(&self.part, &self.path) {
            // What was there goes back to its place.
            fs::rename(&old, &self.path)?;
            return Err(error);
        }
        fs::remove_dir_all(&old)
    }
}

/// What was not finished goes.
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.part);
    }
}

fn closed(out: Out) -> io::Result<()> {
    let Written(file) = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    before(Call::Sync)?;
    file.sync_all()
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    before(Call::Rename)?;
    fs::rename(from, to)
}

/// `DIR.ending`, in the same folder.
fn beside(path: &Path, ending: &str) -> PathBuf {
    // Without a slash at its end.
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use warpswarm::{Algorithm, Precision, Settings, Stop, faults};

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::problem::{Problem, Said};

    /// Keeps a run of so many iterations in a folder.
    fn keep(path: &Path, iterations: u64) -> Result<(), Failure> {
        let path_text = path.to_str().unwrap();
        let words = ["warpswarm", "solve", "sphere", "--population-every", "2", "--force", "--out"];
        let words = words.into_iter().chain([path_text]);
        let Command::Solve(args) = Arguments::try_parse_from(words).unwrap().command else {
            panic!("another command");
        };
        let settings = Settings {
            individuals: 100,
            stop: Stop::iterations(iterations),
            record_every: Some(1),
            populations_every: Some(2),
            ..Settings::default()
        };
        let problem = Problem::of("sphere", &Said::default())?;
        let run = Run::new(problem, Algorithm::default(), Precision::F64, settings);
        let mut optimiser = run.problem.optimiser::<f64>(&run.algorithm, &run.settings)?;
        let mut folder = Folder::new(path, &args.output)?;
        let mut seen = Ok(());
        let report = optimiser.run_observed(&mut |event, _| {
            if seen.is_ok() {
                seen = folder.see(&event);
            }
        })?;
        seen?;
        folder.finish(&run.done(&report), &report)
    }

    fn files(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<_> =
            fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
    }

    /// Each step of writing a folder fails once: what was there is there, and nothing beside it.
    fn check(replaces: bool) -> u64 {
        let all = tempfile::tempdir().unwrap();
        let path = all.path().join("kept");
        if replaces {
            keep(&path, 3).unwrap();
        }
        let old = replaces.then(|| files(&path));
        let mut calls = Vec::new();
        for n in 0.. {
            let (done, failed) = faults::at(n, || keep(&path, 4));
            let Some(call) = failed else {
                done.unwrap();
                break;
            };
            let (Failure::Running(message) | Failure::Input(message)) = done.unwrap_err() else {
                panic!("{call:?}: another failure");
            };
            assert!(message.contains(path.to_str().unwrap()), "{call:?}: {message}");
            assert!(message.contains("no space left"), "{call:?}: {message}");
            assert_eq!(path.exists().then(|| files(&path)), old, "{call:?}");
            assert_eq!(
                fs::read_dir(all.path()).unwrap().count(),
                usize::from(replaces),
                "{call:?}"
            );
            calls.push(call);
        }
        assert_ne!(Some(files(&path)), old);
        assert_eq!(fs::read_dir(all.path()).unwrap().count(), 1);
        for call in [Call::Create, Call::Write, Call::Sync, Call::Rename] {
            assert!(calls.contains(&call), "{call:?} has not failed: {calls:?}");
        }
        calls.len() as u64
    }

    #[test]
    fn every_step_of_writing_a_folder_fails_once() {
        let faults = check(false) + check(true);
        println!("reliability: faults injected into folders = {faults}");
        println!("reliability: faults survived in folders = {faults}");
    }
}
