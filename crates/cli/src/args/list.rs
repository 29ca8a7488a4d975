//! The arguments of `warpswarm list`.

use clap::{Args, ValueEnum};

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm list problems
  warpswarm list problems spring
  warpswarm list algorithms pso
  warpswarm list algorithms --json | jq '.[].id'";

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list
    #[arg(value_enum, value_name = "problems|algorithms")]
    pub(crate) what: Listed,

    /// Describe this one: bounds and optimum of a problem, parameters and presets of an algorithm
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Write JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Listed {
    Problems,
    Algorithms,
}
