//! The library in ten lines: `cargo run --release -p warpswarm-examples --bin rastrigin`

use warpswarm::{Bounds, PsoParams, Settings, Stop, problems::Rastrigin};

fn main() -> Result<(), warpswarm::Error> {
    let bounds = Bounds::uniform(30, -5.12, 5.12)?;
    let stop = Stop::iterations(2000);
    let settings = Settings { individuals: 4096, seed: 7, stop, ..Settings::default() };
    let swarm = PsoParams::default().into();
    let report = warpswarm::minimise::<f32, _>(&Rastrigin, &bounds, &swarm, &settings)?;
    println!("{} on {}", report.best().value, report.device);
    Ok(())
}
