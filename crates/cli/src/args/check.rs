//! The arguments of `warpswarm check`.

use clap::Args;
use warpswarm::Backend;

use super::values::{MAX_DIMENSIONS, instance, one_of, whole};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm check my-problem.toml
  warpswarm check rastrigin --dim 10

The command evaluates the problem at the bounds, at the centre and at a thousand random points. It
reports:
  where f32 and f64 differ
  which values are not finite
  which constraint no point meets
  which data are the same number in f32
  whether the CPU and the device give the same bits
  whether the exact derivatives agree with differences
  how long an evaluation takes

Exit codes: 0 nothing is wrong; 1 CPU and device differ, derivatives are wrong, or it failed while
running; 2 bad usage or input.";

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// A problem file, whose name ends in .toml, or a name from `warpswarm list problems`
    #[arg(value_name = "PROBLEM")]
    pub(crate) problem: String,

    /// Number of dimensions [default: the problem's own, otherwise 30]
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_DIMENSIONS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) dim: Option<u64>,

    /// Instance of a function of the BBOB suite [default: 1]
    #[arg(long, value_name = "N", value_parser = instance, allow_negative_numbers = true)]
    pub(crate) instance: Option<u32>,

    /// The backend that is compared with the CPU; auto is the GPU, if there is one
    #[arg(long, default_value = "auto", value_parser = one_of(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,
}
