//! `warpswarm checkpoint`: shows the contents of a checkpoint without resuming it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::{Backend, Fitness, Precise, Precision, StopReason};
use warpswarm_pictures::{counted, grouped};

use super::resume;
use crate::args::{CheckpointArgs, PlaceArgs};
use crate::failure::{Code, Failure, SUCCESS};
use crate::output::number::Number;
use crate::output::summary;
use crate::run::Run;
use crate::runs::ended::{self, Ended};
use crate::runs::islands;
use crate::shown;

/// Reads a checkpoint and prints its contents.
pub(crate) fn run(args: &CheckpointArgs) -> Result<Code, Failure> {
    let looked = looked(args)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &looked).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        looked.write(&mut out)?;
    }
    out.flush()?;
    Ok(SUCCESS)
}

/// The contents of a checkpoint, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct Looked {
    file: PathBuf,
    /// Always true: a damaged checkpoint is refused.
    intact: bool,
    bytes: u64,
    /// The version of the program that began the run.
    version: String,
    /// When the file was last modified, in seconds since 1970-01-01 00:00 UTC.
    written: Option<u64>,
    /// The time since then.
    age_seconds: Option<u64>,
    problem: String,
    dimensions: usize,
    maximised: bool,
    algorithm: String,
    precision: &'static str,
    seed: u64,
    individuals: u64,
    runs: u64,
    /// The number of islands: that of the runs, or 0.
    islands: u64,
    iterations: u64,
    iterations_limit: Option<u64>,
    /// The sum over all runs; `None` for islands.
    evaluations: Option<u64>,
    evaluations_limit: Option<u64>,
    seconds: f64,
    seconds_limit: Option<f64>,
    target: Option<Number<f64>>,
    /// The limit of iterations without an improvement.
    stagnation: Option<u64>,
    /// Why each run has ended; `None` for a run that continues.
    stop_reasons: Vec<Option<StopReason>>,
    best: Best,
    resume: String,
    /// What the text says instead of the reasons, and of the command.
    #[serde(skip)]
    in_words: [String; 2],
}

/// The best point of all runs.
#[derive(Debug, Serialize)]
struct Best {
    value: Number<f64>,
    violation: Number<f64>,
    /// The value as text in the precision of the run.
    #[serde(skip)]
    text: String,
}

/// Reads the checkpoint that the arguments select.
pub(crate) fn looked(args: &CheckpointArgs) -> Result<Looked, Failure> {
    let path = &args.file;
    if path.is_dir() {
        let (run, kept) = resume::opened_folder(path)?;
        let own = 0..kept.islands();
        let found = match run.precision {
            Precision::F32 => Found::of_islands(&run, kept.checkpoint::<f32>(own)?)?,
            Precision::F64 => Found::of_islands(&run, kept.checkpoint::<f64>(own)?)?,
        };
        let bytes = kept.paths().filter_map(|file| Some(fs::metadata(file).ok()?.len())).sum();
        return Ok(Looked::of(path, kept.paths().next(), bytes, &run, found));
    }
    let (run, file) = resume::opened(path)?;
    let found = match run.precision {
        Precision::F32 => Found::of(&run, file.checkpoint::<f32>()?)?,
        Precision::F64 => Found::of(&run, file.checkpoint::<f64>()?)?,
    };
    let bytes = fs::metadata(path).map_or(0, |of| of.len());
    Ok(Looked::of(path, Some(path), bytes, &run, found))
}

/// The progress of the runs.
struct Found {
    iterations: u64,
    evaluations: Option<u64>,
    seconds: f64,
    best: Best,
    ended: Ended,
}

impl Found {
    /// The progress of runs in a file, as seen by an optimiser that resumes them on the CPU.
    fn of<R: Precise + DeserializeOwned>(
        run: &Run,
        checkpoint: warpswarm::Checkpoint<R>,
    ) -> Result<Found, Failure> {
        let run = here(run);
        let seconds = checkpoint.seconds;
        let mut optimiser = run.problem.optimiser::<R>(&run.algorithm, &run.settings)?;
        optimiser.resume(checkpoint)?;
        let progress = optimiser.progress()?;
        let evaluations = progress.runs.iter().map(|run| run.evaluations).sum();
        let iterations = progress.runs.iter().map(|run| run.iterations).max().unwrap_or(0);
        let best = Best::of(progress.best());
        let report = optimiser.report(StopReason::Interrupted)?;
        // The limit of seconds includes the placement.
        let ended = Ended::of(&report, &run.settings.stop, seconds + report.setup_seconds);
        Ok(Found { iterations, evaluations: Some(evaluations), seconds, best, ended })
    }

    /// The progress of islands, whose states contain the best points.
    fn of_islands<R: Precise + Serialize + DeserializeOwned>(
        run: &Run,
        checkpoint: warpswarm::Checkpoint<R>,
    ) -> Result<Found, Failure> {
        let states = &checkpoint.states;
        let best = states.iter().map(|swarm| swarm.found().0.fitness.exact());
        let best = best.min_by_key(|fitness| fitness.ordered()).unwrap_or(Fitness::WORST);
        let is_turned = run.settings.maximise || run.problem.maximises();
        let value = if is_turned { -best.value } else { best.value };
        let iterations = states.iter().map(|swarm| swarm.control.iterations).max().unwrap_or(0);
        let (seconds, best) = (checkpoint.seconds, Best::of(Fitness { value, ..best }));
        let report = islands::interrupted(&here(run), checkpoint)?;
        let ended = Ended::of(&report, &run.settings.stop, seconds);
        Ok(Found { iterations, evaluations: None, seconds, best, ended })
    }
}

