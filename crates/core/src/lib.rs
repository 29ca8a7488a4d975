//! The mathematics of warpswarm, written once for the CPU and the GPU.
//!
//! Pure functions only: no allocation, no input or output, no thread index, no `unsafe`. They return the same bits on
//! every processor (see `ARCHITECTURE.md`, "The five rules of equal bits").
//!
//! * [`real`]: numbers, with elementary functions that give the same bits on every machine.
//! * [`random`]: random draws as a function of (seed, run, iteration, individual, draw).
//! * [`order`]: how fitnesses are compared.
//! * [`sum`]: the order in which terms are added.
//! * [`objective`]: the function to minimise, and the point at which it is evaluated.
//! * [`data`]: tables of numbers that an objective reads.
//! * [`dual`]: derivatives of objectives by automatic differentiation.
//! * [`fit`]: fitting models to data.
//! * [`expression`]: objectives that are built from a formula at run time.
//! * [`variable`]: names, bounds and scales of variables.
//! * [`boundary`]: what happens to a coordinate that leaves its bounds.
//! * [`pso`]: particle swarm optimisation.
//! * [`method`]: the trait of population-based algorithms, which every engine can run.
//! * [`pso_topology`], [`de`], [`sa`], [`solis_wets`], [`scatter_search`], [`epso`], [`cmepso`], [`gpu_fwa`]:
//!   algorithms that implement this trait.
//! * [`fwa`]: the fireworks algorithm, which does not implement it.
//! * [`polish`]: a local search that improves the best point at the end of a run.
//! * [`problems`]: objectives with known optima.
//! * [`launch`]: the arguments that host and kernels share.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(target_arch = "nvptx64", feature(core_float_math, optimize_attribute))]

// `mul_add` and `round_ties_even` are instructions of the host's processor, which the crate `core` does not provide.
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
pub mod interpolation;
pub mod launch;
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
pub mod restart;
pub mod sa;
pub mod scatter_search;
pub mod shade;
pub mod solis_wets;
pub mod sum;
pub mod variable;

pub use data::Table;
pub use interpolation::{Curve, Surface};
pub use objective::{Objective, Point};
pub use order::Fitness;
pub use real::{Float, Real};
pub use variable::Variable;
