//! Fits of models to data: least squares, robust losses, and the likelihood of counts, by Levenberg and Marquardt's method.
//!
//! **Idea.** Near a point, the sum of squares of a model's residuals is almost a parabola of the parameters, of which first
//! derivatives of the model are enough. A step goes to its least value within a trust region. The region grows
//! while steps do what the parabola says, and shrinks where they do not.
//!
//! **Equations.** With N parameters p, residual r_k (model minus observation) and weight w_k of row k, and J the matrix of
//! the model's partial derivatives:
//!
//! ```text
//! chi-squared = sum w_k r_k^2,    g = J^T W r,    H = J^T W J
//! step:    (H + lambda D) s = -g,    sqrt(s^T D s) = Delta to a tenth, or lambda = 0 if that is within Delta
//! ratio:   rho = (chi-squared - chi-squared of p + s) / -(2 g^T s + s^T H s)
//! accept:  p <- p + s if rho >= 0.0001,    D_ii <- max(D_ii, H_ii)
//! region:  Delta <- 2 sqrt(s^T D s) if rho >= 3/4 or lambda = 0;  times 0.1 to 0.5 if rho <= 1/4
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | | [`ftol`](Settings::ftol) | relative change of chi-squared, found and predicted, at which a fit stops | [0, 1) | 8 epsilon |
//! | | [`xtol`](Settings::xtol) | Delta over the scaled length of p at which it stops | [0, 1) | 8 epsilon |
//! | | [`gtol`](Settings::gtol) | largest component of g at which it stops, bounds regarded | >= 0 | 0 |
//! | | [`factor`](Settings::factor) | first Delta over the scaled length of p | > 0 | 1 |
//! | | [`evaluations`](Settings::evaluations) | most evaluations of all rows | >= 1 | 100 (N + 1) |
//! | lambda | [`tries`](Settings::tries) | values of lambda for one step | 2 to 20 | 10 |
//!
//! **How it is used.** A [`Solver`] says at which point it wants sums over rows; the caller computes them wherever the rows are,
//! one thread for 25 rows or a grid for ten million, and hands them to [`Solver::advance`]. [`fit`] is that loop on one
//! thread. Rows go into an [`Accumulator`]: [`Normal`], or [`Triangular`] where parameters are nearly dependent. A row is
//! a [`Term`]: [`Term::squared`], [`Loss::term`] or [`poisson`]. [`Bounds`] limit parameters and fix some. After a fit
//! there are [`Covariance`] and [`Goodness`].
//!
//! ```
//! use warpswarm_core::fit::{
//!     Accumulator, Bounds, Covariance, Goodness, Normal, Parameters, Settings, Term, fit,
//! };
//! // y = a exp(-b t), measured five times.
//! let y = [10.1, 6.0, 3.8, 2.1, 1.4];
//! let settings = Settings::new(2);
//! let row = |[a, b]: &[f64; 2], k: usize| {
//!     let t = k as f64;
//!     let e = (-b * t).exp();
//!     (Term::squared(a * e - y[k], 1.0), [e, -a * t * e])
//! };
//! let (status, solver) =
//!     fit::<f64, Normal<f64, 2>, 2>([5.0, 1.0], &Bounds::unbounded(), &settings, 5, row);
//! assert!(status.converged());
//! let [a, b] = *solver.best();
//! assert!((a - 10.0793).abs() < 1e-4 && (b - 0.504_93).abs() < 1e-5);
//! let goodness = Goodness { chi_squared: solver.sums().chi_squared(), rows: 5, parameters: 2 };
//! let covariance = Covariance::of(solver.sums(), Parameters::first(2), goodness.reduced());
//! let [error, _] = covariance.standard_errors();
//! assert!((error - 0.1108).abs() < 1e-4);
//! ```
//!
//! **Evaluations.** Residuals and derivatives are always computed together. Most steps are accepted, so that few derivatives
//! are computed in vain, and an accepted point need not be evaluated twice.
//!
//! **Order of sums.** Rows are added in sequence within blocks of [`BLOCK`], blocks' sums in sequence within groups of as
//! many blocks, and groups' sums in sequence: a function of the number of rows alone, so that one thread and many get
//! the same bits. It is not the order of [`sum`](crate::sum), whose 32 leaves would be 32 copies of all these
//! sums in a thread's registers.
//!
//! **Source.** J. J. Moré, The Levenberg-Marquardt algorithm: implementation and theory, in Numerical Analysis, Lecture Notes in
//! Mathematics 630, 1978 (algorithms 5.5 and 7.1), the method of MINPACK's `lmder`, and so of SciPy's `curve_fit`.
//!
//! **Deviations.** The first trust region has the scaled length of the first point, where MINPACK's has 100 times that: from
//! NIST's first start for BoxBOD it otherwise steps to where the model is constant. If all parameters are zero, it has that
//! of the residuals, where MINPACK's has a fixed number. Where H is singular, every step is
//! damped, by lambda of at least a thousandth of sqrt(g^T D^-1 g) / Delta, where MINPACK leaves parameters out: as g vanishes,
//! so does lambda, and the last steps are as fast. Bounds are not in the paper: see [`Bounds`] and [`Solver`]. `gtol` limits
//! components of the gradient, as in SciPy's `least_squares`; MINPACK's is the cosine between a column and the
//! residuals.
//!
//! `ftol` and `xtol` are as good as 0 unless given, where SciPy's are 1e-8: where residuals are large, steps shrink by a factor of a
//! few, and a fit that stops at 1e-8 has four or five digits of the minimum.
//!
//! **Why a trust region.** Evaluations from NIST's two starting points each, `-` where the certified sum of squares is not
//! reached (`python crates/core/tests/fit/updates.py`; the last row is this method's):
//!
//! | lambda | BoxBOD | MGH10 | MGH09 | Thurber | Hahn1 | Gauss2 | Lanczos3 | ENSO |
//! |---|---|---|---|---|---|---|---|---|
//! | Marquardt 1963, times or over 10 | -/9 | -/883 | 276/20 | 27/16 | 11/12 | 6/6 | 533/450 | 26/19 |
//! | Nielsen 1999 | -/9 | -/142 | 95/12 | 23/14 | 19/19 | 6/6 | 98/98 | 21/18 |
//! | Moré, factor 100 | -/9 | 288/126 | 504/18 | 34/19 | 11/12 | 6/6 | 83/10 | 21/19 |
//! | Moré, factor 1 | 27/9 | 270/126 | 99/18 | 31/19 | 11/12 | 6/6 | 83/10 | 21/19 |
//!
//! A step solves two to four systems of N equations instead of one, which for 25 rows and five parameters is less than an
//! evaluation.

mod accumulate;
mod covariance;
mod goodness;
mod lm;
mod loss;
mod model;
mod parameters;
mod region;
mod search;
mod solve;
mod summed;
mod triangular;

pub use accumulate::{Accumulator, BLOCK, Normal, Term, sum_block, sum_costs, sum_rows, sum_sums};
pub use covariance::Covariance;
pub use goodness::{Goodness, Spread};
pub use lm::{Next, Settings, Solver, Status, fit};
pub use loss::{Loss, poisson};
pub use model::{Curve, Derived, Misfit, Model, Observed, Scatter, SmoothModel, fit_model};
pub use parameters::{Bounds, Parameters};
pub use search::{Best, Look, Minima, PIECE, SEARCHED_ROWS, Search};
pub use solve::{Damped, Factor};
pub use summed::{Summed, sum_all};
pub use triangular::Triangular;
