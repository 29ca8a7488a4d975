//! `warpswarm setup`: installs the compiler for GPU objectives.

use std::io::{self, Write};

use warpswarm_ptx_builder::setup;

use crate::failure::{Code, Failure, SUCCESS};

/// Finds or installs a device toolchain and prints which. Running it again changes nothing.
pub(crate) fn run() -> Result<Code, Failure> {
    // Child processes write to the same output, so it is flushed after every line.
    let mut said = Ok(());
    let mut say = |line: &str| {
        let mut out = io::stdout();
        said = writeln!(out, "{line}").and_then(|()| out.flush());
    };
    setup::toolchain(&mut say).map_err(|error| Failure::Running(error.to_string()))?;
    said?;
    Ok(SUCCESS)
}
