//! Repeated mutations of a distance, as simulated and plotted in Figures 5 and 6.

use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_pictures::{Axis, BLUE, Dash, Dot, Line, Mark};

use crate::reproduce::table::integer;

/// The number of mutations in a path. The paper does not give it.
pub(super) const STEPS: u64 = 1_000;

/// The factors by which the mutations multiply a distance: uniform in a range.
pub(super) fn factors(
    (low, high): (f64, f64),
    seed: u64,
    number: u32,
) -> impl Iterator<Item = f64> {
    let key = RunKey::new(seed, high.to_bits());
    (1..=STEPS).map(move |step| {
        let [u, _] = Stream::new(key, Purpose::Choice, step, number).draws_of::<f64>(0);
        low + (high - low) * u.open()
    })
}

/// The mean of ln s for s uniform between two positive numbers.
pub(super) fn mean_logarithm((low, high): (f64, f64)) -> f64 {
    (high * high.ln() - low * low.ln()) / (high - low) - 1.0
}

/// The axis of mutations.
pub(super) fn mutations() -> Axis {
    let ticks = vec![0.0, 250.0, 500.0, 750.0, 1_000.0];
    Axis::new("mutations", (0.0, STEPS as f64), ticks, |t| integer(t as u64))
}

/// log10 of the distances on a path over the number of mutations.
pub(super) fn simulated(path: impl Iterator<Item = f64>) -> Line {
    // More than every fourth step would not be visible.
    let points = path.enumerate().step_by(4);
    let points = points.map(|(t, x)| Dot { x: t as f64, y: x.log10(), hollow: false }).collect();
    let name = "".into();
    Line { name, color: BLUE, width: 1, dash: Dash::Solid, mark: Mark::None, mark_size: 0, points }
}

/// A distance whose natural logarithm grows by `a_step` in each mutation.
pub(super) fn straight(a_step: f64) -> Line {
    let a_step = a_step * std::f64::consts::LOG10_E;
    let dot = |t: f64| Dot { x: t, y: t * a_step, hollow: false };
    let points = [0.0, STEPS as f64].map(dot).into();
    Line { dash: Dash::Dashed, width: 3, points, ..simulated(std::iter::empty()) }
}