/// The same run on the CPU of this machine.
fn here(run: &Run) -> Run {
    let place = PlaceArgs { backend: Some(Backend::Cpu), ..PlaceArgs::default() };
    run.clone().at(&place)
}

impl Best {
    fn of<R: Precise>(best: Fitness<R>) -> Best {
        let text = match best.violation == R::ZERO {
            true => format!("{:?}", best.value),
            false => format!("{:?}, violation {:?}, not feasible", best.value, best.violation),
        };
        let [value, violation] = [best.value, best.violation].map(|x| Number(x.to_f64()));
        Best { value, violation, text }
    }
}

impl Looked {
    fn of(path: &Path, dated: Option<&Path>, bytes: u64, run: &Run, found: Found) -> Looked {
        let modified = dated.and_then(|path| fs::metadata(path).ok()?.modified().ok());
        let written = modified.and_then(|at| Some(at.duration_since(UNIX_EPOCH).ok()?.as_secs()));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let settings = &run.settings;
        let instance = run.problem.instance().map(|number| format!(", instance {number}"));
        Looked {
            file: path.into(),
            intact: true,
            bytes,
            version: run.version.clone(),
            written,
            age_seconds: written.map(|written| now.saturating_sub(written)),
            problem: format!("{}{}", run.problem.id(), instance.unwrap_or_default()),
            dimensions: run.problem.dimensions(),
            maximised: settings.maximise || run.problem.maximises(),
            algorithm: summary::algorithms(run),
            precision: run.precision.name(),
            seed: settings.seed,
            individuals: settings.individuals,
            runs: settings.runs,
            islands: run.islands.as_ref().map_or(0, |islands| islands.count),
            iterations: found.iterations,
            iterations_limit: settings.stop.iterations,
            evaluations: found.evaluations,
            evaluations_limit: settings.stop.evaluations,
            seconds: found.seconds,
            seconds_limit: settings.stop.seconds,
            target: settings.stop.target.map(Number),
            stagnation: settings.stop.stagnation,
            in_words: [found.ended.state(), found.ended.to_continue(&settings.stop, path)],
            stop_reasons: found.ended.0,
            best: found.best,
            resume: ended::resume(path),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut line = |name: &str, text: &str| writeln!(out, "{name:<12}{}", shown::escaped(text));
        let size = counted(self.bytes, "byte");
        line("checkpoint", &format!("{}: intact, {size}", self.file.display()))?;
        let age = self.age_seconds.map_or("at an unknown time".into(), ago);
        line("written", &format!("{age}, begun by warpswarm {}", self.version))?;
        let dimensions = counted(self.dimensions as u64, "dimension");
        let maximised = if self.maximised { ", maximised" } else { "" };
        line("problem", &format!("{}, {dimensions}{maximised}", self.problem))?;
        let Looked { algorithm, precision, seed, .. } = self;
        let individuals = counted(self.individuals, "individual");
        line("algorithm", &format!("{algorithm}, {individuals}, {precision}, seed {seed}"))?;
        match (self.islands, self.runs) {
            (0, 1) => {}
            (0, runs) => line("runs", &counted(runs, "run"))?,
            (islands, _) => line("islands", &islands.to_string())?,
        }
        line("best value", &self.best.text)?;
        let of = |limit: Option<u64>| {
            limit.map_or(String::new(), |limit| format!(" of at most {}", grouped(limit as f64, 0)))
        };
        let iterations = counted(self.iterations, "iteration");
        let evaluations = self.evaluations.map_or(String::new(), |count| {
            let limit = self.evaluations_limit.and_then(|limit| limit.checked_mul(self.runs));
            format!(", {}{}", counted(count, "evaluation"), of(limit))
        });
        let limit = of(self.iterations_limit);
        line("work", &format!("{iterations}{limit}{evaluations}"))?;
        let limit = self.seconds_limit.map(|limit| format!(", of at most {limit} s"));
        line("time", &format!("{:.3} s so far{}", self.seconds, limit.unwrap_or_default()))?;
        if let Some(Number(target)) = self.target {
            line("target", &format!("{target:?}"))?;
        }
        if let Some(most) = self.stagnation {
            line(
                "stagnation",
                &format!("after {} without improvement", counted(most, "iteration")),
            )?;
        }
        let [state, resume] = &self.in_words;
        line("state", state)?;
        line("resume", resume)
    }
}

/// The time since then, in a single unit.
fn ago(seconds: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    // A unit is used from two of it, so that rounding matters little.
    let unit = UNITS.into_iter().find(|(length, _)| seconds >= 2 * length).unwrap_or((1, "second"));
    format!("{} ago", counted(seconds / unit.0, unit.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_one_unit() {
        let all = [0, 1, 119, 120, 7199, 7200, 172_799, 172_800].map(ago);
        let expected = [
            "0 seconds ago",
            "1 second ago",
            "119 seconds ago",
            "2 minutes ago",
            "119 minutes ago",
            "2 hours ago",
            "47 hours ago",
            "2 days ago",
        ];
        assert_eq!(all, expected);
    }
}
