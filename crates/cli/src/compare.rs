//! `warpswarm compare`: algorithms with settings on problems, over many runs.
//!
//! * [`study`]: what is compared; [`measure`]: running it; [`analysis`]: what the runs say.
//! * [`show`], [`table`]: tables for people; [`plot`]: pictures; [`page`]: a page; [`files`]: JSON
//!   and CSV.

pub(crate) mod analysis;
pub(crate) mod files;
pub(crate) mod measure;
mod page;
pub(crate) mod plot;
mod show;
pub(crate) mod study;
pub(crate) mod table;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use warpswarm_pictures::counted;

use crate::args::compare::CompareArgs;
use crate::failure::{Failure, INTERRUPTED};
use crate::perform::{interrupt, open};
use crate::report::page::open as open_page;
use measure::Cell;
use study::Study;
use table::Table;

/// Compares what the arguments say, and writes what they ask for.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let study = Study::of(args)?;
    plot::check(&args.plots, &study)?;
    // Opened before the work, so that a path that cannot be written costs no time; the page first, which may be refused.
    let report = args.report.as_deref();
    let report = report.map(|path| open_page("--report", path, args.force)).transpose()?;
    let file =
        |option, path: &Option<_>| path.as_deref().map(|path| open(option, path)).transpose();
    let csv = file("--csv", &args.csv)?;
    let markdown = file("--markdown", &args.markdown)?;
    let json = file("--json", &args.json)?;
    let pictures = plot::open(&args.plots)?;

    let interrupt = interrupt()?;
    let batches = study.tasks.len() * study.entrants.len();
    let bar = bar(batches as u64, "batches", args.quiet);
    let start = Instant::now();
    let cells = measure::measure(&study, &interrupt, &|| bar.inc(1))?;
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();

    let analysis = analysis::analyse(&study, &cells);
    let tables = show::tables(&study, &cells, &analysis);
    if let Some(file) = csv {
        files::csv(&study, &cells, &analysis, file)?;
    }
    if let Some(file) = markdown {
        write_markdown(&study, &tables, BufWriter::new(file))?;
    }
    if let Some(file) = json {
        files::json(&study, &cells, &analysis, seconds, BufWriter::new(file))?;
    }
    let compared = plot::Compared { study: &study, cells: &cells, analysis: &analysis };
    compared.draw(&args.plots, pictures)?;
    if let Some(mut file) = report {
        file.write_all(page::html(compared).as_bytes())?;
    }
    if !args.quiet {
        let mut out = BufWriter::new(io::stdout().lock());
        if !tables.is_empty() {
            write!(out, "{}", show::heading(&study))?;
            for table in &tables {
                table.text(&mut out)?;
            }
            out.write_all(show::NOTES.as_bytes())?;
        }
        writeln!(out, "{}", work(&cells, batches, seconds))?;
        out.flush()?;
    }
    Ok(match interrupt.load(Ordering::Relaxed) {
        true => ExitCode::from(INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

fn write_markdown(study: &Study, tables: &[Table], mut out: impl Write) -> io::Result<()> {
    write!(out, "{}", show::heading(study))?;
    for table in tables {
        table.markdown(&mut out)?;
    }
    write!(out, "{}", show::NOTES)?;
    out.flush()
}

/// What was done, where, and how long it took.
fn work(cells: &[Vec<Option<Cell>>], batches: usize, seconds: f64) -> String {
    let done = || cells.iter().flatten().flatten();
    let mut devices: Vec<&str> = done().map(|cell| cell.device.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    let evaluations: u64 = done().flat_map(|cell| &cell.runs).map(|run| run.evaluations).sum();
    let [iterating, setting_up] = [|cell: &Cell| cell.seconds, |cell: &Cell| cell.setup_seconds]
        .map(|of| done().map(of).sum::<f64>());
    let complete = match done().count() {
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

/// A bar on a terminal, otherwise nothing.
pub(crate) fn bar(length: u64, what: &str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = format!("{{bar:30}} {{pos}} of {{len}} {what}, {{elapsed}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    // The template is valid; a default style is better than a panic.
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style)
}
