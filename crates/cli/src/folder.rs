//! The folder in which a run is kept: it is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
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

/// A folder that is being written, beside the place where it will be.
pub(crate) struct Folder {
    path: PathBuf,
    part: PathBuf,
    replaces: bool,
    populations: Option<BufWriter<File>>,
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
        cleared.and_then(|()| fs::create_dir(&part)).map_err(failed)?;
        let mut folder =
            Folder { path: path.into(), part, replaces: there, populations: None, headed: false };
        if args.population_every.is_some() {
            folder.populations = Some(folder.create(POPULATION)?);
        }
        Ok(folder)
    }

    fn create(&self, name: &str) -> Result<BufWriter<File>, Failure> {
        let file = File::create(self.part.join(name));
        file.map(BufWriter::new).map_err(|error| Failure::file("--out", &self.path, &error))
    }

    /// Keeps the populations that an event shows.
    pub(crate) fn see<R: Precise>(&mut self, event: &Event<'_, R>) -> Result<(), Failure> {
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
            return fs::rename(&self.part, &self.path);
        }
        let old = beside(&self.path, "warpswarm-old");
        if old.exists() {
            fs::remove_dir_all(&old)?;
        }
        fs::rename(&self.path, &old)?;
        fs::rename(&self.part, &self.path)?;
        fs::remove_dir_all(&old)
    }
}

/// What was not finished goes.
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.part);
    }
}

fn closed(out: BufWriter<File>) -> io::Result<()> {
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// `DIR.ending`, in the same folder.
fn beside(path: &Path, ending: &str) -> PathBuf {
    // Without a slash at its end.
    let mut name = path.components().as_path().as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
