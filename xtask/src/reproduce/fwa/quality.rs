//! Tables 2 and 3: the best values of 20 trials, and tests of their differences.

use anyhow::Result;

use super::methods::{self, Method, Question, at_once};
use super::notes;
use super::paper::{self, FIREWORKS, FUNCTIONS, Function, SIGNIFICANCE};
use crate::reproduce::Options;
use crate::reproduce::measure::{self, Plan};
use crate::reproduce::page::Records;
use crate::reproduce::program::Program;
use crate::reproduce::table::{Table, integer, scientific};
use warpswarm_statistics::Sample;

/// The mark of trials that the time budget has shortened.
const SHORT: &str = "*";

/// The shift of the optimum, relative to the width of the box.
const SHIFT: f64 = -0.1;

/// The number of evaluations of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// The number according to the paper.
    Counted,
    /// The number in 1,000 iterations of Algorithm 1.
    Made,
}

impl Count {
    fn evaluations(self) -> u64 {
        match self {
            Count::Counted => paper::evaluations_counted(FIREWORKS),
            Count::Made => paper::evaluations_made(FIREWORKS),
        }
    }
}

/// The trials of one method on one function.
#[derive(Clone, Debug)]
pub(crate) struct Trials {
    pub(crate) function: &'static Function,
    pub(crate) method: Method,
    pub(crate) count: Count,
    pub(crate) shifted: bool,
    /// The best value of each trial, with its actual number of evaluations.
    pub(crate) best: Vec<(f64, u64)>,
    /// Whether they had fewer evaluations than `count`.
    pub(crate) short: bool,
}

impl Trials {
    fn sample(&self) -> Sample {
        Sample::of(&self.best.iter().map(|(value, _)| *value).collect::<Vec<_>>())
    }

    fn mean_evaluations(&self) -> f64 {
        self.best.iter().map(|(_, n)| *n as f64).sum::<f64>() / self.best.len() as f64
    }
}

/// All trials, and the place where they ran.
#[derive(Clone, Debug)]
pub(crate) struct Quality {
    pub(crate) counts: Vec<Count>,
    pub(crate) trials: Vec<Trials>,
    /// The place where GPU-FWA and PSO ran.
    pub(crate) place: String,
}

/// Runs all trials. With `quick` there are fewer, with a tenth of the paper's evaluations and without shifted optima.
pub(crate) fn measure(options: &Options, program: &Program) -> Result<Quality> {
    let counts =
        if options.quick { vec![Count::Counted] } else { vec![Count::Counted, Count::Made] };
    let mut asked = Vec::new();
    for &shifted in if options.quick { &[false][..] } else { &[false, true] } {
        for function in &FUNCTIONS {
            for method in Method::ALL {
                asked.extend(counts.iter().map(|&count| (method, (function, shifted), count)));
            }
        }
    }
    let find = |&(method, function, count): &_| -> Result<_> {
        let (trials, place) = trials(options, program, function, method, count)?;
        say(&trials);
        Ok((trials, place))
    };
    // FWA uses the whole CPU, and its number of evaluations depends on its speed, so its trials run alone.
    let (alone, others): (Vec<_>, _) =
        asked.into_iter().partition(|&(method, ..)| method == Method::Fwa);
    let mut all = at_once(options, &others, find)?;
    all.extend(alone.iter().map(find).collect::<Result<Vec<_>>>()?);
    let ours = all.iter().find(|(trials, _)| trials.method == Method::GpuFwa);
    let place = ours.map_or_else(String::new, |(_, place)| place.clone());
    Ok(Quality { counts, trials: all.into_iter().map(|(t, _)| t).collect(), place })
}

