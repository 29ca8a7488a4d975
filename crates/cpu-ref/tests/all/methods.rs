//! Populations of a method: the same bits on threads, resumed and in all versions; and their quality, also compared
//! with other implementations.

use warpswarm_core::boundary::{Boundary, Limits};
use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::{Base, Crossover, De};
use warpswarm_core::epso::Epso;
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::launch::StopRule;
use warpswarm_core::method::Method;
use warpswarm_core::objective::SlicePoint;
use warpswarm_core::problems::{Rosenbrock, Shifted, Sphere};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::{Pso, Topology};
use warpswarm_core::sa::{Neighbour, Sa, Unit};
use warpswarm_core::scatter_search::{ScatterSearch, Update};
use warpswarm_core::shade::Shade;
use warpswarm_core::solis_wets::{Mirror, SolisWets};
use warpswarm_core::{Float, Objective};
use warpswarm_cpu_ref::generation::{self, Work};
use warpswarm_cpu_ref::{Halt, RunId, Start, Swarm, Threads, fingerprint, pso};

use crate::common::{Cube, ID, assert_same, coefficients};

fn limits<R: Float>(boundary: Boundary) -> Limits<R> {
    Limits { correction: R::from_f64(0.22), boundary }
}

fn de<R: Float>() -> De<R> {
    De {
        scale_factor: R::HALF,
        crossover_rate: R::from_f64(0.9),
        limits: limits(Boundary::Reflect),
        base: Base::Rand,
        crossover: Crossover::Binomial,
    }
}

fn shade<R: Float>() -> Shade<R> {
    Shade {
        initial: R::HALF,
        limits: limits(Boundary::Clamp),
        midpoint: 1,
        memory: 3,
        tournament: 4,
        weights: [1, 1],
    }
}

fn sa<R: Float>() -> Sa<R> {
    Sa {
        temperature: R::from_f64(100.0),
        cooling: R::from_f64(0.98),
        step: R::from_f64(0.1),
        step_cooling: R::from_f64(0.998),
        limits: limits(Boundary::Reflect),
        neighbour: Neighbour::Gaussian,
        unit: Unit::Ranges,
    }
}

fn solis_wets<R: Float>() -> SolisWets<R> {
    SolisWets {
        step: R::ZERO,
        smallest_step: R::from_f64(1e-12),
        limits: limits(Boundary::Clamp),
        successes: 5,
        failures: 3,
        mirror: Mirror::Failure,
    }
}

fn scatter_search<R: Float>(sets: u32, improvement: u32) -> ScatterSearch<R> {
    ScatterSearch {
        search: solis_wets(),
        alpha: R::HALF,
        best_set: sets,
        diverse_set: sets,
        improvement,
        update: Update::Diverse,
    }
}

fn ring<R: Float>() -> Pso<R> {
    Pso {
        coefficients: coefficients(Boundary::Clamp),
        final_inertia: R::from_f64(0.4),
        inertia_iterations: 0,
        topology: Topology::Ring,
        width: 2,
    }
}

fn epso<R: Float>(inertia_iterations: u32) -> Epso<R> {
    let number = |x: f64| R::from_f64(x);
    Epso {
        coefficients: Coefficients {
            inertia: number(0.9),
            cognitive: number(2.05),
            social: number(2.05),
            velocity_limit: R::INFINITY,
            correction: number(0.22),
            boundary: Boundary::Reverse,
        },
        final_inertia: number(0.4),
        weight_deviation: number(0.22),
        best_deviation: number(0.005),
        inertia_iterations,
        replicas: 5,
    }
}

/// Three slaves.
fn cmepso<R: Float>(inertia_iterations: u32, particles: u32) -> Cmepso<R> {
    Cmepso { epso: epso(inertia_iterations), third: R::from_f64(2.02), slaves: 3, particles }
}

