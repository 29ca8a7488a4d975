//! Migration between the islands of an archipelago.
//!
//! **Idea.** An island is a run. From time to time it sends copies of some of its individuals, its *emigrants*, to its
//! neighbours. The copies that it receives, its *immigrants*, replace individuals that are worse.
//!
//! ```text
//! select:   the m best individuals, best first; or m different ones, drawn
//! replace:  the m worst individuals, worst first, or m different ones, drawn, or the first m, are each offered one
//!           immigrant; an immigrant replaces the individual if its fitness is better
//! ```
//!
//! Which individuals leave and which will be offered an immigrant is decided together, at the end of an epoch. The
//! emigrants arrive at the end of the next epoch. So a run is searched only once for each epoch, and it can continue
//! meanwhile.
//!
//! A migrant is an individual's public point: PSO's personal best, DE's individual, a chain's point. A replaced
//! individual keeps its position, velocity and numbers. Best and worst are defined by the total order of results,
//! (violation, value, index). Random choices depend on the seed, the run and its current iteration.
//!
//! **Source.** E. Cantú-Paz, "Efficient and Accurate Parallel Genetic Algorithms", Kluwer 2000, chapter 7, on which
//! migrants leave and whom they replace.
//!
//! **Deviations.** An immigrant that is no better than the individual that it is offered to is dropped. So the best
//! fitness never becomes worse.

use std::collections::BTreeMap;

use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::{Purpose, RunKey, Stream};
use warpswarm_core::real::Float;

use crate::swarm::{RunId, Swarm};

/// Which individuals emigrate.
///
/// ```
/// use warpswarm_cpu_ref::migration::Selection;
/// assert_eq!(Selection::default().name(), "best");
/// assert_eq!(Selection::ALL[1], ("random", Selection::Random));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The best, best first.
    #[default]
    Best,
    /// Different ones, drawn.
    Random,
}

/// To whom immigrants are offered.
///
/// ```
/// use warpswarm_cpu_ref::migration::Replacement;
/// assert_eq!(Replacement::default().name(), "worst");
/// assert_eq!(Replacement::ALL[1], ("random", Replacement::Random));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// The worst, worst first.
    #[default]
    Worst,
    /// Different ones, drawn.
    Random,
    /// The first: immigrant k is offered to individual k, which can so be reserved for one neighbour.
    First,
}

impl Selection {
    /// Every selection with the name that users give it.
    pub const ALL: [(&'static str, Selection); 2] =
        [("best", Selection::Best), ("random", Selection::Random)];

    /// The name that users give it.
    pub fn name(self) -> &'static str {
        name(&Selection::ALL, self)
    }
}

impl Replacement {
    /// Every replacement with the name that users give it.
    pub const ALL: [(&'static str, Replacement); 3] = [
        ("worst", Replacement::Worst),
        ("random", Replacement::Random),
        ("first", Replacement::First),
    ];

    /// The name that users give it.
    pub fn name(self) -> &'static str {
        name(&Replacement::ALL, self)
    }
}

fn name<T: Copy + PartialEq>(all: &[(&'static str, T)], this: T) -> &'static str {
    all.iter().find(|(_, value)| *value == this).map_or("", |(name, _)| name)
}

/// Which individuals migrate between runs.
///
/// ```
/// use warpswarm_cpu_ref::migration::{Migration, Replacement};
/// let migration = Migration { emigrants: 2, ..Migration::default() };
/// assert_eq!(migration.replacement, Replacement::Worst);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The number of emigrants of a run; default 1.
    pub emigrants: u64,
    /// Which individuals emigrate.
    pub selection: Selection,
    /// To which individuals immigrants are offered.
    pub replacement: Replacement,
}

impl Default for Migration {
    fn default() -> Self {
        let (selection, replacement) = (Selection::default(), Replacement::default());
        Migration { emigrants: 1, selection, replacement }
    }
}

/// The choices for a run at the end of an epoch: see [`departure`].
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::migration::{Departure, Migrants};
/// let fitness = vec![Fitness { violation: 0.0, value: 0.5 }];
/// let departure = Departure { emigrants: Migrants { fitness, positions: vec![2.0; 3] }, places: vec![7] };
/// assert_eq!(departure.emigrants.len(), departure.places.len());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Departure<R> {
    /// Copies of the emigrants.
    pub emigrants: Migrants<R>,
    /// The individuals to which immigrants will be offered, `[immigrant]`; all different.
    pub places: Vec<u32>,
}

/// Points on their way from one run to another, with their fitness.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::migration::Migrants;
/// let fitness = |value| Fitness { violation: 0.0, value };
/// let from = |value, x| Migrants { fitness: vec![fitness(value)], positions: vec![x; 2] };
/// let all = Migrants::joined([from(1.0, 3.0), from(2.0, 4.0)]);
/// assert_eq!((all.len(), all.positions), (2, vec![3.0, 3.0, 4.0, 4.0]));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Migrants<R> {
    /// `[migrant]`
    pub fitness: Vec<Fitness<R>>,
    /// `[migrant][coordinate]`
    pub positions: Vec<R>,
}

impl<R: Float> Migrants<R> {
    /// The number of migrants.
    pub fn len(&self) -> usize {
        self.fitness.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fitness.is_empty()
    }

