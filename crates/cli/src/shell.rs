//! `warpswarm completions` and `warpswarm man`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::failure::Failure;

/// Writes the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut command = Arguments::command();
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "warpswarm", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the manual page, or those of all commands.
pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let command = Arguments::command();
    match &args.out {
        Some(folder) => clap_mangen::generate_to(command, folder)
            .map_err(|error| Failure::file("--out", folder, &error))?,
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text)?;
            io::stdout().lock().write_all(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
