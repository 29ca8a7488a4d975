//! Six of NIST's regression problems, from wide bounds to the certified digits.
//! `cargo run --release -p warpswarm-examples --bin nist -- --picture nist.svg`

use clap::Parser;
use warpswarm::{DeParams, Report, Settings, Stop, problems};
use warpswarm_examples::Arguments;
use warpswarm_examples::chart::{Drawn, Look, Panel, Series, panel, picture};

/// Each regression, and the number of iterations after which its sum of squares no longer decreases.
const REGRESSIONS: [(&str, u64); 6] = [
    ("nist-thurber", 600),
    ("nist-mgh09", 1000),
    ("nist-hahn1", 800),
    ("nist-enso", 500),
    ("nist-gauss2", 800),
    ("nist-lanczos3", 6000),
];

/// The required number of correct digits.
const DIGITS: f64 = 6.0;

fn main() -> Drawn {
    let options = Arguments::parse().options;
    let runs = if options.small { 2 } else { 20 };
    println!("{:14} {:>17} {:>17}  digits  runs with 6  seconds", "", "found", "certified");
    let mut lines = Vec::new();
    for (name, iterations) in REGRESSIONS {
        let problem = problems::find(name)?;
        let dimensions = problem.dimensions.least;
        let certified = problem.optimum_value(dimensions).ok_or("nothing is certified")?;
        let iterations = if options.small { 50 } else { iterations };
        let settings = Settings {
            individuals: if options.small { 40 } else { 200 },
            runs,
            stop: Stop::iterations(iterations),
            record_every: Some(iterations / 50),
            ..Settings::default()
        };
        let bounds = problem.bounds(dimensions)?;
        let algorithm = DeParams::default().into();
        let report = problem.optimiser::<f64>(0.0, &bounds, &algorithm, &settings)?.run()?;

        let digits = |value: f64| -((value / certified - 1.0).abs().max(1e-11)).log10();
        let reached = report.runs.iter().filter(|run| digits(run.best.value) >= DIGITS).count();
        let best = report.best().value;
        println!(
            "{name:14} {best:17.10e} {certified:17.10e}  {:6.1}  {reached:2} of {runs:2}     {:7.1}",
            digits(best),
            report.seconds
        );
        lines.push((name, convergence(&report, certified)));
    }
    let Some(file) = options.picture else { return Ok(()) };
    picture(&file, (1000, 560), |area| {
        for (place, (title, lines)) in area.split_evenly((2, 3)).iter().zip(lines) {
            let texts = Panel { title, x: "iterations", y: "relative error", least: Some(1e-11) };
            panel(place, &texts, &[Series { name: "", look: Look::Line(1), lines }])?;
        }
        Ok(())
    })
}

/// The distance of each run from the certified value, over its iterations.
fn convergence(report: &Report<f64>, certified: f64) -> Vec<Vec<(f64, f64)>> {
    let of_run = |run: usize| {
        let at = |record: &warpswarm::Progress<f64>| {
            (record.iterations as f64, record.runs[run].best.value / certified - 1.0)
        };
        report.history.iter().map(at).collect()
    };
    (0..report.runs.len()).map(of_run).collect()
}
