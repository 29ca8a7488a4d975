//! `cargo xtask bench bbob`: the number of evaluations in which this library and its peers reach the targets of COCO's
//! noiseless BBOB suite.
//!
//! `searches` lists the participants. `suite` has problems, groups and targets. `ours` and `peers` run them, `record`
//! stores every run in `target/bench/bbob`, and `results` creates tables and a picture. Stored runs are not repeated:
//! those of peers while their version is the same, ours while the sources are the same.

use anyhow::Result;

use super::BbobArgs;
use crate::reproduce::made::Made;
use crate::reproduce::page::{Folder, Page};
use crate::reproduce::table::{Table, integer};
use crate::shell;
use record::Kept;
use results::Runs;
use searches::Search;
use suite::{Case, EVALUATIONS, TARGETS};

mod ours;
mod peers;
mod record;
mod results;
mod searches;
mod suite;

/// A search and its runs.
struct Entrant {
    search: &'static Search,
    kept: Kept,
}

impl Entrant {
    /// Its runs on these problems; `None` if one is missing.
    fn runs(&self, cases: &[Case]) -> Option<Runs<'_>> {
        Some(Runs { name: self.search.name, records: self.kept.of(cases)? })
    }
}

pub(super) fn run(args: &BbobArgs) -> Result<()> {
    let folder = shell::target()?.join("bench/bbob");
    let cases = suite::cases(&args.dimensions, args.instances);
    let (source, is_changed) = ours::source();
    let mut entrants = Vec::new();
    let mut left_out = Vec::new();
    for search in searches::chosen(&args.only)? {
        let path = folder.join(search.id).with_extension("csv");
        let version = search.package.map_or(source.clone(), |package| package.replace("==", " "));
        let anew = is_changed && search.package.is_none();
        let mut kept = Kept::open(&path, &version, anew)?;
        let missing = kept.missing(&cases);
        eprintln!("{}: {} of {} runs", search.name, missing.len(), cases.len());
        let done = match search.package {
            _ if missing.is_empty() => Ok(()),
            None => ours::measure(search.id, &missing, args.jobs(), &mut kept),
            Some(package) => peers::measure((search.id, package), &missing, args.jobs(), &mut kept),
        };
        match done {
            Err(error) if search.package.is_some() => {
                let line = format!("Runs of {} are missing: {error:#}", search.name);
                eprintln!("{line}");
                left_out.push(line);
            }
            done => done?,
        }
        entrants.push(Entrant { search, kept });
    }
    let made = Made::of_library(args.command(), &source)?;
    let out = args.out.clone().unwrap_or(folder);
    page(args, &cases, &entrants, left_out)?
        .publish(&made, Folder { path: &out, name: "bbob", page_only: args.page_only })
}

fn page(
    args: &BbobArgs,
    cases: &[Case],
    entrants: &[Entrant],
    left_out: Vec<String>,
) -> Result<Page> {
    let mut dimensions = args.dimensions.clone();
    dimensions.sort_unstable();
    dimensions.dedup();
    let of = |dimensions: usize| -> Vec<Runs<'_>> {
        let cases: Vec<Case> =
            cases.iter().filter(|case| case.dimensions == dimensions).copied().collect();
        entrants.iter().filter_map(|entrant| entrant.runs(&cases)).collect()
    };
    let by_dimensions: Vec<_> = dimensions.iter().map(|d| (*d, of(*d))).collect();
    let names: Vec<&str> = searches::ALL.iter().map(|search| search.name).collect();
    let tables = by_dimensions.iter().map(|(dimensions, all)| results::table(*dimensions, all));
    let mut tables: Vec<Table> = tables.collect();
    tables.push(taking_part(entrants, left_out));
    Ok(Page {
        title: "COCO's noiseless BBOB suite".into(),
        method: format!(
            "24 functions, the first {} instances of each, {} evaluations a dimension D in f64, one run of each search on each problem. A run \
             ends at 1e-8 above the optimum: there it has solved the problem. The first columns are the part of {TARGETS} targets for each \
             problem, from 100 to 1e-8 above the optimum, that is reached within so many evaluations, in percent; the last ones the \
             same of each group of functions after {} D.",
            args.instances,
            integer(EVALUATIONS),
            integer(EVALUATIONS),
        ),
        tables,
        figures: vec![results::figure(&by_dimensions, &names)?],
        records: Vec::new(),
    })
}

fn taking_part(entrants: &[Entrant], left_out: Vec<String>) -> Table {
    let row = |Entrant { search, kept }: &Entrant| {
        [search.name, kept.version.as_str(), search.settings].map(String::from).to_vec()
    };
    let mut notes = vec![format!(
        "All have the bounds -5 and 5 and one seed: ours 0, peers 1; a peer that ends before its evaluations are spent begins anew \
         with the next. Peers minimise COCO's own functions ({}).",
        peers::COCO.replace("==", " ")
    )];
    notes.extend(left_out);
    Table {
        title: "Who takes part".into(),
        groups: Vec::new(),
        columns: ["search", "version", "settings"].map(String::from).to_vec(),
        rows: entrants.iter().map(row).collect(),
        notes,
    }
}
