//! Your own method on the CPU and, if there is one, on the GPU, with the same results.
//! `cargo run --release -p warpswarm-example-own-method`

use warpswarm::problems::Rastrigin;
use warpswarm::{Backend, Bounds, Settings, Stop, system};
use warpswarm_example_own_method::method;

fn main() -> Result<(), warpswarm::Error> {
    let bounds = Bounds::uniform(10, -5.12, 3.0)?;
    let stop = Stop::iterations(3000);
    let settings = Settings { individuals: 64, runs: 4, seed: 1, stop, ..Settings::default() };
    // By default, the library would run such a short search on the CPU.
    let gpu = system::report().gpu.is_ok().then_some(Backend::Gpu);
    for backend in [Some(Backend::Cpu), gpu].into_iter().flatten() {
        let settings = Settings { backend, ..settings.clone() };
        let report = method::<f32>().minimise(&Rastrigin, &bounds, &settings)?;
        println!("{}, {:.3} s", report.device, report.seconds);
        for run in &report.runs {
            println!("  {:e} after {} evaluations", run.best.value, run.evaluations);
        }
    }
    Ok(())
}
