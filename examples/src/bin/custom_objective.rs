//! Your own objective, with a constraint:
//! `cargo run --release -p warpswarm-examples --bin custom_objective`

use models::can::Can;
use warpswarm::{Algorithm, Bounds, OwnObjective, Settings};
use warpswarm_examples::KERNELS;

fn main() -> Result<(), warpswarm::Error> {
    let can = Can { volume: 330.0 };
    let bounds = Bounds::new(vec![1.0, 1.0], vec![20.0, 40.0])?;
    // Several independent runs show how reliable a single one is.
    let settings = Settings { individuals: 256, runs: 8, ..Settings::default() };
    let objective = OwnObjective::new("Can", can).with_kernels(KERNELS);
    let report =
        warpswarm::minimise::<f64, _>(&objective, &bounds, &Algorithm::default(), &settings)?;

    for run in &report.runs {
        let best = &run.best;
        let [radius, height] = best.position[..] else { unreachable!("there are two bounds") };
        println!("radius {radius:.6} cm, height {height:.6} cm: {:.6} cm2", best.value);
    }
    let radius = (can.volume / (2.0 * std::f64::consts::PI)).cbrt();
    println!("exactly: radius {radius:.6} cm, height {:.6} cm", 2.0 * radius);
    Ok(())
}
