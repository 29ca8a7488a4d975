//! Problems from files: an expression to be minimised, its variables, constants, data and constraints.
//!
//! A problem file is written in [TOML](https://toml.io). Only `minimise` (or `maximise`, or `fit`) and `[variables]` are required:
//!
//! ```toml
//! name = "decay"
//! minimise = "sum(i, (y[i] - model[i])^2)"               # or maximise
//! tolerance = 1e-6                                       # for equations; this is the default
//!
//! [variables]
//! a = { lower = 0, upper = 10 }
//! tau = { lower = 0.1, upper = 100, scale = "log" }      # linear, log or integer
//! x = { count = 3, lower = -1, upper = 1 }               # x[1], x[2] and x[3]
//!
//! [constants]
//! g = 9.81
//! w = "2 * pi * g"                                       # may use the constants above it
//!
//! [data]
//! file = "points.csv"                                    # in the folder of this file
//! columns = ["t", "y"]                                   # t[1] is in the first row below the headings
//!
//! [let]
//! model = "a * exp(-t[i] / tau) for i in t"              # model[1], model[2], ...
//!
//! [constraints]
//! order = "x[1] < x[2] <= x[3]"                          # a condition
//! either = "a <= 1 or tau >= 10"
//! whole = "x[1] + x[2] == 1"                             # an equation, up to the tolerance
//! volume = "1 - g * a"                                   # a number: met where it is at most 0
//! tight = { condition = "a * tau == 5", tolerance = 1e-9 }
//! ```
//!
//! Indices begin at 1.
//!
//! ## Keys of the file
//!
//! | key | meaning |
//! |---|---|
//! | `name` | the name in results; by default that of the file |
//! | `minimise` or `maximise` | the objective, an expression |
//! | `fit` or `fits` | a model instead of an objective: see [Fits](#fits) |
//! | `sigma`, `weights`, `absolute_sigma`, `loss`, `loss_scale` | options of a fit |
//! | `[variables]` | what is searched |
//! | `[constants]` | named numbers |
//! | `[data]` or `[[data]]` | numbers from files, or lists |
//! | `[let]` | named expressions |
//! | `[ode]` | a differential equation |
//! | `[constraints]` | named conditions |
//! | `tolerance` | allowed difference in an equation; 1e-6 by default |
//!
//! `minimize` and `maximize` are accepted too.
//!
//! ## Variables
//!
//! A variable has bounds, or `fixed`, or `values`, or `choices`.
//!
//! | key | meaning |
//! |---|---|
//! | `lower`, `upper` | the bounds |
//! | `scale` | `"linear"` (default), `"log"` or `"integer"` |
//! | `count` | how many numbers the variable has |
//! | `fixed` | a value instead of bounds |
//! | `values` | allowed numbers, as in `[1, 2, 5, 10]` |
//! | `choices` | allowed names, as in `["steel", "brass"]` |
//! | `start` | a guess from which the search begins |
//! | `periodic` | `true` for an angle or a similar quantity |
//! | `unit` | a unit, such as `"mm"`, shown in results |
//!
//! * `lower` and `upper` are numbers or expressions of constants. For a variable with a `count` they may be a list of as many.
//! * `scale = "log"` is for a positive quantity whose order of magnitude is unknown. It needs positive bounds. `"integer"` is for
//!   whole numbers. For a variable with a `count`, `scale` may be a list of as many.
//! * `values` are ordered: the search assumes that neighbouring values are similar.
//! * `start` is a number, a list with one number for each element, or a list of guesses. Variables without a start begin anywhere.
//! * A `periodic` variable continues behind `upper` at `lower`. The search sees no edge there, whatever its boundary mode is.
//!
//! A variable with choices is not a number. `if(metal == 'brass', 1, 2)` tests a choice. A constant that is a table has a number for
//! each choice: with `density = { steel = 7.8, brass = 8.5 }`, the expression `density[metal]` is the density of the chosen metal.
//!
//! ## Constants and data
//!
//! A constant is one of these:
//!
//! * a number, or an expression of the constants above it
//! * many numbers: a list `[1, 2, 4]`, or `"2 * i for i in 1 to 10"`
//! * a matrix `[[1, 2], [3, 4]]`, a list of its rows
//! * a table of names with numbers
//!
//! Data are columns of a text file whose first line has the headings, or lists of numbers. Several tables are written below
//! `[[data]]`:
//!
//! ```toml
//! [[data]]
//! file = "probe.csv"
//! columns = { t = "t [s]", y = "signal" }                # names for headings; a list of headings makes a matrix
//! separator = ";"                                        # or ",", "tab", "space"; detected by default
//! decimal = ","                                          # if 3,5 means three and a half
//! comment = "%"                                          # lines that begin with it are skipped; "#" by default
//! missing = "skip row"                                   # if a cell is empty or NA; an error by default
//!
//! [[data]]
//! limits = [0.5, 1.5]
//! ```
//!
//! ## Named expressions
//!
//! `[let]` gives names to expressions. Each expression may use those above it and is computed once, so a long formula can be written
//! in parts. With `for i in t` a name stands for as many numbers as `t` has; with `for i in 1 to 12` it stands for twelve. The
//! summary of `solve` shows the values at the best point, except those of arrays, so an expression may also be there only to be
//! shown.
//!
//! ## Differential equations
//!
//! `[ode]` is a model whose states change with time, such as populations, reactions, or a fall with drag:
//!
//! ```toml
//! minimise = "sum(i, (cases[i] - report * infected[i])^2)"
//!
//! [data]
//! file = "epidemic.csv"
//! columns = ["day", "cases"]
//!
//! [ode]
//! times = "day"                                          # the states are computed at these times
//!
//! [ode.let]
//! new = "contact * susceptible * infected / 1e6"         # uses the states at a moment
//!
//! [ode.states]
//! susceptible = { initial = 1e6, derivative = "-new" }
//! infected = { initial = "infected0", derivative = "new - infected / 7" }
//! ```
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `times` | name of an ascending column or constant | required |
//! | `from` | time of the initial values, at most the first of `times` | that time |
//! | `states` | each with `initial` and `derivative` | required |
//! | `let` | expressions that several derivatives use | none |
//! | `method` | `"rk45"` or `"rk4"` | `"rk45"` |
//! | `tolerance` | of `rk45`: relative error of a step, 1e-14 to 1 | 1e-6 |
//! | `absolute` | of `rk45`: absolute error of a step, above 0 | 1e-9 |
//! | `most_steps` | of `rk45`: most steps between two times | 1000 |
//! | `steps` | of `rk4`: steps between two times | required with `rk4` |
//!
//! * Outside of `[ode]` a state is an array: `infected[i]` is the state at `day[i]`.
//! * `initial` may depend on variables. A `derivative` may use the states, variables, constants, `[let]`, and the time, which has the
//!   name that `times` names.
//! * `rk45` is the method of Dormand and Prince, of order 5, whose steps are as long as the tolerance allows. If `most_steps` are not
//!   enough, the state is NaN. `rk4` is the classical method of order 4 with equal steps. It is faster if you know how many steps are
//!   needed.
//! * The steps are the same on CPU and GPU, to the bit.
//! * At most 4,096 numbers are kept of the states that are used outside of `[ode]`: one for each state and time.
//! * Entries of `[let]` that use states are computed after `[ode]`, and entries that `[ode]` uses before it, in whichever order they
//!   are written.
//!
//! ## Fits
//!
//! A file may have a model and data instead of `minimise`:
//!
//! ```toml
//! fit = "y ~ height * exp(-t / lifetime) + background"
//! sigma = "dy"                                           # a column, a number, or an expression of those
//!
//! [variables]
//! height = { lower = 0, upper = 100 }
//! lifetime = { lower = 0.01, upper = 1000, scale = "log", unit = "s" }
//! background = { lower = 0, upper = 10 }
//!
//! [data]
//! file = "decay.csv"
//! columns = ["t", "y", "dy"]
//! ```
//!
//! In a model, the name of a column stands for its number in each row: `t` means `t[i]`. On the left of `~` is a column, or an
//! expression of columns and constants, as in `"log(y) ~ a + b * t"`.
//!
//! | key | meaning |
//! |---|---|
//! | `fit` | a model: what was observed, `~`, and what is predicted |
//! | `fits` | a list of models with common variables |
//! | `sigma` | standard deviations of the observations, above 0 |
//! | `weights` | instead of `sigma`: 1 / sigma^2, finite and from 0 on |
//! | `absolute_sigma` | `true`: `sigma` has its true size, so that standard errors are not scaled |
//! | `loss` | cost of a residual; `"linear"` by default |
//! | `loss_scale` | residual from which a robust loss grows more slowly; 1 by default |
//!
//! * `fits = ["y ~ a * t", "z ~ a * t^2"]` fits two models at once. `sigma` may then be a list with one entry for each model.
//! * Without `sigma` all observations count the same.
//! * A residual `r` is the difference of observation and prediction, over `sigma`. `loss = "linear"` costs r^2, which is least
//!   squares. `"huber"`, `"soft-l1"` and `"cauchy"` grow more slowly and so reduce the influence of outliers. `"poisson"` is for
//!   counts, without `sigma`. For the sum of absolute residuals, write `minimise` with `sum(i, abs(y[i] - a * t[i]))`.
//! * Variables of a fit are not integers and not choices. There are no constraints.
//!
//! `warpswarm fit` and [`ProblemFile::fit_models`] return the variables with their standard errors. [`ProblemFile::load_data_sets`]
//! reads the data of many fits. Every other command treats such a file as a problem that minimises the sum of the costs.
//!
//! ## Expressions
//!
//! An expression is a number or a condition. Numbers have the operators `+ - * / ^` (also `**`), the constants `pi`, `tau` (unless
//! the file defines its own) and `inf`, and these functions:
//!
//! | function | meaning |
//! |---|---|
//! | `abs sqrt cbrt sign` | `sign` is -1, 0 or 1 |
//! | `exp expm1 ln log1p log2 log10` | `expm1(x)` is e^x - 1, `log1p(x)` is ln(1 + x) |
//! | `log` | the natural logarithm, as `ln` |
//! | `sin cos tan asin acos atan` | in radians |
//! | `atan2(y, x)` | angle of the point (x, y), from -pi to pi |
//! | `sinh cosh tanh asinh acosh atanh` | hyperbolic functions and their inverses |
//! | `floor ceil trunc round` | `round(2.5)` is 2: halves go to the even number |
//! | `mod(a, b)` | `a - b * floor(a / b)`, exact; `mod(-1, 3)` is 2 |
//! | `pow(a, b)`, `hypot(a, b)` | `a^b`, and `sqrt(a^2 + b^2)` |
//! | `erf erfc` | the error function, and 1 minus it |
//! | `gamma lgamma` | the gamma function, and the logarithm of its size |
//! | `j0 j1 y0 y1` | Bessel functions of orders 0 and 1 |
//! | `min(a, b, ...)`, `max(a, b, ...)` | NaN if an argument is NaN |
//! | `if(condition, a, b)` | `a` if the condition holds, otherwise `b`; both are computed |
//! | `len(x)` | how many numbers `x` has |
//! | `dot(x, y)`, `norm(x)` | sum of products; root of the sum of squares |
//! | `interp(x, xs, ys)` | the value at `x` of a table with columns `xs` and `ys` |
//! | `interp(x, y, xs, ys, values)` | the value at `x` and `y` of a table of two variables |
//!
//! `interp` is linear between the rows of a table, and constant outside. The columns are data or constants that are the same in every
//! run; their rows may be in any order, and the steps between them may differ. A table of two variables has one row for each pair. Its
//! `values` may also be a matrix with a row for each of `xs` and a column for each of `ys`. An evaluation takes time in proportion to
//! the number of rows.
//!
//! `sum`, `prod`, `min`, `max` and `mean` are reductions, and have three forms:
//!
//! | form | meaning |
//! |---|---|
//! | `sum(i, x[i]^2)` | over all `i` for which everything with the index exists |
//! | `sum(i, 2, len(x), x[i]^2)` | over a range |
//! | `sum(x)` | over all numbers of `x` |
//!
//! In the first form, `sum(i, (x[i+1] - x[i])^2)` has one term fewer than `x` has numbers. A reduction that depends on the index of
//! another reduction is expanded into its terms.
//!
//! ## Conditions and constraints
//!
//! A condition is a comparison (`<`, `<=`, `==` or `=`, `>=`, `>`, `!=`), which may be chained as in `0 < a <= b`; or `true` or
//! `false`; or a combination with `and`, `or`, `not` (also `&&`, `||`, `!`), `if(p, q, r)`, `all(i, ...)`, `any(i, ...)`. Inside a
//! number, a condition is 1 if it holds and 0 otherwise: `sum(i, x[i] > 0) >= 2`.
//!
//! The *violation* of a constraint says how far a point is from meeting it. It is 0 if the constraint is met:
//!
//! | constraint | violation |
//! |---|---|
//! | `a <= b` | a - b, if that is above 0 |
//! | `a < b` | see below |
//! | `a == b` | the distance of a and b beyond the tolerance |
//! | `a != b` | 1 if they are equal |
//! | `p and q`, `all(i, p)`, a product of conditions | the sum of the parts |
//! | `p or q`, `any(i, p)` | the smallest part |
//! | `not p` | that of the opposite |
//! | `if(p, q, r)` | that of `q` if `p` holds, otherwise that of `r` |
//! | a number | the number, if it is above 0 |
//!
//! * `a < b` of whole numbers counts as `a + 1 <= b`. Otherwise it is met if it holds in the arithmetic of the run, so the best point
//!   may lie directly at the edge.
//! * Whole numbers in `a == b` must be equal; there is no tolerance.
//! * `not a < b` is `a >= b`, and the opposite of `and` is an `or`.
//!
//! [`Settings::constraints`](crate::Settings::constraints) decides how a run treats violations. Equations and narrow bands need
//! [`Constraints::Epsilon`](crate::Constraints::Epsilon), which the program selects by itself if a file has any.
//!
//! ## Whole numbers and indices
//!
//! Whole numbers are: integer variables, whole constants, columns that contain nothing else, indices, the results of `floor`, `ceil`,
//! `trunc`, `round` and `sign`, and sums, differences, products, `mod`, `abs`, `min`, `max` and choices of whole numbers.
//!
//! An index is a whole number from 1 on: `x[2]`, `x[len(x)]`, or `A[i, j]` in row `i` and column `j` of a matrix. It may be computed,
//! as in `place[city[i]]` or `t[i - lag]`. Whether it is in range is checked when the file is read.
//!
//! An index that depends on variables must be a whole number, such as `floor(x)`, and selects one of at most 1,024 numbers. Its
//! range must be known: it may be made of variables, data, `+`, `-`, `*`, `/`, `if`, comparisons, `floor`, `ceil`, `round`,
//! `trunc`, `abs`, `sign`, `sqrt`, `mod`, `min` and `max`. With a real variable `x` from 0 to 4, `t[floor(x / 2) + 1]` selects one
//! of the first three numbers of `t`.
//!
//! ## Precision
//!
//! Constants are computed in `f64` and then rounded to the precision of the run. Sines and cosines of `2*pi*x` are computed as those
//! of turns ([`Real::sin_turns`](warpswarm_core::Real::sin_turns)), which is exact at every quarter turn. Whole powers up to 8 are
//! products.

mod any_objective;
mod columns;
mod compile;
mod cpu;
mod curves;
mod data_sets;
mod derivative;
mod file;
mod fit;
mod fitted;
mod fitting;
mod graph;
mod interpreted;
mod named_numbers;
mod names;
mod observed;
mod options;
mod problem;
mod program;
mod reader;
mod search;
mod sheet;
mod slopes;
mod source;
mod syntax;
mod warnings;

#[cfg(test)]
mod tests;

pub use data_sets::{DataSets, Layout};
pub(crate) use file::Given;
pub use fit::{Fit, Model};
pub use fitted::Fitted;
pub use named_numbers::NamedNumbers;
pub use options::DiscreteValue;
pub use problem::ProblemFile;
