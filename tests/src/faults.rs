//! Lets every call of a device fail once. The error must name the call, and no memory may stay allocated. The optimiser
//! must behave as documented in [`Optimiser`]: it continues, or it is lost until a state is imported.

use warpswarm::faults::{self, Call};
use warpswarm::problems::{self, Rastrigin};
use warpswarm::{
    Algorithm, Backend, Bounds, DeParams, Error, GpuFwaParams, HostObjective, Objective, Optimiser,
    Plan, PsoParams, Report, RunReport, Schedule, Settings, SlicePoint, Stop, Swarm,
};

use crate::{assert_same, problem_files};

type Result<T> = warpswarm::Result<T>;

/// The counts of injected faults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Injected {
    /// Calls that failed.
    pub faults: u64,
    /// Faults after which everything was correct.
    pub survived: u64,
    /// Faults after which the optimiser continued by itself.
    pub went_on: u64,
    /// Faults after which it was lost, and continued from a state.
    pub restored: u64,
}

/// A scenario to run.
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    make: Box<dyn Fn() -> Result<Optimiser<f32>>>,
}

/// The result of a run without faults.
struct Whole {
    runs: Vec<RunReport<f32>>,
    history: Vec<u64>,
    state: Vec<Swarm<f32>>,
    /// The state after two iterations.
    middle: Vec<Swarm<f32>>,
}

/// Several algorithms with all schedules, for built-in problems, closures and expressions.
pub fn scenarios(backend: Backend) -> Vec<Scenario> {
    use Schedule::{Hosted, Resident, Stepwise, Streaming};
    // A GPU has more multiprocessors than the emulator, so it assigns warps and lanes up to a larger number of
    // individuals.
    let many = |emulated| if backend == Backend::Emulator { emulated } else { 40 * emulated };
    let de = || Algorithm::from(DeParams::default());
    let pso = || Algorithm::from(PsoParams::default());
    let own = |individuals, block_size, schedule| Settings {
        individuals,
        runs: 2,
        seed: 7,
        stop: Stop::iterations(5),
        record_every: Some(2),
        backend,
        schedule,
        block_size,
        threads: Some(2),
        polish: Some(false),
        ..Settings::default()
    };
    let problem = |name, dimensions, algorithm: Algorithm, settings: Settings| Scenario {
        name,
        make: Box::new(move || {
            let info = problems::find("rastrigin")?;
            info.optimiser(0.5, &info.bounds(dimensions)?, &algorithm, &settings)
        }),
    };
    let closure = |name, algorithm: Algorithm, settings: Settings| Scenario {
        name,
        make: Box::new(move || {
            let rastrigin = |x: &[f32]| Objective::<f32>::evaluate(&Rastrigin, &SlicePoint(x));
            let objective = HostObjective::with_violation(rastrigin);
            Optimiser::new(&objective, &Bounds::uniform(3, -4.0, 5.0)?, &algorithm, &settings)
        }),
    };
    let expression = |name, algorithm: Algorithm, settings: Settings| {
        let file = problem_files::file(3);
        Scenario { name, make: Box::new(move || file.optimiser(&algorithm, &settings)) }
    };
    vec![
        problem("pso in a block", 3, pso(), own(33, None, Resident)),
        problem("pso in a cluster", 7, pso(), own(35, Some(32), Resident)),
        problem("pso in a grid", 2, pso(), Settings { runs: 1, ..own(530, Some(32), Resident) }),
        problem("pso in columns", 3, pso(), own(many(130), Some(64), Resident)),
        problem("pso, streaming", 33, pso(), own(65, None, Streaming)),
        problem("pso, stepwise", 3, pso(), own(33, None, Stepwise)),
        problem("pso, hosted", 3, pso(), own(33, None, Hosted)),
        problem("de in warps", 2, de(), own(9, None, Resident)),
        problem("de in tiles", 12, de(), own(70, Some(64), Resident)),
        problem("de in columns", 3, de(), own(many(70), Some(64), Resident)),
        problem("de, streaming", 33, de(), own(33, None, Streaming)),
        problem("fireworks", 3, GpuFwaParams::default().into(), own(9, None, Resident)),
        closure("a closure by pso", pso(), own(33, None, Hosted)),
        closure("a closure by fireworks", GpuFwaParams::default().into(), own(9, None, Hosted)),
        expression("an expression by pso", pso(), own(33, None, Resident)),
        expression("an expression by de, streaming", de(), own(33, None, Streaming)),
    ]
}

/// Lets every call in each of these scenarios fail, one after the other.
///
/// # Panics
///
/// If the behaviour is not correct.
pub fn check(scenarios: &[Scenario]) -> Injected {
    let mut injected = Injected::default();
    scenarios.iter().for_each(|scenario| scenario.check(&mut injected));
    injected
}

