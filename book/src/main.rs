//! Builds the book: `cargo xtask book`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;

/// Builds the book from the folder `docs` and the registry, and checks its links.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where it goes: the pages in `src`, the book in `html`
    #[arg(long, default_value = "target/book")]
    out: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { out } = Arguments::parse();
    println!("{}", warpswarm_book::build(&out)?.display());
    Ok(())
}
