//! Points that the caller evaluates on the device: the states are the same as with values computed on the host.
//!
//! The memory of the points serves as values: the value of point `i` is number `i` of all coordinates.

use warpswarm::{
    Algorithm, Backend, Bounds, DeviceValues, Error, Fitness, HostObjective, Optimiser, Points,
    Precise, Scale, Settings, Stop, minimise,
};

use crate::assert_same;

fn by_host<R: Precise>(violates: bool) -> HostObjective<R> {
    HostObjective::of_population(move |points: &Points<'_, R>| {
        let values = points.as_slice().iter().take(points.len());
        let violation = |value| if violates { value } else { R::ZERO };
        values.map(|&value| Fitness { violation: violation(value), value }).collect()
    })
}

fn by_device<R: Precise>(violates: bool) -> HostObjective<R> {
    HostObjective::on_device(move |points| {
        let values = points.address();
        let violations = violates.then_some(values);
        DeviceValues { count: points.len(), values, violations, stream: None }
    })
}

/// Compares the states for these sizes (individuals and dimensions).
///
/// # Panics
///
/// If states differ.
pub fn check(backend: Backend, algorithms: &[Algorithm], sizes: &[(u64, usize)]) {
    for algorithm in algorithms {
        for &(individuals, dimensions) in sizes {
            for (runs, maximise, stop) in
                [(1, false, Stop::iterations(7)), (3, true, Stop::target(3.9).or_iterations(7))]
            {
                let settings = Settings {
                    individuals,
                    runs,
                    maximise,
                    stop,
                    polish: Some(false),
                    ..Settings::default()
                };
                check_as::<f32>(backend, algorithm, &settings, dimensions);
                check_as::<f64>(backend, algorithm, &settings, dimensions);
            }
        }
    }
}

fn check_as<R: Precise>(
    backend: Backend,
    algorithm: &Algorithm,
    settings: &Settings,
    dimensions: usize,
) {
    let scales = [Scale::Linear, Scale::Integer, Scale::Log];
    let scales =
        (0..dimensions).map(|i| if settings.maximise { scales[i % 3] } else { Scale::Linear });
    let bounds =
        Bounds::uniform(dimensions, 0.5, 4.0).and_then(|bounds| bounds.with_scales(scales));
    let run = |by: &HostObjective<R>, backend| {
        let settings = Settings { backend, ..settings.clone() };
        let mut optimiser = Optimiser::new(by, &bounds.clone()?, algorithm, &settings)?;
        optimiser.run()?;
        optimiser.state()
    };
    let expected = run(&by_host(settings.maximise), Backend::Cpu);
    let found = run(&by_device(settings.maximise), backend);
    let what = format!("{algorithm:?}, {settings:?}, {dimensions} dimensions, {}", R::NAME);
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            assert_same(&expected, &found, what);
        }
        (expected, found) => panic!("{what}: {:?} {:?}", expected.err(), found.err()),
    }
}

/// Checks that memory that is not allocated is rejected, and that the device continues.
///
/// # Panics
///
/// If this is not the case.
pub fn check_refused(backend: Backend) {
    let settings =
        Settings { individuals: 20, backend, polish: Some(false), ..Settings::default() };
    let algorithm = Algorithm::from(warpswarm::DeParams::default());
    let bounds = Bounds::uniform(2, -1.0, 1.0).unwrap_or_else(|error| panic!("{error}"));
    for (values, ahead) in [(64, 0), (0, 1 << 40)] {
        let by = HostObjective::<f64>::on_device(move |points| {
            let values = if ahead > 0 { points.address() + ahead } else { values };
            DeviceValues { count: points.len(), values, violations: None, stream: None }
        });
        let error = minimise(&by, &bounds, &algorithm, &settings).expect_err("nothing is there");
        assert!(matches!(error, Error::Driver { .. }), "{error}");
    }
    check(backend, &[algorithm], &[(20, 2)]);
}
