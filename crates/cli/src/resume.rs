//! `warpswarm resume`.

use serde::de::DeserializeOwned;
use warpswarm::{CheckpointFile, MAX_ITERATIONS, Precise, Precision, Stop};

use crate::args::ResumeArgs;
use crate::failure::{Code, Failure};
use crate::files::Files;
use crate::islands;
use crate::perform::perform;
use crate::ranks::Ranks;
use crate::run::Run;

/// Goes on from a checkpoint.
pub(crate) fn run(ranks: &Ranks, args: &ResumeArgs) -> Result<Code, Failure> {
    if ranks.are_many() || args.file.is_dir() {
        return islands::resume(ranks, args);
    }
    let (run, file) = asked(args)?;
    let mut output = args.output.clone();
    output.checkpoint.get_or_insert_with(|| args.file.clone());
    let mut files = Files::new();
    files.reads("the checkpoint that is gone on from", &args.file);
    perform(run, Some(&file), &output, files)
}

/// The run that is gone on with, and where it was left.
pub(crate) fn asked(args: &ResumeArgs) -> Result<(Run, CheckpointFile), Failure> {
    let file = CheckpointFile::open(&args.file)?;
    let mut run = Run::from_toml(file.about(), &args.file)?.at(&args.place);
    let precision = run.precision;
    on(&mut run, args, || match precision {
        Precision::F32 => iterations::<f32>(&file),
        Precision::F64 => iterations::<f64>(&file),
    })?;
    Ok((run, file))
}

/// Has a run go on for as long as the arguments say, from where it is.
pub(crate) fn on(
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
