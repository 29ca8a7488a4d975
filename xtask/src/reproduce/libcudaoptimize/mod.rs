//! The libCudaOptimize paper: Figures 4 and 5, the times of its first case study.
//!
//! * [`paper`]: settings and claims of the paper; [`models`]: the models to fit; [`methods`]: the compared
//!   implementations.
//! * [`runs`]: times, and a check that all implementations find the same; [`sets`]: both sets at once and one by one.
//! * [`results`]: tables; [`notes`]: conclusions; [`figures`]: plots.

use anyhow::Result;

use super::Options;
use super::measure::{self, Plan};
use super::page::{Figure, Page};
use super::table::{integer, number};

mod figures;
mod methods;
mod models;
mod notes;
mod paper;
mod results;
mod runs;
mod sets;

use methods::{Bench, Sets, Size};
use results::Results;
use runs::Point;

/// Runs the measurements and creates the page.
pub(crate) fn reproduce(options: &Options) -> Result<Page> {
    let bench = Bench::new(options)?;
    let generations = paper::ALONG_GENERATIONS.map(|generations| (generations, paper::PARTICLES));
    let particles = paper::ALONG_PARTICLES.map(|particles| (paper::GENERATIONS, particles));
    let results = Results {
        processor: measure::processor(),
        methods: bench.methods(),
        generations: points(options, &bench, &generations)?,
        particles: points(options, &bench, &particles)?,
        turns: turns(options, &bench)?,
    };
    let figure = |name, title: &str, svg| Figure { name, title: title.into(), svg };
    Ok(Page {
        title: "libCudaOptimize, reproduced".into(),
        method: method(options),
        tables: results.tables().into(),
        figures: vec![
            figure(
                "figure-4",
                "Figure 4: execution time over generations",
                figures::figure_4(&results)?,
            ),
            figure(
                "figure-5",
                "Figure 5: execution time over particles",
                figures::figure_5(&results)?,
            ),
        ],
        records: vec![results.times(), results.values(), sets::records(&results.turns)],
    })
}

fn repetitions(options: &Options) -> u64 {
    if options.quick { 3 } else { paper::REPETITIONS }
}

/// Measures the points of one figure, with progress messages on stderr.
fn points(options: &Options, bench: &Bench, sizes: &[(u64, u64)]) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for &(generations, particles) in sizes {
        let size = Size { generations, particles };
        let plan = Plan {
            least: 1,
            most: generations,
            repetitions: repetitions(options),
            seconds: options.budget,
        };
        let mut ask = |method, load| bench.ask(method, Sets::Both, particles, load);
        let point = runs::point(bench.methods(), size, &plan, &mut ask)?;
        let times = point.timed.iter().map(|t| format!("{} {}", t.method.name(), number(t.time())));
        eprintln!(
            "{:>6} generations, {particles:>3} particles, ms: {}{}",
            integer(generations),
            times.collect::<Vec<_>>().join("; "),
            if point.is_scaled() { " (scaled)" } else { "" },
        );
        points.push(point);
    }
    Ok(points)
}

/// Times both sets at once and one by one.
fn turns(options: &Options, bench: &Bench) -> Result<Vec<sets::Turns>> {
    let plan = Plan {
        least: 1,
        most: paper::GENERATIONS_IN_TURN,
        repetitions: repetitions(options),
        seconds: options.budget / 2.0,
    };
    let mut ask = |method, sets, load| bench.ask(method, sets, paper::PARTICLES, load);
    sets::measure(bench.methods(), &plan, &mut ask)
}

/// A short description of the method.
fn method(options: &Options) -> String {
    let repetitions = repetitions(options);
    let limit = match options.budget {
        seconds if seconds.is_finite() => format!(
            " Where the {repetitions} repetitions of one implementation would take more than {seconds} s, all do \
             fewer generations, and the row is marked *."
        ),
        _ => String::new(),
    };
    format!(
        "The time of a whole run: PSO with libCudaOptimize's coefficients (preset libcudaoptimize) fits two \
         deformable models to an image, each by a set of solutions of its own, both sets at once. The models have 16 \
         and 14 parameters; the vector of the second has two more, which its bounds fix at 0. The paper's image and \
         models are not public. Ours are the problem image-registration, with data and bounds for each run. \
         {repetitions} repetitions of each size.{limit}"
    )
}
