//! The emulator finds what compute-sanitizer finds, and names kernel, block, thread and line. Beside each faulty kernel
//! is a correct one, which passes.

mod common;

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{Aligned, Array, blocks, fault, launch, orders, shared};
use warpswarm_core::launch::Ptr;
use warpswarm_core::order::Fitness;
use warpswarm_device::cluster::{self, NearBoard};
use warpswarm_device::emulator::{self, Entry, Fault, FaultKind, LaunchConfig};
use warpswarm_device::grid::{self, Board, Exchange};
use warpswarm_device::{block, entry, thread, warp};

/// Checks the thread and the place of a fault: block, thread, line of this file, words of the message.
#[track_caller]
fn check(fault: &Fault, (block, thread, line): (u32, u32, u32), words: &[&str]) {
    assert_eq!(fault.kernel, "kernel");
    assert_eq!((fault.block, fault.thread), (Some(block), Some(thread)), "{fault}");
    let place = fault.place.as_ref().expect("a fault of a thread has a place");
    assert!(place.file.ends_with("tests/faults.rs"), "{fault}");
    assert_eq!(place.line, line, "{fault}");
    for word in words {
        assert!(fault.message.contains(word), "{word:?} is not in {fault}");
    }
}

#[test]
fn a_barrier_that_some_never_reach() {
    const LINE: u32 = line!() + 3;
    fn kernel(_: u64) {
        if thread::block_index() < 3 || thread::index() >= 33 {
            block::sync();
        }
    }
    let found = fault(launch(&blocks(5, 64), 0, kernel), FaultKind::DivergentBarrier);
    check(&found, (3, 33, LINE), &["31 of 64 threads wait there", "33 have left the kernel"]);
    let line = found.to_string();
    assert!(line.starts_with("kernel: block 3, thread 33: divergent barrier at "), "{line}");
    for config in orders(blocks(5, 64)) {
        launch(&config, 0_u64, |_| block::sync()).unwrap();
    }
}

#[test]
fn a_barrier_at_two_places() {
    const LINE: u32 = line!() + 4;
    #[allow(clippy::if_same_then_else, reason = "that is the fault")]
    fn kernel(_: u64) {
        if thread::index() < 31 {
            block::sync();
        } else {
            block::sync();
        }
    }
    for config in orders(blocks(1, 64)) {
        let found = fault(launch(&config, 0, kernel), FaultKind::DivergentBarrier);
        let there = format!("33 in block::sync at {}:{}", file!(), LINE + 2);
        check(&found, (0, 0, LINE), &["31 of 64 threads wait there", &there]);
    }
}

#[test]
fn a_warp_operation_that_a_lane_never_reaches() {
    const LINE: u32 = line!() + 3;
    fn kernel(_: u64) {
        if thread::index() != 40 {
            warp::any(true);
        }
    }
    for config in orders(blocks(2, 64)) {
        let found = fault(launch(&config, 0, kernel), FaultKind::DivergentWarp);
        let block = found.block.expect("a thread met it");
        check(
            &found,
            (block, 32, LINE),
            &["31 of 32 lanes wait there in warp::any", "1 have left"],
        );
    }
    // Whole warps may skip the operation.
    let whole = |_| {
        if thread::warp() != 1 {
            warp::any(true);
        }
    };
    launch(&blocks(2, 96), 0_u64, whole).unwrap();
}

#[test]
fn lanes_at_different_operations() {
    const LINE: u32 = line!() + 3;
    fn kernel(_: u64) {
        if thread::lane() < 30 {
            warp::min(1);
        } else {
            warp::ballot(true);
        }
    }
    let found = fault(launch(&blocks(1, 32), 0, kernel), FaultKind::DivergentWarp);
    let there = format!("2 in warp::ballot at {}:{}", file!(), LINE + 2);
    check(&found, (0, 0, LINE), &["30 of 32 lanes wait there in warp::min", &there]);
}