fn trials(
    options: &Options,
    program: &Program,
    (function, shifted): (&'static Function, bool),
    method: Method,
    count: Count,
) -> Result<(Trials, String)> {
    let (trials, part) = if options.quick { (paper::FEW_TRIALS, 10) } else { (paper::TRIALS, 1) };
    let backend = if method == Method::Fwa { "cpu" } else { &options.backend };
    let shift = if shifted { 2.0 * function.reach * SHIFT } else { 0.0 };
    let more = format!("--backend {backend} --precision f64 --runs {trials} --shift {shift}");
    let ask = |evaluations, seed| {
        let fireworks = FIREWORKS;
        let problem = function.problem;
        Question { method, problem, fireworks, evaluations, seed, more: &more }.ask(program)
    };
    // If several programs run at once, each takes this many times longer.
    let beside = if method == Method::Fwa { 1 } else { methods::beside(options) };
    let plan = Plan {
        least: method.fewest_evaluations(FIREWORKS),
        most: count.evaluations() / part,
        repetitions: 1,
        seconds: options.budget * beside as f64,
    };
    let evaluations = measure::fitting(&plan, &mut |load| Ok(ask(load.work, load.seed)?.seconds))?;
    let solved = ask(evaluations, 1)?;
    let best = solved.runs.iter().map(|run| (run.value, run.evaluations)).collect();
    let short = evaluations < count.evaluations();
    Ok((Trials { function, method, count, shifted, best, short }, solved.place.in_words()))
}

fn say(trials: &Trials) {
    let Trials { function, method, shifted, .. } = trials;
    let shifted = if *shifted { ", shifted" } else { "" };
    eprintln!(
        "{:>15}{shifted}, {:>7}: mean {} of {} trials of {} evaluations",
        function.name,
        method.name(),
        scientific(trials.sample().mean),
        trials.best.len(),
        integer(trials.mean_evaluations() as u64),
    );
}

impl Quality {
    fn of(
        &self,
        function: &Function,
        method: Method,
        count: Count,
        shifted: bool,
    ) -> Option<&Trials> {
        self.trials.iter().find(|trials| {
            trials.function.id == function.id
                && (trials.method, trials.count, trials.shifted) == (method, count, shifted)
        })
    }

    /// `ours, 768,000 evaluations`, with a mark if some trials were shortened.
    fn label(&self, count: Count, shifted: bool) -> String {
        let cut = |of: &Trials| of.short && (of.count, of.shifted) == (count, shifted);
        let mark = if self.trials.iter().any(cut) { SHORT } else { "" };
        format!("ours, {} evaluations{mark}", integer(count.evaluations()))
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        let shifted = self.trials.iter().any(|trials| trials.shifted).then(|| self.precision(true));
        [self.precision(false)].into_iter().chain(shifted).chain([self.tests()]).collect()
    }

    /// Table 2, or the same table for shifted optima.
    fn precision(&self, shifted: bool) -> Table {
        let mut groups = vec![(String::new(), 3), ("paper".into(), 2)];
        let mut columns = vec!["", "function", "method", "mean", "deviation"];
        for &count in &self.counts {
            groups.push((self.label(count, shifted), 3));
            columns.extend(["mean", "deviation", "evaluations"]);
        }
        let rows = FUNCTIONS.iter().flat_map(|f| Method::ALL.map(|method| (f, method)));
        let rows = rows.map(|(f, method)| {
            let first = method == Method::GpuFwa;
            let label = |text: &str| if first { text.to_string() } else { String::new() };
            let mut row = vec![label(f.id), label(f.name), method.name().into()];
            row.extend(printed(f, method).map(String::from));
            for &count in &self.counts {
                row.extend(self.of(f, method, count, shifted).map_or_else(Default::default, ours));
            }
            row
        });
        let (title, mut notes) = if shifted {
            let title = "Table 2 with shifted optima: beside the paper's numbers, which are not";
            (title, notes::SHIFTED.map(String::from).to_vec())
        } else {
            ("Table 2: mean and standard deviation of the best values", self.notes())
        };
        if self.trials.iter().any(|trials| trials.short && trials.shifted == shifted) {
            notes.push(format!("{SHORT} cut short, to as many evaluations as the column says."));
        }
        Table {
            title: title.into(),
            groups,
            columns: columns.into_iter().map(String::from).collect(),
            rows: rows.collect(),
            notes,
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("Ours: GPU-FWA and PSO on {}, FWA on the CPU.", self.place)];
        notes.extend(notes::PRECISION.map(String::from));
        notes
    }

    /// Table 3.
    fn tests(&self) -> Table {
        let mut rows = Vec::new();
        for (i, other) in Method::OTHERS.into_iter().enumerate() {
            let name = format!("GPU-FWA, {}", other.name());
            let mut row = |source: String, cell: &dyn Fn(&Function) -> String| {
                let label = vec![name.clone(), source];
                rows.push(label.into_iter().chain(FUNCTIONS.iter().map(cell)).collect());
            };
            let samples =
                |f: &Function| [Method::GpuFwa, other].map(|m| paper::sample(printed(f, m)));
            row("paper".into(), &|f| {
                let [ours, theirs] = samples(f);
                judged(f.against[i], paper::number(f.against[i]), &ours, &theirs)
            });
            row("paper's Table 2".into(), &|f| {
                let [ours, theirs] = samples(f);
                tested(&ours, &theirs)
            });
            for &count in &self.counts {
                row(self.label(count, false), &|f| {
                    let of = |method| self.of(f, method, count, false).map(Trials::sample);
                    match (of(Method::GpuFwa), of(other)) {
                        (Some(ours), Some(theirs)) => tested(&ours, &theirs),
                        _ => String::new(),
                    }
                });
            }
        }
        let mut columns = vec!["compared".to_string(), "trials".to_string()];
        columns.extend(FUNCTIONS.map(|f| f.id.to_string()));
        Table {
            title: "Table 3: p-values of the t-test, GPU-FWA against each of the others".into(),
            groups: vec![],
            columns,
            rows,
            notes: notes::TESTS.map(String::from).to_vec(),
        }
    }

    /// Every trial.
    pub(crate) fn records(&self) -> Records {
        let mut rows = Vec::new();
        for trials in &self.trials {
            let Trials { function, method, count, shifted, .. } = trials;
            let shift = if *shifted { 2.0 * function.reach * SHIFT } else { 0.0 };
            for (i, (value, made)) in trials.best.iter().enumerate() {
                rows.push(vec![
                    function.id.into(),
                    function.problem.into(),
                    method.name().into(),
                    shift.to_string(),
                    count.evaluations().to_string(),
                    (i + 1).to_string(),
                    made.to_string(),
                    value.to_string(),
                ]);
            }
        }
        let head = vec![
            "function",
            "problem",
            "method",
            "shift",
            "wanted_evaluations",
            "trial",
            "evaluations",
            "best_value",
        ];
        Records { name: "trials", head, rows }
    }
}

fn printed(function: &Function, method: Method) -> paper::Precision {
    match method {
        Method::GpuFwa => function.gpu_fwa,
        Method::Fwa => function.fwa,
        Method::Pso => function.pso,
    }
}

fn ours(trials: &Trials) -> [String; 3] {
    let Sample { mean, deviation, .. } = trials.sample();
    let mark = if trials.short { SHORT } else { "" };
    let made = integer(trials.mean_evaluations().round() as u64);
    [scientific(mean), scientific(deviation), format!("{made}{mark}")]
}

fn tested(ours: &Sample, theirs: &Sample) -> String {
    match ours.welch(theirs) {
        Some(p) => judged(&scientific(p), p, ours, theirs),
        None => "-".into(),
    }
}

/// The p-value with a sign that says whether the mean of GPU-FWA is significantly better or worse.
fn judged(text: &str, p: f64, ours: &Sample, theirs: &Sample) -> String {
    let sign = match p < SIGNIFICANCE {
        true if ours.mean < theirs.mean => '+',
        true => '-',
        false => '~',
    };
    format!("{text} {sign}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Invented trials: GPU-FWA near 1, FWA near 2, PSO like GPU-FWA; all are shortened.
    pub(crate) fn made_up() -> Quality {
        let mut trials = Vec::new();
        for shifted in [false, true] {
            for function in &FUNCTIONS {
                for method in Method::ALL {
                    let mean = if method == Method::Fwa { 2.0 } else { 1.0 };
                    let best = (0..4).map(|i| (mean + 0.01 * f64::from(i), 1_000 + i as u64));
                    let (count, best) = (Count::Counted, best.collect());
                    trials.push(Trials { function, method, count, shifted, best, short: true });
                }
            }
        }
        Quality { counts: vec![Count::Counted], trials, place: "a device".into() }
    }

    #[test]
    fn tables_are_whole() {
        for table in made_up().tables() {
            let widths: usize = table.groups.iter().map(|(_, span)| span).sum();
            assert!(table.groups.is_empty() || widths == table.columns.len());
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        }
        let precision = &made_up().tables()[0];
        assert_eq!(precision.rows.len(), 24);
        let expected = ["", "", "FWA", "7.41E+00", "1.98E+01", "2.01E+00", "1.29E-02", "1,002*"];
        assert_eq!(precision.rows[1], expected);
        assert!(precision.text().contains("cut short"));
    }

    #[test]
    fn p_values_say_who_is_better() {
        let tests = made_up().tables().pop().unwrap();
        let [printed, from_table, ours, against_pso, ..] = &tests.rows[..] else { panic!("rows") };
        assert_eq!((&printed[2][..], &printed[8][..]), ("1.00E-06 +", "5.16E-01 ~"));
        assert_eq!((&printed[7][..], &from_table[2][..]), ("0.00E+00 -", "1.11E-01 ~"));
        assert!(ours[2..].iter().all(|cell| cell.ends_with('+')));
        assert_eq!(against_pso[3], "1.21E-04 -");
        let significant = |source: &str| {
            let rows = tests.rows.iter().filter(|row| row[1] == source);
            rows.flatten().filter(|cell| cell.ends_with(['+', '-'])).count()
        };
        assert_eq!((significant("paper"), significant("paper's Table 2")), (11, 5));
    }

    #[test]
    fn every_trial_is_a_record() {
        let records = made_up().records();
        assert_eq!(records.rows.len(), 2 * 8 * 3 * 4);
        assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
        assert_eq!(records.rows[96][3], "-1.024");
    }
}
