//! Comparing states by bits.

use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;
use warpswarm_core::restart::RestartState;

use crate::swarm::Swarm;

/// A hash of all bits of a state, the same on every machine and in every version of the library.
///
/// It is FNV-1a over 64-bit words: for detecting that two states differ, not for security. Two NaNs with different bits
/// differ, as do the two zeros.
///
/// ```
/// use warpswarm_cpu_ref::{RunId, Swarm, fingerprint};
/// let swarm = Swarm::<f64>::unplaced(2, 4, RunId { seed: 1, run: 0 });
/// let mut other = swarm.clone();
/// assert_eq!(fingerprint(&swarm), fingerprint(&other));
/// other.velocities[3] = -0.0;
/// assert_ne!(fingerprint(&swarm), fingerprint(&other));
/// ```
pub fn fingerprint<R: Float>(swarm: &Swarm<R>) -> u64 {
    let step = |hash: u64, (_, _, word): (&str, usize, u64)| {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        word.to_le_bytes().into_iter().fold(hash, mix)
    };
    words(swarm).fold(0xcbf2_9ce4_8422_2325, step)
}

/// The first place where two states differ by bits, in words; `None` if they are equal.
///
/// ```
/// use warpswarm_cpu_ref::{RunId, Swarm, difference};
/// let swarm = Swarm::<f32>::unplaced(2, 4, RunId { seed: 1, run: 0 });
/// assert_eq!(difference(&swarm, &swarm), None);
/// let mut other = swarm.clone();
/// other.positions[5] = 1.0;
/// assert_eq!(difference(&swarm, &other).as_deref(), Some("positions[5] = 0x0, positions[5] = 0x3f800000"));
/// ```
pub fn difference<R: Float>(left: &Swarm<R>, right: &Swarm<R>) -> Option<String> {
    let shape = |swarm: &Swarm<R>| (swarm.individuals(), swarm.dimensions);
    if shape(left) != shape(right) {
        let (left, right) = (shape(left), shape(right));
        return Some(format!("(individuals, dimensions): {left:?}, {right:?}"));
    }
    let (mut left, mut right) = (words(left), words(right));
    loop {
        let (l, r) = match (left.next(), right.next()) {
            (None, None) => return None,
            (Some(l), Some(r)) if l == r => continue,
            pair => pair,
        };
        let say = |word: Option<(&str, usize, u64)>| match word {
            Some((name, place, word)) => format!("{name}[{place}] = {word:#x}"),
            None => "nothing".to_string(),
        };
        return Some(format!("{}, {}", say(l), say(r)));
    }
}

/// All numbers of a state as (array, place in it, bits).
fn words<R: Float>(swarm: &Swarm<R>) -> impl Iterator<Item = (&'static str, usize, u64)> {
    let Swarm { id, control, global, .. } = swarm;
    let row = |name, row: &[R]| {
        let row: Vec<u64> = row.iter().map(|x| x.to_bits64()).collect();
        row.into_iter().enumerate().map(move |(place, bits)| (name, place, bits))
    };
    let fitness = |f: Fitness<R>| [f.violation.to_bits64(), f.value.to_bits64()];
    let Candidate { fitness: best, index, .. } = *global;
    let best = fitness(best);
    let few = [
        ("seed", id.seed),
        ("run", id.run),
        ("dimensions", swarm.dimensions as u64),
        ("global violation", best[0]),
        ("global value", best[1]),
        ("global index", u64::from(index)),
        ("iterations", control.iterations),
        ("improved_at", control.improved_at),
        ("not_finite", control.not_finite),
        ("stopped", u64::from(control.stopped)),
    ];
    let search = |legs: &RestartState| {
        let RestartState {
            number,
            began,
            evaluations,
            spent,
            limit,
            ahead,
            regime,
            doubled,
            individuals,
            is_new,
        } = *legs;
        let few = [regime, doubled, individuals, u32::from(is_new)].map(u64::from);
        let numbers =
            [number, began, evaluations, spent[0], spent[1], limit, ahead].into_iter().chain(few);
        let numbers: Vec<u64> = numbers.collect();
        numbers.into_iter().enumerate().map(|(place, word)| ("legs", place, word))
    };
    // A run without restarts has no legs in the hash.
    let legs = (swarm.legs != RestartState::default()).then(|| search(&swarm.legs));
    let earlier = swarm.earlier.as_ref().map(|earlier| {
        let [violation, value] = fitness(earlier.best.fitness);
        let best = [violation, value, u64::from(earlier.best.index)];
        let words = best.into_iter().chain([earlier.improved_at, earlier.evaluations]);
        let words = words.enumerate().map(|(place, word)| ("earlier", place, word));
        words.chain(row("earlier position", &earlier.position))
    });
    let parked = swarm.parked.as_ref().map(|parked| {
        let bests: Vec<u64> = parked.best.iter().flat_map(|f| fitness(*f)).collect();
        let bests = bests.into_iter().enumerate().map(|(place, word)| ("parked best", place, word));
        row("parked best_positions", &parked.best_positions)
            .chain(row("parked numbers", &parked.numbers))
            .chain(row("parked memory", &parked.memory))
            .chain(row("parked archive", &parked.archive))
            .chain(bests)
            .chain(search(&parked.legs))
            .chain([("parked age", 0, parked.age)])
    });
    let bests: Vec<[u64; 2]> = swarm.best.iter().map(|f| fitness(*f)).collect();
    few.into_iter()
        .map(|(name, word)| (name, 0, word))
        .chain(row("global_position", &swarm.global_position))
        .chain(row("positions", &swarm.positions))
        .chain(row("velocities", &swarm.velocities))
        .chain(row("best_positions", &swarm.best_positions))
        .chain(row("numbers", &swarm.numbers))
        .chain(row("memory", &swarm.memory))
        .chain(row("archive", &swarm.archive))
        .chain(bests.into_iter().enumerate().flat_map(|(i, [violation, value])| {
            [("best violation", i, violation), ("best value", i, value)]
        }))
        .chain(legs.into_iter().flatten())
        .chain(earlier.into_iter().flatten())
        .chain(parked.into_iter().flatten())
}
