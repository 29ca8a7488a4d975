//! `warpswarm solve`: carries out a run that its arguments define.
//!
//! * [`islands`]: the islands of the run; [`start`]: its initial points.

mod islands;
mod start;

use std::io::{self, Write};

use warpswarm::{
    Algorithm, Constraints, Devices, Error, Precision, Schedule, Settings, Stop, algorithms,
};

use crate::args::SolveArgs;
use crate::failure::{Code, Failure};
use crate::output::files::Files;
use crate::problem::{Problem, Said};
use crate::run::Run;
use crate::runs::perform::perform;
use crate::runs::ranks::Ranks;
use crate::runs::{self, split};
use crate::shown;

/// Carries out a run and writes the requested outputs.
pub(crate) fn run(ranks: &Ranks, args: &SolveArgs) -> Result<Code, Failure> {
    let run = ranks.agree("", asked(args, ranks.others().size()))?;
    if ranks.is_first() {
        warn(&match run.precision {
            Precision::F32 => run.problem.warnings::<f32>(),
            Precision::F64 => run.problem.warnings::<f64>(),
        });
    }
    let mut files = Files::new();
    files.reads_problem(&args.problem);
    match run.islands {
        None if ranks.are_many() => split::perform(ranks, run, &args.output, files),
        None => perform(run, None, &args.output, files),
        Some(_) => runs::islands::perform(ranks, run, None, &args.output, files),
    }
}

/// The run that the arguments define on this number of ranks.
pub(crate) fn asked(args: &SolveArgs, ranks: u32) -> Result<Run, Failure> {
    let SolveArgs { dim, shift, lower, upper, instance, .. } = *args;
    let mut problem = Problem::of(&args.problem, &Said { dim, shift, lower, upper, instance })?;
    if let Some(path) = &args.start {
        let points = start::read(path, &problem)?;
        problem = problem.beginning_at(points)?;
    }
    if args.maximise && Problem::is_file(&args.problem) && !problem.maximises() {
        return Err(Failure::Input(format!(
            "--maximise: {} says `minimise`; allowed: `maximise` in the file",
            args.problem
        )));
    }
    let (wanted, mut settings) = (algorithm(args)?, settings(args));
    let migrates = args.islands.islands.is_some();
    let is_split = ranks > 1 && !migrates;
    let whole = Settings { migrates, split: settings.split || is_split, ..settings.clone() };
    let (algorithm, completed) = wanted.completed(&whole, problem.dimensions());
    (settings.individuals, settings.stop) = (completed.individuals, completed.stop);
    let islands = islands::asked(args, &algorithm, ranks)?;
    let usual = || if is_split { Constraints::FeasibleFirst } else { problem.usual_constraints() };
    settings.constraints = args.constraints.unwrap_or_else(usual);
    if ranks > 1 && args.devices.is_none() {
        // Each rank takes one of the GPUs of its machine.
        settings.devices = Devices::All;
    }
    if is_split {
        split::check_output(&args.output)?;
    }
    let because = because(&wanted, &algorithm, &whole, problem.dimensions());
    let mut run = Run::new(problem, algorithm, args.precision, settings);
    run.requests_gpus = args.devices.is_some() || args.split;
    run.because = because.filter(|_| args.islands.island_set.is_empty());
    Ok(match islands {
        Some(islands) => run.with(islands),
        None => run,
    })
}

/// Why another algorithm than the requested one runs: `auto` is replaced where it cannot run.
fn because(
    wanted: &Algorithm,
    algorithm: &Algorithm,
    settings: &Settings,
    dimensions: usize,
) -> Option<String> {
    let [from, to] = [wanted, algorithm].map(|algorithm| algorithm.info().id);
    let reason = match settings {
        _ if from == to => return None,
        Settings { split: true, .. } => "swarms are split with pso only".to_string(),
        Settings { schedule, .. } if !matches!(schedule, Schedule::Auto | Schedule::Resident) => {
            format!("CMA-ES does not run with schedule {schedule}")
        }
        Settings { migrates: true, .. } => "CMA-ES takes no individuals from other islands".into(),
        _ => format!("CMA-ES takes too much time and memory in {dimensions} dimensions"),
    };
    Some(format!("{from} chose {to}, because {reason}"))
}

/// Prints warnings; a closed stderr is ignored.
fn warn(warnings: &[String]) {
    for warning in warnings {
        let _ = writeln!(io::stderr(), "warning: {}", shown::escaped(warning));
    }
}

fn algorithm(args: &SolveArgs) -> Result<Algorithm, Error> {
    let mut algorithm = algorithms::find(&args.algorithm)?.algorithm();
    for (key, value) in &args.parameters {
        algorithm.set(key, value)?;
    }
    Ok(algorithm)
}

fn settings(args: &SolveArgs) -> Settings {
    Settings {
        individuals: args.individuals.unwrap_or(0),
        runs: args.runs,
        seed: args.seed,
        stop: Stop {
            iterations: args.iterations,
            evaluations: args.evaluations,
            seconds: args.seconds,
            target: args.target,
            stagnation: args.stagnation,
            interrupt: None,
        },
        restart: args.restart,
        polish: match (args.polish, args.no_polish) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        backend: args.backend,
        devices: args.devices.clone().unwrap_or_default(),
        split: args.split,
        schedule: args.schedule,
        block_size: args.block_size,
        threads: args.threads.map(|threads| threads as usize),
        maximise: args.maximise,
        ..Settings::default()
    }
}
