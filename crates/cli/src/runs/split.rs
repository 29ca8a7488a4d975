//! Swarms whose particles are split over the ranks of `mpirun`: `solve` with `--split`.

use std::env;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Error, Exchange, Peers, Precise, Precision};
use warpswarm_islands::SplitSwarm;

use super::interrupt;
use super::outputs::{check_individuals, prepare};
use super::ranks::{Ranks, in_words};
use super::shared::Shared;
use crate::args::OutputArgs;
use crate::failure::{Code, Failure};
use crate::output::files::Files;
use crate::run::Run;

/// If this environment variable is `off` on any rank, the ranks exchange results through the hosts, not through NCCL.
const NCCL: &str = "WARPSWARM_NCCL";

/// Refuses outputs whose data is not gathered from the ranks.
pub(crate) fn check_output(args: &OutputArgs) -> Result<(), Failure> {
    check_individuals(args, "with --split on several processes")?;
    match &args.checkpoint {
        None => Ok(()),
        Some(path) => Err(Failure::Input(format!(
            "--checkpoint is {}, but with --split on several processes no process has all individuals; leave it out, or \
             use one process",
            path.display()
        ))),
    }
}

/// Carries out a run from the start on all ranks, and writes the requested outputs.
pub(crate) fn perform(
    ranks: &Ranks,
    run: Run,
    args: &OutputArgs,
    files: Files,
) -> Result<Code, Failure> {
    match run.precision {
        Precision::F32 => in_precision::<f32>(ranks, run, args, files),
        Precision::F64 => in_precision::<f64>(ranks, run, args, files),
    }
}

fn in_precision<R: Precise + Serialize + DeserializeOwned>(
    ranks: &Ranks,
    mut run: Run,
    args: &OutputArgs,
    mut files: Files,
) -> Result<Code, Failure> {
    prepare(&mut run, args);
    // The statistics describe the whole population, which no rank has.
    run.settings.record_statistics = false;
    let shared = Shared { ranks, run: &run, args };
    let mut settings = run.settings.clone();
    settings.devices = ranks.devices(&settings);
    let (interrupt, outputs) = shared.made(|_| {
        Peers::own(&settings).map_err(without_gpu)?;
        let outputs = shared.outputs(&mut files)?;
        Ok((interrupt::flag()?, outputs))
    })?;
    settings.stop.interrupt = Some(interrupt);

    let mut optimiser = |settings: &_| {
        let made = run.problem.optimiser::<R>(&run.algorithm, settings);
        made.map_err(|error| in_words(error.into()))
    };
    let swarm = SplitSwarm::new(ranks.others(), exchange(), &settings, &mut optimiser);
    let mut swarm = swarm.map_err(|error| ranks.failed(error))?;
    let mut display = shared.display();
    let report = swarm.run_observed(&mut |event, runs| display.see(&event, runs));
    let report = report.map_err(|error| ranks.failed(error))?;
    drop(display);
    shared.finish(outputs, &report, Ok(()))
}

/// The failure if a rank has no GPU: the CPU does not replace it.
fn without_gpu(error: Error) -> Failure {
    if error.is_input() {
        return error.into();
    }
    Failure::Running(format!(
        "--split on several processes needs a GPU for each: {error} (`warpswarm doctor` says what is missing; \
         `--islands` works without GPUs)"
    ))
}

fn exchange() -> Exchange {
    match env::var_os(NCCL) {
        Some(value) if value == "off" => Exchange::Host,
        _ => Exchange::Fastest,
    }
}
