//! Pictures of what `solve` did: `--plot`.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use warpswarm::{Error, Optimiser, Precise, Report, RunReport, Settings, StopReason};
use warpswarm_pictures::{
    Better, Final, Finals, Format, Frame, Group, Kind, Model, Parameter, Picture, Plane, Record,
    Series, animation, constraints, convergence, distribution, fit, frames, parameters, population,
};

use crate::failure::Failure;
use crate::files::{Output, Written};
use crate::problem::Problem;
use crate::run::Run;
use crate::shown;
use crate::trace::{Row, rows_of};

/// Frames of a swarm that moves, at most.
const FRAMES: u64 = 48;

/// The format that the name of a file asks for whose picture does not move.
pub(crate) fn still(path: &Path) -> Result<Format, &'static str> {
    let format = Format::of(path).filter(|format| *format != Format::Gif);
    format.ok_or("allowed: a file that ends in .svg or .png")
}

/// A picture to draw.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    path: PathBuf,
    kind: Kind,
    format: Format,
}

impl Plot {
    /// What the file's name asks for.
    pub(crate) fn of(path: OsString) -> Result<Plot, String> {
        let path = PathBuf::from(path);
        let (kind, format) = Kind::of(&path).map_err(|error| error.to_string())?;
        Ok(Plot { path, kind, format })
    }

    /// Whether it shows how runs went.
    pub(crate) fn needs_history(&self) -> bool {
        matches!(self.kind, Kind::Convergence(_))
    }

    /// Whether it shows individuals.
    pub(crate) fn shows_individuals(&self) -> bool {
        matches!(self.kind, Kind::Population | Kind::Swarm)
    }