    /// The migrants of several runs, one after the other.
    pub fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Migrants { fitness: Vec::new(), positions: Vec::new() };
        for migrants in all {
            joined.fitness.extend(migrants.fitness);
            joined.positions.extend(migrants.positions);
        }
        joined
    }
}

/// Copies of `count` individuals of a run, at most all of them. The run may have stopped.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::{RunId, Swarm, migration::{self, Selection}};
/// let mut swarm = Swarm::<f64>::unplaced(1, 3, RunId { seed: 1, run: 0 });
/// swarm.best = [5.0, 3.0, 4.0].map(|value| Fitness { violation: 0.0, value }).to_vec();
/// let values = |selection| {
///     let migrants = migration::emigrants(&swarm, 2, selection);
///     migrants.fitness.iter().map(|fitness| fitness.value).collect::<Vec<_>>()
/// };
/// assert_eq!(values(Selection::Best), [3.0, 4.0]);
/// assert_eq!(values(Selection::Random), [4.0, 5.0]);
/// ```
pub fn emigrants<R: Float>(swarm: &Swarm<R>, count: usize, selection: Selection) -> Migrants<R> {
    let (iteration, individuals) = (swarm.control.iterations, swarm.individuals() as u32);
    let chosen = match selection {
        Selection::Best => first_by(swarm, count, |place| place),
        Selection::Random => drawn_emigrants(swarm.id, iteration, individuals, count),
    };
    let row = |&individual: &u32| &swarm.best_position(individual as usize)[..swarm.dimensions];
    Migrants {
        fitness: chosen.iter().map(|&individual| swarm.best[individual as usize]).collect(),
        positions: chosen.iter().flat_map(row).copied().collect(),
    }
}

/// The individuals of a run to which `count` immigrants will be offered: at most all of them.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::{RunId, Swarm, migration::{self, Replacement}};
/// let mut swarm = Swarm::<f64>::unplaced(1, 3, RunId { seed: 1, run: 0 });
/// swarm.best = [5.0, 3.0, 4.0].map(|value| Fitness { violation: 0.0, value }).to_vec();
/// assert_eq!(migration::places(&swarm, 2, Replacement::Worst), [0, 2]);
/// ```
pub fn places<R: Float>(swarm: &Swarm<R>, count: usize, replacement: Replacement) -> Vec<u32> {
    match replacement {
        Replacement::Worst => first_by(swarm, count, |place| !place),
        Replacement::Random => {
            let (iteration, individuals) = (swarm.control.iterations, swarm.individuals() as u32);
            drawn_places(swarm.id, iteration, individuals, count)
        }
        Replacement::First => (0..count as u32).collect(),
    }
}

/// The emigrants of a run, and the individuals to which `immigrants` will be offered.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::{RunId, Swarm, migration::{self, Migration}};
/// let mut swarm = Swarm::<f64>::unplaced(1, 3, RunId { seed: 1, run: 0 });
/// swarm.best = [5.0, 3.0, 4.0].map(|value| Fitness { violation: 0.0, value }).to_vec();
/// let departure = migration::departure(&swarm, &Migration::default(), 1);
/// assert_eq!((departure.emigrants.fitness[0].value, departure.places), (3.0, vec![0]));
/// ```
pub fn departure<R: Float>(
    swarm: &Swarm<R>,
    migration: &Migration,
    immigrants: usize,
) -> Departure<R> {
    let Migration { emigrants: count, selection, replacement } = *migration;
    Departure {
        emigrants: emigrants(swarm, count as usize, selection),
        places: places(swarm, immigrants, replacement),
    }
}

