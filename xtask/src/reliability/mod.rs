//! What the library survives, in numbers.

mod planted;

use anyhow::Result;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Plant these faults alone, by their numbers
    #[arg(long, value_name = "NUMBER", value_delimiter = ',')]
    planted: Option<Vec<usize>>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let outcome = planted::run(args.planted.as_deref())?;
    println!("{} of {} planted faults noticed", outcome.caught, outcome.planted);
    outcome.missed.iter().for_each(|missed| println!("not noticed: {missed}"));
    Ok(())
}