fn gpu_fwa<R: Float>() -> GpuFwa<R> {
    GpuFwa {
        amplitude: R::from_f64(0.2),
        amplitude_floor: R::ZERO,
        delta: R::HALF,
        limits: limits(Boundary::Clamp),
        modulo: 1,
        sparks: 16,
        explosions: 30,
    }
}

/// A population of a method on an objective in a cube, not symmetric.
struct Case<R, M, O> {
    method: M,
    objective: O,
    cube: Cube<R>,
    individuals: u32,
}

impl<R: Float, M: Method<R>, O: Objective<R>> Case<R, M, O> {
    fn work<T>(&self, then: impl FnOnce(&Work<'_, R>) -> T) -> T {
        let evaluate = |x: &[R]| self.objective.evaluate(&SlicePoint(x));
        let stop = StopRule::NEVER;
        then(&Work {
            evaluate: &evaluate,
            bounds: self.cube.bounds(),
            start: Start::default(),
            stop,
            halt: Halt::NEVER,
        })
    }

    fn start(&self, id: RunId, threads: Threads) -> Swarm<R> {
        self.work(|work| generation::start(&self.method, work, self.individuals, id, threads))
    }

    fn go_on(&self, from: &Swarm<R>, iterations: u64, threads: Threads) -> Swarm<R> {
        let mut swarm = from.clone();
        self.work(|work| generation::run(&mut swarm, &self.method, work, iterations, threads));
        swarm
    }

    fn run(&self, id: RunId, iterations: u64) -> Swarm<R> {
        self.go_on(&self.start(id, Threads::Serial), iterations, Threads::Serial)
    }
}

/// Serial = threads, straight = resumed, and the expected numbers.
fn check<R: Float, M: Method<R>>(method: M, dimensions: usize, expected: [u64; 2]) {
    let case = Case {
        method,
        objective: Shifted { shift: R::from_f64(0.75), problem: Rosenbrock },
        cube: Cube::new(dimensions, -4.0, 6.0),
        individuals: 21,
    };
    let serial = case.run(ID, 37);
    for threads in [Threads::Pool, Threads::Chunks(1), Threads::Chunks(5)] {
        let spread = case.go_on(&case.start(ID, threads), 37, threads);
        assert_same(&serial, &spread, &format!("{threads:?}"));
    }
    let resumed = case.go_on(&case.run(ID, 13), 24, Threads::Serial);
    assert_same(&serial, &resumed, "resumed");
    for row in serial.best_positions.chunks(serial.stride) {
        for (i, &x) in row[..dimensions].iter().enumerate() {
            let (lower, upper) = case.cube.bounds().of(i);
            assert!(x >= lower && x <= upper, "{x}");
        }
        assert!(row[dimensions..].iter().all(|x| x.to_bits64() == 0), "{row:?}");
    }
    let found = [serial.global.fitness.value.to_bits64(), fingerprint(&serial)];
    assert_eq!(found, expected, "{}: {found:#x?}", std::any::type_name::<M>());
}

/// Both use the draws of the first slave.
#[test]
fn a_slave_alone_is_as_it_is_with_others() {
    let case = |slaves, individuals| Case {
        method: Cmepso { slaves, ..cmepso::<f64>(20, 6) },
        objective: Shifted { shift: 0.75, problem: Rosenbrock },
        cube: Cube::new(3, -4.0, 6.0),
        individuals,
    };
    let (all, alone) = (case(3, 21).run(ID, 12), case(1, 6).run(ID, 12));
    assert_eq!(all.best[..6], alone.best);
    assert_eq!(all.positions[..6 * all.stride], alone.positions);
}

type Rows = fn(&Swarm<f64>) -> &[f64];

/// A master alone: three individuals store the slaves' bests, three move and read these.
#[test]
fn who_keeps_stays_where_it_is() {
    let case = Case {
        method: cmepso::<f64>(20, 0),
        objective: Shifted { shift: 0.75, problem: Rosenbrock },
        cube: Cube::new(3, -4.0, 6.0),
        individuals: 6,
    };
    let before = case.start(ID, Threads::Serial);
    let after = case.go_on(&before, 12, Threads::Serial);
    assert_same(&after, &case.go_on(&before, 12, Threads::Chunks(1)), "threads");
    let kept = 3 * before.stride;
    let arrays: [Rows; 2] = [|all| &all.best_positions, |all| &all.velocities];
    for rows in arrays {
        assert_eq!(rows(&after)[..kept], rows(&before)[..kept]);
        assert_ne!(rows(&after)[kept..], rows(&before)[kept..]);
    }
    assert_eq!(after.best[..3], before.best[..3]);
    assert!(after.best[3..].iter().zip(&before.best[3..]).all(|(now, then)| !then.beats(*now)));

    let mut told = before.clone();
    told.best[1].value = -1.0;
    told.best_positions[before.stride..][..3].fill(0.25);
    let told = case.go_on(&told, 1, Threads::Serial);
    let not_told = case.go_on(&before, 1, Threads::Serial);
    // All of the master's particles read the stored points.
    for particle in 3..6 {
        let of = |swarm: &Swarm<f64>| swarm.velocities[particle * swarm.stride..][..3].to_vec();
        assert_ne!(of(&told), of(&not_told), "particle {particle}");
    }
}

/// Changing one of these numbers changes all users' seeded results: add an entry to the CHANGELOG.
#[test]
fn values_are_stable_on_threads_and_resumed() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    pool.install(|| {
        check::<f32, _>(ring(), 3, [0x3bd3_2008, 0x6d28_27ef_74d9_93b8]);
        check::<f64, _>(ring(), 5, [0x401a_f6c2_14bc_bc31, 0xa1bc_254f_7b68_b946]);
        check::<f32, _>(de(), 3, [0x3fad_9624, 0x7599_19a4_dd8d_e2c9]);
        check::<f64, _>(de(), 5, [0x3ffb_d64d_b435_fc50, 0xd39d_bfd9_f2ed_7f2e]);
        let crossover = Crossover::Exponential;
        check::<f64, _>(
            De { crossover, base: Base::TargetToBest, ..de() },
            5,
            [0x400e_b68c_0a6c_4fd8, 0x9ec8_6e9d_fd23_7b8d],
        );
        check::<f32, _>(shade(), 3, [0x3ed3_d31f, 0x17cd_6539_807d_d12f]);
        check::<f64, _>(shade(), 5, [0x400d_b98d_301a_cc4b, 0xb8a6_f238_c6e9_0274]);
        check::<f32, _>(sa(), 3, [0x3f2a_16cd, 0x5877_7098_0004_c571]);
        check::<f64, _>(sa(), 5, [0x4036_50c1_a434_abdc, 0xd991_0378_9dc9_e013]);
        check::<f32, _>(solis_wets(), 3, [0x3fd4_1901, 0x6b4f_9828_b87d_7832]);
        check::<f64, _>(solis_wets(), 5, [0x402d_23b5_3f93_038c, 0xee29_b9ec_b107_80ca]);
        check::<f32, _>(scatter_search(2, 1), 3, [0x4021_4dc7, 0x9683_fed9_af81_017e]);
        check::<f64, _>(scatter_search(2, 1), 5, [0x404a_98af_5df7_5abd, 0xd786_dec1_38ef_a060]);
        check::<f32, _>(epso(20), 3, [0x3e4c_8fec, 0x58cc_e850_e04e_b1db]);
        check::<f64, _>(epso(20), 5, [0x3fe2_6d3e_a3b9_3209, 0xb55d_77f4_7535_ffa5]);
        check::<f32, _>(cmepso(20, 6), 3, [0x3eaf_e021, 0xe327_510c_30e4_d537]);
        check::<f64, _>(cmepso(20, 6), 5, [0x3fc4_afc0_9e0c_ea29, 0x9125_4cd1_6482_65fe]);
        check::<f32, _>(gpu_fwa(), 3, [0x41e8_af49, 0x1e38_eebe_46ff_99bd]);
        check::<f64, _>(gpu_fwa(), 5, [0x408a_c179_e0ae_37c9, 0x1426_7bd3_03cb_6dd0]);
    });
}

