//! Fits many decay curves at once, each to its own data: `decay-curves [CURVES]`.
//! `cargo run --release -p warpswarm-example-decay-curves`

use warpswarm::{Settings, Stop};
use warpswarm_example_decay_curves::{fit, truth};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let curves = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let stop = Stop::iterations(300);
    let settings = Settings { individuals: 32, runs: curves, stop, ..Settings::default() };
    let report = fit::<f32>(curves, 0.01, &settings)?;
    println!("{curves} curves on {}: {:.3} s", report.device, report.seconds);

    // How far the longer lifetime is from the truth.
    let error = |number: u64| {
        let found = f64::from(report.runs[number as usize].best.position[3]);
        (found / truth(number)[3] - 1.0).abs()
    };
    let mut errors: Vec<f64> = (0..curves).map(error).collect();
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors[((curves - 1) as f64 * part) as usize];
    for (name, part) in [("half", 0.5), ("nine of ten", 0.9)] {
        println!("{name} of the lifetimes are within {:.2} %", 100.0 * at(part));
    }
    Ok(())
}