#[test]
fn some_at_a_barrier_others_at_a_warp_operation() {
    const LINE: u32 = line!() + 5;
    fn kernel(_: u64) {
        if thread::index() == 40 {
            block::sync();
        } else if thread::index() >= 32 {
            warp::sync();
        } else {
            block::sync();
        }
    }
    for config in orders(blocks(1, 64)) {
        let found = fault(launch(&config, 0, kernel), FaultKind::DivergentWarp);
        check(
            &found,
            (0, 32, LINE),
            &["31 of 32 lanes wait there in warp::sync", "1 in block::sync"],
        );
    }
}

/// Whether a number is what the emulator returns for a read that is not ordered after another thread's write.
fn is_spoilt(number: f32) -> bool {
    number.is_nan() || number == f32::NEG_INFINITY
}

#[test]
fn global_memory_within_a_block() {
    const LINE: u32 = line!() + 2;
    fn write_after_write(array: Array<f32>) {
        array.view().set(0, thread::index() as f32);
    }
    fn neighbours(array: Array<f32>, barrier: fn()) {
        let (view, me) = (array.view(), thread::index() as usize);
        view.set(me, (me + 1) as f32);
        barrier();
        view.set(64 + me, view.get((me + 33) % 64));
    }
    for config in orders(blocks(1, 64)) {
        let mut items = Aligned::zeroed(128);
        let found = fault(launch(&config, items.array(), write_after_write), FaultKind::Race);
        assert_eq!(found.place.as_ref().map(|place| place.line), Some(LINE), "{found}");
        assert!(found.message.contains("with no barrier between"), "{found}");

        let run = |kernel: fn(Array<f32>)| {
            let mut items = Aligned::zeroed(128);
            launch(&config, items.array(), kernel).unwrap();
            items.slice()[64..].to_vec()
        };
        let right = run(|array| neighbours(array, block::sync));
        assert!((0..64).all(|i| right[i] == ((i + 33) % 64 + 1) as f32), "{right:?}");
        assert!(run(|array| neighbours(array, || ())).into_iter().any(is_spoilt));
        // Of one warp, and with its barrier: thread 0 is not of the warp of thread 33.
        assert!(run(|array| neighbours(array, warp::sync)).into_iter().any(is_spoilt));
        // Writing the same value again is no race.
        let mut items = Aligned::zeroed(128);
        let array = items.array();
        launch(&config, array, |array| neighbours(array, block::sync)).unwrap();
        launch(&config, array, |array| neighbours(array, || ())).unwrap();
        assert_eq!(items.slice()[64..], right);
    }
}

#[test]
fn global_memory_of_another_block() {
    /// The fences between what block 0 writes and what the others read.
    #[derive(Clone, Copy)]
    struct Order {
        before: fn(),
        after: fn(),
    }
    #[derive(Clone, Copy)]
    struct Args {
        data: Array<f32>,
        slots: Array<u64>,
        order: Order,
    }
    fn kernel(args: Args) {
        let (data, me) = (args.data.view(), thread::index() as usize);
        // Its words carry their tag and order nothing else.
        let exchange = Exchange::new(args.slots.view(), 1, 1);
        if thread::block_index() == 0 {
            data.set(me, (me + 1) as f32);
            block::sync();
            if thread::warp() == 0 {
                (args.order.before)();
                exchange.post_alone(1, 0, Fitness { violation: 0.0_f32, value: 1.0 });
            }
            return;
        }
        if thread::warp() == 0 {
            exchange.collect::<f32, 1>(1);
            (args.order.after)();
        }
        block::sync();
        let first = 64 * thread::block_index() as usize;
        data.set(first + me, data.get(63 - me));
    }
    let nothing: fn() = || ();
    let together = LaunchConfig { cooperative: true, ..blocks(3, 64) };
    for config in orders(together) {
        let run = |before, after| {
            let (mut data, mut slots) = (Aligned::zeroed(3 * 64), Aligned::zeroed(2));
            let order = Order { before, after };
            launch(&config, Args { data: data.array(), slots: slots.array(), order }, kernel)
                .unwrap();
            data.slice()[64..].to_vec()
        };
        let right = run(grid::fence, grid::fence);
        assert!((0..128).all(|i| right[i] == (64 - i % 64) as f32), "{right:?}");
        assert!(run(nothing, grid::fence).into_iter().all(is_spoilt));
        assert!(run(grid::fence, nothing).into_iter().all(is_spoilt));
    }
    // A launch sees everything that the launch before wrote.
    let mut data = Aligned::zeroed(128);
    launch(&blocks(1, 64), data.array(), |data| data.view().set(thread::index() as usize, 7.0))
        .unwrap();
    let copy = |data: Array<f32>| {
        let me = thread::index() as usize;
        data.view().set(64 + me, data.view().get(63 - me));
    };
    launch(&blocks(1, 64), data.array(), copy).unwrap();
    assert!(data.slice().iter().all(|&x| x == 7.0));
}

