//! The state of the threads that are alive together: one block, a cluster, or a cooperative grid.

use core::panic::Location;

use super::fibre::Yielder;

use super::collective::{self, Arrival, Barrier, Doing, Kind, Stop, Warp};
use super::fault::{Fault, FaultKind, Place, UNWRITTEN};
use super::global::{GlobalMemory, Write};
use super::memory::{Access, Misuse, SharedMemory};

/// A thread of the launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    /// Its index among the threads that are alive together.
    pub(super) slot: u32,
    /// Its index in its block.
    pub(super) thread: u32,
    /// Its block's index in the grid.
    pub(super) block: u32,
    /// Its block's index among those that are alive together.
    pub(super) member: u32,
    /// Switches away from the thread; null before it has started.
    pub(super) yielder: *const Yielder<(), ()>,
}

impl Identity {
    /// No thread.
    pub(super) const NONE: Self =
        Identity { slot: 0, thread: 0, block: 0, member: 0, yielder: core::ptr::null() };

    #[inline]
    fn warp(&self) -> usize {
        (self.slot / 32) as usize
    }
}

pub(super) struct Thread {
    pub(super) identity: Identity,
    pub(super) doing: Doing,
}

pub(super) struct Block {
    barrier: Barrier,
    epoch: u64,
    shared: SharedMemory,
}

/// The pseudo-random numbers that shuffle the threads: splitmix64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shuffle(pub(super) u64);

