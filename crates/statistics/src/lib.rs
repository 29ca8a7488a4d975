//! Statistics of samples of runs, and whether two samples differ: for the program's comparisons and for the
//! reproductions of papers.
//!
//! * [`Summary`], [`Sample`]: of numbers; Welch's t-test.
//! * [`quartiles`]: of any ordered values, such as results with and without constraints.
//! * [`rank_sum`]: Wilcoxon's test; [`superiority`] is its effect size.
//! * [`holm`]: adjusting for several tests.
//! * [`expected_running_time`], [`Profile`]: the cost of reaching a target, on one problem and on many.
//! * [`bootstrap`]: a confidence interval of any statistic.
//!
//! Nothing here reads, writes or prints. Distributions are `statrs`'s.

mod bootstrap;
mod holm;
mod order;
mod profile;
mod rank_sum;
mod running_time;
mod sample;

pub use bootstrap::bootstrap;
pub use holm::holm;
pub use order::{Quartiles, quartiles};
pub use profile::Profile;
pub use rank_sum::{rank_sum, superiority};
pub use running_time::expected_running_time;
pub use sample::{Sample, Summary};