/// Offers immigrants to individuals of a run, one to each, in the order of their [`places`]; a stopped run takes none.
///
/// `noticed` is the iteration at which a present improvement is noticed: the run's current iteration, unless a
/// [method](warpswarm_core::method::Method::noticed) returns another one. The caller must [settle](Swarm::settle)
/// whether the run stops now.
///
/// ```
/// use warpswarm_core::Fitness;
/// use warpswarm_cpu_ref::{RunId, Swarm, migration::{self, Migrants}};
/// let fitness = |value| Fitness { violation: 0.0, value };
/// let mut swarm = Swarm::<f64>::unplaced(1, 3, RunId { seed: 1, run: 0 });
/// swarm.best = [5.0, 3.0, 4.0].map(fitness).to_vec();
/// let immigrants = Migrants { fitness: [2.0, 9.0].map(fitness).to_vec(), positions: vec![0.2, 0.9] };
/// migration::immigrate(&mut swarm, &immigrants, &[0, 2], 0);
/// // 5 had to go; 9 is no better than 4.
/// assert_eq!(swarm.best, [2.0, 3.0, 4.0].map(fitness));
/// assert_eq!((swarm.global.index, swarm.best_point()), (0, &[0.2][..]));
/// ```
pub fn immigrate<R: Float>(
    swarm: &mut Swarm<R>,
    immigrants: &Migrants<R>,
    places: &[u32],
    noticed: u64,
) {
    if swarm.has_stopped() {
        return;
    }
    let (before, dimensions, stride) = (swarm.global.fitness, swarm.dimensions, swarm.stride);
    let arriving = immigrants.fitness.iter().zip(immigrants.positions.chunks_exact(dimensions));
    for (&individual, (&fitness, position)) in places.iter().zip(arriving) {
        let there = &mut swarm.best[individual as usize];
        if !fitness.beats(*there) {
            continue;
        }
        *there = fitness;
        let row = individual as usize * stride..individual as usize * stride + dimensions;
        swarm.best_positions[row].copy_from_slice(position);
        let candidate = Candidate::new(fitness, individual);
        if candidate.beats(swarm.global) {
            swarm.global = candidate;
            swarm.global_position[..dimensions].copy_from_slice(position);
        }
    }
    if swarm.global.fitness.beats(before) {
        swarm.control.improved_at = noticed;
    }
}

/// The emigrants of a run at an iteration, if they are drawn: `count` of `individuals`, at most all.
///
/// ```
/// use warpswarm_cpu_ref::{RunId, migration::{drawn_emigrants, drawn_places}};
/// let id = RunId { seed: 1, run: 0 };
/// let mut all = drawn_emigrants(id, 7, 5, 9);
/// assert_ne!(all, drawn_places(id, 7, 5, 9));
/// all.sort();
/// assert_eq!(all, [0, 1, 2, 3, 4]);
/// ```
pub fn drawn_emigrants(id: RunId, iteration: u64, individuals: u32, count: usize) -> Vec<u32> {
    drawn(id, iteration, individuals, count, Drawn::Emigrant)
}

/// The individuals that are offered an immigrant, if they are drawn; with draws independent of [`drawn_emigrants`].
///
/// ```
/// use warpswarm_cpu_ref::{RunId, migration::drawn_places};
/// assert_eq!(drawn_places(RunId { seed: 1, run: 0 }, 7, 5, 2).len(), 2);
/// ```
pub fn drawn_places(id: RunId, iteration: u64, individuals: u32, count: usize) -> Vec<u32> {
    drawn(id, iteration, individuals, count, Drawn::Offered)
}

/// An individual's position in the total order, as numbers: the best has the smallest.
type Place = [u64; 3];

/// The first `count` individuals, ordered by `key` of the numbers of their [`Place`].
fn first_by<R: Float>(swarm: &Swarm<R>, count: usize, key: impl Fn(u64) -> u64) -> Vec<u32> {
    let place = |(individual, fitness): (u32, &Fitness<R>)| -> Place {
        let (violation, value) = fitness.ordered();
        [violation, value, u64::from(individual)].map(&key)
    };
    let mut places: Vec<Place> = (0..).zip(&swarm.best).map(place).collect();
    if count < places.len() {
        // If only a few of many are needed, the others are not sorted.
        places.select_nth_unstable(count);
        places.truncate(count);
    }
    places.sort_unstable();
    // Applying the key again restores the index.
    places.iter().map(|[.., index]| key(*index) as u32).collect()
}

/// The purpose of a draw of individuals; draws of different purposes are independent.
#[derive(Clone, Copy)]
enum Drawn {
    Emigrant = 0,
    Offered = 1,
}

/// `count` different individuals, at most all of them.
fn drawn(id: RunId, iteration: u64, individuals: u32, count: usize, what: Drawn) -> Vec<u32> {
    let count = u32::try_from(count).unwrap_or(u32::MAX).min(individuals);
    shuffled(id.key(), iteration, individuals, count, what as u32)
}

/// The first `count` of `0..individuals` after a shuffle: place k is swapped with a drawn place from k on.
///
/// **Source.** R. Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7, 1964. Only swapped
/// places are stored.
fn shuffled(key: RunKey, iteration: u64, individuals: u32, count: u32, number: u32) -> Vec<u32> {
    let mut swapped = BTreeMap::new();
    let place = |k: u32| {
        let stream = Stream::new(key, Purpose::Migration, iteration, k);
        let other = k + stream.below(individuals - k, number);
        let here = swapped.get(&k).copied().unwrap_or(k);
        swapped.insert(other, here).unwrap_or(other)
    };
    (0..count).map(place).collect()
}

#[cfg(test)]
mod tests;
