//! `warpswarm resume`.

use std::path::Path;

use serde::de::DeserializeOwned;
use warpswarm::{CheckpointFile, MAX_ITERATIONS, Precise, Precision, Stop};
use warpswarm_islands::CheckpointFolder;

use crate::args::{OutputArgs, ResumeArgs};
use crate::failure::{Code, Failure};
use crate::output::files::Files;
use crate::output::run_folder::RUN;
use crate::run::Run;
use crate::runs::islands;
use crate::runs::perform::perform;
use crate::runs::ranks::Ranks;

/// Goes on from a checkpoint.
pub(crate) fn run(ranks: &Ranks, args: &ResumeArgs) -> Result<Code, Failure> {
    if ranks.are_many() || args.file.is_dir() {
        return run_islands(ranks, args);
    }
    let (run, file) = asked(args)?;
    let (output, files) = outputs(args);
    perform(run, Some(&file), &output, files)
}

/// Goes on from a folder in which epochs are kept.
fn run_islands(ranks: &Ranks, args: &ResumeArgs) -> Result<Code, Failure> {
    let (run, kept) = ranks.agree("", asked_islands(args))?;
    let (output, files) = outputs(args);
    islands::perform(ranks, run, Some((&kept, &args.file)), &output, files)
}

/// What is written, further checkpoints among it, and what is read.
fn outputs(args: &ResumeArgs) -> (OutputArgs, Files) {
    let mut output = args.output.clone();
    output.checkpoint.get_or_insert_with(|| args.file.clone());
    let mut files = Files::new();
    files.reads("the checkpoint that is gone on from", &args.file);
    (output, files)
}

/// A file that a run has left, and which run that is.
pub(crate) fn opened(path: &Path) -> Result<(Run, CheckpointFile), Failure> {
    let file = CheckpointFile::open(path)?;
    Ok((Run::from_toml(file.about(), path)?, file))
}

/// The run that is gone on with, and where it was left.
pub(crate) fn asked(args: &ResumeArgs) -> Result<(Run, CheckpointFile), Failure> {
    let (run, file) = opened(&args.file)?;
    let mut run = run.at(&args.place);
    let precision = run.precision;
    go_on(&mut run, args, || match precision {
        Precision::F32 => iterations::<f32>(&file),
        Precision::F64 => iterations::<f64>(&file),
    })?;
    Ok((run, file))
}

/// A folder that islands have left, and which islands these are.
pub(crate) fn opened_folder(folder: &Path) -> Result<(Run, CheckpointFolder), Failure> {
    let path = folder.display();
    if folder.join(RUN).is_file() {
        return Err(Failure::Input(format!(
            "{path} is a folder that --out has written; allowed: a file or folder that --checkpoint has written. \
             `warpswarm rerun` repeats the run of {path}"
        )));
    }
    let kept = CheckpointFolder::open(folder)?;
    let run = Run::from_toml(kept.about(), folder)?;
    let count = run.islands.as_ref().map(|islands| islands.count);
    if count != Some(kept.islands().into()) || run.precision.name() != kept.precision() {
        return Err(Failure::Input(format!("{path} has other islands than it says")));
    }
    Ok((run, kept))
}

/// The islands that are gone on with, and where they were left.
fn asked_islands(args: &ResumeArgs) -> Result<(Run, CheckpointFolder), Failure> {
    let (run, kept) = opened_folder(&args.file)?;
    let mut run = run.at(&args.place);
    go_on(&mut run, args, || Ok(kept.iterations()))?;
    islands::check_output(&args.output)?;
    Ok((run, kept))
}

/// Has a run go on for as long as the arguments say, from where it is.
fn go_on(
    run: &mut Run,
    args: &ResumeArgs,
    done: impl FnOnce() -> Result<u64, Failure>,
) -> Result<(), Failure> {
    if let Some(more) = args.iterations {
        let done = done()?;
        let iterations = done.checked_add(more).filter(|all| *all <= MAX_ITERATIONS);
        let iterations = iterations.ok_or_else(|| {
            let most = MAX_ITERATIONS - done;
            Failure::Input(format!("--iterations is {more}; allowed: at most {most} more"))
        })?;
        let Stop { target, stagnation, .. } = run.settings.stop;
        run.settings.stop = Stop { target, stagnation, ..Stop::iterations(iterations) };
    }
    Ok(())
}

/// How far the run that is farthest is.
fn iterations<R: Precise + DeserializeOwned>(file: &CheckpointFile) -> Result<u64, Failure> {
    let states = file.checkpoint::<R>()?.states;
    Ok(states.iter().map(|swarm| swarm.control.iterations).max().unwrap_or(0))
}
