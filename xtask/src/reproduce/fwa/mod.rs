//! The GPU-FWA paper: Tables 2, 3 and 4, Figures 5, 6, 10 and 11, and the study of L and delta.
//!
//! * [`paper`]: the paper's numbers; [`methods`]: the methods that it compares, as options of the program.
//! * [`notes`]: differences from the paper, and their reasons.
//! * [`quality`]: Tables 2 and 3; [`speed`]: Table 4, Figures 10 and 11; [`drift`]: Figure 5; [`chain`]: Figure 6;
//!   [`paths`]: what both simulate; [`settings`]: L and delta.

use anyhow::Result;

use super::Options;
use super::page::{Figure, Page};
use super::program::Program;

mod chain;
mod drift;
mod methods;
mod notes;
mod paper;
mod paths;
mod quality;
mod settings;
mod speed;

use methods::Method;

/// Runs the measurements and creates the page.
pub(crate) fn reproduce(options: &Options, program: &Program) -> Result<Page> {
    let quality = quality::measure(options, program)?;
    let study = settings::measure(options, program)?;
    let speeds = speed::measure(options, program)?;
    let figure = |name, title: &str, svg| Figure { name, title: title.into(), svg };
    let mut tables = quality.tables();
    tables.extend(study.tables());
    tables.push(speeds.table());
    tables.push(drift::table());
    Ok(Page {
        title: "GPU-FWA, reproduced".into(),
        method: method(options),
        tables,
        figures: vec![
            figure(
                "figure-5",
                "Figure 5: expectation and single paths of repeated mutations",
                drift::figure_5()?,
            ),
            figure("figure-6", "Figure 6: attracting and repulsing", chain::figure_6()?),
            figure("figure-10", "Figure 10: speed-up over FWA", speeds.figure(10, Method::Fwa)?),
            figure("figure-11", "Figure 11: speed-up over PSO", speeds.figure(11, Method::Pso)?),
        ],
        records: vec![quality.records(), study.records(), speeds.records()],
    })
}

/// A short description of the method.
fn method(options: &Options) -> String {
    let limit = match options.budget {
        seconds if seconds.is_finite() => format!(
            " The trials of one cell get {seconds} s (eight cells of a GPU at once eight times as much), the repetitions \
             of a timed one a fifth of that; what takes longer makes fewer evaluations, and is marked *."
        ),
        _ => String::new(),
    };
    let how = if options.quick {
        "4 trials of a tenth of the evaluations that the paper counts, no shifted optima, 9 of 45 settings of L and delta, and times on Rosenbrock's function only (--quick)"
    } else {
        "20 trials, with as many evaluations as the paper counts and as 1,000 rounds of GPU-FWA make"
    };
    format!(
        "Eight functions in 30 dimensions: GPU-FWA with 48 fireworks of 16 sparks, L = 30, delta = 0.5 (preset \
         paper of gpu-fwa), FWA (preset gpu-fwa-paper of fwa) and PSO on a ring (preset \
         bratton-kennedy-2007); {how}.{limit}"
    )
}
