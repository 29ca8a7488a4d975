//! Code shared by the programs in `src/bin`: options, kernels of the objectives, noise, and charts.

use std::path::PathBuf;

use warpswarm::Kernels;

pub mod chart;

/// The kernels of the package `models`, compiled by the build script.
pub const KERNELS: Kernels =
    Kernels::new(include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx")));

/// The options of every program.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Do little: for a first look, and for tests
    #[arg(long)]
    pub small: bool,
    /// Draw what was found, as SVG
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

/// The arguments of most programs.
#[derive(Clone, Debug, clap::Parser)]
pub struct Arguments {
    /// The options of every program.
    #[command(flatten)]
    pub options: Options,
}

/// A uniform number in [0, 1) for each `draw`, for the noise of synthetic data.
pub fn uniform(draw: u64) -> f64 {
    let word = (draw + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((word ^ (word >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}
