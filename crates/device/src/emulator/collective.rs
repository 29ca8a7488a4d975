//! Threads that wait for each other: the collective operations of warps, blocks and clusters.

use core::panic::Location;

use super::fault::{FaultKind, Place};

/// What the lanes of a warp or the threads of a block do together.
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

    /// Whether it is a barrier, not an operation of a warp.
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
        // The compiler may keep one place at several addresses.
        self.kind == other.kind
            && (core::ptr::eq(self.place, other.place) || self.place == other.place)
    }
}

/// Those who have arrived, and whether at the same operation.
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

/// What became of a thread's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Others are still missing.
    Waits,
    /// All are there, at the same operation: all go on.
    Complete,
    /// All are there, but not at the same operation.
    Divergent,
}

/// The lanes' meeting place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Warp {
    gathering: Gathering,
    /// What the lanes brought to this operation and to the last one. No lane can reach the next
    /// operation but one before all have fetched their result of this one, so two sets suffice.
    values: [[u32; 32]; 2],
    parity: usize,
    reduced: u32,
    /// Counts the `warp::sync`s.
    pub(super) epoch: u32,
}

impl Warp {
    /// Takes in a lane with its value; gives the set in which [`value`](Warp::value) finds it.
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

    /// What `lane` brought to the operation just completed.
    #[inline]
    pub(super) fn value(&self, parity: usize, lane: u32) -> u32 {
        self.values[parity][(lane % 32) as usize]
    }

    /// The joint result of the operation just completed.
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

/// What a thread is doing that is not running.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doing {
    /// It waits at a collective operation.
    Waits(Stop),
    /// It can run on; where it last said that it spins, if anywhere.
    Runs(Option<&'static Location<'static>>),
    /// It has left the kernel.
    Left,
}

/// A group of threads that will never come to one collective operation.
pub(super) struct Divergence {
    pub(super) kind: FaultKind,
    /// Which of the group it is reported for.
    pub(super) thread: usize,
    pub(super) place: Place,
    pub(super) message: String,
}

/// Describes a divergence of `group` from what its threads are doing; nothing if none of them waits
/// at an operation of the group's.
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
