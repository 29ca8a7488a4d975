//! *Polishing*: a local search that starts at the best point of a global search and goes to the minimum of its valley.
//!
//! A population finds the valley, and then needs many evaluations for each further digit. A local search with
//! derivatives gets all digits in tens to hundreds of evaluations. Its result is never worse than its start in the
//! order of results ([`order`](crate::order)): the best evaluated point is returned, and of equal ones the start.
//!
//! * [`descend`] needs derivatives. Between bounds it takes quasi-Newton steps; constraints are handled by an augmented
//!   Lagrangian.
//! * [`nelder_mead`] needs no derivatives, and handles constraints by the order of results.
//!
//! **Quasi-Newton steps.** Coordinates at a bound that the gradient pushes outwards are held. Over the others
//!
//! p = -B^-1 g,
//!
//! and the next point is x + a p, clamped to the bounds, with a step a that satisfies the weak Wolfe conditions along
//! this projected path:
//!
//! f(x + a p) <= f(x) + 10^-4 a g p,   g(x + a p) p >= 0.9 g p.
//!
//! B approximates the second derivatives: a whole BFGS matrix up to 32 dimensions, the last eight steps (L-BFGS) in
//! more. Lengths are measured as fractions of the ranges between the bounds, so that units do not matter.
//!
//! **Constraints** c_i(x) <= 0 are scaled by their slopes at the start. Several descents (rounds) minimise
//!
//! s f(x) + sum of (max(0, l_i + r c_i(x))^2 - l_i^2) / (2 r),
//!
//! and after each round l_i becomes max(0, l_i + r c_i(x)). If a round does not reduce the violation of the constraints
//! to a quarter, r grows tenfold. At the end Newton steps lead onto the active constraints
//!
//! x - D^2 J^T (J D^2 J^T)^-1 (c + m),
//!
//! with margins m of the size of the rounding errors, until every constraint is satisfied exactly. So the result is
//! feasible, and not only nearly so.
//!
//! | symbol | here | meaning | range | default |
//! |---|---|---|---|---|
//! | x | `x` | the point | between the bounds | |
//! | f, g | [`Landscape`], [`Smooth`] | value and gradient | | |
//! | c_i | [`Landscape::evaluate`] | the constraints | satisfied if <= 0 | |
//! | B | | second derivatives, approximated | | |
//! | l_i | | multipliers | >= 0 | estimated at the start |
//! | r | | penalty | > 0 | 100 |
//! | D | [`Landscape::bounds`] | ranges between the bounds | > 0 | 1 if one is infinite |
//! | J | [`Smooth::partials`] | derivatives of active constraints | | |
//!
//! **On a GPU** the same code runs, with a thread for each search. The driver compiles a kernel when it is first
//! loaded, which takes half a minute if everything is inlined. So functions that are used more than once are not
//! inlined (`inline(never)`) and are optimised for size, and loops hide their largest number of iterations
//! (`store::times`), so that they are not unrolled.
//!
//! **Sources.** R. Byrd, P. Lu, J. Nocedal, C. Zhu, "A limited memory algorithm for bound constrained optimization",
//! SIAM Journal on Scientific Computing 16, 1995. D. Bertsekas, "Projected Newton methods for optimization problems
//! with simple constraints", SIAM Journal on Control and Optimization 20, 1982. W. Hager, H. Zhang, "A new conjugate
//! gradient method with guaranteed descent and an efficient line search", SIAM Journal on Optimization 16, 2005 (the
//! conditions if values differ only by rounding). E. Birgin, J. Martinez, "Practical augmented Lagrangian methods for
//! constrained optimization", SIAM, 2014. F. Gao, L. Han, "Implementing the Nelder-Mead simplex algorithm with adaptive
//! parameters", Computational Optimization and Applications 51, 2012. C. Kelley, "Detection and remediation of
//! stagnation in the Nelder-Mead algorithm using a sufficient decrease condition", SIAM Journal on Optimization 10,
//! 1999 (restarts).
//!
//! **Deviations.** L-BFGS-B finds the coordinates to hold along the path of steepest descent. Here they are those that
//! reached their bound in the previous step, which needs no further loop over breakpoints. Kelley restarts when the
//! simplex stagnates, with signs from its gradient. Here it restarts when the simplex has collapsed, with signs from
//! the movement of the best vertex.

mod bounded;
mod cholesky;
mod constrained;
mod curvature;
mod dense;
mod keeper;
mod lagrangian;
mod line;
mod merit;
mod pairs;
mod restore;
mod simplex;
mod store;

pub use store::{Cells, Store, cells};

use crate::order::Fitness;
use crate::real::Float;
use bounded::{Frame, Stop};
use keeper::Keeper;
use lagrangian::{Augmented, Rows};
use merit::Objective;
use restore::Equations;
use simplex::Simplex;
use store::{Part, copy};

