//! Compares both sets of solutions at once with one by one, as in the paper's first program.

use anyhow::{Result, ensure};
use warpswarm_statistics::Summary;

use super::methods::{Method, Sets};
use super::paper;
use crate::reproduce::measure::{self, Load, Plan};
use crate::reproduce::page::Records;
use crate::reproduce::program::Solved;
use crate::reproduce::table::{Table, integer, number};

/// The times of one method in seconds, one for each repetition.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    pub(crate) method: Method,
    pub(crate) generations: u64,
    at_once: Vec<f64>,
    /// The sums over the two sets.
    in_turn: Vec<f64>,
}

/// Times every method both ways, with as many generations as each can do within the plan. It is an error if the sets do
/// not find the same both ways.
pub(crate) fn measure(
    methods: &[Method],
    plan: &Plan,
    ask: &mut dyn FnMut(Method, Sets, Load) -> Result<Solved>,
) -> Result<Vec<Turns>> {
    let mut all = Vec::new();
    for &method in methods {
        let work = measure::fitting(plan, &mut |load| Ok(ask(method, Sets::Both, load)?.seconds))?;
        let mut turns =
            Turns { method, generations: work, at_once: Vec::new(), in_turn: Vec::new() };
        for seed in 1..=plan.repetitions {
            let load = Load { work, seed };
            let both = ask(method, Sets::Both, load)?;
            let mut seconds = 0.0;
            for (set, run) in both.runs.iter().enumerate() {
                let alone = ask(method, Sets::Alone(set), load)?;
                ensure!(
                    alone.runs == std::slice::from_ref(run),
                    "{}: set {set} is another where it is alone, {load:?}",
                    method.name()
                );
                seconds += alone.seconds;
            }
            turns.at_once.push(both.seconds);
            turns.in_turn.push(seconds);
        }
        all.push(turns);
    }
    Ok(all)
}

impl Turns {
    /// The median of some times in seconds, in milliseconds.
    fn milliseconds(seconds: &[f64]) -> f64 {
        1e3 * Summary::of(seconds).median
    }
}

/// A table with a row for each method.
pub(crate) fn table(all: &[Turns]) -> Table {
    let row = |turns: &Turns| {
        let [at_once, in_turn] =
            [&turns.at_once, &turns.in_turn].map(|seconds| Turns::milliseconds(seconds));
        vec![
            turns.method.name().into(),
            integer(turns.generations),
            number(at_once),
            number(in_turn),
            number(in_turn / at_once),
        ]
    };
    let columns = ["implementation", "generations", "at once", "one after the other", "ratio"];
    Table {
        title: format!("Two sets, {} particles: milliseconds", paper::PARTICLES),
        groups: Vec::new(),
        columns: columns.map(String::from).to_vec(),
        rows: all.iter().map(row).collect(),
        notes: vec![
            "The paper's first program localised the two parts one after the other; in its figures both sets move at \
             once, as in ours above. It gives no times of the first. Median of whole runs; one after the other is the \
             sum of both. The sets find the same either way, to the bit."
                .into(),
        ],
    }
}

/// Every repetition.
pub(crate) fn records(all: &[Turns]) -> Records {
    let mut rows = Vec::new();
    for Turns { method, generations, at_once, in_turn } in all {
        for (i, (at_once, in_turn)) in at_once.iter().zip(in_turn).enumerate() {
            rows.push(vec![
                method.name().into(),
                paper::PARTICLES.to_string(),
                generations.to_string(),
                (i + 1).to_string(),
                at_once.to_string(),
                in_turn.to_string(),
            ]);
        }
    }
    let head = vec![
        "implementation",
        "particles",
        "generations",
        "repetition",
        "seconds_at_once",
        "seconds_in_turn",
    ];
    Records { name: "sets", head, rows }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reproduce::program::{Place, Run};

    /// A bench on which a set takes a microsecond per generation; on the GPU, both sets at once take no longer. The
    /// second set finds a value that is larger by `wrong` when it is alone.
    fn bench(wrong: f64) -> impl FnMut(Method, Sets, Load) -> Result<Solved> {
        move |method, sets, Load { work, seed }| {
            let run = |value: f64| Run {
                value,
                violation: 0.0,
                position: vec![value],
                constraints: vec![],
                evaluations: work,
                iterations: work,
            };
            let values = [seed as f64, 10.0 + seed as f64];
            let (runs, times) = match sets {
                Sets::Both if method == Method::Gpu => (values.map(run).to_vec(), 1.0),
                Sets::Both => (values.map(run).to_vec(), 2.0),
                Sets::Alone(set) => (vec![run(values[set] + set as f64 * wrong)], 1.0),
            };
            let [backend, device, schedule] = ["cpu", "CPU", "-"].map(String::from);
            let place = Place { backend, device, schedule, block_size: None };
            Ok(Solved { seconds: 1e-6 * times * work as f64, place, runs })
        }
    }

    pub(crate) fn made_up(methods: &[Method]) -> Vec<Turns> {
        let plan = Plan { least: 1, most: 1_000, repetitions: 3, seconds: f64::INFINITY };
        measure(methods, &plan, &mut bench(0.0)).unwrap()
    }

    #[test]
    fn the_gpu_takes_two_sets_at_once() {
        let table = table(&made_up(&Method::ALL));
        assert_eq!(table.rows[0], ["CPU", "1,000", "2.000", "2.000", "1.000"]);
        assert_eq!(table.rows[3], ["GPU", "1,000", "1.000", "2.000", "2.000"]);
        let records = records(&made_up(&Method::ALL[..2]));
        assert_eq!(records.rows.len(), 2 * 3);
        assert!(records.rows.iter().all(|row| row.len() == records.head.len()));
    }

    #[test]
    fn a_set_that_differs_where_it_is_alone_is_an_error() {
        let plan = Plan { least: 1, most: 10, repetitions: 1, seconds: 1.0 };
        let error = measure(&Method::ALL, &plan, &mut bench(f64::EPSILON * 8.0)).unwrap_err();
        assert!(error.to_string().starts_with("CPU: set 1 is another"), "{error}");
    }
}
