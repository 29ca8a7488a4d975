//! The CMEPSO-GPU paper: Tables 2, 3 and 4.
//!
//! * [`paper`]: the paper's numbers; [`known`]: the best known points.
//! * [`methods`]: the algorithms; [`results`]: tables and records of their runs.

use anyhow::{Context, Result};

use super::Options;
use super::measure::{self, Load, Plan};
use super::page::Page;
use super::program::Program;
use super::table::{integer, scientific};

mod known;
mod methods;
mod paper;
mod results;

use methods::Method;
use paper::{FORMS, Form};
use results::{Cell, Results};

/// Runs the algorithms and creates the page.
pub(crate) fn reproduce(options: &Options, program: &Program) -> Result<Page> {
    let mut place = String::new();
    let results = FORMS
        .iter()
        .map(|form| all_cells(options, program, form, &mut place))
        .collect::<Result<Vec<_>>>()?;
    let mut tables: Vec<_> = results.iter().map(Results::table).collect();
    // Notes that apply to all tables are below the last one.
    if let Some(last) = tables.last_mut() {
        last.notes.extend(NOTES.map(String::from));
    }
    Ok(Page {
        title: "CMEPSO-GPU, reproduced".into(),
        method: method(options, &place),
        tables,
        figures: Vec::new(),
        records: vec![results::runs(&results), results::times(&results)],
    })
}

/// The number of runs of which the best is shown, and of single runs that are timed.
fn repetitions(options: &Options) -> (u64, u64) {
    if options.quick { (2, 1) } else { (paper::RUNS, 3) }
}

fn all_cells(
    options: &Options,
    program: &Program,
    form: &'static Form,
    place: &mut String,
) -> Result<Results> {
    let known = known::best(form.problem).context("a form without a known optimum")?;
    let mut cells = Vec::new();
    for (methods, of_the_paper) in [(methods::OF_THE_PAPER, true), (methods::BY_DEFAULT, false)] {
        for method in &methods {
            let cell = cell(options, program, form, (method, of_the_paper), place)?;
            let values = if of_the_paper { "the paper's values" } else { "defaults" };
            let above = (cell.best().value - known.value) / known.value;
            eprintln!(
                "{:>20}, {:>6}, {values}: {} above the best known",
                form.problem,
                method.name,
                scientific(above),
            );
            cells.push(cell);
        }
    }
    Ok(Results { form, known, cells })
}

fn cell(
    options: &Options,
    program: &Program,
    form: &Form,
    (method, of_the_paper): (&Method, bool),
    place: &mut String,
) -> Result<Cell> {
    let (runs, timed) = repetitions(options);
    let time = |load| Ok(method.solve(options, program, form, 1, load)?.seconds);
    let work = if options.budget.is_finite() {
        let (most, repetitions) = (paper::ITERATIONS, runs + timed);
        measure::fitting(
            &Plan { least: 1, most, repetitions, seconds: options.budget },
            &mut &time,
        )?
    } else {
        paper::ITERATIONS
    };
    let seconds = (1..=timed).map(|seed| time(Load { work, seed })).collect::<Result<_>>()?;
    let solved = method.solve(options, program, form, runs, Load { work, seed: 1 })?;
    *place = solved.place.in_words();
    Ok(Cell { method: method.name, of_the_paper, runs: solved.runs, seconds })
}

/// A short description of the method.
fn method(options: &Options, place: &str) -> String {
    let (runs, timed) = repetitions(options);
    let iterations = match options.budget {
        seconds if seconds.is_finite() => {
            format!(
                "as many iterations as fit into {seconds} s for all runs, at most {}",
                integer(paper::ITERATIONS)
            )
        }
        _ => format!("{} iterations", integer(paper::ITERATIONS)),
    };
    format!(
        "Three parts to be sized, in the form that the paper really computed and as the literature has them: \
         the best of {runs} runs of {iterations} of 410 individuals, by violation, then fitness. With the paper's \
         values: PSO with correction (inertia from 0.9 to 0.4, c1 = c2 = 2.05, COR 0.22), EPSO and CMEPSO (preset \
         cmepso-paper), in f32; then with warpswarm's defaults, in f64. Times are means of single runs, {timed} \
         of each, set-up excluded, on {place}, {}; the paper's is of a GeForce GT 330M. \"above known\" is the part \
         by which a fitness is above the best that is known; for the paper's, 0 means to all printed digits.",
        measure::processor(),
    )
}

const NOTES: [&str; 5] = [
    "For all tables: the paper does not say how it treats constraints. Ours orders points by (sum of violations, \
     fitness), so that a point that violates none beats every one that does. It gives no limits of the inertia, \
     either; ours are 0.9 and 0.4.",
    "Why CMEPSO with the paper's values stops short of the paper's own points: its replicas see the best displaced \
     by 0.005 N(0, 1), which does not shrink with the swarm; and a coordinate that leaves its bounds is sent back \
     inside, while these optima lie on bounds. The paper's figures agree with the optima to the last digit, so it \
     must have done otherwise than it says, or than it is read here. The default does neither of the two: see \
     docs/papers/cmepso.md.",
    "f32 carries about seven digits: a value above the best known by less than 1E-06 is as good as one can tell \
     there, and one a little below it is rounding. In f64 it is 15 digits.",
    "An iteration of EPSO and CMEPSO evaluates each particle and its 5 replicas, so that they make six times PSO's \
     evaluations.",
    "The best of several runs, which is what the paper prints, says little of one run: see the mean. Generators \
     differ, and so do all runs.",
];
