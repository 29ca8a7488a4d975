//! The CPSO paper: Tables IV, V and VI, Figures 6 and 8.
//!
//! Times are those of the program `warpswarm`, run once per repetition: what its JSON calls
//! `seconds`, the time of all iterations. So what is measured is what a user gets.
//!
//! * [`paper`]: the paper's numbers; [`results`]: ours beside them.
//! * [`frames`]: the swarms of Figure 6; [`figures`]: drawing.

use anyhow::{Context, Result, ensure};

use super::Options;
use super::measure::{self, Cell, Load, Plan};
use super::page::Page;
use super::program::{Place, Program, Solved, words};
use super::table::{integer, number};

mod figures;
mod frames;
mod paper;
mod results;

use results::Results;

/// Measures and draws.
pub(crate) fn reproduce(options: &Options, program: &Program) -> Result<Page> {
    page(&measure_all(options, program)?)
}

fn page(results: &Results) -> Result<Page> {
    let rows = [
        (
            "w = 0.7298, c1 = c2 = 1.4962 (Clerc and Kennedy, warpswarm's default)",
            frames::frames(&frames::CLERC_KENNEDY),
        ),
        (
            "w = 1, c1 = c2 = 2 (the paper's values); particles stay in the square",
            frames::frames(&frames::PAPER),
        ),
    ];
    Ok(results.page(figures::figure_8(results)?, figures::figure_6(&rows)?))
}

fn measure_all(options: &Options, program: &Program) -> Result<Results> {
    let plan = Plan {
        least: 1,
        most: paper::ITERATIONS / if options.quick { 10 } else { 1 },
        repetitions: paper::REPETITIONS,
        seconds: options.budget,
    };
    let serial = "--algorithm spso --backend cpu --threads 1";
    let (spso, _) = column("SPSO", &plan, program, serial)?;
    let parallel = format!("--algorithm pso --backend {}", options.backend);
    let (cpso, places) = column("CPSO", &plan, program, &parallel)?;
    let mut backends: Vec<String> = places.iter().map(Place::in_words).collect();
    backends.dedup();
    Ok(Results {
        plan,
        processor: measure::processor(),
        cpso_backend: backends.join("; "),
        spso,
        cpso,
        schedules: places.into_iter().map(|place| place.schedule).collect(),
    })
}

/// Measures one algorithm with all numbers of particles, saying so on stderr; also where each ran.
fn column(
    name: &str,
    plan: &Plan,
    program: &Program,
    algorithm: &str,
) -> Result<(Vec<Cell>, Vec<Place>)> {
    let (mut cells, mut places) = (Vec::new(), Vec::new());
    for row in &paper::ROWS {
        let particles = row.particles;
        let mut place = None;
        let cell = measure::cell(paper::ITERATIONS, plan, &mut |load| {
            let solved = run(program, algorithm, particles, load)?;
            place = Some(solved.place);
            Ok(solved.seconds)
        })?;
        let (mean, iterations) = (results::mean(&cell), integer(cell.work));
        let scaled = if cell.is_scaled() { ", scaled" } else { "" };
        eprintln!(
            "{name}, {:>6} particles: {:>9} ms for 100,000 iterations{scaled} ({iterations} measured)",
            integer(particles.into()),
            number(mean),
        );
        cells.push(cell);
        places.push(place.context("a cell has at least one run")?);
    }
    Ok((cells, places))
}

/// Minimises the paper's function with its coefficients, and sees that all iterations were done.
fn run(program: &Program, algorithm: &str, particles: u32, load: Load) -> Result<Solved> {
    let Load { work, seed } = load;
    let solved = program.solve(words(&format!(
        "euclidean --dim 2 --lower -100 --upper 100 {algorithm} --set preset=cpso-paper \
         --precision f32 --individuals {particles} --iterations {work} --seed {seed}"
    )))?;
    let done = solved.runs[0].iterations;
    ensure!(done == work, "{done} iterations were done: {particles} particles, {load:?}");
    Ok(solved)
}
