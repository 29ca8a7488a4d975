//! Measures the time of an iteration on the GPU, or checks that the GPU computes the CPU's bits.
//!
//! `gpu [--quick] [--only CASE,CASE] [--check | --tune]`, or `gpu --schedules`, `gpu --backends`, `gpu --start-up`,
//! `gpu --devices`, `gpu --growth`, `gpu --targets`
//!
//! Prints a line for each case, in the format of its peers: `system case individuals dimensions iterations seconds
//! iterations/s best  # remarks`. `--quick` executes a tenth of the iterations. `--check` measures nothing; it compares
//! each case's state after a few iterations with the CPU's. `--tune` also measures each block size. `cargo xtask bench
//! gpu` runs this program and its peers.
//!
//! [`planner`] and [`start_up`] measure automatic choices and the start-up time: `cargo xtask bench gpu --choices`.
//! [`devices`] measures the speed-up of several devices, [`growth`] how the time of an iteration grows, and [`targets`]
//! the time until a target is reached: `cargo xtask bench gpu --devices`, `--growth` and `--targets`.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use warpswarm::{Backend, Precise, Precision};
use warpswarm_cpu_ref::{Swarm, difference};

use cases::Case;

mod cases;
mod devices;
mod growth;
mod planner;
mod start_up;
mod targets;
mod together;

const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// The number of iterations after which states are compared.
const CHECKED: u64 = 50;
/// The largest number of individuals of all runs in a check, for which the CPU takes a second or two. Only the largest
/// cases are reduced for the check.
const MOST_CHECKED: u64 = 65_536;

/// The options of the command line.
#[derive(Debug, Default, PartialEq)]
struct Options {
    quick: bool,
    check: bool,
    tune: bool,
    /// Names of cases; empty for all.
    only: Vec<String>,
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("--schedules") => return planner::schedules(),
        Some("--backends") => return planner::backends(),
        Some("--devices") => return devices::table(),
        Some("--growth") => return growth::table(),
        Some("--growth-of") => return growth::one(&words[1..]),
        Some("--start-up") => return start_up::table(),
        Some("--targets") => return targets::table(&words[1..]),
        Some("--first") => return start_up::first(words.get(1).context("which case?")?),
        Some("--solve") => return planner::solve(&words[1..]),
        _ => {}
    }
    let options = options(words.into_iter())?;
    let mut cases = cases::all();
    let known = |name: &String| cases.iter().any(|case| case.name == name);
    if let Some(name) = options.only.iter().find(|name| !known(name)) {
        let mut names: Vec<_> = cases.iter().map(|case| case.name).collect();
        names.dedup();
        bail!("no case {name}; allowed: {}", names.join(", "));
    }
    cases.retain(|case| {
        options.only.is_empty() || options.only.iter().any(|name| case.name == name)
    });
    for case in &mut cases {
        if options.check {
            check(case).with_context(|| case.to_string())?;
            println!("# {case}: the CPU's bits");
            continue;
        }
        if options.quick {
            case.iterations /= 10;
        }
        println!("{}", line(case, None).with_context(|| case.to_string())?);
        for block in BLOCKS.iter().filter(|_| options.tune) {
            // Not every kernel supports every block size.
            println!(
                "{}",
                line(case, Some(*block)).unwrap_or_else(|error| format!("# b{block}: {error}"))
            );
        }
    }
    Ok(())
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options::default();
    while let Some(word) = words.next() {
        match &word[..] {
            "--quick" => options.quick = true,
            "--check" => options.check = true,
            "--tune" => options.tune = true,
            "--only" => {
                let names = words.next().context("--only wants names, with commas between them")?;
                options.only = names.split(',').map(String::from).collect();
            }
            _ => bail!(
                "{word}: allowed are --quick, --only CASE,CASE, --check and --tune, or --schedules, \
                 --backends, --start-up, --devices, --growth or --targets first"
            ),
        }
    }
    Ok(options)
}

/// Measures the median of three repetitions, and returns the output line.
fn line(case: &Case, block_size: Option<u32>) -> Result<String> {
    match case.precision {
        Precision::F32 => line_in::<f32>(case, block_size),
        Precision::F64 => line_in::<f64>(case, block_size),
    }
}

