//! Fits of models to data: least squares, robust losses, and the likelihood of counts, by the Levenberg-Marquardt
//! method.
//!
//! **Idea.** Near a point, the sum of squares of a model's residuals is almost a quadratic function of the parameters,
//! which follows from the model's first derivatives. A step goes to its minimum within a trust region. The region grows
//! while steps change the sum as predicted, and shrinks when they do not.
//!
//! **Equations.** With N parameters p, residual r_k (model minus observation) and weight w_k of row k, and J the matrix
//! of the model's partial derivatives:
//!
//! ```text
//! chi-squared = sum w_k r_k^2,    g = J^T W r,    H = J^T W J
//! step:    (H + lambda D) s = -g,    sqrt(s^T D s) = Delta within a tenth, or lambda = 0 if that is within Delta
//! ratio:   rho = (chi-squared - chi-squared of p + s) / -(2 g^T s + s^T H s)
//! accept:  p <- p + s if rho >= 0.0001,    D_ii <- max(D_ii, H_ii)
//! region:  Delta <- 2 sqrt(s^T D s) if rho >= 3/4 or lambda = 0;  times 0.1 to 0.5 if rho <= 1/4
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | | [`ftol`](Settings::ftol) | relative change of chi-squared, actual and predicted, at which a fit stops | [0, 1) | 8 epsilon |
//! | | [`xtol`](Settings::xtol) | Delta over the scaled length of p at which a fit stops | [0, 1) | 8 epsilon |
//! | | [`gtol`](Settings::gtol) | largest component of g, projected to the bounds, at which a fit stops | >= 0 | 0 |
//! | | [`factor`](Settings::factor) | first Delta over the scaled length of p | > 0 | 1 |
//! | | [`evaluations`](Settings::evaluations) | largest number of evaluations of all rows | >= 1 | 100 (N + 1) |
//! | lambda | [`tries`](Settings::tries) | largest number of values of lambda for one step | 2 to 20 | 10 |
//!
//! **How it is used.** A [`Solver`] returns the point at which it needs sums over rows. The caller computes them
//! wherever the rows are, on one thread for 25 rows or on a grid for ten million, and passes them to
//! [`Solver::advance`]. [`fit`] is this loop on one thread. Rows are added to an [`Accumulator`]: [`Normal`], or
//! [`Triangular`] if parameters are nearly dependent. A row is a [`Term`]: [`Term::squared`], [`Loss::term`] or
//! [`poisson`]. [`Bounds`] limit parameters and fix some. [`Covariance`] and [`Goodness`] describe the result.
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
//! **Evaluations.** Residuals and derivatives are always computed together. Most steps are accepted, so that few
//! derivatives are wasted, and an accepted point is not evaluated twice.
//!
//! **Order of sums.** Rows are added in sequence within blocks of [`BLOCK`], blocks' sums in sequence within groups of
//! as many blocks, and groups' sums in sequence. The order depends only on the number of rows, so that one thread and
//! many get the same bits. It is not the order of [`sum`](crate::sum), whose 32 leaves would need 32 copies of all
//! these sums in a thread's registers.
//!
//! **Source.** J. J. Moré, The Levenberg-Marquardt algorithm: implementation and theory, in Numerical Analysis, Lecture
//! Notes in Mathematics 630, 1978 (algorithms 5.5 and 7.1), the method of MINPACK's `lmder`, and so of SciPy's
//! `curve_fit`.
//!
//! **Deviations.**
//! * The first trust region has the scaled length of the first point, where MINPACK's has 100 times that: from NIST's
//!   first start for BoxBOD such a region leads to where the model is constant. If all parameters are zero, it has the
//!   length of the residuals, where MINPACK's has a fixed number.
//! * If H is singular, every step is damped, with lambda at least a thousandth of sqrt(g^T D^-1 g) / Delta. MINPACK
//!   leaves parameters out instead. As g vanishes, so does lambda, and the last steps converge as fast.
//! * Bounds are not in the paper: see [`Bounds`] and [`Solver`].
//! * `gtol` limits components of the gradient, as in SciPy's `least_squares`; MINPACK's is the cosine between a column
//!   and the residuals.
//! * By default `ftol` and `xtol` are practically 0, where SciPy's are 1e-8. With large residuals convergence is
//!   linear, by a small factor in each step, and a fit that stops at 1e-8 has only four or five digits of the minimum.
//!
//! **Why a trust region.** Evaluations from NIST's two starting points each, `-` if the certified sum of squares is not
//! reached (`python tests/core/src/fit/updates.py`; the last row is this method):
//!
//! | lambda | BoxBOD | MGH10 | MGH09 | Thurber | Hahn1 | Gauss2 | Lanczos3 | ENSO |
//! |---|---|---|---|---|---|---|---|---|
//! | Marquardt 1963, times or divided by 10 | -/9 | -/883 | 276/20 | 27/16 | 11/12 | 6/6 | 533/450 | 26/19 |
//! | Nielsen 1999 | -/9 | -/142 | 95/12 | 23/14 | 19/19 | 6/6 | 98/98 | 21/18 |
//! | Moré, factor 100 | -/9 | 288/126 | 504/18 | 34/19 | 11/12 | 6/6 | 83/10 | 21/19 |
//! | Moré, factor 1 | 27/9 | 270/126 | 99/18 | 31/19 | 11/12 | 6/6 | 83/10 | 21/19 |
//!
//! A step solves two to four systems of N equations instead of one. For 25 rows and five parameters that costs less
//! than an evaluation.

mod accumulate;
mod best;
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
pub use best::{Best, Minima};
pub use covariance::Covariance;
pub use goodness::{Goodness, Spread};
pub use lm::{Next, Settings, Solver, Status, fit};
pub use loss::{Loss, poisson};
pub use model::{Curve, Derived, Misfit, Model, Observed, Scatter, SmoothModel, fit_model};
pub use parameters::{Bounds, Parameters};
pub use search::{PIECE, SEARCHED_ROWS, Search, Subsample};
pub use solve::{Damped, Factor};
pub use summed::{Summed, sum_all};
pub use triangular::Triangular;
