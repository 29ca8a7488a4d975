//! The algorithms on the CPU, in the papers' order: the reference for all tests, and a backend.
//!
//! Straight loops over the equations of [`warpswarm_core`]. The state has the layout of the GPU's, so that states can
//! be compared by bits and moved between backends.
//!
//! * [`task`]: the objective, its bounds, and when a run stops.
//! * [`swarm`]: the state of one run.
//! * [`pso`]: particle swarm optimisation, synchronous; serial or on threads, with the same bits.
//! * [`spso`]: the CPSO paper's serial SPSO, asynchronous: the baseline of the speed tables.
//! * [`fwa`]: the fireworks algorithm; serial or on threads, with the same bits.
//! * [`generation`]: every [`Method`](warpswarm_core::method::Method).
//! * [`propose_accept`]: iterations in two halves, for callers that evaluate points themselves.
//! * [`population_reduction`]: populations that shrink over a run's evaluations.
//! * [`migration`]: the exchange of individuals between runs that are islands.
//! * [`threads`]: how the particles of a run are distributed over threads.
//! * [`vectors`]: loops compiled for the processor's vector instructions.
//! * [`expressions`]: executing programs of expressions with these instructions.
//! * [`fit`]: the rows of a fit, and the steps of its solver.
//! * [`mod@fingerprint`]: comparing states by bits.
//!
//! ```
//! use warpswarm_core::boundary::Boundary;
//! use warpswarm_core::launch::StopRule;
//! use warpswarm_core::problems::Sphere;
//! use warpswarm_core::pso::Coefficients;
//! use warpswarm_cpu_ref::{Bounds, Halt, StaticObjective, RunId, Start, Swarm, Task, Threads, pso};
//!
//! let bounds = Bounds { lower: &[-5.0_f64; 3], upper: &[7.0; 3] };
//! let start = Start::default();
//! let stop = StopRule { target: 1e-9, stagnation: 0 };
//! let task = Task { objective: StaticObjective(Sphere), bounds, start, stop, halt: Halt::NEVER };
//! let coefficients = Coefficients {
//!     inertia: 0.7298,
//!     cognitive: 1.4962,
//!     social: 1.4962,
//!     velocity_limit: 1.0,
//!     correction: 0.22,
//!     boundary: Boundary::Clamp,
//! };
//! let mut swarm = Swarm::new(&task, 40, RunId { seed: 1, run: 0 }, Threads::Serial);
//! pso::run(&mut swarm, &task, &coefficients, 1_000, Threads::Serial);
//! assert!(swarm.global.fitness.value <= 1e-9);
//! assert!(swarm.control.iterations < 1_000);
//! ```

#![forbid(unsafe_code)]

pub mod cma_es;
pub mod expressions;
pub mod fingerprint;
pub mod fit;
mod flight;
pub mod fwa;
pub mod generation;
#[cfg(debug_assertions)]
pub mod instances;
pub mod migration;
pub mod parked;
pub mod population_reduction;
pub mod portfolio;
pub mod propose_accept;
pub mod pso;
pub mod restarts;
pub mod spso;
pub mod swarm;
pub mod task;
pub mod threads;
pub mod vectors;

pub use fingerprint::{difference, fingerprint};
pub use propose_accept::ProposeAccept;
pub use swarm::{RunId, Swarm};
pub use task::{Bounds, DynObjective, Evaluate, Start, StaticObjective, Task};
pub use threads::{Halt, Threads};