fn line_in<R: Precise>(case: &Case, block_size: Option<u32>) -> Result<String> {
    let mut found = Vec::new();
    for seed in 0..3 {
        // Begin at the start, like the peers, because there are many improvements at first and few later.
        let mut optimiser = case.optimiser::<R>(Backend::Gpu, block_size, seed)?;
        optimiser.step(1)?;
        let start = Instant::now();
        optimiser.step(case.iterations)?;
        let seconds = start.elapsed().as_secs_f64();
        let plan = optimiser.plan().map_or_else(String::new, |plan| {
            let tile = plan.tile.unwrap_or("any");
            format!("{}/{tile}/b{}/t{}", plan.schedule, plan.blocks_per_run, plan.block)
        });
        let runs = optimiser.progress()?.runs;
        let values = runs.iter().map(|run| run.best.value.to_f64());
        let best = values.fold(f64::INFINITY, f64::min);
        found.push((seconds, best, plan));
    }
    // The best value of the first seed, independent of the times.
    let best = found[0].1;
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (least, most) = (found[0].0, found[2].0);
    let (seconds, _, plan) = &found[1];
    let rate = case.iterations as f64 / seconds;
    Ok(format!(
        "warpswarm {case} {} {seconds:.6} {rate:.1} {best:.6e}  # {plan}, {least:.6} to {most:.6} s",
        case.iterations
    ))
}

/// Fails if the bits of the GPU's state differ from the CPU's.
fn check(case: &Case) -> Result<()> {
    let individuals = case.individuals.min(MOST_CHECKED);
    let runs = case.runs.min(MOST_CHECKED / individuals);
    let case = Case { individuals, runs, ..case.clone() };
    match case.precision {
        Precision::F32 => check_in::<f32>(&case),
        Precision::F64 => check_in::<f64>(&case),
    }
}

fn check_in<R: Precise>(case: &Case) -> Result<()> {
    same::<R>(&state(case, Backend::Gpu, 0)?, &state(case, Backend::Cpu, 0)?)
}

/// The state of the runs after a few iterations.
fn state<R: Precise>(case: &Case, backend: Backend, seed: u64) -> Result<Vec<Swarm<R>>> {
    let mut optimiser = case.optimiser::<R>(backend, None, seed)?;
    optimiser.step(CHECKED)?;
    Ok(optimiser.state()?)
}

fn same<R: Precise>(found: &[Swarm<R>], expected: &[Swarm<R>]) -> Result<()> {
    ensure!(found.len() == expected.len(), "{} runs, not {}", found.len(), expected.len());
    for (run, (found, expected)) in found.iter().zip(expected).enumerate() {
        if let Some(difference) = difference(found, expected) {
            bail!("run {run} is not the CPU's: {difference}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let read = |words: &str| options(words.split_whitespace().map(String::from));
        let only = vec!["n32_d2".into(), "batch1000".into()];
        let expected = Options { quick: true, only, ..Options::default() };
        assert_eq!(read("--quick --only n32_d2,batch1000").unwrap(), expected);
        assert!(read("--only").is_err());
        assert!(read("--fast").is_err());
    }

    #[test]
    fn every_case_runs_and_differences_are_found() {
        for case in cases::all() {
            let case = Case { individuals: case.individuals.min(510), runs: 2, ..case };
            match case.precision {
                Precision::F32 => differences_are_found::<f32>(&case),
                Precision::F64 => differences_are_found::<f64>(&case),
            }
        }
    }

    fn differences_are_found<R: Precise>(case: &Case) {
        let state = |seed| state::<R>(case, Backend::Cpu, seed).unwrap();
        let runs = state(0);
        same(&runs, &state(0)).unwrap();
        assert!(same(&runs, &runs[..1]).is_err());
        let error = same(&runs, &[runs[0].clone(), state(1).remove(1)]).unwrap_err();
        assert!(error.to_string().starts_with("run 1 is not the CPU's: "), "{case}: {error}");
    }

    #[test]
    fn cases_in_f64_are_those_in_f32() {
        let all = cases::all();
        let in_f64 = |case: &&Case| case.precision == Precision::F64;
        let names: Vec<&str> = all.iter().filter(in_f64).map(|case| case.name).collect();
        let expected = ["n64k_d30_f64", "n1m_d100_f64", "batch1000_f64", "de_n64k_d30_f64"];
        assert_eq!(names, expected);
        for case in &all {
            let Some(name) = case.name.strip_suffix("_f64") else {
                assert_eq!(case.precision, Precision::F32, "{case}");
                continue;
            };
            let single = all.iter().find(|other| other.name == name).unwrap();
            let renamed = Case { name, precision: Precision::F32, ..case.clone() };
            assert_eq!(format!("{renamed:?}"), format!("{single:?}"));
        }
    }
}