/// The function to search: over coordinates between bounds, perhaps with constraints.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_core::polish::{Landscape, Settings, Store, cells, nelder_mead, simplex_numbers};
///
/// /// The distance from (1, 2) in the box [0, 4]^2.
/// struct Distance;
///
/// impl Landscape<f64> for Distance {
///     fn dimensions(&self) -> usize {
///         2
///     }
///     fn bounds(&self, _i: usize) -> (f64, f64) {
///         (0.0, 4.0)
///     }
///     fn evaluate(&mut self, x: impl Store<f64>, _: impl FnMut(usize, f64)) -> Fitness<f64> {
///         let value = (x.get(0) - 1.0).hypot(x.get(1) - 2.0);
///         Fitness { violation: 0.0, value }
///     }
/// }
///
/// let (mut x, mut work) = ([1.2, 1.9], [0.0; simplex_numbers(2)]);
/// nelder_mead(&mut Distance, &Settings::default(), cells(&mut x), cells(&mut work));
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// ```
pub trait Landscape<R: Float> {
    /// The number of coordinates.
    fn dimensions(&self) -> usize;

    /// The number of constraints whose values [`evaluate`](Landscape::evaluate) returns.
    #[inline(always)]
    fn constraints(&self) -> usize {
        0
    }

    /// The bounds of coordinate `i`, neither NaN nor -0; infinite if there is no bound.
    fn bounds(&self, i: usize) -> (R, R);

    /// Whether coordinate `i` keeps its value, as integers and choices do.
    #[inline(always)]
    fn is_fixed(&self, i: usize) -> bool {
        let _ = i;
        false
    }

    /// Whether the search should end as if all its evaluations were spent, because no time is left.
    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }

    /// Value and violation at `x`, and the value of each constraint, at most zero if it is satisfied, through
    /// `constraint(number, value)`. The violation is zero exactly if all constraints are satisfied.
    fn evaluate(&mut self, x: impl Store<R>, constraint: impl FnMut(usize, R)) -> Fitness<R>;
}

/// A landscape with derivatives.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_core::polish::{
///     Landscape, Settings, Smooth, Store, cells, descend, descent_numbers,
/// };
///
/// /// The sum of both coordinates in a disc of radius 1, within the box [-2, 2]^2.
/// struct Disc;
///
/// impl Landscape<f64> for Disc {
///     fn dimensions(&self) -> usize {
///         2
///     }
///     fn constraints(&self) -> usize {
///         1
///     }
///     fn bounds(&self, _i: usize) -> (f64, f64) {
///         (-2.0, 2.0)
///     }
///     fn evaluate(&mut self, x: impl Store<f64>, mut constraint: impl FnMut(usize, f64)) -> Fitness<f64> {
///         let (x, y) = (x.get(0), x.get(1));
///         let outside = x * x + y * y - 1.0;
///         constraint(0, outside);
///         Fitness { violation: outside.max(0.0), value: x + y }
///     }
/// }
///
/// impl Smooth<f64> for Disc {
///     fn partials(&mut self, x: impl Store<f64>, mut partial: impl FnMut(usize, usize, f64)) {
///         for i in 0..2 {
///             partial(0, i, 1.0);
///             partial(1, i, 2.0 * x.get(i));
///         }
///     }
/// }
///
/// let (mut x, mut work) = ([-0.5, -0.6], [0.0; descent_numbers(2, 1)]);
/// let report = descend(&mut Disc, &Settings::default(), cells(&mut x), cells(&mut work));
/// assert_eq!(report.best.violation, 0.0);
/// assert!((report.best.value + 2.0_f64.sqrt()).abs() < 1e-15);
/// ```
pub trait Smooth<R: Float>: Landscape<R> {
    /// Passes the partial derivatives at `x`, the point evaluated last, to `partial(row, coordinate, derivative)`:
    /// those of the value in row 0, those of constraint k in row k + 1. Derivatives that are not passed are zero; those
    /// of fixed coordinates are not used.
    ///
    /// The order of calls is the order in which derivatives of several rows are added. No pair of row and coordinate
    /// may be passed twice.
    fn partials(&mut self, x: impl Store<R>, partial: impl FnMut(usize, usize, R));
}

/// When a search ends.
///
/// ```
/// use warpswarm_core::polish::Settings;
/// let short = Settings { evaluations: 500, ..Settings::<f64>::default() };
/// assert_eq!(short.gradient, f64::EPSILON / 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings<R> {
    /// The largest number of evaluations, including that of the start, which is always made. There are at most as many
    /// gradients, and with constraints at most 31 more: one at the start, and one in each round.
    pub evaluations: u32,
    /// A gradient counts as zero if it predicts at most this change of the value across any coordinate's range,
    /// relative to the value; at least 0.
    pub gradient: R,
    /// A decrease counts as none if it is at most this fraction of the value; at least 0. Decreases of the size of
    /// rounding errors always count as none.
    pub change: R,
}

