//! The objectives of `models` in kernels: the emulator computes the same bits as the CPU.

use models::predators::{self, Predators};
use models::registration::{self, Registration};
use warpswarm::{
    Backend, Bounds, Data, DeParams, Error, Kernels, Optimiser, OwnObjective, Settings, Swarm,
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
        let settings = Settings {
            individuals: 40,
            runs: 2,
            backend,
            polish: Some(false),
            ..Settings::default()
        };
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

/// An objective with counts of hares and lynxes for `runs` runs.
fn counted(name: &'static str, runs: u64) -> OwnObjective<f32, Predators> {
    let mut data = Data::new();
    let mut table = || data.table_of_runs(numbers(5 * runs), runs).unwrap();
    let objective = Predators { hares: table(), lynxes: table() };
    OwnObjective::new(name, objective).with_data(data)
}

#[test]
fn a_simulation() {
    check(counted("Predators", 2), &Bounds::uniform(6, 0.01, 1.0).unwrap());
}

/// The error of an optimiser for this objective, on the emulator.
fn refused(objective: OwnObjective<f32, Predators>, bounds: &Bounds, runs: u64) -> Error {
    let backend = Backend::Emulator;
    let settings =
        Settings { individuals: 32, runs, backend, polish: Some(false), ..Settings::default() };
    let algorithm = DeParams::default().into();
    let objective = objective.with_kernels(EMULATED);
    Optimiser::new(&objective, bounds, &algorithm, &settings).unwrap_err()
}

#[test]
fn data_and_bounds_of_another_number_of_runs() {
    let bounds =
        |runs| Bounds::of_runs(vec![Bounds::uniform(6, 0.01, 1.0).unwrap(); runs]).unwrap();
    let error = refused(counted("Predators", 4), &bounds(5), 5);
    assert_eq!(error, Error::Runs { what: "data", given: 4, runs: 5 });
    let error = refused(counted("Predators", 5), &bounds(4), 5);
    assert_eq!(error, Error::Runs { what: "bounds", given: 4, runs: 5 });
}

#[test]
fn what_was_not_exported() {
    let error = refused(counted("Other", 1), &Bounds::uniform(6, 0.01, 1.0).unwrap(), 1);
    let error = error.to_string();
    assert!(error.starts_with("there is no `objective_Other_f32_x"), "{error}");
    assert!(
        error.ends_with("; in the emulator, `Kernels::with_emulated_objectives` may be missing"),
        "{error}"
    );
}

#[test]
fn an_image() {
    let mut data = Data::new();
    let image = data.matrix(numbers(30), 5).unwrap();
    let mut table = || data.table_of_runs(numbers(14), 2).unwrap();
    let objective = Registration { image, across: table(), down: table(), grey: table() };
    let objective = OwnObjective::new("Registration", objective);
    // Includes points outside the image.
    let bounds = Bounds::uniform(4, -2.0, 7.0).unwrap();
    check(objective.with_data(data), &bounds);
}
