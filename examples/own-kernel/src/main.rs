//! Compares your own kernel, in the emulator or on a GPU, with the same reduction on one thread: the bits are the same.
//! `cargo run --release -p warpswarm-example-own-kernel -- --backend gpu`

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use warpswarm_core::sum::MAX_TERMS;
use warpswarm_example_own_kernel::gpu::Gpu;
use warpswarm_example_own_kernel::{Grid, Summary, emulated, is_same, numbers, serially};

/// Reduces numbers with your own kernel, and compares with one thread
#[derive(Parser)]
struct Arguments {
    /// Where the kernel runs
    #[arg(long, value_enum, default_value = "emulator")]
    backend: Backend,

    /// How many numbers, several times
    #[arg(long, value_delimiter = ',', value_name = "N,...", value_parser = count)]
    #[arg(default_value = "1,31,32,33,255,256,257,1000,1024,1025,100000,1000001")]
    counts: Vec<usize>,

    /// Blocks of the grid
    #[arg(long, default_value = "8", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    blocks: u32,

    /// Threads of a block: a multiple of 32 up to 1024
    #[arg(long, default_value = "256", value_parser = threads)]
    threads: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Backend {
    Emulator,
    Gpu,
}

fn count(text: &str) -> Result<usize, String> {
    let allowed = || format!("allowed: a whole number up to {MAX_TERMS}");
    text.parse().ok().filter(|n| *n <= MAX_TERMS).ok_or_else(allowed)
}

fn threads(text: &str) -> Result<u32, &'static str> {
    let good = |n: &u32| (32..=1024).contains(n) && n.is_multiple_of(32);
    text.parse().ok().filter(good).ok_or("allowed: a multiple of 32 from 32 to 1024")
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let Arguments { backend, blocks, threads, .. } = *arguments;
    let grid = Grid { blocks, threads };
    let gpu = match backend {
        Backend::Emulator => None,
        Backend::Gpu => Some(Gpu::open()?),
    };
    let name = gpu.as_ref().map_or("emulator", |gpu| &gpu.name);
    println!("{name}, {blocks} blocks of {threads} threads");
    let mut all_same = true;
    for &count in &arguments.counts {
        let numbers = numbers(count);
        let found = match &gpu {
            None => emulated::summarise(&numbers, grid, None)?,
            Some(gpu) => gpu.summarise(&numbers, grid)?,
        };
        let same = is_same(found, serially(&numbers));
        let Summary { sum, least, index } = found;
        let verdict = if same { "the same bits as one thread" } else { "DIFFERS from one thread" };
        println!("{count:>8} numbers: sum {sum:e}, least {least:e} at {index}: {verdict}");
        all_same &= same;
    }
    Ok(if all_same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
