//! The CPSO paper: Tables IV, V and VI, Figures 6 and 8.
//!
//! The times are those of the program `warpswarm`, started once per repetition: the entry `seconds` in its JSON output,
//! the time of all iterations. So these are times that users see.
//!
//! CPSO is measured in the layout that the program chooses, and in the paper's three kernels: see [`layout`].
//!
//! * [`paper`]: the paper's numbers; [`results`]: a comparison with ours; [`records`]: both as CSV.
//! * [`frames`]: the swarms of Figure 6; [`figures`]: plots.

use anyhow::{Context, Result, ensure};

use super::Options;
use super::measure::{self, Cell, Load, Plan};
use super::page::Page;
use super::program::{Place, Program, Solved, words};
use super::table::{integer, number};

mod figures;
mod frames;
mod layout;
mod paper;
mod records;
mod results;

use layout::{Cpso, Layout};
use results::Results;

/// Repetitions of the paper's kernels with `--quick`: the same number as in the rows of the paper's Table V.
const QUICK_REPETITIONS: u64 = 3;
/// Iterations of the first trial on a GPU. They take less than a tenth of a second, which is less than the program's
/// start.
const LEAST_ON_GPU: u64 = 1_000;

/// Runs the measurements and creates the page.
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
    let mut cpso = Vec::new();
    for &layout in Layout::on(&options.backend) {
        let plan = plan_of(layout, &plan, options);
        let Layout { options: more, .. } = layout;
        let words = format!("--algorithm pso --backend {} {more}", options.backend);
        let (cells, places) = column(&layout.name(), &plan, program, &words)?;
        cpso.push(Cpso { layout, plan, cells, places });
    }
    Ok(Results { plan, processor: measure::processor(), spso, cpso })
}

/// The plan for a layout of CPSO. `--quick` reduces the repetitions of some layouts.
fn plan_of(layout: Layout, plan: &Plan, options: &Options) -> Plan {
    let least = if options.backend == "gpu" { LEAST_ON_GPU } else { plan.least };
    let repetitions =
        if options.quick && !layout.is_auto() { QUICK_REPETITIONS } else { plan.repetitions };
    let seconds = plan.seconds * repetitions as f64 / plan.repetitions as f64;
    Plan { least, repetitions, seconds, ..*plan }
}

/// Measures one algorithm with all numbers of particles, with progress messages on stderr. Also returns where each ran.
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

/// Minimises the paper's function with its coefficients, and checks that all iterations were executed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_look_at_the_papers_kernels_takes_less_time() {
        let options =
            |quick, backend: &str| Options { quick, backend: backend.into(), budget: 6.0 };
        let all = Plan { least: 1, most: 10_000, repetitions: 10, seconds: 6.0 };
        let [auto, stepwise, _] = Layout::ALL;
        let of = |layout, quick, backend| {
            let Plan { least, repetitions, seconds, .. } =
                plan_of(layout, &all, &options(quick, backend));
            (least, repetitions, seconds)
        };
        assert_eq!(of(auto, true, "emulator"), (1, 10, 6.0));
        assert_eq!(of(stepwise, true, "emulator"), (1, 3, 6.0 * 3.0 / 10.0));
        assert_eq!(of(stepwise, false, "emulator"), (1, 10, 6.0));
        assert_eq!(of(auto, true, "gpu"), (1_000, 10, 6.0));
    }
}