#[test]
fn views_out_of_their_bounds() {
    const LINE: u32 = line!() + 4;
    fn kernel(array: Array<f32>) {
        let view = array.view();
        let i = thread::global_index() as usize;
        view.set(i, view.get(i) + 1.0);
    }
    fn streams(array: Array<f32>) {
        array.view().row(4 * thread::global_index() as usize, 4).stream4(0, 0.0);
    }
    fn parts(array: Array<f32>) {
        array.view().part(32, thread::index() as usize + 1).get(thread::index() as usize);
    }
    let mut items = Aligned::zeroed(100);
    let found = fault(launch(&blocks(3, 64), items.array(), kernel), FaultKind::Trap);
    check(&found, (1, 36, LINE), &["an index is out of bounds: element 100 of a view of 100"]);
    assert!(items.slice()[..100].iter().all(|&x| x == 1.0), "those before have been written");
    let found = fault(launch(&blocks(1, 64), items.array(), streams), FaultKind::Trap);
    check(&found, (0, 25, LINE + 3), &[]);
    let found = fault(launch(&blocks(1, 96), items.array(), parts), FaultKind::Trap);
    check(&found, (0, 68, LINE + 6), &[]);

    let mut items = Aligned::zeroed(3 * 64);
    launch(&blocks(3, 64), items.array(), kernel).unwrap();
    assert!(items.slice().iter().all(|&x| x == 1.0));
    launch(&blocks(1, 32), items.array(), streams).unwrap();
    launch(&blocks(1, 96), items.array(), parts).unwrap();
}

#[test]
fn addresses_that_the_gpu_does_not_take() {
    fn kernel(array: Array<f32>) {
        array.view().row(4 * thread::index() as usize, 4).set_stream4(0, [1.0; 4]);
    }
    const LINE: u32 = line!() - 2;
    let mut items = Aligned::zeroed(129);
    let crooked = Array::of(&mut items.slice()[1..]);
    let found = fault(launch(&blocks(1, 32), crooked, kernel), FaultKind::Misaligned);
    check(&found, (0, 0, LINE), &["is not a multiple of 16"]);
    let absent = Array::at(Ptr::NULL, 128);
    let found = fault(launch(&blocks(1, 32), absent, kernel), FaultKind::OutOfBounds);
    check(&found, (0, 0, LINE), &["the array is not there"]);
    launch(&blocks(1, 32), items.array(), kernel).unwrap();
}

