//! Fits many decay curves at once, each to its own data, with the standard errors of all parameters.
//! `cargo run --release -p warpswarm-examples --bin decay-curves -- --curves 10000`

mod curves;

use clap::Parser;
use curves::{fit, truth};
use warpswarm::fit::{FitSettings, FitStatus, Fits};
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

fn main() -> Drawn {
    let Arguments { curves, options } = Arguments::parse();
    let curves = if options.small { curves.min(50) } else { curves };
    let fits = fit::<f64>(curves, 0.01, &FitSettings::default())?;
    let (seconds, names) = (fits.seconds(), fits.names());
    let each = 1e3 * seconds / curves as f64;
    println!("{curves} curves on {}: {seconds:.3} s, {each:.3} ms a fit", fits.device());
    println!("{}", statuses(&fits));

    // Relative errors, `[parameter][curve]`, and the same in units of the standard errors.
    let mut errors = vec![Vec::with_capacity(fits.len()); names.len()];
    let mut sizes = errors.clone();
    for one in fits.iter() {
        let truth = truth(one.number() as u64);
        for (k, (value, error)) in one.parameters().into_iter().zip(one.errors()).enumerate() {
            errors[k].push(value / truth[k] - 1.0);
            sizes[k].push(((value - truth[k]) / error).abs());
        }
    }
    println!(
        "relative error  half within  nine of ten within  one standard error holds  1.96 hold"
    );
    for (k, name) in names.iter().enumerate() {
        show(name, &errors[k], &sizes[k]);
    }
    show("all parameters", &errors.concat(), &sizes.concat());

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

/// Counts the fits by status.
fn statuses(fits: &Fits<f64>) -> String {
    let count = |ended: FitStatus| fits.iter().filter(|fit| fit.status() == ended).count();
    let counts = FitStatus::ALL.map(|ended| (count(ended), ended.name()));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// Prints the errors below which 50 % and 90 % of a parameter's values are, and the fraction of fits near the truth.
fn show(name: &str, errors: &[f64], sizes: &[f64]) {
    let mut errors: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    let within = |part: f64| 100.0 * errors[((errors.len() - 1) as f64 * part) as usize];
    let held = |limit: f64| {
        let count = sizes.iter().filter(|size| **size <= limit).count();
        100.0 * count as f64 / sizes.len() as f64
    };
    let [half, most, one, two] = [within(0.5), within(0.9), held(1.0), held(1.96)];
    println!("{name:14}  {half:9.3} %  {most:16.3} %  {one:20.1} %   {two:7.1} %");
}

/// The outline of a histogram: the number of errors in each of 40 bins from -4 % to 4 %.
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