    fn check(&self, problem: &Problem) -> Result<(), Failure> {
        let (path, id, dimensions) = (self.path.display(), problem.id(), problem.dimensions());
        let refuse = |why: String| Err(Failure::Input(format!("--plot is {path}: {why}")));
        match self.kind {
            Kind::Population | Kind::Swarm if dimensions != 2 => {
                refuse(format!("{id} has {dimensions} dimensions here; allowed: 2 (--dim)"))
            }
            Kind::Constraints if problem.constraint_names().is_empty() => refuse(format!(
                "{id} has no constraints; allowed: a problem with constraints, such as spring"
            )),
            Kind::Fit if problem.with_models().is_none() => refuse(format!(
                "{id} has no model over data; allowed: a problem file with [ode], or with many numbers in [let], as in \
                 `model = \"a * t[i] for i in t\"`"
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Plot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// Whether all pictures can be drawn.
pub(crate) fn check(plots: &[Plot], problem: &Problem) -> Result<(), Failure> {
    plots.iter().try_for_each(|plot| plot.check(problem))
}

/// What was asked for and done.
pub(crate) struct Done<'a, R> {
    pub(crate) run: &'a Run,
    pub(crate) report: &'a Report<R>,
    /// See [`end`].
    pub(crate) end: Option<Frame>,
}

/// Where the individuals of the best run are at its end, where a picture shows that and they have been evaluated.
pub(crate) fn end<R: Precise>(
    plots: &[Plot],
    optimiser: &mut Optimiser<R>,
    report: &Report<R>,
) -> Result<Option<Frame>, Failure> {
    if !plots.iter().any(|plot| plot.kind == Kind::Population) {
        return Ok(None);
    }
    let swarms = match optimiser.state() {
        Err(Error::NotPlaced) => return Ok(None),
        swarms => swarms?,
    };
    let place = best_run(report);
    Ok(Some(frame(report.runs[place].iterations, &swarms[place], optimiser)))
}

/// The place of the best run in the batch.
fn best_run<R: Precise>(report: &Report<R>) -> usize {
    let best = report.best();
    report.runs.iter().position(|run| std::ptr::eq(&run.best, best)).unwrap_or(0)
}

impl<R: Precise> Done<'_, R> {
    /// Draws each picture into its file.
    pub(crate) fn draw(&self, plots: &[Plot], files: &[Output], written: &mut Written) {
        let is_interrupted =
            self.report.runs.iter().any(|run| run.stop_reason == StopReason::Interrupted);
        for (plot, file) in plots.iter().zip(files) {
            let why = match plot.kind {
                Kind::Swarm if is_interrupted => {
                    "after an interrupt, as that takes the run once more"
                }
                Kind::Population if self.end.is_none() => {
                    "where not all first individuals have been evaluated"
                }
                _ => "",
            };
            if !why.is_empty() {
                let shown = shown::message(&plot.to_string());
                let _ = writeln!(io::stderr(), "warning: --plot {shown} is not drawn {why}");
                continue;
            }
            let drawn =
                self.bytes(plot).and_then(|drawn| drawn.map_err(|error| file.failed(&error)));
            written.note(drawn.and_then(|bytes| file.write(&mut |out| out.write_all(&bytes))));
        }
    }

    fn bytes(&self, plot: &Plot) -> Result<Result<Vec<u8>, warpswarm_pictures::Error>, Failure> {
        let title = self.title();
        let picture = match plot.kind {
            Kind::Convergence(along) => {
                let group = Group { name: String::new(), runs: records(self.report) };
                convergence(&title, &[group], along, self.better())
            }
            Kind::Distribution => distribution(&title, &self.finals()),
            Kind::Parameters => parameters(&title, &self.parameters()),
            Kind::Constraints => constraints(&title, &self.constraints()),
            Kind::Fit => self.fit(&title)?,
            Kind::Population => {
                let end = self.end.as_ref().ok_or(Error::NotPlaced)?;
                population(&title, &plane(&self.run.problem), end)
            }
            Kind::Swarm if plot.format == Format::Gif => {
                return Ok(animation(&title, &plane(&self.run.problem), &self.frames(FRAMES)?));
            }
            Kind::Swarm => frames(&title, &plane(&self.run.problem), &self.frames(6)?),
        };
        Ok(picture.bytes(plot.format))
    }

    fn title(&self) -> String {
        let Run { problem, algorithm, settings, .. } = self.run;
        let dimensions = problem.dimensions();
        let dimensions =
            format!("{dimensions} dimension{}", if dimensions == 1 { "" } else { "s" });
        let (id, algorithm) = (problem.id(), algorithm.info().id);
        let Settings { individuals, seed, .. } = settings;
        format!("{id}, {dimensions}: {algorithm}, {individuals} individuals, seed {seed}")
    }

    fn better(&self) -> Better {
        if self.report.maximised { Better::More } else { Better::Less }
    }

    fn finals(&self) -> Finals {
        let bests = self.report.runs.iter().map(|run| &run.best);
        let last = bests
            .map(|b| Final { value: b.value.to_f64(), violation: b.violation.to_f64() })
            .collect();
        let (name, groups) = (String::new(), vec![(String::new(), last)]);
        Finals { name, better: self.better(), groups }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let values =
            |i: usize| self.report.runs.iter().map(|run| run.best.position[i].to_f64()).collect();
        let bounds = self.run.problem.bounds();
        let bounds = bounds.lower().iter().zip(bounds.upper());
        let parameter = |(i, (lower, upper)): (usize, (&f64, &f64))| Parameter {
            name: self.run.problem.labelled(i),
            bounds: (*lower, *upper),
            values: values(i),
        };
        bounds.enumerate().map(parameter).collect()
    }

    /// Each constraint at the best point of each run.
    fn constraints(&self) -> Vec<(String, Vec<f64>)> {
        let problem = &self.run.problem;
        let best = |run: &RunReport<R>| problem.constraints(&run.best.position);
        let found: Vec<_> = self.report.runs.iter().map(best).collect();
        let of = |i: usize| found.iter().filter_map(|g| Some(g.get(i)?.1.to_f64())).collect();
        let names = problem.constraint_names().into_iter().enumerate();
        names.map(|(i, name)| (name.to_string(), of(i))).collect()
    }

    /// Models at the best point beside the data.
    fn fit(&self, title: &str) -> Result<Picture, Failure> {
        let best: Vec<f64> = self.report.best().position.iter().map(|x| x.to_f64()).collect();
        let file = self.run.problem.with_models();
        let found = file.map_or(Ok(None), |file| file.fit(&best))?;
        let (over, models) = found.map_or_else(Default::default, |fit| (fit.over, fit.models));
        let series = |(name, points)| Series { name, points };
        let model = |model: warpswarm::problem_file::Model| Model {
            line: series((model.name, model.points)),
            data: model.data.into_iter().map(series).collect(),
        };
        Ok(fit(title, &over, &models.into_iter().map(model).collect::<Vec<_>>()))
    }

    /// The best run once more, which gives the same points, from its beginning to its end.
    fn frames(&self, count: u64) -> Result<Vec<Frame>, Failure> {
        let run = &self.report.runs[best_run(self.report)];
        let settings = Settings {
            runs: 1,
            first_run: run.run,
            backend: self.report.backend,
            record_every: None,
            records_at_most: None,
            record_statistics: false,
            populations_every: None,
            ..self.run.settings.clone()
        };
        let mut optimiser = self.run.problem.optimiser::<R>(&self.run.algorithm, &settings)?;
        let mut frames: Vec<Frame> = Vec::new();
        let mut done = 0;
        for iteration in moments(run.iterations, count) {
            optimiser.step(iteration - done)?;
            done = iteration;
            let swarms = optimiser.state()?;
            frames.extend(swarms.first().map(|swarm| frame(iteration, swarm, &optimiser)));
        }
        Ok(frames)
    }
}

/// A problem in two dimensions.
pub(crate) fn plane(problem: &Problem) -> Plane {
    let corner = |bounds: &[f64]| [bounds[0], bounds[1]];
    let value = |point: [f64; 2]| {
        let found = problem.fitness(&point);
        (found.value, found.violation == 0.0)
    };
    let (lower, upper) = (corner(problem.bounds().lower()), corner(problem.bounds().upper()));
    Plane::new([0, 1].map(|i| problem.labelled(i)), lower, upper, value)
}

/// So many iterations from the first to the last, the nearer together the earlier: most happens early.
fn moments(last: u64, count: u64) -> Vec<u64> {
    let part = |i: u64| i as f64 / (count - 1) as f64;
    let mut moments: Vec<u64> =
        (0..count).map(|i| (last as f64 * part(i).powi(2)).round() as u64).collect();
    moments.dedup();
    moments
}

fn frame<R: Precise>(
    iteration: u64,
    swarm: &warpswarm::Swarm<R>,
    optimiser: &warpswarm::Optimiser<R>,
) -> Frame {
    let point = |row: &[R]| {
        let x = optimiser.natural(&row[..swarm.dimensions]);
        [x[0].to_f64(), x[1].to_f64()]
    };
    let fitness = swarm.best.iter().enumerate();
    let best = fitness.min_by_key(|(_, fitness)| fitness.ordered()).map_or(0, |(best, _)| best);
    // Methods keep only what individuals have taken for good.
    let places = if swarm.positions.is_empty() { &swarm.best_positions } else { &swarm.positions };
    Frame {
        iteration,
        points: places.chunks(swarm.stride).map(point).collect(),
        best: point(&swarm.best_positions[best * swarm.stride..]),
    }
}

/// How each run went.
fn records<R: Precise>(report: &Report<R>) -> Vec<Vec<Record>> {
    let record = |row: Row<R>| Record {
        iteration: row.iteration,
        evaluations: row.evaluations,
        seconds: row.seconds,
        value: row.best.to_f64(),
        violation: row.violation.to_f64(),
    };
    (0..report.runs.len()).map(|run| rows_of(report, run).map(record).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_go_from_the_first_to_the_last_iteration() {
        assert_eq!(moments(100, 2), [0, 100]);
        assert_eq!(moments(100, 5), [0, 6, 25, 56, 100]);
        assert_eq!(moments(2, 48), [0, 1, 2]);
        assert_eq!(moments(0, 48), [0]);
        assert_eq!(moments(1_000_000, FRAMES).len(), 48);
    }
}