impl Scenario {
    /// The plan of the scenario on the device.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn plan(&self) -> Plan {
        self.made().plan().expect("a device")
    }

    fn made(&self) -> Optimiser<f32> {
        (self.make)().unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn whole(&self) -> Whole {
        let mut optimiser = self.made();
        optimiser.step(2).unwrap();
        let middle = optimiser.state().unwrap();
        let mut optimiser = self.made();
        let report = optimiser.run().unwrap();
        let state = optimiser.state().unwrap();
        Whole { history: history(&report), runs: report.runs, state, middle }
    }

    /// Checks that a continued run ends with the bits of the undisturbed run.
    fn check_end(&self, optimiser: &mut Optimiser<f32>, whole: &Whole, what: &str) -> Result<()> {
        let report = optimiser.run()?;
        assert_eq!(report.runs, whole.runs, "{what}");
        assert_eq!(history(&report), whole.history, "{what}");
        self.check_state(optimiser, whole, what)
    }

    fn check_state(&self, optimiser: &mut Optimiser<f32>, whole: &Whole, what: &str) -> Result<()> {
        let state = optimiser.state()?;
        assert_same(&whole.state, &state, what);
        Ok(())
    }

    fn check(&self, injected: &mut Injected) {
        let whole = self.whole();
        let before = faults::held();
        let mut kinds = Vec::new();
        for n in 0.. {
            let what = format!("{}, call {n}", self.name);
            let mut optimiser = None;
            let (done, failed) = faults::at(n, || {
                let made = optimiser.insert((self.make)()?);
                self.check_end(made, &whole, &what)
            });
            let Some(call) = failed else {
                done.unwrap_or_else(|error| panic!("{what}: {error}, and nothing failed"));
                break;
            };
            injected.faults += 1;
            let error = done.expect_err(&what);
            assert!(names(&error, call), "{what}, {call:?}: {error:?}");
            if let Some(optimiser) = &mut optimiser {
                assert_ne!(faults::held(), before, "{what}");
                self.check_after(optimiser, &error, &whole, &what, injected);
            }
            drop(optimiser);
            assert_eq!(faults::held(), before, "{what}, {call:?}: bytes of the device");
            // The next fault occurs later than this call. Only for the first call of each kind does the run continue to
            // the end.
            if !kinds.contains(&call) {
                kinds.push(call);
                self.check_end(&mut self.made(), &whole, &what).unwrap();
            }
            injected.survived += 1;
        }
        assert_eq!(faults::held(), before, "{}", self.name);
    }

    /// After an error, an optimiser continues, or repeats the error until a state is imported.
    fn check_after(
        &self,
        optimiser: &mut Optimiser<f32>,
        error: &Error,
        whole: &Whole,
        what: &str,
        injected: &mut Injected,
    ) {
        let again = self.check_after_run(optimiser, whole, what);
        let Err(again) = again else {
            injected.went_on += 1;
            return;
        };
        assert_eq!(again, *error, "{what}");
        let (said, called) = faults::at(0, || {
            [
                optimiser.run().map(drop),
                optimiser.step(1),
                optimiser.state().map(drop),
                optimiser.progress().map(drop),
                optimiser.checkpoint().map(drop),
            ]
        });
        assert_eq!(called, None, "{what}: a lost optimiser calls the device");
        assert!(said.iter().all(|said| said.as_ref() == Err(error)), "{what}: {said:?}");
        optimiser.restore(&whole.middle).unwrap();
        optimiser.run().unwrap();
        self.check_state(optimiser, whole, what).unwrap();
        injected.restored += 1;
    }

    fn check_after_run(
        &self,
        optimiser: &mut Optimiser<f32>,
        whole: &Whole,
        what: &str,
    ) -> Result<()> {
        let report = optimiser.run()?;
        assert_eq!(report.runs, whole.runs, "{what}");
        self.check_state(optimiser, whole, what)
    }
}

fn history(report: &Report<f32>) -> Vec<u64> {
    report.history.iter().map(|record| record.iterations).collect()
}

/// Whether an error names the failed call.
fn names(error: &Error, call: Call) -> bool {
    match (error, call) {
        (Error::OutOfMemory { bytes, free }, Call::Allocate) => *bytes > 0 && *free > 0,
        (Error::Launch { kernel, message, .. }, Call::Load | Call::Launch) => {
            !kernel.is_empty() && !message.is_empty()
        }
        (Error::Driver { call: named, message, .. }, call) => {
            let about_kernels = matches!(call, Call::Load | Call::Launch | Call::Allocate);
            !about_kernels && !named.is_empty() && !message.is_empty()
        }
        _ => false,
    }
}
