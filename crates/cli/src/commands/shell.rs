//! `warpswarm completions` and `warpswarm man`.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::failure::{Code, Failure, SUCCESS};

/// Writes the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Code, Failure> {
    let mut command = Arguments::command();
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "warpswarm", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(SUCCESS)
}

/// Writes the manual page of the program, or those of all commands.
pub(crate) fn man(args: &ManArgs) -> Result<Code, Failure> {
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
    Ok(SUCCESS)
}