#[test]
fn races_between_warps() {
    const LINE: u32 = line!() + 3;
    fn write_after_write(_: u64) {
        let me = thread::index();
        shared::<u32>(0, 64).set(me % 63, me);
    }
    fn write_after_read(_: u64) {
        let (array, me) = (shared::<u32>(0, 64), thread::index());
        array.set(me, me);
        block::sync();
        array.get(me % 32);
        array.set(me, me);
    }
    fn right(_: u64) {
        let (array, me) = (shared::<u32>(0, 64), thread::index());
        for round in 0..3 {
            array.set(me ^ round, me);
            block::sync();
            array.get(63 - me);
            block::sync();
        }
    }
    let found = fault(launch(&blocks(1, 64), 0, write_after_write), FaultKind::Race);
    let words = format!("which thread 0 wrote at {}:{LINE}:", file!());
    check(&found, (0, 63, LINE), &["writes 4 bytes at byte 0", &words]);
    // Thread 0 has written its element before thread 32 reads it.
    let found = fault(launch(&blocks(1, 64), 0, write_after_read), FaultKind::Race);
    let words = format!("which thread 0 wrote at {}:{}:", file!(), LINE + 7);
    check(&found, (0, 32, LINE + 6), &["reads 4 bytes at byte 0", &words]);
    for config in orders(blocks(2, 64)) {
        fault(launch(&config, 0, write_after_write), FaultKind::Race);
        fault(launch(&config, 0, write_after_read), FaultKind::Race);
        launch(&config, 0, right).unwrap();
    }
}

#[test]
fn a_write_after_reads_of_another_warp() {
    const LINE: u32 = line!() + 9;
    fn kernel(writer: u64) {
        let (array, me) = (shared::<f32>(0, 1), thread::index());
        if me == 0 {
            array.set(0, 1.0);
        }
        block::sync();
        if u64::from(me) == writer {
            // Runs last: it has the highest index.
            array.set(0, 2.0);
        } else if me == 7 || me == 8 {
            array.get(0);
        }
    }
    let found = fault(launch(&blocks(1, 96), 95, kernel), FaultKind::Race);
    let read = format!("which thread 7 read at {}:{}:", file!(), LINE + 2);
    check(&found, (0, 95, LINE), &["writes 4 bytes", &read]);
    launch(&blocks(1, 96), 96, kernel).unwrap();
}

#[test]
fn races_within_a_warp() {
    const LINE: u32 = line!() + 3;
    fn kernel(how: u64) {
        let (array, me) = (shared::<f64>(8, 32), thread::index());
        array.set(me, 1.0);
        match how {
            0 => warp::sync(),
            1 => block::sync(),
            2 => assert!(warp::any(true)),
            _ => assert_eq!(warp::shuffle_xor(1.0_f64, 1), 1.0),
        }
        array.get(me ^ 1);
    }
    for config in orders(blocks(1, 32)) {
        launch(&config, 0, kernel).unwrap();
        launch(&config, 1, kernel).unwrap();
        for how in [2, 3] {
            // Votes and shuffles wait for the lanes but order no memory.
            let found = fault(launch(&config, how, kernel), FaultKind::Race);
            let thread = found.thread.expect("a thread met it");
            let other = format!("thread {} wrote at {}:{LINE}:", thread ^ 1, file!());
            check(&found, (0, thread, LINE + 7), &[&other, "reads 8 bytes at byte"]);
        }
    }
}

#[test]
fn shared_memory_that_nobody_has_written() {
    const LINE: u32 = line!() + 6;
    fn kernel(_: u64) {
        let array = shared::<u32>(0, 32);
        if thread::block_index() == 0 {
            array.set(thread::index(), 1);
        }
        array.get(thread::index());
    }
    launch(&blocks(1, 32), 0, kernel).unwrap();
    let found = fault(launch(&blocks(2, 32), 0, kernel), FaultKind::Uninitialised);
    check(
        &found,
        (1, 0, LINE),
        &["reads 4 bytes at byte 0", "no thread has written yet: a barrier is missing"],
    );
    // Nor can the kernel read what the last launch left there.
    let found = fault(
        launch(&blocks(1, 32), 0_u64, |_| assert_eq!(shared::<u64>(0, 2).get(1), 0)),
        FaultKind::Uninitialised,
    );
    assert_eq!((found.block, found.thread), (Some(0), Some(0)));
}

