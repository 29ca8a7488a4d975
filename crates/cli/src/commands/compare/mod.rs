//! `warpswarm compare`: compares algorithms and their settings on problems over many runs.
//!
//! * [`study`]: the definition of a comparison; [`measure`]: its runs; [`analysis`]: their statistics.
//! * [`show`]: tables for people; [`plot`]: pictures; [`page`]: a web page; [`records`]: JSON and CSV.

mod analysis;
mod measure;
mod page;
pub(crate) mod plot;
mod records;
mod show;
pub(crate) mod study;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use warpswarm_pictures::counted;

use crate::args::CompareArgs;
use crate::caller::Caller;
use crate::failure::{Code, Failure, INTERRUPTED, SUCCESS};
use crate::output;
use crate::output::files::{Files, Written};
use crate::output::table::Table;
use crate::runs::progress::bar;
use crate::study::batch::Cell;
use study::Study;

/// Carries out a comparison and writes the requested outputs.
pub(crate) fn run(args: &CompareArgs, caller: &Caller) -> Result<Code, Failure> {
    let study = Study::of(args, &caller.problems)?;
    plot::check(&args.plots, &study)?;
    // Checked before the work, so that an unwritable path costs no time.
    let mut files = Files::new();
    args.study.iter().for_each(|path| files.reads("the study", path));
    study.sources.iter().for_each(|name| files.reads_problem(name));
    let report = args.report.as_deref();
    let report = report.map(|path| files.new_output("--report", path, args.force)).transpose()?;
    let mut file = |option, path: &Option<PathBuf>| {
        path.as_deref().map(|path| files.output(option, path)).transpose()
    };
    let csv = file("--csv", &args.csv)?;
    let markdown = file("--markdown", &args.markdown)?;
    let json = file("--json", &args.json)?;
    let pictures = output::plot::outputs(&args.plots, &mut files)?;

    let interrupt = caller.interrupt()?;
    let batches = study.tasks.len() * study.entrants.len();
    let bar = bar(batches as u64, "batches", args.quiet);
    let start = Instant::now();
    let cells = measure::measure(&study, &interrupt, &|| bar.inc(1))?;
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();

    let analysis = analysis::analyse(&study, &cells);
    let tables = show::tables(&study, &cells, &analysis);
    let mut written = Written::default();
    if let Some(file) = csv {
        written.note(file.write(&mut |out| records::csv(&study, &cells, &analysis, out)));
    }
    if let Some(file) = markdown {
        written.note(file.write(&mut |out| write_markdown(&study, &tables, out)));
    }
    if let Some(file) = json {
        written.note(file.write(&mut |out| records::json(&study, &cells, &analysis, seconds, out)));
    }
    if !args.quiet {
        let shown = show(&study, &tables, &work(&cells, batches, seconds));
        written.note(shown.map_err(Failure::from));
    }
    let compared = plot::Compared { study: &study, cells: &cells, analysis: &analysis };
    compared.draw(&args.plots, &pictures, args.quiet, &mut written);
    if let Some(file) = report {
        written.note(file.write(&mut |out| out.write_all(page::html(compared).as_bytes())));
    }
    written.result()?;
    Ok(match interrupt.load(Ordering::Relaxed) {
        true => INTERRUPTED,
        false => SUCCESS,
    })
}

/// Prints the tables and a summary of the work.
fn show(study: &Study, tables: &[Table], work: &str) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if !tables.is_empty() {
        write!(out, "{}", show::heading(study))?;
        tables.iter().try_for_each(|table| table.text(&mut out))?;
        out.write_all(show::NOTES.as_bytes())?;
    }
    writeln!(out, "{work}")?;
    out.flush()
}

fn write_markdown(study: &Study, tables: &[Table], mut out: impl Write) -> io::Result<()> {
    write!(out, "{}", show::heading(study))?;
    for table in tables {
        table.markdown(&mut out)?;
    }
    write!(out, "{}", show::NOTES)?;
    out.flush()
}

/// The number of runs, the device, and the time.
fn work(cells: &[Vec<Option<Cell>>], batches: usize, seconds: f64) -> String {
    let done = || cells.iter().flatten().flatten();
    let mut devices: Vec<&str> = done().map(|cell| cell.device.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    let evaluations: u64 = done().flat_map(|cell| &cell.runs).map(|run| run.evaluations).sum();
    let [iterating, setting_up] = [|cell: &Cell| cell.seconds, |cell: &Cell| cell.setup_seconds]
        .map(|of| done().map(of).fold(0.0, |all, one| all + one));
    let complete = match done().count() {
        1 if batches == 1 => "1 batch".into(),
        all if all == batches => format!("{batches} batches"),
        some => format!("{some} of {batches} batches"),
    };
    format!(
        "\n{complete}, {} in {seconds:.1} s\n\
         ({iterating:.1} s of iterations, {setting_up:.1} s of set-up) on {}",
        counted(evaluations, "evaluation"),
        devices.join(" and ")
    )
}
