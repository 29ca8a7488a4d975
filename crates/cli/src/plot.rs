//! Pictures of what `solve` did: `--plot`.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use warpswarm::{Error, Optimiser, Precise, Report, RunReport, Settings, Swarm};
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

mod moving;

pub(crate) use moving::Moving;

/// Frames of a swarm that moves, at most.
const FRAMES: usize = 48;
/// Panels of a swarm that moves, at most.
const PANELS: usize = 6;

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

    /// Whether it shows individuals while they move.
    fn moves(&self) -> bool {
        self.kind == Kind::Swarm
    }

    fn check(&self, problem: &Problem, runs: u64) -> Result<(), Failure> {
        let (path, id, dimensions) = (self.path.display(), problem.id(), problem.dimensions());
        let refuse = |why: String| Err(Failure::Input(format!("--plot is {path}: {why}")));
        match self.kind {
            Kind::Population | Kind::Swarm if dimensions != 2 => {
                refuse(format!("{id} has {dimensions} dimensions here; allowed: 2 (--dim)"))
            }
            Kind::Swarm if runs > moving::RUNS => {
                refuse(format!("there are {runs} runs; allowed: at most {} (--runs)", moving::RUNS))
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
pub(crate) fn check(plots: &[Plot], run: &Run) -> Result<(), Failure> {
    plots.iter().try_for_each(|plot| plot.check(&run.problem, run.settings.runs))
}

/// What was asked for and done.
pub(crate) struct Done<'a, R> {
    pub(crate) run: &'a Run,
    pub(crate) report: &'a Report<R>,
    /// See [`end`].
    pub(crate) end: Option<Frame>,
    pub(crate) moving: Option<Moving>,
}

/// Where the individuals of the best run are at its end, where a picture shows that and they have been evaluated.
pub(crate) fn end<R: Precise>(
    plots: &[Plot],
    optimiser: &mut Optimiser<R>,
    report: &Report<R>,
) -> Result<Option<Frame>, Failure> {
    if !plots.iter().any(Plot::shows_individuals) {
        return Ok(None);
    }
    let swarms = match optimiser.state() {
        Err(Error::NotPlaced) => return Ok(None),
        swarms => swarms?,
    };
    let place = best_run(report);
    Ok(Some(frame(&swarms[place], &|x| optimiser.natural(x), usize::MAX)))
}

/// The place of the best run in the batch.
fn best_run<R: Precise>(report: &Report<R>) -> usize {
    let best = report.best();
    report.runs.iter().position(|run| std::ptr::eq(&run.best, best)).unwrap_or(0)
}

impl<R: Precise> Done<'_, R> {
    /// Draws each picture into its file.
    pub(crate) fn draw(&self, plots: &[Plot], files: &[Output], written: &mut Written) {
        for (plot, file) in plots.iter().zip(files) {
            if plot.shows_individuals() && self.end.is_none() {
                let shown = shown::message(&plot.to_string());
                let why = "where not all first individuals have been evaluated";
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
                return Ok(animation(&title, &plane(&self.run.problem), &self.frames(FRAMES)));
            }
            Kind::Swarm => frames(&title, &plane(&self.run.problem), &self.frames(PANELS)),
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

    /// The best run from where it began to where it ended.
    fn frames(&self, count: usize) -> Vec<Frame> {
        let moving = self.moving.as_ref();
        moving.map_or(Vec::new(), |moving| moving.frames(best_run(self.report), count))
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

/// A run as it is now, with so many individuals at most.
fn frame<R: Precise>(swarm: &Swarm<R>, natural: &dyn Fn(&[R]) -> Vec<R>, at_most: usize) -> Frame {
    let point = |row: &[R]| {
        let x = natural(&row[..swarm.dimensions]);
        [x[0].to_f64(), x[1].to_f64()]
    };
    let fitness = swarm.best.iter().enumerate();
    let best = fitness.min_by_key(|(_, fitness)| fitness.ordered()).map_or(0, |(best, _)| best);
    let every = swarm.best.len().div_ceil(at_most).max(1);
    // Methods keep only what individuals have taken for good.
    let places = if swarm.positions.is_empty() { &swarm.best_positions } else { &swarm.positions };
    Frame {
        iteration: swarm.control.iterations,
        individuals: swarm.best.len() as u64,
        points: places.chunks(swarm.stride).step_by(every).map(point).collect(),
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
