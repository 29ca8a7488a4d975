//! Joins the results of devices that share swarms, each of which moves some of the particles.
//!
//! An iteration of a split swarm is a launch on each device, as if its particles were all, then an exchange of the
//! devices' records, then this kernel on each device. Every device begins an iteration with the same global best, and
//! makes the better of that and its own particles' bests its new one. The order of candidates is total, so that the
//! best of these is the one that a single device would have found.

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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

/// Makes one record of the records of all devices.
///
/// **Mapping.** A block works on a run; its threads stride over the places of a row.
///
/// **Arrays.** As [`JoinArgs`] and [`RecordLayout`] describe them; reads `records`, writes `joined`.
///
/// **Launch.** `runs` blocks of at most [`MAX_BLOCK`] threads. No shared memory.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn join<R: DeviceReal>(args: &JoinArgs<R>) {
    max_block::<MAX_BLOCK>();
    let run = thread::block_index() as usize;
    let bytes = RecordLayout::new::<R>(args.runs, args.stride).bytes;
    let of_peer = |peer: u32| OfRun::new(args, args.records.address + u64::from(peer) * bytes, run);
    // Every thread reads all records, which are few.
    let (mut best, mut winner, mut improved_at) = (Candidate::NONE, 0, 0);
    let mut peer = 0;
    while peer < args.peers {
        let other = of_peer(peer);
        let global = other.global.get(0);
        if global.beats(best) {
            (best, winner) = (global, peer);
        }
        // The maximum covers devices that found something better in this iteration, and those that did not.
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
        // Each device counts its own evaluations that were not finite.
        let own = of_peer(args.rank).control.get(0);
        let stopped = args.stop.check(best.fitness, own.iterations, improved_at);
        joined.global.set(0, best);
        joined.control.set(0, Control { improved_at, stopped, ..own });
    }
}
