//! Tables and a picture of runs: the fraction of targets reached over the number of evaluations.

use std::ops::RangeInclusive;

use anyhow::Result;
use warpswarm_pictures::{Axis, Line, Mark, Panel, Picture};

use super::record::Record;
use super::suite::{EVALUATIONS, GROUPS, TARGETS};
use crate::reproduce::page::Figure;
use crate::reproduce::table::{Table, integer};

/// The numbers of evaluations per dimension in tables.
const AFTER: [u64; 3] = [100, 1_000, EVALUATIONS];

/// The runs of a search, one on each problem with this number of dimensions.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    pub(super) name: &'static str,
    pub(super) records: Vec<&'a Record>,
}

impl Runs<'_> {
    /// The fraction of all targets reached within this many evaluations per dimension, 0 to 1.
    fn share(&self, evaluations: f64) -> f64 {
        self.share_of(&(1..=u32::MAX), evaluations)
    }

    /// The same for the functions with these numbers.
    fn share_of(&self, functions: &RangeInclusive<u32>, evaluations: f64) -> f64 {
        let of = || self.records.iter().filter(|record| functions.contains(&record.case.function));
        let reached = |record: &&Record| {
            let most = evaluations * record.case.dimensions as f64;
            record.hits.partition_point(|hit| *hit as f64 <= most)
        };
        let all = (TARGETS * of().count()).max(1);
        of().copied().map(|record| reached(&record)).sum::<usize>() as f64 / all as f64
    }

    fn solved(&self) -> usize {
        self.records.iter().filter(|record| record.is_solved()).count()
    }
}

/// Sorts by the fraction of targets reached, the largest first.
fn sorted<'a>(all: &[Runs<'a>]) -> Vec<Runs<'a>> {
    let mut all = all.to_vec();
    let share = |runs: &Runs<'_>| runs.share(EVALUATIONS as f64);
    all.sort_by(|a, b| share(b).total_cmp(&share(a)));
    all
}

/// The table of all searches that were run with this number of dimensions.
pub(super) fn table(dimensions: usize, all: &[Runs<'_>]) -> Table {
    let pairs = all.first().map_or(0, |runs| runs.records.len());
    let after = AFTER.iter().map(|evaluations| format!("{} D", integer(*evaluations)));
    let solved = format!("solved of {pairs}");
    let groups = GROUPS.iter().map(|group| {
        format!("f{} to f{}, {}", group.functions.start(), group.functions.end(), group.name)
    });
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let row = |runs: Runs<'_>| {
        let after = AFTER.iter().map(|evaluations| percent(runs.share(*evaluations as f64)));
        let of_groups =
            GROUPS.iter().map(|group| percent(runs.share_of(&group.functions, EVALUATIONS as f64)));
        let cells = [runs.name.to_string()].into_iter().chain(after);
        cells.chain([runs.solved().to_string()]).chain(of_groups).collect()
    };
    Table {
        title: format!("In {dimensions} dimensions"),
        groups: Vec::new(),
        columns: ["search".to_string()]
            .into_iter()
            .chain(after)
            .chain([solved])
            .chain(groups)
            .collect(),
        rows: sorted(all).into_iter().map(row).collect(),
        notes: Vec::new(),
    }
}

/// The fraction of targets over evaluations per dimension, with a panel for each number of dimensions.
pub(super) fn figure(all: &[(usize, Vec<Runs<'_>>)], names: &[&'static str]) -> Result<Figure> {
    const STEP: f64 = 0.1;
    let end = (EVALUATIONS as f64).log10();
    let panel = |(dimensions, all): &(usize, Vec<Runs<'_>>)| {
        let line = |runs: &Runs<'_>| {
            // A search has the same style in all panels.
            let number = names.iter().position(|name| *name == runs.name).unwrap_or(0);
            let steps = (end / STEP).round() as u32;
            let points = (0..=steps).map(|step| {
                let x = STEP * f64::from(step);
                (x, 100.0 * runs.share(10_f64.powf(x)))
            });
            let look = Line { mark: Mark::None, ..Line::numbered(number) };
            look.through(points).named(runs.name)
        };
        let decades = vec![0.0, 1.0, 2.0, 3.0, 4.0];
        Panel {
            title: format!("{dimensions} dimensions"),
            x: Axis::new("evaluations / D", (0.0, end), decades, |x| {
                integer(10_f64.powf(x).round() as u64)
            }),
            y: Axis::linear("targets reached (%)", (0.0, 100.0)),
            areas: Vec::new(),
            lines: all.iter().map(line).collect(),
        }
    };
    let title = "Targets reached over evaluations";
    let picture = Picture {
        title: title.into(),
        notes: vec![format!(
            "of {TARGETS} targets for each problem, from 100 to 1e-8 above the optimum"
        )],
        has_legend: true,
        columns: all.len().clamp(1, 2),
        size: (560, 380),
        panels: all.iter().map(panel).collect(),
    };
    Ok(Figure { name: "targets", title: title.into(), svg: picture.svg()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::page::tests::assert_whole;

    /// Two functions of different groups in two dimensions; the first is solved.
    fn records(last: u64) -> [Record; 2] {
        let solved = format!("1 1 2 {last} {}", format!("{last} ").repeat(TARGETS));
        [solved.as_str(), "24 1 2 20000 150 250 20000"].map(|text| Record::parse(text).unwrap())
    }

    #[test]
    fn shares_by_hand() {
        let records = records(400);
        let runs = Runs { name: "a", records: records.iter().collect() };
        assert_eq!(runs.share(74.9), 0.0);
        assert_eq!(runs.share(75.0), 1.0 / 102.0);
        assert_eq!(runs.share(125.0), 2.0 / 102.0);
        assert_eq!(runs.share(200.0), 53.0 / 102.0);
        assert_eq!(runs.share(1e4), 54.0 / 102.0);
        let of_groups = GROUPS.map(|group| runs.share_of(&group.functions, 1e4));
        assert_eq!(of_groups, [1.0, 0.0, 0.0, 0.0, 3.0 / 51.0]);
        assert_eq!(runs.solved(), 1);
    }

    #[test]
    fn who_reaches_most_comes_first() {
        let (one, other) = (records(400), records(300));
        let fewer = Runs { name: "fewer", records: one[1..].iter().collect() };
        let all = Runs { name: "all", records: other.iter().collect() };
        let table = table(2, &[fewer, all]);
        assert_eq!(table.columns[1..5], ["100 D", "1,000 D", "10,000 D", "solved of 1"]);
        assert_eq!(table.columns[9], "f20 to f24, weak structure");
        assert_eq!(table.rows[0][..5], ["all", "1.0", "52.0", "52.9", "1"]);
        assert_eq!(table.rows[1][..5], ["fewer", "2.0", "3.9", "5.9", "0"]);
        assert_eq!(table.rows[0][5..], ["100.0", "0.0", "0.0", "0.0", "5.9"]);
    }

    #[test]
    fn the_picture_is_whole() {
        let (one, other) = (records(400), records(300));
        let runs =
            |name, records: &'static [Record]| Runs { name, records: records.iter().collect() };
        let (one, other): (&'static [Record], &'static [Record]) =
            (Vec::from(one).leak(), Vec::from(other).leak());
        let panel = vec![runs("first", one), runs("second", other)];
        let figure = figure(&[(2, panel.clone()), (5, panel)], &["first", "second"]).unwrap();
        assert_whole(&figure.svg);
        for text in ["first", "second", "5 dimensions", "targets reached (%)", "10,000"] {
            assert!(figure.svg.contains(text), "{text}");
        }
    }
}
