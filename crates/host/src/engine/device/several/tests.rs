use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use warpswarm_cpu_ref::RunId;

use super::*;

fn share(multiprocessors: u32) -> Described {
    Described { name: format!("a GPU of {multiprocessors}"), multiprocessors }
}

#[test]
fn each_run_is_in_one_part() {
    for runs in [1, 2, 3, 7, 1000, 4_000_003] {
        for devices in [vec![share(8); 2], vec![share(1), share(3)], vec![share(132); 8]] {
            for individuals in [1, 64, 1 << 20] {
                let parts = cut((runs, individuals), &devices);
                assert_eq!(parts.len(), devices.len());
                let mut next = 0;
                for part in parts.iter().flatten() {
                    assert!(part.start == next && part.end > next, "{parts:?}");
                    next = part.end;
                }
                assert_eq!(next, runs);
            }
        }
    }
}

#[test]
fn runs_are_shared_out_by_multiprocessors_and_cut_where_they_keep_them_busy() {
    let devices = [share(1), share(3)];
    let edges = |parts: Vec<Vec<Range<u32>>>| -> Vec<Vec<(u32, u32)>> {
        let edges = |runs: Range<u32>| (runs.start, runs.end);
        parts.into_iter().map(|of_device| of_device.into_iter().map(edges).collect()).collect()
    };
    assert_eq!(edges(cut((100, 64), &devices)), [[(0, 25)], [(25, 100)]]);
    let many = cut((1 << 20, 64), &devices);
    assert_eq!(many.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8]);
    // A part keeps its device busy: here there are two, of 4 * 2048 individuals each.
    assert_eq!(cut((256, 64), &[share(1)]), [vec![0..128, 128..256]]);
}

#[test]
fn devices_are_counted() {
    let names = ["A", "A", "B"].map(str::to_owned);
    assert_eq!(in_words(&names), "2 x A, B");
    assert_eq!(in_words(&names[2..]), "B");
}

/// An engine that counts its iterations, each of which takes a fixed time on its device.
struct Counting {
    swarms: Vec<Swarm<f64>>,
    device: usize,
    tests: Arc<Devices>,
}

/// The events on the devices of a test.
#[derive(Default)]
struct Devices {
    microseconds: [u64; 2],
    /// The number of advances of each device.
    advanced: [AtomicU32; 2],
    moved: AtomicU32,
    /// The number of the advance that fails, over all devices.
    fails: AtomicU64,
}

impl Engine<f64> for Counting {
    fn advance(&mut self, iterations: u64) -> Result<()> {
        if self.tests.fails.fetch_sub(1, Ordering::Relaxed) == 1 {
            return Err(Error::NoEmulator);
        }
        thread::sleep(Duration::from_micros(iterations * self.tests.microseconds[self.device]));
        self.tests.advanced[self.device].fetch_add(1, Ordering::Relaxed);
        self.swarms.iter_mut().for_each(|swarm| swarm.control.iterations += iterations);
        Ok(())
    }
}

impl State<f64> for Counting {
    fn controls(&mut self) -> Result<Vec<Control>> {
        Ok(self.swarms.iter().map(|swarm| swarm.control).collect())
    }
    fn bests(&mut self) -> Result<Vec<Candidate<f64>>> {
        Ok(self.swarms.iter().map(|swarm| swarm.global).collect())
    }
    fn best_positions(&mut self) -> Result<Vec<Vec<f64>>> {
        Ok(self.swarms.iter().map(|swarm| swarm.global_position.clone()).collect())
    }
    fn snapshot(&mut self) -> Result<Vec<Swarm<f64>>> {
        Ok(self.swarms.clone())
    }
    fn restore(&mut self, swarms: &[Swarm<f64>]) -> Result<()> {
        self.swarms = swarms.to_vec();
        self.tests.moved.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    fn backend(&self) -> Backend {
        Backend::Emulator
    }
    fn device(&self) -> String {
        String::new()
    }
    fn plan(&self) -> Option<Plan> {
        None
    }
}

/// 16 parts of one run each on two devices.
fn several(tests: &Arc<Devices>) -> Several<f64> {
    let tests = Arc::clone(tests);
    let make: Make<f64> = Box::new(move |runs, device| {
        let swarm = |run: u32| Swarm::unplaced(1, 1, RunId { seed: 0, run: run.into() });
        let swarms = runs.map(swarm).collect();
        Ok(Box::new(Counting { swarms, device, tests: Arc::clone(&tests) }))
    });
    let individuals = (PARTS * OF_A_PART) as u32;
    let mut several =
        Several::new(Backend::Emulator, (16, individuals), vec![share(1); 2], make).unwrap();
    several.worth_moving = 0.0;
    several
}

fn iterations(several: &mut Several<f64>) -> Vec<u64> {
    let states = several.snapshot().unwrap();
    assert!(states.iter().map(|swarm| swarm.id.run).eq(0..16), "in the order of runs");
    states.iter().map(|swarm| swarm.control.iterations).collect()
}

#[test]
fn a_slow_device_gives_parts_away_and_every_run_advances_once() {
    let tests = Arc::new(Devices { microseconds: [1000, 50], ..Devices::default() });
    let mut several = several(&tests);
    for round in 1..=4 {
        several.advance(10).unwrap();
        assert_eq!(iterations(&mut several), [10 * round; 16]);
    }
    let [slow, fast] = [0, 1].map(|device: usize| tests.advanced[device].load(Ordering::Relaxed));
    assert_eq!(slow + fast, 4 * 16);
    assert!(slow < fast && tests.moved.load(Ordering::Relaxed) > 0, "{slow} and {fast}");
}

#[test]
fn what_takes_no_time_is_not_moved() {
    let tests = Arc::new(Devices { microseconds: [100, 0], ..Devices::default() });
    let mut several = several(&tests);
    several.worth_moving = WORTH_MOVING;
    several.advance(1).unwrap();
    several.advance(1).unwrap();
    assert_eq!(tests.moved.load(Ordering::Relaxed), 0);
    assert_eq!(tests.advanced.each_ref().map(|all| all.load(Ordering::Relaxed)), [16, 16]);
}

#[test]
fn a_part_that_fails_is_said_and_none_is_lost() {
    for fails in 1..=16 {
        let tests = Arc::new(Devices { fails: AtomicU64::new(fails), ..Devices::default() });
        let mut several = several(&tests);
        assert_eq!(several.advance(3), Err(Error::NoEmulator));
        let states = several.snapshot().unwrap();
        assert_eq!(states.len(), 16);
        several.restore(&vec![states[0].clone(); 16]).unwrap();
    }
}
