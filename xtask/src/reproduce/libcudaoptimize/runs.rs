//! Times the implementations at one size, and checks that they find the same.

use anyhow::{Context, Result, ensure};

use super::methods::{Method, Size};
use crate::reproduce::measure::{self, Cell, Load, Plan};
use crate::reproduce::program::{Run, Solved};
use warpswarm_statistics::Summary;

/// The measurements of one method at one size.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    pub(crate) method: Method,
    pub(crate) cell: Cell,
    /// A description of the place where it ran.
    pub(crate) place: String,
    pub(crate) schedule: String,
}

impl Timed {
    /// The time of all generations in milliseconds: the median of the repetitions, because such short runs are easily
    /// disturbed.
    pub(crate) fn time(&self) -> f64 {
        Summary::of(&self.cell.scaled_seconds().map(|s| s * 1e3).collect::<Vec<_>>()).median
    }
}

/// All methods at one size, with the same amount of work.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) size: Size,
    pub(crate) timed: Vec<Timed>,
    /// The best values, which are the same for all methods: `[repetition][set]`.
    pub(crate) best: Vec<Vec<f64>>,
}

impl Point {
    pub(crate) fn of(&self, method: Method) -> Option<&Timed> {
        self.timed.iter().find(|timed| timed.method == method)
    }

    /// The time of `over` divided by the time of the GPU.
    pub(crate) fn speedup(&self, over: Method) -> Option<f64> {
        Some(self.of(over)?.time() / self.of(Method::Gpu)?.time())
    }

    /// Whether all methods executed fewer generations than requested, the same number each.
    pub(crate) fn is_scaled(&self) -> bool {
        self.timed.iter().any(|timed| timed.cell.is_scaled())
    }

    /// The median of a set's best values.
    pub(crate) fn median_best(&self, set: usize) -> f64 {
        Summary::of(&self.best.iter().map(|sets| sets[set]).collect::<Vec<_>>()).median
    }
}

/// Times all methods. They do the same amount of work, which the slowest can do within the plan, so that their
/// results are comparable. It is an error if the results do not have the same bits.
pub(crate) fn point(
    methods: &[Method],
    size: Size,
    plan: &Plan,
    ask: &mut dyn FnMut(Method, Load) -> Result<Solved>,
) -> Result<Point> {
    let mut work = plan.most;
    for &method in methods {
        let mut seconds = |load| Ok(ask(method, load)?.seconds);
        work = work.min(measure::fitting(plan, &mut seconds)?);
    }
    let mut found: Vec<Vec<Run>> = Vec::new();
    let mut timed = Vec::new();
    for &method in methods {
        let (mut seconds, mut place) = (Vec::new(), None);
        for seed in 1..=plan.repetitions {
            let load = Load { work, seed };
            let solved = ask(method, load)?;
            seconds.push(solved.seconds);
            place = Some(solved.place);
            match found.get(seed as usize - 1) {
                None => found.push(solved.runs),
                Some(runs) => ensure!(
                    *runs == solved.runs,
                    "{} and {} differ, {size:?}, {load:?}: {runs:?}, {:?}",
                    methods[0].name(),
                    method.name(),
                    solved.runs
                ),
            }
        }
        let place = place.context("a plan has at least one repetition")?;
        timed.push(Timed {
            method,
            cell: Cell { wanted: size.generations, work, seconds },
            place: place.in_words(),
            schedule: place.schedule,
        });
    }
    let values = |runs: &Vec<Run>| runs.iter().map(|run| run.value).collect();
    Ok(Point { size, timed, best: found.iter().map(values).collect() })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::reproduce::program::Place;

    /// A bench on which every method takes this many microseconds per generation. All find the same, except that
    /// `error` is added to the second set.
    fn bench(
        micros: impl Fn(Method) -> f64,
        error: impl Fn(Method) -> f64,
    ) -> impl FnMut(Method, Load) -> Result<Solved> {
        move |method, Load { work, seed }| {
            let run = |value| Run {
                value,
                violation: 0.0,
                position: vec![1.5],
                constraints: vec![],
                evaluations: work,
                iterations: work,
            };
            let (backend, device) = match method {
                Method::Cpu => ("cpu", "CPU, 1 thread"),
                Method::Threads => ("cpu", "CPU, 8 threads"),
                _ => ("gpu", "a device"),
            };
            let schedule = if method == Method::Hosted { "hosted" } else { "-" };
            Ok(Solved {
                seconds: work as f64 * micros(method) * 1e-6,
                place: Place {
                    backend: backend.into(),
                    device: device.into(),
                    schedule: schedule.into(),
                    block_size: None,
                },
                runs: vec![run(0.5 * seed as f64), run(0.25 + error(method))],
            })
        }
    }

    /// Invented times at one size, in microseconds per generation for each method.
    pub(crate) fn made_up(methods: &[Method], size: Size, micros: [f64; 4], seconds: f64) -> Point {
        let plan = Plan { least: 1, most: size.generations, repetitions: 4, seconds };
        point(methods, size, &plan, &mut bench(|method| micros[method as usize], |_| 0.0)).unwrap()
    }

    const SIZE: Size = Size { generations: 1_000, particles: 64 };

    #[test]
    fn what_fits_is_done_in_full() {
        let point = made_up(&Method::ALL, SIZE, [200.0, 100.0, 150.0, 10.0], f64::INFINITY);
        assert!(!point.is_scaled());
        approx::assert_relative_eq!(point.of(Method::Cpu).unwrap().time(), 200.0);
        approx::assert_relative_eq!(point.speedup(Method::Cpu).unwrap(), 20.0);
        assert_eq!(point.best, [[0.5, 0.25], [1.0, 0.25], [1.5, 0.25], [2.0, 0.25]]);
        assert_eq!((point.median_best(0), point.median_best(1)), (1.25, 0.25));
    }

    #[test]
    fn all_do_as_much_as_the_slowest_can() {
        let point = made_up(&Method::ALL, SIZE, [200.0, 100.0, 150.0, 10.0], 0.4);
        assert!(point.is_scaled());
        assert!(point.timed.iter().all(|timed| (490..=500).contains(&timed.cell.work)));
        approx::assert_relative_eq!(point.of(Method::Gpu).unwrap().time(), 10.0);
    }

    #[test]
    fn one_bit_is_a_difference() {
        let plan = Plan { least: 1, most: 10, repetitions: 2, seconds: 1.0 };
        let mut ask =
            bench(|_| 1.0, |method| if method == Method::Gpu { f64::EPSILON / 4.0 } else { 0.0 });
        let error = point(&Method::ALL, SIZE, &plan, &mut ask).unwrap_err().to_string();
        assert!(error.starts_with("CPU and GPU differ"), "{error}");
        assert!(point(&Method::ALL[..3], SIZE, &plan, &mut ask).is_ok());
    }
}
