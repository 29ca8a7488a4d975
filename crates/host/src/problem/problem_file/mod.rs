//! Problems from files: an expression to be minimised, its variables, constants, data and constraints.
//!
//! A file is TOML:
//!
//! ```toml
//! name = "decay"
//! minimise = "sum(i, (y[i] - model[i])^2)"               # or maximise
//! [variables]
//! a = { lower = 0, upper = 10 }
//! tau = { lower = 0.1, upper = 100, scale = "log" }      # linear, log or integer
//! x = { count = 3, lower = -1, upper = 1 }               # x[1], x[2] and x[3]
//! [constants]
//! g = 9.81
//! w = "2 * pi * g"                                       # of those above it
//! [data]
//! file = "points.csv"                                    # beside this file
//! columns = ["t", "y"]                                   # t[1] is in the first row below the headings
//! [let]
//! model = "a * exp(-t[i] / tau) for i in t"              # model[1], model[2], ...
//! [constraints]
//! order = "x[1] < x[2] <= x[3]"                          # a condition
//! either = "a <= 1 or tau >= 10"
//! whole = "x[1] + x[2] == 1"                             # within the tolerance
//! volume = "1 - g * a"                                   # a number: at most 0 where it is met
//! tight = { condition = "a * tau == 5", tolerance = 1e-9 }
//! ```
//!
//! Above the tables `tolerance = 1e-6` (unless it says otherwise) is by how much the sides of an equation may differ.
//!
//! # Variables
//!
//! | key | |
//! |---|---|
//! | `lower`, `upper` | the bounds: a number, an expression of constants, or of a variable with a `count` a list of as many |
//! | `scale` | `"linear"` unless it says otherwise; `"log"` for a positive number of unknown magnitude, `"integer"` for whole numbers; of a variable with a `count` also a list of as many |
//! | `count` | of a variable that is many numbers, how many |
//! | `fixed` | instead of bounds: its value, or values |
//! | `values` | instead of bounds: the numbers that it may be, as in `[1, 2, 5, 10]`; neighbours are taken for alike |
//! | `choices` | instead of bounds: names, one of which it is, as in `["steel", "brass"]` |
//! | `start` | a guess, with which the search begins: a number, a list of one for each element, or a list of guesses. Variables without one begin anywhere |
//! | `periodic` | `true` for an angle and the like, which goes on behind `upper` at `lower`: the search finds no seam there, whatever its boundary does |
//! | `unit` | such as `"mm"`, shown in results |
//!
//! A variable with choices is no number. `if(metal == 'brass', 1, 2)` asks for one of them; a constant that is a table,
//! as `density = { steel = 7.8, brass = 8.5 }`, has a number for each: `density[metal]`.
//!
//! # Constants and data
//!
//! A constant is a number, an expression of those above it, or many numbers: a list `[1, 2, 4]`, `"2 * i for i in 1 to 10"`,
//! a matrix `[[1, 2], [3, 4]]`, which is a list of its rows, or a table of names with numbers.
//!
//! Data are columns of a text file, whose first line has their headings, or lists of numbers. `[data]` may be several tables,
//! each below `[[data]]`:
//!
//! ```toml
//! [[data]]
//! file = "probe.csv"
//! columns = { t = "t [s]", y = "signal" }                # names for headings; with many headings a matrix
//! separator = ";"                                        # or ",", "tab", "space"; found out unless it is given
//! decimal = ","                                          # where 3,5 is three and a half
//! comment = "%"                                          # lines that begin with it are skipped; "#" unless it is given
//! missing = "skip row"                                   # where a cell is empty or NA, which is an error otherwise
//! [[data]]
//! limits = [0.5, 1.5]
//! ```
//!
//! # Named expressions
//!
//! `[let]` gives names to expressions. Each may use those above it, and is computed once; so a long formula is written in
//! parts. With `for i in t` it is as many numbers as `t` has, with `for i in 1 to 12` it is twelve.
//!
//! # Differential equations
//!
//! `[ode]` is a model whose states change with time, such as populations, reactions or a fall with drag:
//!
//! ```toml
//! minimise = "sum(i, (cases[i] - report * infected[i])^2)"
//! [data]
//! file = "epidemic.csv"
//! columns = ["day", "cases"]
//! [ode]
//! times = "day"                                          # the states are wanted at these
//! [ode.let]
//! new = "contact * susceptible * infected / 1e6"         # of the states at a moment
//! [ode.states]
//! susceptible = { initial = 1e6, derivative = "-new" }
//! infected = { initial = "infected0", derivative = "new - infected / 7" }
//! ```
//!
//! | key | |
//! |---|---|
//! | `times` | the name of a column, or of a constant that is many numbers: ascending. Everywhere else a state is as many numbers: `infected[i]` is at `day[i]` |
//! | `from` | the time at which the states are what `initial` says: the first of `times` unless it is given |
//! | `states` | of each its `initial` number, which may depend on variables, and its `derivative`, an expression of the states, of variables, constants, `[let]`, and of the time by the name that `times` has |
//! | `let` | expressions that several derivatives use; each may use those above it |
//! | `method` | `"rk45"` unless it is given: the method of Dormand and Prince, of order 5, with steps as long as the tolerance allows; `"rk4"`: the classical one of order 4, with equal steps, which is faster where their number is known |
//! | `tolerance`, `absolute` | of `rk45`: how far off a step may be, as a part of each state (1e-6 unless it is given) and beside that (1e-9) |
//! | `most_steps` | of `rk45`: from one time to the next, at most (1000); where that is not enough, the state is NaN |
//! | `steps` | of `rk4`: from one time to the next |
//!
//! Steps are the same on CPU and GPU, to the bit. Of the states that are used outside of `[ode]` up to 4,096 numbers in all are kept,
//! one for each time. What `[let]` says of states stands behind `[ode]`, wherever it is written, and what `[ode]` uses of `[let]`
//! before it.
//!
//! # Fits
//!
//! A file may have a model and the data that it is fitted to in place of `minimise`:
//!
//! ```toml
//! fit = "y ~ height * exp(-t / lifetime) + background"
//! sigma = "dy"                                           # a column, a number, or computed of those
//! [variables]
//! height = { lower = 0, upper = 100 }
//! lifetime = { lower = 0.01, upper = 1000, scale = "log", unit = "s" }
//! background = { lower = 0, upper = 10 }
//! [data]
//! file = "decay.csv"
//! columns = ["t", "y", "dy"]
//! ```
//!
//! A column stands for its number in each row: `t` is `t[i]`. What is before `~` is a column, or computed of columns and
//! constants, as in `"log(y) ~ a + b * t"`.
//!
//! | key | |
//! |---|---|
//! | `fit` | a model: what was observed, `~`, and what is predicted |
//! | `fits` | several models with common variables: `["y ~ a * t", "z ~ a * t^2"]` |
//! | `sigma` | the standard deviation of what was observed, above 0; of several models also a list with one for each. All count the same unless it is given |
//! | `weights` | in place of `sigma`: 1 / sigma^2, from 0 on |
//! | `loss` | what a residual `r` (over `sigma`) costs: `"linear"` (r^2) unless it is given; `"huber"`, `"soft-l1"` and `"cauchy"` grow more slowly for outliers; `"poisson"` is for counts, without `sigma` |
//! | `loss_scale` | with `huber`, `soft-l1` and `cauchy`: the residual from which on they do, 1 unless it is given |
//!
//! `warpswarm fit` and [`ProblemFile::fit_models`] give the variables with their standard errors; [`ProblemFile::load_data_sets`]
//! reads the data of many fits. Elsewhere such a file is a problem whose sum of costs is minimised. Variables of a fit are no whole numbers and
//! no choices, and there are no constraints.
//!
//! # Expressions
//!
//! There are numbers and conditions. Numbers have `+ - * / ^` (also `**`), `pi`, `tau` (unless it is something of the
//! file's own), `inf`, and these functions:
//!
//! | function | |
//! |---|---|
//! | `abs sqrt cbrt sign` | of one number; `sign` is -1, 0 or 1 |
//! | `exp expm1 ln log1p log2 log10` | `expm1(x)` is e^x - 1, `log1p(x)` is ln(1 + x); `log` is `ln`, the natural logarithm |
//! | `sin cos tan asin acos atan` | in radians; `atan2(y, x)` is the angle of the point (x, y), from -pi to pi |
//! | `sinh cosh tanh asinh acosh atanh` | |
//! | `floor ceil trunc round` | `round` to the nearest whole number, halves to the even one: `round(2.5)` is 2 |
//! | `mod(a, b)` | `a - b * floor(a / b)`, exactly: it has the sign of `b`, as Python's `%`: `mod(-1, 3)` is 2 |
//! | `pow(a, b)`, `hypot(a, b)` | `a^b`, and `sqrt(a^2 + b^2)` |
//! | `erf erfc` | the error function, and 1 minus it |
//! | `gamma lgamma` | the gamma function, and the logarithm of its size |
//! | `j0 j1 y0 y1` | Bessel functions of the first and second kind, orders 0 and 1 |
//! | `min(a, b, ...)`, `max(a, b, ...)` | NaN where one is |
//! | `if(condition, a, b)` | `a` where the condition holds, otherwise `b`; both are computed |
//! | `len(x)` | how many numbers `x` has |
//! | `sum(i, ...)`, `prod`, `min`, `max`, `mean` | over all `i` from 1 to `len(x)` for which everything with the index is there |
//! | `sum(i, 2, len(x), ...)` | over a range |
//! | `sum(x)`, `prod`, `min`, `max`, `mean` | over all numbers of `x` |
//! | `dot(x, y)`, `norm(x)` | the sum of products, and the root of the sum of squares |
//!
//! Conditions are comparisons (`<`, `<=`, `==` or `=`, `>=`, `>`, `!=`), which may be chained as in `0 < a <= b`, `true`,
//! `false`, and what joins conditions: `and`, `or`, `not` (also `&&`, `||`, `!`), `if(p, q, r)`, `all(i, ...)`,
//! `any(i, ...)`. Within a number a condition is 1 where it holds, otherwise 0: `sum(i, x[i] > 0) >= 2`.
//!
//! A constraint's violation is 0 where it is met:
//!
//! | constraint | violation |
//! |---|---|
//! | `a <= b` | a - b where that is above 0 |
//! | `a < b` | of whole numbers as `a + 1 <= b`; of others met where it holds in the run's arithmetic, so that the best point lies on an open edge |
//! | `a == b` | by how much the distance of a and b is above the tolerance; whole numbers must be equal |
//! | `a != b` | 1 where they are equal |
//! | `p and q`, `all(i, p)`, a product of conditions | the sum |
//! | `p or q`, `any(i, p)` | the smallest |
//! | `not p` | of the opposite: `not a < b` is `a >= b`, and of `and` comes `or` |
//! | `if(p, q, r)` | that of `q` where `p` holds, otherwise that of `r` |
//! | a number | itself where it is above 0 |
//!
//! A run meets them as [`Settings::constraints`](crate::Settings::constraints) says. Equations and narrow bands want
//! [`Constraints::Epsilon`](crate::Constraints::Epsilon), which the program takes where there are such.
//!
//! Whole numbers are integer variables, whole constants, columns of nothing else, indices, `floor`, `ceil`, `trunc`, `round`,
//! `sign`, and sums, differences, products, `mod`, `abs`, `min`, `max` and choices of those.
//!
//! An index is a whole number from 1 on: `x[2]`, `x[len(x)]`, `A[i, j]` in row `i` and column `j` of a matrix. It may be
//! computed, as in `place[city[i]]` or `t[i - lag]`; whether it is in range is checked when the file is read. Where it depends
//! on variables, these are whole numbers, and one of up to 1,024 numbers is chosen.
//!
//! A reduction goes over all numbers for which `i`, `i + 1` and the like are there: `sum(i, (x[i+1] - x[i])^2)` has a term less
//! than `x` has numbers. A reduction that depends on another's index is written out.
//!
//! The sines and cosines of `2*pi*x` are those of turns ([`Real::sin_turns`](warpswarm_core::Real::sin_turns)), and
//! whole powers up to 8 are products. Constants are computed in `f64`, and then rounded to the run's precision.

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
mod goal;
mod graph;
mod interpreted;
mod kept;
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
mod syntax;
mod warnings;

#[cfg(test)]
mod tests;

pub use data_sets::{DataSets, Layout};
pub(crate) use file::Given;
pub use fit::{Fit, Model};
pub use fitted::Fitted;
pub use named_numbers::NamedNumbers;
pub use options::Chosen;
pub use problem::ProblemFile;
