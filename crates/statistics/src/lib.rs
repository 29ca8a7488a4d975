//! What tables say of samples of runs, and whether two samples differ: for the program's comparisons and for the
//! reproductions of papers.
//!
//! * [`Summary`], [`Sample`]: of numbers; Welch's t-test.
//! * [`quartiles`]: of whatever has an order, as results with and without constraints have.
//! * [`rank_sum`]: Wilcoxon's test; [`superiority`] says by how much.
//! * [`holm`]: several tests at once.
//! * [`expected_running_time`], [`Profile`]: how soon a target is reached, on one problem and on many.
//! * [`bootstrap`]: a confidence interval of anything.
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
