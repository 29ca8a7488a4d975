//! Joins what devices that share swarms have found, each in its own particles.
//!
//! An iteration of a swarm that is split is one launch a device, as if its particles were all, then an exchange of the
//! devices' records, then this kernel on each. Every device begins an iteration with the same global best, and
//! has made the better of that and its own particles' bests of it; the best of these is what one device would have found in
//! all of them, since the order of candidates is total.

use warpswarm_core::launch::{Control, JoinArgs, MAX_BLOCK, Ptr, RecordLayout};
use warpswarm_core::order::Candidate;
use warpswarm_device::entry::max_block;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use crate::run::of_run;

/// A run in a record.
#[derive(Clone, Copy)]
struct OfRun<R> {
    control: View<Control>,
    global: View<Candidate<R>>,
    /// `[place]`
    position: View<R>,
}

impl<R: DeviceReal> OfRun<R> {
    /// Run `run` of the record at an address.
    #[inline(always)]
    fn new(args: &JoinArgs<R>, record: u64, run: usize) -> Self {
        let layout = RecordLayout::new::<R>(args.runs, args.stride);
        let (runs, stride) = (args.runs, args.stride as usize);
        OfRun {
            control: of_run(Ptr::at(record), runs, run, 1),
            global: of_run(Ptr::at(record + layout.global), runs, run, 1),
            position: of_run(Ptr::at(record + layout.global_positions), runs, run, stride),
        }
    }
}

/// Makes one record of all.
///
/// Work: a block a run, its threads the places of a row. No shared memory.
#[inline(always)]
pub fn join<R: DeviceReal>(args: &JoinArgs<R>) {
    max_block::<MAX_BLOCK>();
    let run = thread::block_index() as usize;
    let bytes = RecordLayout::new::<R>(args.runs, args.stride).bytes;
    let of_peer = |peer: u32| OfRun::new(args, args.records.address + u64::from(peer) * bytes, run);
    // Every thread goes through all of them: they are few.
    let (mut best, mut winner, mut improved_at) = (Candidate::NONE, 0, 0);
    let mut peer = 0;
    while peer < args.peers {
        let other = of_peer(peer);
        let global = other.global.get(0);
        if global.beats(best) {
            (best, winner) = (global, peer);
        }
        // Of all that have found something better in this iteration, and of those that have not.
        improved_at = improved_at.max(other.control.get(0).improved_at);
        peer += 1;
    }
    let joined = OfRun::new(args, args.joined.address, run);
    let position = of_peer(winner).position;
    let mut i = thread::index();
    while i < args.stride {
        joined.position.set(i as usize, position.get(i as usize));
        i += thread::block_dim();
    }
    if thread::index() == 0 {
        // Evaluations that were not finite are each device's own.
        let own = of_peer(args.rank).control.get(0);
        let stopped = args.stop.check(best.fitness, own.iterations, improved_at);
        joined.global.set(0, best);
        joined.control.set(0, Control { improved_at, stopped, ..own });
    }
}