#[test]
fn shared_memory_out_of_its_bounds() {
    fn kernel(len: u64) {
        shared::<u64>(8, 32).set(thread::index() + len as u32, 1);
    }
    fn unaligned(_: u64) {
        shared::<u64>(4, 32).set(thread::index(), 1);
    }
    const LINE: u32 = line!() - 5;
    let exact = LaunchConfig { shared_bytes: 8 * 33, ..blocks(1, 32) };
    launch(&exact, 0, kernel).unwrap();
    let found = fault(launch(&exact, 1, kernel), FaultKind::Trap);
    check(
        &found,
        (0, 31, LINE),
        &["an index is out of bounds: element 32 of a shared array of 32"],
    );
    let short = LaunchConfig { shared_bytes: 8 * 33 - 1, ..blocks(1, 32) };
    let found = fault(launch(&short, 0, kernel), FaultKind::OutOfBounds);
    check(&found, (0, 31, LINE), &["writes 8 bytes at byte 256 of shared memory, which has 263"]);
    let found = fault(launch(&exact, 0, unaligned), FaultKind::Misaligned);
    check(&found, (0, 0, LINE + 3), &["at byte 4"]);
}

#[test]
fn blocks_that_wait_for_ever() {
    const LINE: u32 = line!() + 7;
    fn kernel((slots, silent): (Array<u64>, u64)) {
        let exchange = Exchange::new(slots.view(), thread::grid_dim(), 1);
        if thread::index() == 0 && u64::from(thread::block_index()) != silent {
            exchange.post::<f32>(1, thread::block_index(), fitness(1.0));
        }
        if thread::warp() == 0 {
            exchange.collect::<f32, 4>(1);
        }
        block::sync();
    }
    let mut slots = vec![0; 2 * 4];
    let together = LaunchConfig { cooperative: true, ..blocks(4, 64) };
    for config in orders(together) {
        slots.fill(0);
        launch(&config, (Array::of(&mut slots), 9), kernel).unwrap();
        slots.fill(0);
        let found = fault(launch(&config, (Array::of(&mut slots), 2), kernel), FaultKind::Deadlock);
        let block = found.block.expect("a thread met it");
        check(&found, (block, 2, LINE), &["4 of 256 threads spin"]);
    }
    slots.fill(0);
    let apart = launch(&blocks(4, 64), (Array::of(&mut slots), 9), kernel);
    check(&fault(apart, FaultKind::Deadlock), (0, 1, LINE), &["the launch is not cooperative"]);
}

fn fitness(value: f32) -> warpswarm_core::order::Fitness<f32> {
    warpswarm_core::order::Fitness { violation: 0.0, value }
}

#[test]
fn a_divergence_beside_spinning_blocks() {
    const LINE: u32 = line!() + 5;
    fn kernel(slots: Array<u64>) {
        if thread::block_index() == 0 {
            Exchange::new(slots.view(), 2, 1).collect::<f32, 4>(1);
        } else if thread::index() < 8 {
            block::sync();
        }
    }
    let mut slots = vec![0; 4];
    let config = LaunchConfig { cooperative: true, ..blocks(2, 32) };
    let found = launch(&config, Array::of(&mut slots), kernel);
    check(&fault(found, FaultKind::DivergentBarrier), (1, 0, LINE), &["8 of 32 threads"]);
}

#[test]
fn blocks_larger_than_the_kernel_allows() {
    const LINE: u32 = line!() + 2;
    fn kernel(_: u64) {
        entry::max_block::<64>();
    }
    launch(&blocks(2, 64), 0, kernel).unwrap();
    let found = fault(launch(&blocks(2, 96), 0, kernel), FaultKind::BlockTooLarge);
    check(&found, (0, 0, LINE), &["96 threads a block, the kernel at most 64"]);
}

#[test]
fn kernels_that_panic_or_give_up() {
    const LINE: u32 = line!() + 5;
    fn kernel(limit: u64) {
        let table = [0, 1, 2, 3];
        if thread::global_index() >= limit {
            let i = thread::index() as usize;
            std::hint::black_box(table[std::hint::black_box(i + 4)]);
        }
        block::sync();
    }
    for config in orders(blocks(2, 64)) {
        let found = fault(launch(&config, 70, kernel), FaultKind::Panic);
        let thread = found.thread.expect("a thread met it");
        check(&found, (1, thread, LINE), &["index out of bounds: the len is 4"]);
        launch(&config, 128, kernel).unwrap();
    }
    let formatted = |limit: u64| assert!(limit == 3, "the limit is {limit}");
    let found = fault(launch(&blocks(1, 32), 2_u64, formatted), FaultKind::Panic);
    assert_eq!(found.message, "the limit is 2");
    let odd = |_: u64| std::panic::panic_any(7);
    fault(launch(&blocks(1, 32), 2_u64, odd), FaultKind::Panic);
    let abort = |_: u64| thread::abort();
    check(&fault(launch(&blocks(1, 32), 2_u64, abort), FaultKind::Trap), (0, 0, line!() - 1), &[]);
}

