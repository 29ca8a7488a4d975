//! Swarms whose particles the ranks of `mpirun` share: `solve` with `--split`.

use std::env;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Error, Exchange, Peers, Precise, Precision};
use warpswarm_islands::SplitSwarm;

use crate::args::{OutputArgs, ProgressKind};
use crate::failure::{Code, Failure};
use crate::files::Files;
use crate::islands::check_individuals;
use crate::perform::{self, Outputs, exit_code};
use crate::progress::Display;
use crate::ranks::{Ranks, in_words};
use crate::run::Run;

/// Set to `off`, on any rank, it has hosts exchange what devices find.
const NCCL: &str = "WARPSWARM_NCCL";

/// What is not gathered from the ranks can be neither shown nor kept.
pub(crate) fn check_output(args: &OutputArgs) -> Result<(), Failure> {
    check_individuals(args, "with --split on several processes")?;
    match &args.checkpoint {
        None => Ok(()),
        Some(path) => Err(Failure::Input(format!(
            "--checkpoint is {}; allowed: nothing with --split on several processes, none of which has all individuals",
            path.display()
        ))),
    }
}

/// Does a run from its beginning on all ranks, and writes what the arguments ask for.
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
    perform::prepare(&mut run, args);
    // How a population lies nobody knows who does not have all of it.
    run.settings.record_statistics = false;
    let mut settings = run.settings.clone();
    settings.devices = ranks.devices(&settings);
    let about = run.to_toml();
    let what = about.as_ref().map_or("", String::as_str).to_owned();
    let ready = about.and_then(|_| {
        Peers::own(&settings).map_err(without_gpu)?;
        // The first rank writes what all have found.
        let outputs =
            ranks.is_first().then(|| Outputs::open(&run, args, &mut files)).transpose()?;
        Ok((perform::interrupt()?, outputs))
    });
    let (interrupt, outputs) = ranks.agree(&what, ready)?;
    settings.stop.interrupt = Some(interrupt);

    let mut optimiser = |settings: &_| {
        let made = run.problem.optimiser::<R>(&run.algorithm, settings);
        made.map_err(|error| in_words(error.into()))
    };
    let swarm = SplitSwarm::new(ranks.others(), exchange(), &settings, &mut optimiser);
    let mut swarm = swarm.map_err(|error| ranks.failed(error))?;
    let shown = ranks.is_first() && !args.quiet;
    let kind = if shown { args.progress } else { ProgressKind::None };
    let mut display = Display::new(kind, run.settings.stop.seconds);
    let report = swarm.run_observed(&mut |event, runs| display.see(&event, runs));
    let report = report.map_err(|error| ranks.failed(error))?;
    drop(display);

    let written = perform::finish_by_first(outputs, &run, &report, args);
    ranks.agree("", written)?;
    Ok(exit_code(&report))
}

/// What to say where there is no device: the CPU does not do instead.
fn without_gpu(error: Error) -> Failure {
    if error.is_input() {
        return error.into();
    }
    Failure::Running(format!(
        "--split on several processes needs a GPU for each: {error} (`warpswarm doctor` says what is missing)"
    ))
}

fn exchange() -> Exchange {
    match env::var_os(NCCL) {
        Some(value) if value == "off" => Exchange::Host,
        _ => Exchange::Fastest,
    }
}
