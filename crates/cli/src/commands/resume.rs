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

/// Resumes a run from a checkpoint.
pub(crate) fn run(ranks: &Ranks, args: &ResumeArgs) -> Result<Code, Failure> {
    if ranks.are_many() || args.file.is_dir() {
        return run_islands(ranks, args);
    }
    let (run, file) = asked(args)?;
    let (output, files) = outputs(args);
    perform(run, Some(&file), &output, files)
}

/// Resumes islands from a folder of checkpoints.
fn run_islands(ranks: &Ranks, args: &ResumeArgs) -> Result<Code, Failure> {
    let (run, kept) = ranks.agree("", asked_islands(args, ranks.others().size()))?;
    let (output, files) = outputs(args);
    islands::perform(ranks, run, Some((&kept, &args.file)), &output, files)
}

/// The outputs, including further checkpoints, and the files that are read.
fn outputs(args: &ResumeArgs) -> (OutputArgs, Files) {
    let mut output = args.output.clone();
    output.checkpoint.get_or_insert_with(|| args.file.clone());
    let mut files = Files::new();
    files.reads("the checkpoint that is gone on from", &args.file);
    (output, files)
}

/// Opens a checkpoint file and reads the definition of its run.
pub(crate) fn opened(path: &Path) -> Result<(Run, CheckpointFile), Failure> {
    let file = CheckpointFile::open(path)?;
    Ok((Run::from_toml(file.about(), path)?, file))
}

/// The run to resume, and its checkpoint.
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

/// Opens a folder of checkpoints and reads the definition of its islands.
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

/// The islands to resume on this number of ranks, and their checkpoints.
fn asked_islands(args: &ResumeArgs, ranks: u32) -> Result<(Run, CheckpointFolder), Failure> {
    let path = args.file.display();
    if args.file.is_file() {
        return Err(Failure::Input(format!(
            "{path} is a file, which one process resumes; leave out `mpirun`, or name a folder that --checkpoint has \
             written with --islands"
        )));
    }
    let (run, kept) = opened_folder(&args.file)?;
    let islands = kept.islands();
    if ranks > islands {
        return Err(Failure::Input(format!(
            "{path} has {islands} islands, but {ranks} ranks were started; allowed: at most {islands} ranks"
        )));
    }
    let mut run = run.at(&args.place);
    go_on(&mut run, args, || Ok(kept.iterations()))?;
    islands::check_output(&args.output)?;
    Ok((run, kept))
}

/// Sets the number of further iterations, if the arguments contain one.
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

/// The largest number of iterations of the runs.
fn iterations<R: Precise + DeserializeOwned>(file: &CheckpointFile) -> Result<u64, Failure> {
    let states = file.checkpoint::<R>()?.states;
    Ok(states.iter().map(|swarm| swarm.control.iterations).max().unwrap_or(0))
}