#[test]
fn panics_outside_of_kernels_are_nobodys_business() {
    launch(&blocks(1, 32), 0_u64, |_| ()).unwrap();
    let outside = std::panic::catch_unwind(block::sync).unwrap_err();
    let message = outside.downcast_ref::<&str>().expect("a text");
    assert_eq!(*message, "a device function was called outside of a kernel");
}

#[test]
fn arguments_of_the_wrong_size() {
    let entry = Entry::new::<[u64; 3]>("kernel", |_| ());
    assert_eq!((entry.name(), entry.argument_bytes()), ("kernel", 24));
    for bytes in [0, 23, 25, 24] {
        // SAFETY: any bytes are an array of integers.
        let result =
            unsafe { emulator::launch(&entry, &blocks(1, 32), &vec![MaybeUninit::new(0); bytes]) };
        if bytes == 24 {
            result.unwrap();
            continue;
        }
        let found = fault(result, FaultKind::Argument);
        let line = format!("kernel: wrong argument: {bytes} bytes were given, the kernel takes 24");
        assert_eq!(found.to_string(), line);
    }
}

#[test]
fn sizes_that_no_gpu_takes() {
    for (grid, block) in [(0, 32), (1, 0), (1, 33), (1, 1056), (u32::MAX, 1024)] {
        let result = launch(&blocks(grid, block), 0_u64, |_| ());
        assert_eq!(fault(result, FaultKind::Launch).block, None);
    }
    launch(&blocks(1, 1024), 0_u64, |_| block::sync()).unwrap();
}

#[test]
fn a_kernel_that_launches_a_kernel() {
    fn kernel(inner: Array<u32>) {
        let result = launch(&blocks(1, 32), 0_u64, |_| ());
        inner.view().set(thread::index() as usize, u32::from(result.is_err()));
    }
    let mut refused = vec![0; 32];
    launch(&blocks(1, 32), Array::of(&mut refused), kernel).unwrap();
    assert_eq!(refused, [1; 32]);
}

#[test]
fn a_fault_leaves_nothing_behind() {
    static ALIVE: AtomicU32 = AtomicU32::new(0);
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    fn kernel(bad: u64) {
        let _guard = Guard;
        ALIVE.fetch_add(1, Ordering::Relaxed);
        block::sync();
        if thread::index() == 99 && bad == 1 {
            warp::sync();
        }
        block::sync();
    }
    for round in 0..200 {
        let result = launch(&blocks(2, 128), round % 2, kernel);
        assert_eq!(result.is_err(), round % 2 == 1);
        assert_eq!(ALIVE.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn launches_on_several_operating_system_threads() {
    fn kernel((bad, out): (u64, Array<u64>)) {
        let i = thread::global_index() as usize;
        let array = shared::<u64>(0, 64);
        array.set(thread::index(), bad);
        for _ in 0..50 {
            block::sync();
        }
        if thread::index() as u64 == bad {
            thread::abort();
        }
        out.view().set(i, array.get(63 - thread::index()));
    }
    std::thread::scope(|scope| {
        for bad in 0..8 {
            scope.spawn(move || {
                for _ in 0..20 {
                    let mut out = vec![0; 3 * 64];
                    let found = launch(&blocks(3, 64), (bad, Array::of(&mut out)), kernel);
                    assert_eq!(fault(found, FaultKind::Trap).thread, Some(bad as u32));
                    let good = bad + 64;
                    launch(&blocks(3, 64), (good, Array::of(&mut out)), kernel).unwrap();
                    assert_eq!(out, [good; 3 * 64]);
                }
            });
        }
    });
}

#[test]
fn more_threads_than_the_process_can_hold() {
    let cooperative = |grid| LaunchConfig { cooperative: true, ..blocks(grid, 1024) };
    let found = fault(launch(&cooperative(25), 0_u64, |_| ()), FaultKind::Launch);
    assert!(found.message.contains("25600 threads at once"), "{found}");
    // Any number of threads one after the other; at the same time, a launch that finds too few stacks waits.
    launch(&blocks(60, 1024), 0_u64, |_| block::sync()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| launch(&cooperative(9), 0_u64, |_| block::sync()).unwrap());
        }
    });
}

