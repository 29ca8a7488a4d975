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
use crate::problem::Problem;
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

pub(crate) type Out = BufWriter<Written<File>>;

/// All that a run's folder has; whatever else is in one is its user's.
pub(crate) const FILES: [&str; 5] = [RUN, RESULT, TRACE, POPULATION, "trace.parquet"];

/// A folder that is being written, beside the place where it will be.
pub(crate) struct Folder {
    /// As it was given.
    shown: PathBuf,
    /// Without links.
    path: PathBuf,
    part: PathBuf,
    replaces: bool,
    /// All that such a folder has.
    files: &'static [&'static str],
    populations: Option<Out>,
    headed: bool,
}

impl Folder {
    /// Refuses a folder that is there already, unless it is a run's and to be replaced.
    pub(crate) fn check(path: &Path, args: &OutputArgs) -> Result<(), Failure> {
        Folder::check_of(path, args.force, ("run", RUN))
    }

    /// The same of what has a file of this name in its folder.
    pub(crate) fn check_of(
        path: &Path,
        force: bool,
        (what, file): (&str, &str),
    ) -> Result<(), Failure> {
        let there = path.symlink_metadata().is_ok();
        let shown = path.display();
        if there && !force {
            return Err(Failure::Input(format!(
                "--out is {shown}, which exists; allowed: a folder that does not, or --force to replace a {what}'s"
            )));
        }
        if there && !path.join(file).is_file() {
            return Err(Failure::Input(format!(
                "--out is {shown}, which exists and is no {what}'s folder; allowed with --force: a folder with a {file}"
            )));
        }
        if path.file_name().is_none() {
            return Err(Failure::file("--out", path, &io::Error::other("it has no name")));
        }
        // Whether it can be made.
        Folder::beside(path)
            .and_then(fs::remove_dir)
            .map_err(|error| Failure::file("--out", path, &error))
    }

    /// A new folder beside a path.
    fn beside(path: &Path) -> io::Result<PathBuf> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        before(Call::Create)?;
        unused(&path, PART, |part| fs::create_dir(part))
    }

    /// Begins a folder, which has been checked.
    pub(crate) fn new(path: &Path, args: &OutputArgs) -> Result<Self, Failure> {
        let mut folder = Folder::of(path, &FILES)?;
        if args.population_every.is_some() {
            folder.populations = Some(folder.create(POPULATION)?);
        }
        Ok(folder)
    }

    /// Begins a folder that has these files, of which some may not be there.
    pub(crate) fn of(path: &Path, files: &'static [&'static str]) -> Result<Self, Failure> {
        let shown = path.to_owned();
        let part = Folder::beside(path).map_err(|error| Failure::file("--out", path, &error))?;
        let (path, replaces) = match fs::canonicalize(path) {
            Ok(path) => (path, true),
            Err(_) => (path.into(), false),
        };
        let (populations, headed) = (None, false);
        Ok(Folder { shown, path, part, replaces, files, populations, headed })
    }

    /// Writes a file in it.
    pub(crate) fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut Out) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let done = self.create(name).and_then(|mut out| {
            write(&mut out)?;
            Ok(closed(out)?)
        });
        done.map_err(|failure| self.named(failure))
    }

    /// Puts it where it belongs.
    pub(crate) fn done(self) -> Result<(), Failure> {
        self.put().map_err(|error| self.named(error.into()))
    }

    fn create(&self, name: &str) -> Result<Out, Failure> {
        let file = before(Call::Create).and_then(|()| File::create(self.part.join(name)));
        file.map(|file| BufWriter::new(Written(file)))
            .map_err(|error| Failure::file("--out", &self.shown, &error))
    }

    /// Keeps the populations that an event shows.
    pub(crate) fn see<R: Precise>(
        &mut self,
        event: &Event<'_, R>,
        problem: &Problem,
    ) -> Result<(), Failure> {
        self.keep(event, problem).map_err(|error| self.named(error.into()))
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
                Failure::Running(format!("--out {}: {message}", self.shown.display()))
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
        let old = unused(&self.path, "warpswarm-old", |old| match old.exists() {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => rename(&self.path, old),
        })?;
        if let Err(error) = rename(&self.part, &self.path) {
            // What was there goes back to its place.
            fs::rename(&old, &self.path)?;
            return Err(error);
        }
        for entry in fs::read_dir(&old)? {
            let (from, name) = {
                let entry = entry?;
                (entry.path(), entry.file_name())
            };
            match self.files.iter().any(|file| name == *file) {
                true => fs::remove_file(from)?,
                // It is no run's.
                false => fs::rename(from, self.path.join(name))?,
            }
        }
        fs::remove_dir(&old)
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

/// How a folder's name ends that is not whole yet.
const PART: &str = "warpswarm-part";

/// Removes what runs that were killed have left beside a path, at which no other run is.
pub(crate) fn clear_away(path: &Path) {
    for number in 1.. {
        if fs::remove_dir_all(numbered(path, number, PART)).is_err() {
            break;
        }
    }
}

/// `DIR.NUMBER.ending`, without a slash at its end.
fn numbered(path: &Path, number: u64, ending: &str) -> PathBuf {
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(format!(".{number}.{ending}"));
    name.into()
}

/// What `make` makes of the first path `DIR.NUMBER.ending`, in the same folder, at which nothing is.
fn unused(
    path: &Path,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    for number in 1.. {
        let name = numbered(path, number, ending);
        match make(&name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use warpswarm::{Algorithm, Precision, Settings, Stop, faults};

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::problem::Said;

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
        let run = Run::new(problem, Algorithm::Pso(Default::default()), Precision::F64, settings);
        let mut optimiser = run.problem.optimiser::<f64>(&run.algorithm, &run.settings)?;
        Folder::check(path, &args.output)?;
        let mut folder = Folder::new(path, &args.output)?;
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
    fn what_is_not_a_runs_stays() {
        let all = tempfile::tempdir().unwrap();
        let path = all.path().join("kept");
        keep(&path, 3).unwrap();
        let before = files(&path);
        fs::write(path.join("notes.txt"), "mine").unwrap();
        // What another process is writing, or has left.
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
