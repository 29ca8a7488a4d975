//! The CPSO paper: Tables IV, V and VI, Figures 6 and 8.
//!
//! Times are those of the program `warpswarm`, run once per repetition: what its JSON calls
//! `seconds`, the time of all iterations. So what is measured is what a user gets.
//!
//! * [`paper`]: the paper's numbers; [`statistics`]: minimum to deviation.
//! * [`measure`]: which runs are timed; [`program`]: timing one.
//! * [`results`]: tables and CSV files; [`table`]: tables as text and Markdown.
//! * [`frames`]: the swarms of Figure 6; [`figures`]: drawing.

use std::fs;

use anyhow::{Context, Result};

use super::ReproduceArgs;

mod figures;
mod frames;
mod measure;
mod paper;
mod program;
mod results;
mod statistics;
mod table;

use measure::{Cell, Plan};
use program::Program;
use results::Results;
use table::integer;

/// Measures, prints, and writes tables and pictures.
pub(crate) fn run(args: &ReproduceArgs) -> Result<()> {
    let folder = &args.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let program = Program::find(args.program.as_deref())?;
    let results = measure_all(args, &program)?;

    println!("{}\n", results.method());
    for table in results.tables() {
        println!("{}", table.text());
    }
    results.write_times(&folder.join("times.csv"))?;
    results.write_speedups(&folder.join("speedups.csv"))?;
    results.write_repetitions(&folder.join("repetitions.csv"))?;
    fs::write(folder.join("README.md"), results.markdown())?;
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
    figures::save(&figures::figure_6(&rows)?, folder, "figure-6")?;
    figures::save(&figures::figure_8(&results)?, folder, "figure-8")?;
    println!(
        "written to {}: README.md, times.csv, speedups.csv, repetitions.csv,",
        folder.display()
    );
    println!("figure-6.svg, figure-6.png, figure-8.svg, figure-8.png");
    Ok(())
}

fn measure_all(args: &ReproduceArgs, program: &Program) -> Result<Results> {
    let tenth = if args.quick { 10 } else { 1 };
    let plan = Plan {
        iterations: paper::ITERATIONS / tenth,
        repetitions: paper::REPETITIONS,
        seconds: args.budget.unwrap_or(60.0 / tenth as f64),
    };
    let backend = args.backend.name();
    let (spso, _) = column("SPSO", &plan, |load| program.run("spso", "cpu", Some(1), load))?;
    let (cpso, places) = column("CPSO", &plan, |load| program.run("pso", backend, None, load))?;
    let mut backends: Vec<String> = places.iter().map(program::Place::in_words).collect();
    backends.dedup();
    Ok(Results {
        plan,
        processor: processor(),
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
    mut run: impl FnMut(measure::Load) -> Result<program::Run>,
) -> Result<(Vec<Cell>, Vec<program::Place>)> {
    let (mut cells, mut places) = (Vec::new(), Vec::new());
    for row in &paper::ROWS {
        let particles = row.particles;
        let mut place = None;
        let cell = measure::cell(particles, plan, &mut |load| {
            let program::Run { seconds, place: there } = run(load)?;
            place = Some(there);
            Ok(seconds)
        })?;
        let (mean, iterations) = (results::mean(&cell), integer(cell.iterations));
        let scaled = if cell.is_scaled() { ", scaled" } else { "" };
        eprintln!(
            "{name}, {:>6} particles: {:>9} ms for 100,000 iterations{scaled} ({iterations} measured)",
            integer(particles.into()),
            table::number(mean),
        );
        cells.push(cell);
        places.push(place.context("a cell has at least one run")?);
    }
    Ok((cells, places))
}

/// The processor's name, as Linux gives it.
fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "the CPU".into(), |(_, name)| name.trim().into())
}
