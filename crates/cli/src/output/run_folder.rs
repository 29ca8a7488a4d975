//! The folder in which a run is stored.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use warpswarm::{Event, Precise, Report};

use super::folder::{Folder, Out, closed};
use super::json::Solved;
use super::{population, trace};
use crate::failure::Failure;
use crate::problem::Problem;
use crate::run::Run;

/// Everything that is needed to repeat the run.
pub(crate) const RUN: &str = "run.toml";
/// The same content as `--json`.
pub(crate) const RESULT: &str = "result.json";
/// The trace of the runs.
pub(crate) const TRACE: &str = "trace.csv";
/// The populations.
pub(crate) const POPULATION: &str = "population.csv";

/// The trace as Parquet, if the program was built with this feature.
const PARQUET: &str = "trace.parquet";

/// All files of the folder.
const FILES: [&str; 5] = [RUN, RESULT, TRACE, POPULATION, PARQUET];

/// The folder of a run while it is being written.
pub(crate) struct RunFolder {
    folder: Folder,
    populations: Option<Out>,
    headed: bool,
}

impl RunFolder {
    /// Refuses an existing folder, unless it is the folder of a run and may be replaced.
    pub(crate) fn check(path: &Path, force: bool) -> Result<(), Failure> {
        Folder::check(path, force, ("run", RUN))
    }

    /// Starts a folder, with the populations or without. Its path must have been checked.
    pub(crate) fn new(path: &Path, has_populations: bool) -> Result<Self, Failure> {
        let folder = Folder::new(path, &FILES)?;
        let populations = has_populations.then(|| folder.create(POPULATION)).transpose()?;
        Ok(RunFolder { folder, populations, headed: false })
    }

    /// Stores the populations of an event.
    pub(crate) fn see<R: Precise>(
        &mut self,
        event: &Event<'_, R>,
        problem: &Problem,
    ) -> Result<(), Failure> {
        self.keep(event, problem).map_err(|error| self.folder.named(error.into()))
    }

    fn keep<R: Precise>(&mut self, event: &Event<'_, R>, problem: &Problem) -> io::Result<()> {
        if let (Event::Populations(populations), Some(out)) = (event, &mut self.populations) {
            for shown in *populations {
                if !self.headed {
                    let dimensions = shown.positions.len() / shown.fitness.len();
                    population::write_header(dimensions, out)?;
                    self.headed = true;
                }
                population::write(shown, problem, out)?;
            }
        }
        Ok(())
    }

    /// Writes the remaining files and moves the folder to its final path.
    pub(crate) fn finish<R: Precise + Serialize>(
        self,
        run: &Run,
        report: &Report<R>,
    ) -> Result<(), Failure> {
        let RunFolder { folder, populations, .. } = self;
        if let Some(out) = populations {
            closed(out).map_err(|error| folder.named(error.into()))?;
        }
        folder.file(RUN, |out| Ok(out.write_all(run.to_lines()?.as_bytes())?))?;
        folder.file(RESULT, |out| Ok(Solved::new(run, report).write(out)?))?;
        folder.file(TRACE, |out| Ok(trace::write(report, out)?))?;
        #[cfg(feature = "parquet")]
        folder.file(PARQUET, |out| super::parquet::write(report, out))?;
        folder.done()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use clap::Parser;
    use warpswarm::faults::{self, Call};
    use warpswarm::{Algorithm, Precision, Settings, Stop};

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::problem::Said;

    /// Stores a run of this many iterations in a folder.
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
        let run = Run::new(problem, Algorithm::Pso(Default::default()), Precision::F64, settings);
        let mut optimiser = run.problem.optimiser::<f64>(&run.algorithm, &run.settings)?;
        RunFolder::check(path, args.output.force)?;
        let mut folder = RunFolder::new(path, args.output.population_every.is_some())?;
        let mut seen = Ok(());
        let report = optimiser.run_observed(&mut |event, _| {
            if seen.is_ok() {
                seen = folder.see(&event, &run.problem);
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

    /// Lets each step of writing a folder fail once. Afterwards the previous contents must be unchanged, and nothing
    /// may remain beside the folder.
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
    fn what_is_not_a_runs_stays() {
        let all = tempfile::tempdir().unwrap();
        let path = all.path().join("kept");
        keep(&path, 3).unwrap();
        let before = files(&path);
        fs::write(path.join("notes.txt"), "mine").unwrap();
        // A folder that another process is writing, or has left behind.
        let other = all.path().join("kept.1.warpswarm-part");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("run.toml"), "another's").unwrap();
        keep(&path, 4).unwrap();
        assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
        assert_eq!(fs::read_to_string(other.join("run.toml")).unwrap(), "another's");
        assert_eq!(fs::read_dir(&path).unwrap().count(), 5);
        assert_ne!(files(&path), before);
        #[cfg(unix)]
        {
            let link = all.path().join("link");
            std::os::unix::fs::symlink(&path, &link).unwrap();
            keep(&link, 3).unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read(path.join(RUN)).unwrap(), before[2].1);
        }
    }

    #[test]
    fn every_step_of_writing_a_folder_fails_once() {
        let faults = check(false) + check(true);
        println!("reliability: faults injected into folders = {faults}");
        println!("reliability: faults survived in folders = {faults}");
    }
}
