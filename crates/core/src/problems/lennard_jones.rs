//! A cluster of atoms that attract each other at a distance and repel each other when close.

use core::num::NonZeroU32;

use super::{Dimensions, Problem};
use crate::objective::{Objective, Point};
use crate::real::Real;

/// 4 sum_{i<j} (r_ij^-12 - r_ij^-6) over the positions (x, y, z) of the atoms, one after the other, on
/// [-2.5, 2.5]; minimum -1 for two atoms at 2^(1/6), -173.928 for 38.
///
/// The box is large enough for the best clusters of up to 38 atoms; more atoms need a larger one. Below a distance of
/// 0.003 the energy is constant: otherwise two atoms in one place would overflow an `f32`.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::LennardJones};
/// let energy = |distance: f64| LennardJones.value(&SlicePoint(&[0.0, 0.0, 0.0, distance, 0.0, 0.0]));
/// assert_eq!(energy(1.0), 0.0);
/// assert!((energy(2.0_f64.powf(1.0 / 6.0)) + 1.0).abs() < 1e-14);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LennardJones;

/// The square of the distance below which the energy is constant: large enough that the energy of all pairs is a
/// finite `f32`.
const LEAST_SQUARE: f64 = 1e-5;
/// The largest number of atoms whose pairs a GPU can sum: [`MAX_TERMS`](crate::sum::MAX_TERMS).
const MOST_ATOMS: usize = 2896;
const _: () = assert!(MOST_ATOMS * (MOST_ATOMS - 1) / 2 <= crate::sum::MAX_TERMS);

impl<R: Real> Objective<R> for LennardJones {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let atoms = x.dimensions() as u32 / 3;
        let pairs = (atoms * atoms - atoms) / 2;
        // Never zero; `NonZeroU32` shows this to the compiler, which then leaves out a check for a division by zero.
        let circle = NonZeroU32::new(atoms).unwrap_or(NonZeroU32::MIN);
        let energy = x.sum_terms(pairs as usize, |k| {
            // As in a round-robin tournament: in round d every atom i is paired with atom i + d, cyclically. For an
            // even number of atoms the last round is only half as long.
            let (round, i) = (k as u32 / circle, k as u32 % circle);
            let j = i + round + 1;
            let j = if j < atoms { j } else { j - atoms };
            let (i, j) = (3 * i as usize, 3 * j as usize);
            let along = x.get(i) - x.get(j);
            let across = x.get(i + 1) - x.get(j + 1);
            let up = x.get(i + 2) - x.get(j + 2);
            let square = along * along + across * across + up * up;
            // A NaN stays a NaN.
            let least = R::from_f64(LEAST_SQUARE);
            let square = if square < least { least } else { square };
            let sixth = R::ONE / (square * square * square);
            sixth * sixth - sixth
        });
        R::from_f64(4.0) * energy
    }
}

/// Numbers of atoms and energies of the best known clusters.
const OPTIMA: [(usize, f64); 20] = [
    (2, -1.0),
    (3, -3.0),
    (4, -6.0),
    (5, -9.103_852),
    (6, -12.712_062),
    (7, -16.505_384),
    (8, -19.821_489),
    (9, -24.113_360),
    (10, -28.422_532),
    (11, -32.765_970),
    (12, -37.967_600),
    (13, -44.326_801),
    (14, -47.845_157),
    (15, -52.322_627),
    (16, -56.815_742),
    (17, -61.317_995),
    (18, -66.530_949),
    (19, -72.659_782),
    (20, -77.177_043),
    (38, -173.928_427),
];

impl Problem for LennardJones {
    const ID: &'static str = "lennard-jones";
    const FORMULA: &'static str = "4 sum_{i<j} (r_ij^-12 - r_ij^-6), r_ij between atoms i and j, whose places \
                                   are (x_{3i-2}, x_{3i-1}, x_{3i})";
    const SOURCE: &'static str = "Cambridge Cluster Database, energies to six digits, for 2 to 20 and 38 \
                                  atoms; nobody has proved that they are the least";
    const DIMENSIONS: Dimensions = Dimensions { least: 6, most: 3 * MOST_ATOMS, multiple_of: 3 };

    fn bounds(_i: usize) -> (f64, f64) {
        (-2.5, 2.5)
    }
    fn optimum_position(_dimensions: usize, _i: usize) -> Option<f64> {
        None
    }
    fn optimum_value(dimensions: usize) -> Option<f64> {
        OPTIMA.iter().find(|(atoms, _)| 3 * atoms == dimensions).map(|(_, energy)| *energy)
    }
}
