//! The study of L and delta on the eight functions. The paper mentions it without its results.

use anyhow::Result;

use super::methods::{Method, Question, at_once};
use super::notes;
use super::paper::{self, DELTAS, EXPLOSIONS, EXPLOSIONS_STUDIED, FIREWORKS, FUNCTIONS, Function};
use crate::reproduce::Options;
use crate::reproduce::measure::{self, Plan};
use crate::reproduce::page::Records;
use crate::reproduce::program::Program;
use crate::reproduce::table::{Table, integer, scientific};
use warpswarm_statistics::Sample;

/// L and delta.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Setting {
    pub(crate) explosions: u64,
    pub(crate) delta: f64,
}

/// The paper's choice.
const CHOSEN: Setting = Setting { explosions: EXPLOSIONS, delta: 0.5 };

/// The results of all settings on all functions.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    pub(crate) explosions: Vec<u64>,
    pub(crate) deltas: Vec<f64>,
    pub(crate) evaluations: u64,
    /// Whether the time budget has reduced them.
    pub(crate) short: bool,
    /// The best values of the trials, `[function][setting][trial]`; settings are sorted by L, then by delta.
    pub(crate) best: Vec<Vec<Vec<f64>>>,
}

/// Runs all settings. With `quick` there are fewer settings, and fewer trials with a tenth of the evaluations.
pub(crate) fn measure(options: &Options, program: &Program) -> Result<Study> {
    let (trials, part) = if options.quick { (paper::FEW_TRIALS, 10) } else { (paper::TRIALS, 1) };
    let (explosions, deltas) = if options.quick {
        (vec![10, 30, 50], vec![0.1, 0.5, 0.9])
    } else {
        (EXPLOSIONS_STUDIED.to_vec(), DELTAS.to_vec())
    };
    let ask = |function: &Function, setting: Setting, evaluations, seed| {
        let Setting { explosions, delta } = setting;
        let more = format!(
            "--set explosions={explosions} --set delta={delta} --backend {} --precision f64 --runs {trials}",
            options.backend
        );
        let (method, problem, fireworks) = (Method::GpuFwa, function.problem, FIREWORKS);
        Question { method, problem, fireworks, evaluations, seed, more: &more }.ask(program)
    };
    let most = paper::evaluations_counted(FIREWORKS) / part;
    let mut evaluations = most;
    for function in &FUNCTIONS {
        let least = Method::GpuFwa.fewest_evaluations(FIREWORKS);
        let plan = Plan { least, most, repetitions: 1, seconds: options.budget };
        let mut seconds =
            |load: measure::Load| Ok(ask(function, CHOSEN, load.work, load.seed)?.seconds);
        evaluations = evaluations.min(measure::fitting(&plan, &mut seconds)?);
    }
    let settings = settings(&explosions, &deltas);
    let all: Vec<(&Function, Setting)> =
        FUNCTIONS.iter().flat_map(|f| settings.iter().map(move |&setting| (f, setting))).collect();
    let found = |&(function, setting): &(&Function, Setting)| -> Result<Vec<f64>> {
        let solved = ask(function, setting, evaluations, 1)?;
        Ok(solved.runs.iter().map(|run| run.value).collect())
    };
    let best = at_once(options, &all, found)?;
    let best = best.chunks(settings.len()).map(<[_]>::to_vec).collect();
    let study = Study { explosions, deltas, evaluations, short: evaluations < most, best };
    eprintln!("{} settings of L and delta on {} functions", settings.len(), FUNCTIONS.len());
    Ok(study)
}

fn settings(explosions: &[u64], deltas: &[f64]) -> Vec<Setting> {
    let of = |&explosions| deltas.iter().map(move |&delta| Setting { explosions, delta });
    explosions.iter().flat_map(of).collect()
}

impl Study {
    fn settings(&self) -> Vec<Setting> {
        settings(&self.explosions, &self.deltas)
    }

