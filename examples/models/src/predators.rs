//! Hares and lynxes: the Lotka-Volterra equations, compared with counts.

use warpswarm_kernels::{Objective, Point, Real, Table};

/// Integration steps between two counts.
pub const STEPS: usize = 8;

/// The numbers of hares and lynxes after one step of the classical Runge-Kutta method:
/// hares' = hares (birth - hunting lynxes), lynxes' = lynxes (growth hares - death).
#[inline(always)]
pub fn step<R: Real>(rates: [R; 4], animals: [R; 2], time: R) -> [R; 2] {
    let [birth, hunting, growth, death] = rates;
    let change = |[hares, lynxes]: [R; 2]| {
        [hares * (birth - hunting * lynxes), lynxes * (growth * hares - death)]
    };
    let after = |slope: [R; 2], time: R| [0, 1].map(|i| animals[i] + time * slope[i]);
    let half = R::HALF * time;
    let k1 = change(animals);
    let k2 = change(after(k1, half));
    let k3 = change(after(k2, half));
    let k4 = change(after(k3, time));
    let sixth = time / R::from_u32(6);
    [0, 1].map(|i| animals[i] + sixth * (k1[i] + R::TWO * (k2[i] + k3[i]) + k4[i]))
}

/// The mean squared error of the model, over (birth, hunting, growth, death, initial hares, initial lynxes).
///
/// Each step depends on the previous one, so the lanes of a warp cannot share an evaluation. The parallelism comes from
/// the many individuals.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Predators {
    /// The counted hares of each year; each run has its own.
    pub hares: Table,
    /// The counted lynxes of each year; each run has its own.
    pub lynxes: Table,
}

impl<R: Real> Objective<R> for Predators {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let rates = [0, 1, 2, 3].map(|i| x.get(i));
        let mut animals = [x.get(4), x.get(5)];
        let time = R::ONE / R::from_u32(STEPS as u32);
        let mut sum = R::ZERO;
        for year in 0..self.hares.len() {
            let missed =
                [animals[0] - x.data(self.hares, year), animals[1] - x.data(self.lynxes, year)];
            sum += missed[0] * missed[0] + missed[1] * missed[1];
            for _ in 0..STEPS {
                animals = step(rates, animals, time);
            }
        }
        sum / R::from_u32(2 * self.hares.len() as u32)
    }
}

warpswarm_kernels::export_objective! { few kernels, "Predators", Predators, Predators }

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_core::data::{DataSlices, WithData};
    use warpswarm_core::objective::SlicePoint;

    /// Without encounters, hares grow as e^t and lynxes decay as e^-t. A step computes the series up to t^4 / 24.
    #[test]
    fn births_alone() {
        let [hares, lynxes] = step([1.0_f64, 0.0, 0.0, 1.0], [1.0, 1.0], 0.5);
        assert!((hares - 1.648_437_5).abs() < 1e-15, "{hares}");
        assert!((lynxes - 0.606_770_833_333_333_3).abs() < 1e-15, "{lynxes}");
    }

    /// In equilibrium the numbers stay constant; the counts differ from them by 1 and 2.
    #[test]
    fn at_rest() {
        let (hares, lynxes) = (Table::new(0, 2, 1, true), Table::new(2, 2, 1, true));
        let data = DataSlices { all: &[], of_run: &[2.0, 3.0, 4.0, 2.0] };
        let x = [1.0_f64, 0.25, 0.5, 1.5, 3.0, 4.0];
        let value = Predators { hares, lynxes }.value(&WithData { point: SlicePoint(&x), data });
        assert_eq!(value, (1.0 + 4.0) / 4.0);
    }
}
