//! Threads that wait for each other: the collective operations of warps, blocks and clusters.

use core::panic::Location;

use super::fault::{FaultKind, Place};

/// A collective operation of the lanes of a warp or the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Barrier,
    BarrierCount,
    Cluster,
    SyncWarp,
    Any,
    Ballot,
    ShuffleXor,
    Shuffle,
    Min,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Barrier => "block::sync",
            Kind::BarrierCount => "block::sync_count",
            Kind::Cluster => "cluster::sync",
            Kind::SyncWarp => "warp::sync",
            Kind::Any => "warp::any",
            Kind::Ballot => "warp::ballot",
            Kind::ShuffleXor => "warp::shuffle_xor",
            Kind::Shuffle => "warp::shuffle",
            Kind::Min => "warp::min",
        }
    }

    /// Whether it is a barrier, and not an operation of a warp.
    pub(super) fn of_block(self) -> bool {
        matches!(self, Kind::Barrier | Kind::BarrierCount | Kind::Cluster)
    }
}

/// A collective operation in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) kind: Kind,
    pub(super) place: &'static Location<'static>,
}

impl PartialEq for Stop {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // The compiler may store the same location at several addresses.
        self.kind == other.kind
            && (core::ptr::eq(self.place, other.place) || self.place == other.place)
    }
}

/// The threads that have arrived, and whether at the same operation.
#[derive(Clone, Copy, Debug, Default)]
struct Gathering {
    arrived: u32,
    first: Option<Stop>,
    mixed: bool,
}

impl Gathering {
    #[inline]
    fn arrive(&mut self, stop: Stop) {
        if self.arrived == 0 {
            self.first = Some(stop);
        } else {
            self.mixed |= self.first != Some(stop);
        }
        self.arrived += 1;
    }
}

/// The result of a thread's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Other threads are still missing.
    Waits,
    /// All have arrived at the same operation and continue.
    Complete,
    /// All have arrived, but not at the same operation.
    Divergent,
}

/// The collective operations of a warp.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Warp {
    gathering: Gathering,
    /// The values of the lanes in this operation and in the last one. No lane can reach the operation after the next
    /// one before all lanes have fetched their result of this one, so two sets suffice.
    values: [[u32; 32]; 2],
    parity: usize,
    reduced: u32,
    /// Counts the calls of `warp::sync`.
    pub(super) epoch: u32,
}

impl Warp {
    /// Adds a lane with its value. Returns the set in which [`value`](Warp::value) finds it.
    #[inline]
    pub(super) fn arrive(&mut self, lane: usize, stop: Stop, value: u32) -> (Arrival, usize) {
        let parity = self.parity;
        self.values[parity][lane] = value;
        self.gathering.arrive(stop);
        if self.gathering.arrived < 32 {
            return (Arrival::Waits, parity);
        }
        if self.gathering.mixed {
            return (Arrival::Divergent, parity);
        }
        let values = &self.values[parity];
        match stop.kind {
            Kind::SyncWarp => self.epoch = self.epoch.wrapping_add(1),
            Kind::Any => self.reduced = values.iter().fold(0, |all, value| all | value),
            Kind::Ballot => {
                self.reduced = (0..32).fold(0, |bits, lane| bits | values[lane] << lane);
            }
            Kind::Min => self.reduced = values.iter().fold(u32::MAX, |min, &value| min.min(value)),
            Kind::ShuffleXor
            | Kind::Shuffle
            | Kind::Barrier
            | Kind::BarrierCount
            | Kind::Cluster => {}
        }
        self.gathering = Gathering::default();
        self.parity ^= 1;
        (Arrival::Complete, parity)
    }

    /// The value of `lane` in the operation just completed.
    #[inline]
    pub(super) fn value(&self, parity: usize, lane: u32) -> u32 {
        self.values[parity][(lane % 32) as usize]
    }

    /// The combined result of the operation just completed.
    #[inline]
    pub(super) fn reduced(&self) -> u32 {
        self.reduced
    }
}

/// The barrier of a block, or of a cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Barrier {
    gathering: Gathering,
    count: u32,
    result: u32,
}

impl Barrier {
    #[inline]
    pub(super) fn arrive(&mut self, threads: u32, stop: Stop, predicate: bool) -> Arrival {
        self.count += u32::from(predicate);
        self.gathering.arrive(stop);
        if self.gathering.arrived < threads {
            return Arrival::Waits;
        }
        if self.gathering.mixed {
            return Arrival::Divergent;
        }
        self.result = self.count;
        self.count = 0;
        self.gathering = Gathering::default();
        Arrival::Complete
    }

    /// In how many threads the predicate held, at the barrier just completed.
    #[inline]
    pub(super) fn result(&self) -> u32 {
        self.result
    }
}

/// The state of a thread that is not running.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doing {
    /// It waits at a collective operation.
    Waits(Stop),
    /// It can run; the last place where it called `spin`, if it has.
    Runs(Option<&'static Location<'static>>),
    /// It has left the kernel.
    Left,
}

/// A group of threads that can never reach the same collective operation.
pub(super) struct Divergence {
    pub(super) kind: FaultKind,
    /// The thread of the group for which the fault is reported.
    pub(super) thread: usize,
    pub(super) place: Place,
    pub(super) message: String,
}

/// Describes a divergence of `group` from the states of its threads; none if no thread waits at an operation of the
/// group.
pub(super) fn describe(group: &[Doing], unit: &str) -> Option<Divergence> {
    let mut stops: Vec<(Stop, usize, usize)> = Vec::new();
    let mut left = 0;
    for (thread, doing) in group.iter().enumerate() {
        match doing {
            Doing::Waits(stop) => match stops.iter_mut().find(|(other, ..)| other == stop) {
                Some((_, count, _)) => *count += 1,
                None => stops.push((*stop, 1, thread)),
            },
            Doing::Left => left += 1,
            Doing::Runs(_) => {}
        }
    }
    let &(stop, count, thread) = stops.first()?;
    let mut message =
        format!("{} of {} {unit} wait there in {}", count, group.len(), stop.kind.name());
    for (stop, count, _) in &stops[1..] {
        message += &format!(", {count} in {} at {}", stop.kind.name(), stop.place);
    }
    if left > 0 {
        message += &format!(", {left} have left the kernel");
    }
    let all_of_block = stops.iter().all(|(stop, ..)| stop.kind.of_block());
    Some(Divergence {
        kind: if all_of_block { FaultKind::DivergentBarrier } else { FaultKind::DivergentWarp },
        thread,
        place: stop.place.into(),
        message,
    })
}
