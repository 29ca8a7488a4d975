//! The objectives of `models` as kernels see them: the emulator gives the bits of the CPU.

use models::predators::{self, Predators};
use models::registration::{self, Registration};
use warpswarm::{
    Backend, Bounds, Data, DeParams, Kernels, Optimiser, OwnObjective, Settings, Swarm,
};
use warpswarm_examples::{KERNELS, uniform};

const EMULATED: Kernels = KERNELS.with_emulated_objectives(&[
    predators::kernels::f32,
    predators::kernels::f64,
    registration::kernels::f32,
    registration::kernels::f64,
]);

fn check<O: warpswarm::dual::Differentiable<f32>>(
    objective: OwnObjective<f32, O>,
    bounds: &Bounds,
) {
    let objective = objective.with_kernels(EMULATED);
    let at = |backend| -> Vec<Swarm<f32>> {
        let settings = Settings { individuals: 40, runs: 2, backend, ..Settings::default() };
        let algorithm = DeParams::default().into();
        let mut optimiser = Optimiser::new(&objective, bounds, &algorithm, &settings).unwrap();
        optimiser.step(5).unwrap();
        optimiser.state().unwrap()
    };
    let (here, there) = (at(Backend::Cpu), at(Backend::Emulator));
    for (a, b) in here.iter().zip(&there) {
        assert_eq!(warpswarm::difference(a, b), None);
        assert!(a.best.iter().all(|fitness| fitness.is_finite()), "{a:?}");
    }
}

fn numbers(count: u64) -> Vec<f32> {
    (0..count).map(|draw| uniform(draw) as f32).collect()
}

#[test]
fn a_simulation() {
    let mut data = Data::new();
    let hares = data.table_of_runs(&numbers(10), 2).unwrap();
    let lynxes = data.table_of_runs(&numbers(10), 2).unwrap();
    let objective = OwnObjective::new("Predators", Predators { hares, lynxes });
    let bounds = Bounds::uniform(6, 0.01, 1.0).unwrap();
    check(objective.with_data(data), &bounds);
}

#[test]
fn an_image() {
    let mut data = Data::new();
    let image = data.matrix(&numbers(30), 5).unwrap();
    let mut table = || data.table_of_runs(&numbers(14), 2).unwrap();
    let objective = Registration { image, across: table(), down: table(), grey: table() };
    let objective = OwnObjective::new("Registration", objective);
    // Beyond the image's edge, too.
    let bounds = Bounds::uniform(4, -2.0, 7.0).unwrap();
    check(objective.with_data(data), &bounds);
}