    /// Mean best values, `[function][setting]`.
    fn means(&self) -> Vec<Vec<f64>> {
        let mean = |trials: &Vec<f64>| Sample::of(trials).mean;
        self.best.iter().map(|settings| settings.iter().map(mean).collect()).collect()
    }

    /// Ranks by the mean, `[function][setting]`.
    fn ranks(&self) -> Vec<Vec<f64>> {
        self.means().iter().map(|means| ranks(means)).collect()
    }

    /// The mean rank of each setting over all functions, `[setting]`.
    fn mean_ranks(&self) -> Vec<f64> {
        let ranks = self.ranks();
        let of = |setting: usize| ranks.iter().map(|ranks| ranks[setting]).sum::<f64>();
        (0..self.settings().len()).map(|setting| of(setting) / ranks.len() as f64).collect()
    }

    /// Tables of the ranks over L and delta, and of the best setting on each function.
    pub(crate) fn tables(&self) -> [Table; 2] {
        [self.over_settings(), self.over_functions()]
    }

    fn over_settings(&self) -> Table {
        let mean_ranks = self.mean_ranks();
        let least = mean_ranks.iter().copied().fold(f64::INFINITY, f64::min);
        let row = |(explosions, ranks): (&u64, &[f64])| {
            let cell = |rank: &f64| {
                let mark = if *rank == least { " <" } else { "" };
                format!("{rank:.1}{mark}")
            };
            std::iter::once(explosions.to_string()).chain(ranks.iter().map(cell)).collect()
        };
        let rows = self.explosions.iter().zip(mean_ranks.chunks(self.deltas.len()));
        let columns = self.deltas.iter().map(|delta| format!("{delta}"));
        let mut notes = vec![format!(
            "Of the {} settings the rank of each by its mean best value, 1 the best, in the mean over the eight \
             functions; < the smallest. {} trials of {} evaluations each.",
            mean_ranks.len(),
            self.best[0][0].len(),
            integer(self.evaluations),
        )];
        notes.push(self.chosen());
        notes.extend(notes::SETTINGS.map(String::from));
        if self.short {
            notes.push("The budget made the evaluations fewer.".into());
        }
        Table {
            title: "L and delta: mean rank over the eight functions".into(),
            groups: vec![(String::new(), 1), ("delta".into(), self.deltas.len())],
            columns: std::iter::once("L".to_string()).chain(columns).collect(),
            rows: rows.map(row).collect(),
            notes,
        }
    }

    /// A sentence about the rank of the paper's choice.
    fn chosen(&self) -> String {
        let (settings, mean_ranks) = (self.settings(), self.mean_ranks());
        let Some(chosen) = settings.iter().position(|setting| *setting == CHOSEN) else {
            return String::new();
        };
        let better = mean_ranks.iter().filter(|rank| **rank < mean_ranks[chosen]).count();
        format!(
            "The paper's L = {}, delta = {} has the mean rank {:.1}; {better} of the {} others have a smaller one.",
            CHOSEN.explosions,
            CHOSEN.delta,
            mean_ranks[chosen],
            settings.len() - 1,
        )
    }

    fn over_functions(&self) -> Table {
        let settings = self.settings();
        let chosen = settings.iter().position(|setting| *setting == CHOSEN);
        let (means, ranks) = (self.means(), self.ranks());
        let rows = FUNCTIONS.iter().zip(means.iter().zip(&ranks)).map(|(f, (means, ranks))| {
            let place = |better: fn(&f64, &f64) -> bool| {
                let mut found = 0;
                for setting in 1..means.len() {
                    if better(&means[setting], &means[found]) {
                        found = setting;
                    }
                }
                found
            };
            let named = |setting: usize| {
                let Setting { explosions, delta } = settings[setting];
                [explosions.to_string(), delta.to_string(), scientific(means[setting])]
            };
            let mut row = vec![f.id.to_string(), f.name.to_string()];
            row.extend(named(place(|a, b| a < b)));
            row.extend(named(place(|a, b| a > b)));
            row.extend(chosen.map_or_else(Default::default, |setting| {
                [scientific(means[setting]), format!("{:.0}", ranks[setting])]
            }));
            row
        });
        let columns = ["", "function", "L", "delta", "mean", "L", "delta", "mean", "mean", "rank"];
        Table {
            title: "L and delta: the best and the worst setting on each function".into(),
            groups: vec![
                (String::new(), 2),
                ("best".into(), 3),
                ("worst".into(), 3),
                (format!("L = {}, delta = {}", CHOSEN.explosions, CHOSEN.delta), 2),
            ],
            columns: columns.map(String::from).to_vec(),
            rows: rows.collect(),
            notes: vec!["Mean best values; settings.csv has those of all settings.".into()],
        }
    }