impl<R: Float> Default for Settings<R> {
    /// To full precision, in at most 20,000 evaluations.
    fn default() -> Self {
        Settings { evaluations: 20_000, gradient: R::HALF_EPSILON, change: R::ZERO }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The gradient is small, except for coordinates at a bound that it pushes outwards.
    Gradient,
    /// Several steps, or a restarted simplex, changed the value by a negligible amount.
    Change,
    /// Several steps moved every coordinate by no more than the rounding error of its range.
    Step,
    /// No step decreases the value, or no round comes near enough to the constraints.
    NoProgress,
    /// All evaluations are spent, or [no time is left](Landscape::is_over).
    Budget,
    /// The value, a constraint or a derivative is not finite at the start.
    NotFinite,
}

/// The result of a search, and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report<R> {
    /// The fitness of the start, after it was clamped to its bounds.
    pub start: Fitness<R>,
    /// The fitness of the point found, never worse than `start`.
    pub best: Fitness<R>,
    /// The number of steps.
    pub steps: u32,
    /// The number of evaluations.
    pub evaluations: u32,
    /// The number of gradients, each of the value and all constraints.
    pub gradients: u32,
    /// Why the search ended.
    pub status: Status,
}

/// The length of the workspace of [`descend`], in numbers.
///
/// ```
/// use warpswarm_core::polish::descent_numbers;
/// assert_eq!(descent_numbers(1000, 0), 6 * 1000 + 2 * 8 * 1001);
/// assert!(descent_numbers(7, 11) < 400);
/// ```
pub const fn descent_numbers(dimensions: usize, constraints: usize) -> usize {
    let frame = Frame::<()>::numbers(dimensions);
    if constraints == 0 {
        return frame;
    }
    frame + Rows::<()>::numbers(dimensions, constraints) + Equations::<()>::numbers(constraints)
}

/// Descends from `x` by derivatives, and writes the best point to `x`: see [the module](self) for the method, and
/// [`Smooth`] for an example.
///
/// `x` has a number for each coordinate. Those that are not fixed are first clamped to their bounds; a NaN becomes the
/// upper bound. `work` has [`descent_numbers`] numbers of any value; its contents afterwards are undefined.
///
/// If a landscape has a violation but no constraints, the search decreases only its value; but violations count in
/// choosing the best evaluated point.
#[inline(never)]
#[cfg_attr(target_arch = "nvptx64", optimize(size))]
pub fn descend<R: Float, L: Smooth<R>, S: Store<R>>(
    landscape: &mut L,
    settings: &Settings<R>,
    x: S,
    work: S,
) -> Report<R> {
    let (n, m) = (landscape.dimensions(), landscape.constraints());
    let mut room = Part::all(work);
    let mut frame = Frame::new(n, &mut room);
    if m == 0 {
        let mut keeper = Keeper::new(landscape, x, settings.evaluations, |_, _| ());
        let start = keeper.best;
        copy(n, x, frame.x);
        let Settings { gradient: relative_gradient, change, .. } = *settings;
        let stop = Stop { gradient: R::ZERO, relative_gradient, change };
        let ended = bounded::descend(&mut Objective(&mut keeper), &mut frame, &stop);
        return keeper.report(start, ended);
    }
    let rows = Rows::new(n, m, &mut room);
    let equations = Equations::new(m, &mut room);
    let mut keeper = Keeper::new(landscape, x, settings.evaluations, |k, value| {
        if k < m {
            rows.values.set(k, value);
        }
    });
    let start = keeper.best;
    copy(n, x, frame.x);
    let mut merit = Augmented { keeper: &mut keeper, rows, penalty: R::ONE, scale: R::ONE };
    let ended = constrained::run(&mut merit, &mut frame, &equations, settings);
    keeper.report(start, ended)
}

/// The length of the workspace of [`nelder_mead`], in numbers.
///
/// ```
/// assert_eq!(warpswarm_core::polish::simplex_numbers(10), 11 * 12 + 5 * 10);
/// ```
pub const fn simplex_numbers(dimensions: usize) -> usize {
    Simplex::<()>::numbers(dimensions)
}

/// Descends from `x` by a simplex, without derivatives, and writes the best point to `x`: see [`Landscape`] for an
/// example.
///
/// `x` is as for [`descend`], `work` has [`simplex_numbers`] numbers. Steps are compared by violation and value, as by
/// [`Fitness::beats`]. A collapsed simplex is built again, smaller and oriented along its movement, until two in a row
/// bring no improvement.
#[inline]
pub fn nelder_mead<R: Float, L: Landscape<R>, S: Store<R>>(
    landscape: &mut L,
    settings: &Settings<R>,
    x: S,
    work: S,
) -> Report<R> {
    let mut simplex = Simplex::new(landscape.dimensions(), &mut Part::all(work));
    let mut keeper = Keeper::new(landscape, x, settings.evaluations, |_, _| ());
    let start = keeper.best;
    let ended = simplex.descend(&mut keeper, settings, x);
    keeper.report(start, ended)
}