#[test]
fn a_star_of_constant_inertia_is_pso() {
    fn check<R: Float>(dimensions: usize) {
        for (name, boundary) in Boundary::ALL {
            let coefficients = coefficients(boundary);
            let star = Pso { coefficients, topology: Topology::Star, ..ring() };
            let cube = Cube::<R>::new(dimensions, -4.0, 6.0);
            let task = cube.task(Sphere);
            let mut swarm = Swarm::new(&task, 33, ID, Threads::Serial);
            pso::run(&mut swarm, &task, &coefficients, 40, Threads::Serial);
            let cube = Cube::new(dimensions, -4.0, 6.0);
            let case = Case { method: star, objective: Sphere, cube, individuals: 33 };
            assert_same(&swarm, &case.run(ID, 40), name);
        }
    }
    check::<f32>(2);
    check::<f32>(7);
    check::<f64>(33);
}

/// The median of the best values of 11 runs.
fn median<M: Method<f64>, O: Objective<f64>>(
    method: M,
    objective: O,
    (lower, upper): (f64, f64),
    (dimensions, individuals, iterations): (usize, u32, u64),
) -> f64 {
    let cube = Cube::new(dimensions, lower, upper);
    let case = Case { method, objective, cube, individuals };
    let best = |run| case.run(RunId { seed: 1, run }, iterations).global.fitness.value;
    let mut values: Vec<f64> = (0..11).map(best).collect();
    values.sort_by(f64::total_cmp);
    values[5]
}

