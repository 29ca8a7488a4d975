//! Islands: populations that search by themselves and exchange individuals now and then, in one process or in many.
//!
//! An island is a run: island i has the draws of run i of the seed. At the end of every *epoch*, a number of iterations,
//! copies of some individuals of each island set out for its neighbours, and those that set out an epoch before arrive:
//! they are on their way while everybody computes. What comes of it depends on the seed and on [`Islands`], and not on
//! how many *ranks* (processes or threads) there are, where they are, or which is faster.
//!
//! ```
//! use warpswarm::{Bounds, Optimiser, Settings, Stop, problems::Rastrigin};
//! use warpswarm_islands::{Alone, Archipelago, Inhabitants, Islands, Topology};
//!
//! let islands = Islands {
//!     count: 8,
//!     topology: Topology::Ring,
//!     every: 20,
//!     migrants: 2,
//!     inhabitants: Inhabitants::all(32),
//!     ..Islands::default()
//! };
//! let bounds = Bounds::uniform(5, -5.12, 5.12)?;
//! let settings = Settings { seed: 7, stop: Stop::iterations(200), ..Settings::default() };
//! let mut archipelago = Archipelago::<f32>::new(&Alone, &islands, &settings, &mut |algorithm, settings| {
//!     Optimiser::new(&Rastrigin, &bounds, algorithm, settings)
//! })?;
//! let report = archipelago.run()?;
//! assert_eq!((report.runs.len(), report.runs[7].iterations), (8, 200));
//! # Ok::<(), warpswarm::Error>(())
//! ```
//!
//! * [`Islands`] says which islands there are ([`Inhabitants`]), who is whose neighbour ([`Topology`]), who leaves and whom
//!   they replace.
//! * An [`Archipelago`] is what a rank has of them; it speaks to the other ranks by a
//!   [`Communicator`](warpswarm::Communicator): [`Alone`], [`Threads`], and with the feature `mpi` `Mpi`.
//! * [`agreed`] sees that all ranks mean the same before they begin.
//! * A [`SplitSwarm`] is something else: one swarm whose particles the ranks share.
//! * [`Keeper`] keeps epochs in a folder, and [`Kept`] is what one goes on from, on any number of ranks.

#![forbid(unsafe_code)]

mod agreement;
mod archipelago;
mod communicator;
mod keeper;
mod settings;
mod split;
mod topology;
mod wire;

pub use agreement::agreed;
pub use archipelago::{Archipelago, Event};
pub use communicator::{Alone, Threads, threads};
#[cfg(feature = "mpi")]
pub use communicator::{Mpi, initialise};
pub use keeper::{Interval, Keeper, Kept};
pub use settings::{Inhabitants, Islands, MAX_ISLANDS};
pub use split::SplitSwarm;
pub use topology::Topology;
