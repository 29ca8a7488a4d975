//! The mathematics of warpswarm, written once for the CPU and the GPU.
//!
//! Pure functions only: no allocation, no input or output, no thread index, no `unsafe`. Whatever
//! calls them, on whichever processor, gets the same bits (see `ARCHITECTURE.md`, "The five rules of equal bits").
//!
//! * [`real`]: numbers, with elementary functions that do not differ between machines.
//! * [`random`]: draws as a function of (seed, run, iteration, individual, draw).
//! * [`order`]: how results compare.
//! * [`sum`]: the order in which terms are added.
//! * [`objective`]: what is minimised, and the point at which it is evaluated.
//! * [`data`]: tables of numbers that an objective reads.
//! * [`dual`]: its derivatives.
//! * [`fit`]: models fitted to data.
//! * [`expression`]: objectives that are put together when a program runs.
//! * [`variable`]: names, bounds and scales of its variables.
//! * [`boundary`]: what happens to a coordinate that leaves its bounds.
//! * [`pso`]: particle swarm optimisation.
//! * [`method`]: what an algorithm is made of, if the engines are to run it.
//! * [`pso_topology`], [`de`], [`sa`], [`solis_wets`], [`scatter_search`], [`epso`], [`cmepso`], [`gpu_fwa`]:
//!   such algorithms.
//! * [`fwa`]: the fireworks algorithm, which is none.
//! * [`polish`]: a local search that finishes a run.
//! * [`problems`]: objectives with known optima.
//! * [`launch`]: the arguments that host and kernels share.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(target_arch = "nvptx64", feature(core_float_math, optimize_attribute))]

// For `mul_add` and `round_ties_even`: instructions of the host's processor, which `core` has not.
#[cfg(not(target_arch = "nvptx64"))]
extern crate std;

pub mod boundary;
pub mod cma_es;
pub mod cmepso;
pub mod data;
pub mod de;
pub mod dual;
pub mod epso;
pub mod expression;
pub mod fit;
pub mod fwa;
pub mod gpu_fwa;
pub mod launch;
pub mod legs;
pub mod math;
pub mod method;
pub mod objective;
pub mod order;
pub mod polish;
pub mod problems;
pub mod pso;
pub mod pso_topology;
pub mod random;
pub mod real;
pub mod sa;
pub mod scatter_search;
pub mod shade;
pub mod solis_wets;
pub mod sum;
pub mod variable;

pub use data::Table;
pub use objective::{Objective, Point};
pub use order::Fitness;
pub use real::{Float, Real};
pub use variable::Variable;
