//! Islands: populations that search independently and exchange individuals from time to time, in one process or in
//! many.
//!
//! An island is a run: island i has the draws of run i of the seed. At the end of every *epoch*, a number of
//! iterations, copies of some individuals of each island are sent to its neighbours, and those sent one epoch before
//! arrive. So communication overlaps with computation. The results depend only on the seed and on [`Islands`], not on
//! the number of *ranks* (processes or threads), their places or their speeds.
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
//! * [`Islands`] defines the islands' populations ([`Inhabitants`]), their neighbours ([`Topology`]), which individuals
//!   are sent and which they replace.
//! * An [`Archipelago`] has the islands of one rank. It exchanges data with the other ranks through a
//!   [`Communicator`](warpswarm::Communicator): [`Alone`], [`Threads`], and with the feature `mpi` `Mpi`.
//! * [`agreed`] checks that all ranks have the same settings before they begin.
//! * A [`SplitSwarm`] is different: one swarm whose particles are divided among the ranks.
//! * [`Checkpointer`] stores epochs in a folder, and [`CheckpointFolder`] reads them, for resuming on any number of ranks.

#![forbid(unsafe_code)]

mod agreement;
mod archipelago;
mod checkpointer;
mod communicator;
mod settings;
mod split;
mod topology;
mod wire;

pub use agreement::agreed;
pub use archipelago::{Archipelago, Event};
pub use checkpointer::{CheckpointFolder, Checkpointer, Interval};
pub use communicator::{Alone, Threads, threads};
#[cfg(feature = "mpi")]
pub use communicator::{Mpi, initialise};
pub use settings::{Inhabitants, Islands, MAX_ISLANDS};
pub use split::SplitSwarm;
pub use topology::Topology;
