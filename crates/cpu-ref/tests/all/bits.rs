//! The same bits: serial and on threads, straight through and resumed, and in all versions.

use crate::common::{Cube, ID, assert_same, assert_sound, coefficients};
use warpswarm_core::Float;
use warpswarm_core::boundary::Boundary;
use warpswarm_core::problems::{Euclidean, Shifted, Sphere};
use warpswarm_cpu_ref::{
    Evaluate, RunId, StaticObjective, Swarm, Task, Threads, difference, fingerprint, pso, spso,
};

const SIZES: [u32; 7] = [1, 31, 32, 33, 255, 256, 257];
const DIMENSIONS: [usize; 4] = [1, 2, 30, 33];

fn threads_equal_serial<R: Float>() {
    for dimensions in DIMENSIONS {
        let cube = Cube::<R>::new(dimensions, -4.0, 6.0);
        let task = cube.task(Sphere);
        for (name, boundary) in Boundary::ALL {
            let coefficients = coefficients(boundary);
            for individuals in SIZES {
                let what = format!("{} {name} N = {individuals}, D = {dimensions}", R::NAME);
                let done = |threads: Threads| {
                    let mut swarm = Swarm::new(&task, individuals, ID, threads);
                    pso::run(&mut swarm, &task, &coefficients, 20, threads);
                    swarm
                };
                let serial = done(Threads::Serial);
                assert_sound(&serial, cube.bounds());
                for threads in [Threads::Pool, Threads::Chunks(1), Threads::Chunks(37)] {
                    assert_same(&serial, &done(threads), &format!("{what}, {threads:?}"));
                }
            }
        }
    }
}

#[test]
fn threads_equal_serial_in_both_precisions() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    pool.install(|| {
        threads_equal_serial::<f32>();
        threads_equal_serial::<f64>();
    });
}

#[test]
fn a_resumed_run_equals_a_straight_one() {
    fn check<R: Float>(dimensions: usize) {
        let cube = Cube::<R>::new(dimensions, -4.0, 6.0);
        let task = cube.task(Sphere);
        for (name, boundary) in Boundary::ALL {
            let coefficients = coefficients(boundary);
            let start = Swarm::new(&task, 33, ID, Threads::Serial);
            for asynchronous in [false, true] {
                let go_on = |from: &Swarm<R>, iterations| {
                    let mut swarm = from.clone();
                    if asynchronous {
                        spso::run(&mut swarm, &task, &coefficients, iterations);
                    } else {
                        pso::run(&mut swarm, &task, &coefficients, iterations, Threads::Serial);
                    }
                    swarm
                };
                assert_same(&go_on(&go_on(&start, 13), 24), &go_on(&start, 37), name);
            }
        }
    }
    check::<f32>(2);
    check::<f32>(7);
    check::<f64>(33);
}

#[test]
fn runs_and_seeds_differ() {
    let cube = Cube::<f32>::new(3, -4.0, 6.0);
    let task = cube.task(Sphere);
    let hash = |seed, run| fingerprint(&Swarm::new(&task, 8, RunId { seed, run }, Threads::Serial));
    let mut hashes = vec![hash(1, 0), hash(1, 1), hash(2, 0), hash(2, 1), hash(1, 1 << 32)];
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 5);
    assert_eq!(hash(1, 0), hash(1, 0));
}

#[test]
fn the_comparison_finds_planted_errors() {
    let cube = Cube::<f64>::new(3, -4.0, 6.0);
    let task = cube.task(Sphere);
    let swarm = Swarm::new(&task, 8, ID, Threads::Serial);
    let planted = |plant: fn(&mut Swarm<f64>)| {
        let mut other = swarm.clone();
        plant(&mut other);
        assert_ne!(fingerprint(&swarm), fingerprint(&other));
        difference(&swarm, &other).expect("a difference")
    };
    assert_eq!(difference(&swarm, &swarm.clone()), None);
    assert!(planted(|s| s.positions[5] = -s.positions[5]).contains("positions[5]"));
    assert!(planted(|s| s.positions[3] = -0.0).contains("positions[3]"));
    assert!(planted(|s| s.velocities[9] = f64::NAN).contains("velocities[9]"));
    assert!(planted(|s| s.best[7].value = 0.0).contains("best value[7]"));
    assert!(planted(|s| s.control.improved_at = 1).contains("improved_at"));
    assert!(planted(|s| s.best_positions.truncate(31)).contains("best_positions[31]"));
    assert!(planted(|s| s.best.truncate(7)).contains("individuals"));
}

/// Changing one of these numbers changes all users' seeded results: add an entry to the CHANGELOG.
#[test]
fn values_are_stable() {
    fn of<R: Float>(task: &Task<'_, R, impl Evaluate<R>>) -> [[u64; 2]; 2] {
        let coefficients = coefficients(Boundary::Reflect);
        let start = Swarm::new(task, 20, ID, Threads::Serial);
        let bits = |swarm: &Swarm<R>| [swarm.global.fitness.value.to_bits64(), fingerprint(swarm)];
        let mut swarm = start.clone();
        pso::run(&mut swarm, task, &coefficients, 25, Threads::Serial);
        let mut other = start;
        spso::run(&mut other, task, &coefficients, 25);
        [bits(&swarm), bits(&other)]
    }
    fn check<R: Float>(dimensions: usize, synchronous: [u64; 2], asynchronous: [u64; 2]) {
        let cube = Cube::<R>::new(dimensions, -4.0, 6.0);
        let objective = Shifted { shift: R::from_f64(0.75), problem: Euclidean };
        let found = of(&cube.task(objective));
        assert_eq!(found, [synchronous, asynchronous], "{found:#x?}");
        // The loops that are compiled for the type of the objective.
        assert_eq!(of(&cube.task_of(StaticObjective(objective))), found);
    }
    check::<f32>(2, [0x3c2e_2143, 0x246b_4b8a_3dba_f9ef], [0x3c85_6e29, 0x5c9d_eb4d_e1f8_f5a8]);
    check::<f64>(
        5,
        [0x3fcf_4dcb_682c_4d72, 0x7ef5_e6bd_f6a8_2f02],
        [0x3fc7_e9d9_928a_e659, 0x0cea_4558_ff04_0cf2],
    );
}
