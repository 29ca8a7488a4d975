//! The arguments of `warpswarm doctor`.

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  warpswarm doctor
  warpswarm doctor --json | jq .backends";

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Write JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