impl Shuffle {
    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub(super) fn permute(&mut self, items: &mut [u32]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The state of the threads, except for their stacks.
#[derive(Default)]
pub(super) struct State {
    pub(super) kernel: &'static str,
    pub(super) block_dim: u32,
    /// Whether several blocks are alive.
    pub(super) together: bool,
    pub(super) threads: Vec<Thread>,
    warps: Vec<Warp>,
    blocks: Vec<Block>,
    /// The barrier of all blocks that are alive, if they are a cluster.
    cluster: Barrier,
    pub(super) global: GlobalMemory,
    /// Memories of blocks that are not alive.
    spare: Vec<SharedMemory>,
    /// Counts block epochs; never decreases.
    clock: u64,
    /// Threads that run in the next round.
    pub(super) ready: Vec<u32>,
    /// The first thread of a warp that runs at once, because its lanes have just completed an operation.
    pub(super) next_warp: Option<u32>,
    pub(super) shuffle: Option<Shuffle>,
    /// Whether a thread has done something that can release another one, since these were last cleared.
    pub(super) arrived: bool,
    pub(super) stored: bool,
    pub(super) fault: Option<Fault>,
}

impl State {
    /// Starts `blocks` blocks from number `first` on, in place of those that were alive.
    pub(super) fn begin(&mut self, first: u32, blocks: u32, shared_bytes: u32) {
        self.spare.extend(self.blocks.drain(..).map(|block| self.global.ended(block.shared)));
        self.threads.clear();
        self.ready.clear();
        self.next_warp = None;
        self.cluster = Barrier::default();
        for member in 0..blocks {
            self.clock += 1;
            let mut shared = self.spare.pop().unwrap_or_default();
            shared.begin(shared_bytes, self.clock);
            self.blocks.push(Block { barrier: Barrier::default(), epoch: self.clock, shared });
            for thread in 0..self.block_dim {
                let slot = member * self.block_dim + thread;
                let block = first + member;
                let yielder = core::ptr::null();
                let identity = Identity { slot, thread, block, member, yielder };
                self.threads.push(Thread { identity, doing: Doing::Runs(None) });
                self.ready.push(slot);
            }
        }
        self.warps.clear();
        self.warps.resize(self.threads.len() / 32, Warp::default());
        self.global.begin_blocks(blocks, self.block_dim);
    }

    /// Records a fault of thread `me`; only the first fault is kept.
    #[cold]
    pub(super) fn fail(
        &mut self,
        me: Identity,
        kind: FaultKind,
        place: Option<Place>,
        message: String,
    ) {
        self.fault.get_or_insert(Fault {
            kind,
            kernel: self.kernel,
            block: Some(me.block),
            thread: Some(me.thread),
            place,
            message,
        });
    }

    /// Records a lane's arrival at a collective operation of its warp; see [`Warp::arrive`].
    #[inline(never)]
    pub(super) fn arrive_in_warp(&mut self, me: Identity, stop: Stop, value: u32) -> usize {
        self.threads[me.slot as usize].doing = Doing::Waits(stop);
        self.arrived = true;
        let (arrival, parity) = self.warps[me.warp()].arrive((me.slot % 32) as usize, stop, value);
        let first = me.slot - me.slot % 32;
        if arrival == Arrival::Complete && self.shuffle.is_none() {
            self.next_warp = Some(first);
        } else {
            self.after(arrival, first, 32);
        }
        parity
    }

    /// The warp of a thread.
    #[inline]
    pub(super) fn warp(&self, me: Identity) -> &Warp {
        &self.warps[me.warp()]
    }

    /// Records a thread's arrival at a barrier of its block.
    #[inline(never)]
    pub(super) fn arrive_in_block(&mut self, me: Identity, stop: Stop, predicate: bool) {
        self.threads[me.slot as usize].doing = Doing::Waits(stop);
        self.arrived = true;
        let block = &mut self.blocks[me.member as usize];
        let arrival = block.barrier.arrive(self.block_dim, stop, predicate);
        if arrival == Arrival::Complete {
            self.clock += 1;
            block.epoch = self.clock;
        }
        self.after(arrival, me.slot - me.thread, self.block_dim);
    }

    /// Records a thread's arrival at the barrier of its cluster, which is one of each block too.
    pub(super) fn arrive_in_cluster(&mut self, me: Identity, stop: Stop) {
        self.threads[me.slot as usize].doing = Doing::Waits(stop);
        self.arrived = true;
        let count = self.threads.len() as u32;
        let arrival = self.cluster.arrive(count, stop, false);
        if arrival == Arrival::Complete {
            for block in &mut self.blocks {
                self.clock += 1;
                block.epoch = self.clock;
            }
            self.global.meet();
        }
        self.after(arrival, 0, count);
    }

    /// In how many threads the predicate held, at the barrier that this thread has just left.
    pub(super) fn barrier_result(&self, me: Identity) -> u32 {
        self.blocks[me.member as usize].barrier.result()
    }

    #[inline]
    fn after(&mut self, arrival: Arrival, first: u32, count: u32) {
        match arrival {
            Arrival::Waits => {}
            Arrival::Complete => self.ready.extend(first..first + count),
            Arrival::Divergent => self.diverge(first as usize, count as usize),
        }
    }

    /// Records the fault of a group of threads that can never complete an operation, if there is one.
    #[cold]
    fn diverge(&mut self, first: usize, count: usize) {
        let group: Vec<Doing> =
            self.threads[first..first + count].iter().map(|thread| thread.doing).collect();
        let unit = if count == 32 && group.iter().any(in_warp) { "lanes" } else { "threads" };
        if let Some(found) = collective::describe(&group, unit) {
            let me = self.threads[first + found.thread].identity;
            self.fail(me, found.kind, Some(found.place), found.message);
        }
    }

    /// Records the fault that keeps all threads from continuing.
    #[cold]
    pub(super) fn diagnose(&mut self) {
        for &slot in &self.ready {
            let thread = &mut self.threads[slot as usize];
            if let Doing::Waits(_) = thread.doing {
                thread.doing = Doing::Runs(None);
            }
        }
        // A warp or a block in which a thread can still run may yet complete its operation.
        let stuck = |group: &[Thread], kind: fn(&Doing) -> bool| {
            group.iter().any(|thread| kind(&thread.doing))
                && !group.iter().any(|thread| matches!(thread.doing, Doing::Runs(_)))
        };
        let of_warp = self.threads.chunks(32).position(|warp| stuck(warp, in_warp));
        if let Some(warp) = of_warp {
            return self.diverge(32 * warp, 32);
        }
        let block_dim = self.block_dim as usize;
        let of_block = self.threads.chunks(block_dim).position(|block| stuck(block, in_block));
        if let Some(block) = of_block {
            return self.diverge(block * block_dim, block_dim);
        }
        if stuck(&self.threads, waits) {
            return self.diverge(0, self.threads.len());
        }
        self.deadlock();
    }

    fn deadlock(&mut self) {
        let runs = |thread: &&Thread| matches!(thread.doing, Doing::Runs(_));
        let spins = |thread: &&Thread| matches!(thread.doing, Doing::Runs(Some(_)));
        let count = self.threads.iter().filter(runs).count();
        let found = self.threads.iter().find(spins).or_else(|| self.threads.iter().find(runs));
        let Some(thread) = found else { return };
        let place = match thread.doing {
            Doing::Runs(place) => place.map(Place::from),
            Doing::Waits(_) | Doing::Left => None,
        };
        let hint = if self.together {
            "nobody writes what they wait for"
        } else {
            "the launch is not cooperative, so other blocks cannot help them"
        };
        let message = format!("{count} of {} threads spin, and {hint}", self.threads.len());
        self.fail(thread.identity, FaultKind::Deadlock, place, message);
    }

    /// The shared memory of a thread's block, and the access that it makes there now.
    #[inline]
    fn shared(
        &mut self,
        me: Identity,
        place: &'static Location<'static>,
    ) -> (&mut SharedMemory, Access) {
        let access = self.access(me, place);
        (&mut self.blocks[me.member as usize].shared, access)
    }

    /// The access that a thread makes now.
    #[inline]
    fn access(&self, me: Identity, place: &'static Location<'static>) -> Access {
        let warp_epoch = self.warps[me.warp()].epoch;
        Access {
            place,
            epoch: self.blocks[me.member as usize].epoch,
            warp_epoch,
            thread: me.thread,
        }
    }

    /// The write to some bytes of global memory that nothing orders before the thread's present access.
    #[inline]
    pub(super) fn write_before(
        &self,
        me: Identity,
        place: &'static Location<'static>,
        bytes: (usize, usize),
    ) -> Option<Write> {
        self.global.unordered(bytes, me, &self.access(me, place))
    }

    /// Records that a thread writes some bytes of global memory. Returns whether that is no fault.
    pub(super) fn write(
        &mut self,
        me: Identity,
        place: &'static Location<'static>,
        (address, bytes): (usize, usize),
    ) -> bool {
        let by = self.access(me, place);
        if let Some(write) = self.global.unordered((address, bytes), me, &by) {
            let (thread, there) = (write.by.thread, write.by.place);
            let (of_block, what) = if write.block == me.block {
                (String::new(), "barrier")
            } else {
                (format!(" of block {}", write.block), "fence")
            };
            let message = format!(
                "this thread writes {bytes} bytes of global memory, which thread {thread}{of_block} wrote at {there} with no {what} between"
            );
            self.fail(me, FaultKind::Race, Some(place.into()), message);
            return false;
        }
        self.global.write((address, bytes), me, by);
        true
    }

    /// Records a fence: orders what a thread did before it, for all blocks, before what it does afterwards.
    pub(super) fn fence(&mut self, me: Identity, place: &'static Location<'static>) {
        self.global.fence(me, &self.access(me, place));
    }

    /// Calls `work` with the shared memory of a thread's block; returns nothing if that is a fault.
    #[inline]
    pub(super) fn with_shared<T>(
        &mut self,
        me: Identity,
        place: &'static Location<'static>,
        (verb, offset, size): (&str, u32, u32),
        work: impl FnOnce(&mut SharedMemory, Access) -> Result<T, Misuse>,
    ) -> Option<T> {
        let (shared, access) = self.shared(me, place);
        match work(shared, access) {
            Ok(value) => Some(value),
            Err(misuse) => {
                self.misuse(me, place, &misuse, (verb, offset, size));
                None
            }
        }
    }

    #[cold]
    fn misuse(
        &mut self,
        me: Identity,
        place: &'static Location<'static>,
        misuse: &Misuse,
        (verb, offset, size): (&str, u32, u32),
    ) {
        let what = format!("this thread {verb} {size} bytes at byte {offset} of shared memory");
        let (kind, message) = match misuse {
            Misuse::OutOfBounds => {
                let bytes = self.blocks[me.member as usize].shared.bytes();
                (FaultKind::OutOfBounds, format!("{what}, which has {bytes}"))
            }
            Misuse::Misaligned => (FaultKind::Misaligned, what),
            Misuse::Uninitialised => (FaultKind::Uninitialised, format!("{what}, {UNWRITTEN}")),
            Misuse::Race(other, wrote) => {
                let did = if *wrote { "wrote" } else { "read" };
                let (thread, there) = (other.thread, other.place);
                let message = format!(
                    "{what}, which thread {thread} {did} at {there} with no barrier between"
                );
                (FaultKind::Race, message)
            }
        };
        self.fail(me, kind, Some(place.into()), message);
    }
}

fn waits(doing: &Doing) -> bool {
    matches!(doing, Doing::Waits(_))
}

fn in_block(doing: &Doing) -> bool {
    matches!(doing, Doing::Waits(Stop { kind, .. }) if *kind != Kind::Cluster)
}

fn in_warp(doing: &Doing) -> bool {
    matches!(doing, Doing::Waits(Stop { kind, .. }) if !kind.of_block())
}

impl Stop {
    #[inline]
    pub(super) fn new(kind: Kind, place: &'static Location<'static>) -> Self {
        Stop { kind, place }
    }
}
