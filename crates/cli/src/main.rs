//! The program `warpswarm`: see the library of this package.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    warpswarm_cli::main(env::args_os().skip(1)).into()
}
