//! A method of one's own, on the CPU and, where there is one, on the GPU: the same numbers.
//! `cargo run --release -p warpswarm-example-own-method`

use warpswarm::problems::Rastrigin;
use warpswarm::{Backend, Bounds, Settings, Stop};
use warpswarm_example_own_method::method;

fn main() -> Result<(), warpswarm::Error> {
    let bounds = Bounds::uniform(10, -5.12, 3.0)?;
    let stop = Stop::iterations(3000);
    let settings = Settings { individuals: 64, runs: 4, seed: 1, stop, ..Settings::default() };
    for backend in [Backend::Cpu, Backend::Auto] {
        let settings = Settings { backend, ..settings.clone() };
        let report = method::<f32>().minimise(&Rastrigin, &bounds, &settings)?;
        println!("{}, {:.3} s", report.device, report.seconds);
        for run in &report.runs {
            println!("  {:e} after {} evaluations", run.best.value, run.evaluations);
        }
    }
    Ok(())
}