    /// The mean of every setting on every function.
    pub(crate) fn records(&self) -> Records {
        let mut rows = Vec::new();
        for (function, best) in FUNCTIONS.iter().zip(&self.best) {
            for (setting, trials) in self.settings().iter().zip(best) {
                let Sample { mean, deviation, size } = Sample::of(trials);
                rows.push(vec![
                    function.id.into(),
                    function.problem.into(),
                    setting.explosions.to_string(),
                    setting.delta.to_string(),
                    self.evaluations.to_string(),
                    size.to_string(),
                    mean.to_string(),
                    deviation.to_string(),
                ]);
            }
        }
        let head = vec![
            "function",
            "problem",
            "explosions",
            "delta",
            "wanted_evaluations",
            "trials",
            "mean_best_value",
            "deviation",
        ];
        Records { name: "settings", head, rows }
    }
}

/// The rank of each value, from 1 on; equal values get their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |x: &f64| {
        let before = values.iter().filter(|y| y.total_cmp(x).is_lt()).count();
        let equal = values.iter().filter(|y| y.total_cmp(x).is_eq()).count();
        before as f64 + 0.5 * (equal as f64 + 1.0)
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Invented values: best for L = 30 and for large delta; on the last function all are equal.
    fn made_up() -> Study {
        let (explosions, deltas) = (vec![10, 30, 50], vec![0.1, 0.5, 0.9]);
        let value = |function: usize, Setting { explosions, delta }: Setting| {
            let distance = (explosions as f64 - 30.0).abs() + 1.0 - delta;
            if function == 7 { 1.0 } else { distance }
        };
        let of = |function| {
            let settings = settings(&explosions, &deltas).into_iter();
            settings.map(|setting| vec![value(function, setting); 4]).collect()
        };
        let best = (0..8).map(of).collect();
        Study { explosions, deltas, evaluations: 76_800, short: false, best }
    }

    #[test]
    fn ranks_begin_at_one_and_are_shared() {
        assert_eq!(ranks(&[3.0, -1.0, 2.0, 2.0]), [4.0, 1.0, 2.5, 2.5]);
        assert_eq!(ranks(&[f64::NAN, 1.0]), [2.0, 1.0]);
    }

    #[test]
    fn tables_say_what_is_best() {
        let study = made_up();
        for table in study.tables() {
            let widths: usize = table.groups.iter().map(|(_, span)| span).sum();
            assert_eq!(widths, table.columns.len());
            assert!(table.rows.iter().all(|row| row.len() == widths));
        }
        let [settings, functions] = study.tables();
        // Rank 1 of 9 on seven functions, and the middle rank on one.
        assert_eq!(settings.rows[1], ["30", "3.2", "2.4", "1.5 <"]);
        assert!(settings.notes[1].contains("the mean rank 2.4; 1 of the 8 others"), "{settings:?}");
        let expected =
            ["f1", "Sphere", "30", "0.9", "1.00E-01", "10", "0.1", "2.09E+01", "5.00E-01", "2"];
        assert_eq!(functions.rows[0], expected);
        assert_eq!(functions.rows[7][9], "5");
    }

    #[test]
    fn every_setting_is_a_record() {
        let records = made_up().records();
        assert_eq!(records.rows.len(), 8 * 9);
        assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
    }
}
