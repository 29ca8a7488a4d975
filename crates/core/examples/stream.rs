//! Writes random words to standard output without end, for a battery of statistical tests:
//!
//! ```text
//! cargo run --release -p warpswarm-core --example stream -- --order pso | dieharder -a -g 200
//! ```
//!
//! `--order pso` is the order in which a run of PSO uses its words: iteration, individual, pair of coordinates. The
//! others place neighbours in one part of a draw's address side by side, where a counter-based generator with too few
//! rounds would show its defects. `--seed N` selects other words. `docs/explanation/random.md` has the results.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use warpswarm_core::random::{Purpose, RunKey, Stream};

/// The number of pairs of coordinates of an individual, for 30 dimensions.
const PAIRS: u32 = 15;
/// The number of individuals of a swarm, for the orders of other neighbours.
const INDIVIDUALS: u32 = 64;
/// How many neighbours come one after the other before the rest of the address advances.
const NEIGHBOURS: u64 = 65_536;

const USAGE: &str = "usage: stream --order pso|seeds|runs|individuals|iterations [--seed N]";

/// The function that receives each block of four words.
type Sink<'a> = dyn FnMut([u32; 4]) -> io::Result<()> + 'a;

fn block(key: RunKey, iteration: u64, individual: u32, pair: u32) -> [u32; 4] {
    Stream::new(key, Purpose::Move, iteration, individual).block(pair)
}

/// Iteration, individual, pair.
fn pso(seed: u64, sink: &mut Sink<'_>) -> io::Result<()> {
    let key = RunKey::new(seed, 0);
    for iteration in 1.. {
        for individual in 0..INDIVIDUALS {
            for pair in 0..PAIRS {
                sink(block(key, iteration, individual, pair))?;
            }
        }
    }
    Ok(())
}

/// Iteration, individual, pair, key.
fn keys(keys: &[RunKey], sink: &mut Sink<'_>) -> io::Result<()> {
    for iteration in 1.. {
        for individual in 0..INDIVIDUALS {
            for pair in 0..PAIRS {
                for &key in keys {
                    sink(block(key, iteration, individual, pair))?;
                }
            }
        }
    }
    Ok(())
}

/// Iteration, pair, individual.
fn individuals(seed: u64, sink: &mut Sink<'_>) -> io::Result<()> {
    let key = RunKey::new(seed, 0);
    for iteration in 1.. {
        for pair in 0..PAIRS {
            for individual in 0..NEIGHBOURS as u32 {
                sink(block(key, iteration, individual, pair))?;
            }
        }
    }
    Ok(())
}

/// Individual, pair, iteration.
fn iterations(seed: u64, sink: &mut Sink<'_>) -> io::Result<()> {
    let key = RunKey::new(seed, 0);
    for individual in 0.. {
        for pair in 0..PAIRS {
            for iteration in 1..=NEIGHBOURS {
                sink(block(key, iteration, individual, pair))?;
            }
        }
    }
    Ok(())
}

fn write(order: &str, seed: u64, sink: &mut Sink<'_>) -> io::Result<()> {
    let neighbours = |key: fn(u64, u64) -> RunKey| -> Vec<RunKey> {
        (0..NEIGHBOURS).map(|i| key(seed, i)).collect()
    };
    match order {
        "pso" => pso(seed, sink),
        "seeds" => keys(&neighbours(|seed, i| RunKey::new(seed.wrapping_add(i), 0)), sink),
        "runs" => keys(&neighbours(RunKey::new), sink),
        "individuals" => individuals(seed, sink),
        "iterations" => iterations(seed, sink),
        _ => Err(io::Error::new(ErrorKind::InvalidInput, USAGE)),
    }
}

fn arguments() -> Option<(String, u64)> {
    let (mut order, mut seed) = (None, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next()?;
        match name.as_str() {
            "--order" => order = Some(value),
            "--seed" => seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some((order?, seed))
}

fn main() -> ExitCode {
    let Some((order, seed)) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut output = io::stdout().lock();
    let mut buffer = Vec::with_capacity(1 << 16);
    let written = write(&order, seed, &mut |words| {
        for word in words {
            buffer.extend_from_slice(&word.to_le_bytes());
        }
        if buffer.len() == buffer.capacity() {
            output.write_all(&buffer)?;
            buffer.clear();
        }
        Ok(())
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("stream: {error}");
            ExitCode::FAILURE
        }
    }
}
