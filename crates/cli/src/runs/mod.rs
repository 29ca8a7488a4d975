//! Execution of runs.
//!
//! * `perform`: runs of a single process; `islands`, `split`: runs that ranks share; `shared`: the code common to both.
//! * `ranks`: the processes that `mpirun` has started.
//! * `outputs`: what a run records, and writes at its end; `saver`: checkpoints; `progress`: the progress display.
//! * `ended`: why the runs of a checkpoint have ended.
//! * `interrupt`: Ctrl-C; `devices`: notes about GPUs.

mod devices;
pub(crate) mod ended;
pub(crate) mod interrupt;
pub(crate) mod islands;
pub(crate) mod outputs;
pub(crate) mod perform;
pub(crate) mod progress;
pub(crate) mod ranks;
pub(crate) mod saver;
mod shared;
pub(crate) mod split;
