//! Pictures of the results of `solve`: `--plot`.

mod individuals;
mod moving;
mod plane;

use std::io::{self, Write};

use warpswarm::{Error, Optimiser, Precise, Report, RunReport, Settings};
use warpswarm_islands::Islands;
use warpswarm_pictures::{
    Better, Final, Finals, Format, Frame, Group, Kind, Model, Parameter, Picture, Record, Series,
    animation, constraints, convergence, counted, distribution, fit, frames, parameters,
    population,
};

use super::files::{Files, Output, Written};
use super::summary;
use super::trace::{Row, rows_of};
use crate::args::{Named, Plot};
use crate::failure::Failure;
use crate::problem::Problem;
use crate::run::Run;
use crate::shown;
use individuals::frame;
pub(crate) use moving::Moving;
use moving::{FRAMES, RUNS};
pub(crate) use plane::plane;

/// The largest number of panels in a picture of a moving swarm.
const PANELS: usize = 6;

/// Checks that all pictures can be drawn.
pub(crate) fn check(plots: &[Plot<Kind>], run: &Run) -> Result<(), Failure> {
    plots.iter().try_for_each(|plot| check_one(plot, &run.problem, run.settings.runs))
}

fn check_one(plot: &Plot<Kind>, problem: &Problem, runs: u64) -> Result<(), Failure> {
    let (path, id, dimensions) = (plot.path.display(), problem.id(), problem.dimensions());
    let refuse = |why: String| Err(Failure::Input(format!("--plot is {path}: {why}")));
    match plot.kind {
        Kind::Population | Kind::Swarm if dimensions != 2 => {
            let dimensions = counted(dimensions as u64, "dimension");
            refuse(format!("{id} has {dimensions} here; allowed: 2 (--dim)"))
        }
        Kind::Swarm if runs > RUNS => {
            refuse(format!("there are {runs} runs; allowed: at most {} (--runs)", RUNS))
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

/// The files of all pictures.
pub(crate) fn outputs<K>(plots: &[Plot<K>], files: &mut Files) -> Result<Vec<Output>, Failure> {
    plots.iter().map(|plot| files.output("--plot", &plot.path)).collect()
}

/// Writes a finished picture to its file. Unless `is_quiet`, also prints what it shows.
pub(crate) fn write<K: Named>(
    plot: &Plot<K>,
    file: &Output,
    drawn: Drawn,
    is_quiet: bool,
) -> Result<(), Failure> {
    let bytes = drawn.map_err(|error| file.failed(&error))?;
    file.write(&mut |out| out.write_all(&bytes))?;
    if !is_quiet {
        let name = plot.to_string();
        writeln!(io::stdout(), "wrote {}: {}", shown::escaped(&name), plot.kind.shows())?;
    }
    Ok(())
}

/// The bytes of a picture, or the reason why it cannot be drawn.
pub(crate) type Drawn = Result<Vec<u8>, warpswarm_pictures::Error>;

/// A run and its results.
pub(crate) struct Done<'a, R> {
    pub(crate) run: &'a Run,
    pub(crate) report: &'a Report<R>,
    /// See [`end`].
    pub(crate) end: Option<Frame>,
    pub(crate) moving: Option<Moving>,
}

/// The positions of the individuals in the best run at its end, if a picture shows them and they have been evaluated.
pub(crate) fn end<R: Precise>(
    plots: &[Plot<Kind>],
    optimiser: &mut Optimiser<R>,
    report: &Report<R>,
) -> Result<Option<Frame>, Failure> {
    if !plots.iter().any(Plot::<Kind>::shows_individuals) {
        return Ok(None);
    }
    let swarms = match optimiser.state() {
        Err(Error::NotPlaced) => return Ok(None),
        swarms => swarms?,
    };
    let place = best_run(report);
    Ok(Some(frame(&swarms[place], &|x| optimiser.natural(x), usize::MAX)))
}

/// The index of the best run in the batch.
fn best_run<R: Precise>(report: &Report<R>) -> usize {
    let best = report.best();
    report.runs.iter().position(|run| std::ptr::eq(&run.best, best)).unwrap_or(0)
}

impl<R: Precise> Done<'_, R> {
    /// Draws each picture and writes its file.
    pub(crate) fn draw(
        &self,
        plots: &[Plot<Kind>],
        files: &[Output],
        is_quiet: bool,
        written: &mut Written,
    ) {
        for (plot, file) in plots.iter().zip(files) {
            if plot.shows_individuals() && self.end.is_none() {
                let shown = shown::message(&plot.to_string());
                let why = "where not all first individuals have been evaluated";
                let _ = writeln!(io::stderr(), "warning: --plot {shown} is not drawn {why}");
                continue;
            }
            written.note(self.bytes(plot).and_then(|drawn| write(plot, file, drawn, is_quiet)));
        }
    }

    fn bytes(&self, plot: &Plot<Kind>) -> Result<Drawn, Failure> {
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
        let Run { problem, islands, settings, .. } = self.run;
        let dimensions = counted(problem.dimensions() as u64, "dimension");
        let Settings { individuals, seed, .. } = *settings;
        let algorithms = summary::algorithms(self.run);
        let (algorithms, sizes) = match islands {
            None => (algorithms, vec![individuals]),
            Some(Islands { count, inhabitants, .. }) => {
                let sizes = inhabitants.iter().map(|inhabitants| inhabitants.individuals);
                (format!("{} of {algorithms}", counted(*count, "island")), sizes.collect())
            }
        };
        let (least, most) =
            sizes.iter().fold((u64::MAX, 0), |(low, high), &size| (size.min(low), size.max(high)));
        let individuals = match least == most {
            true => counted(most, "individual"),
            false => format!("{least} to {}", counted(most, "individual")),
        };
        format!("{}, {dimensions}: {algorithms}, {individuals}, seed {seed}", problem.id())
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

    /// The value of each constraint at the best point of each run.
    fn constraints(&self) -> Vec<(String, Vec<f64>)> {
        let problem = &self.run.problem;
        let best = |run: &RunReport<R>| problem.constraints(&run.best.position);
        let found: Vec<_> = self.report.runs.iter().map(best).collect();
        let of = |i: usize| found.iter().filter_map(|g| Some(g.get(i)?.1.to_f64())).collect();
        let names = problem.constraint_names().into_iter().enumerate();
        names.map(|(i, name)| (name.to_string(), of(i))).collect()
    }

    /// The frames of the best run, from its start to its end.
    fn frames(&self, count: usize) -> Vec<Frame> {
        let moving = self.moving.as_ref();
        moving.map_or(Vec::new(), |moving| moving.frames(best_run(self.report), count))
    }

    /// The models at the best point, together with the data.
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

/// The records of each run.
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