#[test]
fn a_seed_gives_an_order() {
    fn kernel((ticket, order): (Array<u32>, Array<u32>)) {
        block::sync();
        let place = ticket.view().atomic_u32(0, 0).add_acq_rel(1);
        order.view().set(place as usize, thread::global_index() as u32);
    }
    let order = |shuffle_seed| {
        let (mut ticket, mut order) = (vec![0], vec![0; 192]);
        let config = LaunchConfig { shuffle_seed, ..blocks(3, 64) };
        launch(&config, (Array::of(&mut ticket), Array::of(&mut order)), kernel).unwrap();
        order
    };
    assert_eq!(order(None), (0..192).collect::<Vec<_>>());
    assert_eq!(order(Some(1)), order(Some(1)));
    assert_ne!(order(Some(1)), order(Some(2)));
    let mut sorted = order(Some(3));
    sorted.sort_unstable();
    assert_eq!(sorted, order(None));
}

#[test]
fn blocks_of_a_cluster_that_never_meet_or_write_beside_each_other() {
    const LINE: u32 = line!() + 3;
    fn leave(stays: u64) {
        if u64::from(thread::block_index() % 2) == stays {
            cluster::sync();
        }
    }
    let near = |cluster| LaunchConfig { cluster, ..blocks(4, 32) };
    let found = fault(launch(&near(2), 1, leave), FaultKind::DivergentBarrier);
    check(&found, (1, 0, LINE), &["32 of 64 threads", "cluster::sync", "32 have left"]);
    launch(&near(2), 0_u64, |_| cluster::sync()).unwrap();

    let found = fault(launch(&blocks(4, 32), 0_u64, |_| cluster::needed()), FaultKind::Launch);
    assert!(found.message.contains("the launch has none"), "{found}");
    for config in [near(3), near(17), LaunchConfig { cooperative: true, ..near(2) }] {
        let found = fault(launch(&config, 0_u64, |_| ()), FaultKind::Launch);
        assert!(found.message.contains("clusters of"), "{found}");
    }

    const UNCLEARED: u32 = line!() + 2;
    fn uncleared(blocks: u64) {
        NearBoard::new(shared(0, 4), blocks as u32).keep(3, 1);
    }
    let found = fault(launch(&near(2), 2, uncleared), FaultKind::Uninitialised);
    check(&found, (0, 0, UNCLEARED), &["writes 8 bytes at byte 24"]);
    fn beyond(blocks: u64) {
        let board = NearBoard::new(shared(0, 4), blocks as u32);
        board.clear(4);
        if thread::warp() == 0 {
            NearBoard::new(shared(0, 4), 3).show(0, 1);
        }
    }
    let found = fault(launch(&near(2), 2, beyond), FaultKind::Trap);
    assert!(found.message.contains("outside of its cluster"), "{found}");
    fn late(blocks: u64) {
        let board = NearBoard::new(shared(0, 4), blocks as u32);
        board.clear(4);
        cluster::sync();
        if thread::block_index() == 0 {
            block::sync();
            board.kept(1, 0);
        }
    }
    let found = fault(launch(&near(2), 2, late), FaultKind::Trap);
    assert!(found.message.contains("a block that has ended"), "{found}");
}
