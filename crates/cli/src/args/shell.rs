//! The arguments of `warpswarm completions` and `warpswarm man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  warpswarm completions bash > ~/.local/share/bash-completion/completions/warpswarm
  warpswarm completions fish > ~/.config/fish/completions/warpswarm.fish
  warpswarm completions zsh > \"${fpath[1]}/_warpswarm\"";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell for which to write the completions
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  warpswarm man | man -l -
  warpswarm man --out ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder
    ///
    /// Without this option, the page of the program goes to the standard output.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
