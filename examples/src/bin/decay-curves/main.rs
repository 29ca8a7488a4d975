//! Fits many decay curves at once, each to its own data within its own bounds.
//! `cargo run --release -p warpswarm-examples --bin decay-curves -- --curves 10000`

mod curves;

use clap::Parser;
use curves::{fit, truth};
use warpswarm::{Settings, Stop};
use warpswarm_examples::Options;
use warpswarm_examples::chart::{Drawn, Look, Panel, Series, panel, picture};

#[derive(Parser)]
struct Arguments {
    /// How many curves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    curves: u64,
    #[command(flatten)]
    options: Options,
}

/// What the parameters are called.
const NAMES: [&str; 5] = ["a1", "tau1", "a2", "tau2", "background"];

fn main() -> Drawn {
    let Arguments { curves, options } = Arguments::parse();
    let curves = if options.small { curves.min(50) } else { curves };
    let stop = Stop::iterations(300);
    let settings = Settings { individuals: 32, runs: curves, stop, ..Settings::default() };
    let report = fit::<f32>(curves, 0.01, &settings)?;
    let each = 1e3 * report.seconds / curves as f64;
    println!("{curves} curves on {}: {:.3} s, {each:.3} ms a fit", report.device, report.seconds);

    // Relative errors, `[parameter][curve]`.
    let error = |k: usize, number: u64| {
        f64::from(report.runs[number as usize].best.position[k]) / truth(number)[k] - 1.0
    };
    let errors: Vec<Vec<f64>> =
        (0..NAMES.len()).map(|k| (0..curves).map(|number| error(k, number)).collect()).collect();
    println!("relative error  half are within  nine of ten are within");
    let show = |name: &str, errors: &mut Vec<f64>| {
        errors.retain(|error| error.is_finite());
        errors.sort_by(f64::total_cmp);
        let within = |part: f64| 100.0 * errors[((errors.len() - 1) as f64 * part) as usize];
        println!("{name:14}  {:13.3} %  {:20.3} %", within(0.5), within(0.9));
    };
    let sizes = |errors: &Vec<f64>| errors.iter().map(|error| error.abs()).collect::<Vec<f64>>();
    for (name, errors) in NAMES.iter().zip(&errors) {
        show(name, &mut sizes(errors));
    }
    show("all parameters", &mut errors.iter().flat_map(sizes).collect());

    let Some(file) = options.picture else { return Ok(()) };
    picture(&file, (760, 420), |area| {
        let series =
            [(1, "shorter lifetime", Look::Line(2)), (3, "longer lifetime", Look::Dashes(6))];
        let series =
            series.map(|(k, name, look)| Series { name, look, lines: vec![stairs(&errors[k])] });
        let title = "recovered lifetimes against the truth";
        let texts = Panel { title, x: "relative error, %", y: "curves", least: None };
        panel(area, &texts, &series)
    })
}

/// A histogram's outline: how many of the errors are in each of 40 bins from -4 % to 4 %.
fn stairs(errors: &[f64]) -> Vec<(f64, f64)> {
    const BINS: usize = 40;
    let edge = |bin: usize| -4.0 + 8.0 * bin as f64 / BINS as f64;
    let step = |bin: usize| {
        let within = |error: &&f64| (edge(bin)..edge(bin + 1)).contains(&(100.0 * **error));
        let count = errors.iter().filter(within).count() as f64;
        [(edge(bin), count), (edge(bin + 1), count)]
    };
    (0..BINS).flat_map(step).collect()
}
