//! What the programs in `src/bin` share: what they are told, kernels of their objectives, noise, and charts.

use std::path::PathBuf;

use warpswarm::Kernels;

pub mod chart;

/// The kernels of the package `models`, which the build script has compiled.
pub const KERNELS: Kernels =
    Kernels::new(include_bytes!(concat!(env!("OUT_DIR"), "/kernels.wsptx")));

/// What every program is told.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Do little: for a first look, and for tests
    #[arg(long)]
    pub small: bool,
    /// Draw what was found, as SVG
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

/// What most programs are told: nothing else.
#[derive(Clone, Debug, clap::Parser)]
pub struct Arguments {
    /// What every program is told.
    #[command(flatten)]
    pub options: Options,
}

/// A number in [0, 1) for each draw: the noise of data that are made up.
pub fn uniform(draw: u64) -> f64 {
    let word = (draw + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((word ^ (word >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}
