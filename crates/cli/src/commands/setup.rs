//! `warpswarm setup`: installs what compiles objectives for GPUs.

use std::io::{self, Write};

use warpswarm_ptx_builder::setup;

use crate::failure::{Code, Failure, SUCCESS};

/// Finds a device toolchain or installs one, and says so. Running it again does nothing new.
pub(crate) fn run() -> Result<Code, Failure> {
    // Programs that are started write to the same place, so nothing may be kept back.
    let mut said = Ok(());
    let mut say = |line: &str| {
        let mut out = io::stdout();
        said = writeln!(out, "{line}").and_then(|()| out.flush());
    };
    setup::toolchain(&mut say).map_err(|error| Failure::Running(error.to_string()))?;
    said?;
    Ok(SUCCESS)
}
