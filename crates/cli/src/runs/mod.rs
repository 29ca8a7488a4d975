//! How runs are carried out.
//!
//! * `perform`: a run of this process; `islands`, `split`: runs that ranks share, and `shared` what both do around theirs.
//! * `ranks`: the processes that `mpirun` has started.
//! * `outputs`: what is recorded, and written at the end; `saver`: checkpoints; `progress`: where a run is.
//! * `interrupt`: Ctrl-C; `devices`: GPUs that a run was to have.

mod devices;
pub(crate) mod interrupt;
pub(crate) mod islands;
pub(crate) mod outputs;
pub(crate) mod perform;
pub(crate) mod progress;
pub(crate) mod ranks;
pub(crate) mod saver;
mod shared;
pub(crate) mod split;
