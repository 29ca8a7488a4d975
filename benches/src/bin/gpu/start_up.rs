//! Measures the time from the start of a process to the first iteration, with the driver's cache of compiled kernels
//! empty and filled.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use warpswarm::{Backend, system};

use crate::cases;

/// One case for each kind of kernel.
const CASES: [&str; 6] = ["n32_d2", "n768_d30", "n64k_d30", "n1m_d100", "batch1000", "de_n768_d30"];
const REPETITIONS: usize = 5;

/// Prints a table in milliseconds. Each line is the median of several processes.
pub(crate) fn table() -> Result<()> {
    let cache = std::env::temp_dir().join(format!("warpswarm-start-up-{}", std::process::id()));
    println!(
        "case,cache,driver,set_up,first_iteration,since_the_process_began,set_up_again,until_its_end"
    );
    for case in CASES {
        for cold in [true, false] {
            let mut found = Vec::new();
            for repetition in 0..=REPETITIONS {
                if cold && cache.exists() {
                    std::fs::remove_dir_all(&cache)?;
                }
                std::fs::create_dir_all(&cache)?;
                let mut command = Command::new(std::env::current_exe()?);
                let times = times(command.args(["--first", case]).env("CUDA_CACHE_PATH", &cache))?;
                // The first process fills the cache, and loads the driver's files into memory.
                found.extend((repetition > 0).then_some(times));
            }
            let median = |column: usize| {
                let mut column: Vec<_> = found.iter().map(|times| times[column]).collect();
                column.sort_by(f64::total_cmp);
                format!("{:.1}", 1e3 * column[REPETITIONS / 2])
            };
            let medians: Vec<_> = (0..6).map(median).collect();
            println!("{case},{},{}", if cold { "empty" } else { "filled" }, medians.join(","));
        }
    }
    std::fs::remove_dir_all(&cache)?;
    Ok(())
}

/// Runs one process, and returns the columns of the table.
fn times(command: &mut Command) -> Result<[f64; 6]> {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("it is piped")?).lines();
    let mut line = || lines.next().context("the process says too little")?.map_err(Into::into);
    let read = |line: Result<String>| -> Result<Vec<f64>> {
        Ok(line?.split(' ').map(str::parse).collect::<Result<_, _>>()?)
    };
    let first = read(line())?;
    let since = start.elapsed().as_secs_f64();
    let again = read(line())?;
    ensure!(child.wait()?.success(), "{command:?} failed");
    Ok([first[0], first[1], first[2], since, again[0], start.elapsed().as_secs_f64()])
}

/// The work of such a process: the first iteration of a case, and then the same again.
pub(crate) fn first(name: &str) -> Result<()> {
    let case = cases::all().into_iter().find(|case| case.name == name).context("no such case")?;
    let start = Instant::now();
    ensure!(system::report().driver.is_ok(), "no driver");
    let driver = start.elapsed().as_secs_f64();
    let begin = || -> Result<(f64, f64)> {
        let start = Instant::now();
        let mut optimiser = case.optimiser::<f32>(Backend::Gpu, None, 0)?;
        let set_up = start.elapsed().as_secs_f64();
        optimiser.step(1)?;
        Ok((set_up, start.elapsed().as_secs_f64() - set_up))
    };
    let (set_up, iteration) = begin()?;
    println!("{driver} {set_up} {iteration}");
    println!("{}", begin()?.0);
    Ok(())
}