/// The sphere in ten dimensions, with its optimum off the centre, with 200,000 evaluations.
#[test]
fn every_method_solves_the_shifted_sphere() {
    fn sphere<M: Method<f64>>(method: M, individuals: u32) -> f64 {
        let objective = Shifted { shift: 1.3, problem: Sphere };
        let iterations = 200_000 / u64::from(individuals) - 1;
        median(method, objective, (-5.12, 5.12), (10, individuals, iterations))
    }
    let found = [
        sphere(ring(), 50),
        sphere(de(), 50),
        sphere(shade(), 50),
        sphere(sa(), 50),
        sphere(solis_wets(), 50),
    ];
    // A reference set of twenty, and a pool of as many pairs as twenty make; a cycle is 26 iterations, 21 of them with
    // evaluations.
    let objective = Shifted { shift: 1.3, problem: Sphere };
    let scattered = median(scatter_search(10, 20), objective, (-5.12, 5.12), (10, 210, 1_300));
    println!("{found:?} {scattered}");
    assert!(scattered < 1e-8, "{scattered}");
    assert!(found[..3].iter().all(|&value| value < 1e-8), "{found:?}");
    // A limit that independent searchers reach.
    assert!(found[3..].iter().all(|&value| value < 1e-3), "{found:?}");
}

/// Methods with several attempts in an iteration: six, or 16 in 30 of 31.
#[test]
fn methods_of_several_attempts_solve_the_shifted_sphere() {
    let objective = Shifted { shift: 1.3, problem: Sphere };
    let solve = |method, size| median(method, objective, (-5.12, 5.12), (10, size, 833));
    let pulls = Coefficients { cognitive: 1.0, social: 1.0, ..epso::<f64>(800).coefficients };
    let epso = solve(Epso { coefficients: pulls, ..epso(800) }, 40);
    let cmepso = median(cmepso(800, 12), objective, (-5.12, 5.12), (10, 39, 833));
    let fireworks = median(gpu_fwa(), objective, (-5.12, 5.12), (10, 12, 1074));
    println!("{epso} {cmepso} {fireworks}");
    assert!(epso < 1e-8 && cmepso < 1e-8 && fireworks < 1e-8, "{epso} {cmepso} {fireworks}");
}
