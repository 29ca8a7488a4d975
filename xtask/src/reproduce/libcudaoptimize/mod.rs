//! The libCudaOptimize paper: Figures 4 and 5, the times of its first case study.
//!
//! * [`paper`]: what the paper says; [`methods`]: what is compared, in the program's words.
//! * [`runs`]: timing, and seeing that all implementations find the same.
//! * [`results`]: tables; [`notes`]: what the numbers say; [`figures`]: drawing.

use anyhow::Result;

use super::Options;
use super::measure::{self, Plan};
use super::page::{Figure, Page};
use super::program::Program;
use super::table::{integer, number};

mod figures;
mod methods;
mod notes;
mod paper;
mod results;
mod runs;

use methods::{Bench, Size};
use results::Results;
use runs::Point;

/// Measures and draws.
pub(crate) fn reproduce(options: &Options, program: &Program) -> Result<Page> {
    let bench = Bench::new(options, program);
    let generations = paper::ALONG_GENERATIONS.map(|generations| (generations, paper::PARTICLES));
    let particles = paper::ALONG_PARTICLES.map(|particles| (paper::GENERATIONS, particles));
    let results = Results {
        processor: measure::processor(),
        methods: bench.methods(),
        generations: points(options, &bench, &generations)?,
        particles: points(options, &bench, &particles)?,
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
        records: vec![results.times(), results.values()],
    })
}

fn repetitions(options: &Options) -> u64 {
    if options.quick { 3 } else { paper::REPETITIONS }
}

/// Measures along one figure, saying so on stderr.
fn points(options: &Options, bench: &Bench<'_>, sizes: &[(u64, u64)]) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for &(generations, particles) in sizes {
        let size = Size { generations, particles };
        let plan = Plan {
            least: 1,
            most: generations,
            repetitions: repetitions(options),
            seconds: options.budget,
        };
        let mut ask = |method, load| bench.ask(method, size, load);
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

/// What was done, in a few sentences.
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
        "The time of a whole run: PSO with libCudaOptimize's coefficients (preset libcudaoptimize) fits a \
         deformable model of 16 parameters to an image, two sets of solutions at once. The paper's image and model \
         are not public; the problem image-registration is made after them. {repetitions} repetitions of each \
         size.{limit}"
    )
}
