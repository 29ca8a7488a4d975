//! Bulk copies: the results of a pipeline of them, and the emulator's reports on copies in the wrong order.

mod common;

use common::{Aligned, Array, blocks, fault, launch, orders, shared};
use warpswarm_device::bulk::{self, ByteBarrier};
use warpswarm_device::emulator::FaultKind;
use warpswarm_device::shared::SharedArray;
use warpswarm_device::{thread, warp};

/// Numbers of a row, and rows of a warp.
const ROW: u32 = 36;
const ROWS: u32 = 5;
/// The start of the barriers and of the stages.
const BARRIERS: u32 = 0;
const STAGES: u32 = 64;

/// Barrier and row of stage `s` of this warp.
fn stage(s: u32) -> (ByteBarrier, SharedArray<f32>) {
    let number = 2 * thread::warp() + s;
    let row = shared(STAGES, 4 * ROW).part(number * ROW, ROW);
    (ByteBarrier::new(shared(BARRIERS + 8 * number, 1)), row)
}

/// Starts a copy of row `k` of the warp.
fn begin(array: &Array<f32>, k: u32) {
    let (barrier, row) = stage(k % 2);
    if thread::lane() == 0 && k < ROWS {
        let first = (thread::warp() * ROWS + k) * ROW;
        barrier.expect(4 * ROW);
        bulk::copy_in(array.view().part(first as usize, ROW as usize), row, barrier);
    }
}

/// Moves all rows of the array through two stages a warp; number `i` of a row becomes `2 x + i`.
fn pipeline(array: Array<f32>) {
    bulk::needed();
    if thread::lane() == 0 {
        stage(0).0.init();
        stage(1).0.init();
    }
    warp::sync();
    begin(&array, 0);
    begin(&array, 1);
    for k in 0..ROWS {
        let (barrier, row) = stage(k % 2);
        barrier.wait(k / 2);
        let mut i = 2 * thread::lane();
        while i < ROW {
            let [a, b] = row.get2(i);
            row.set2(i, [2.0 * a + i as f32, 2.0 * b + (i + 1) as f32]);
            i += 64;
        }
        bulk::show();
        warp::sync();
        if thread::lane() == 0 {
            let first = (thread::warp() * ROWS + k) * ROW;
            bulk::copy_out(array.view().part(first as usize, ROW as usize), row);
            bulk::have_read();
        }
        begin(&array, k + 2);
    }
    bulk::have_written();
}

#[test]
fn a_pipeline_takes_every_row_there_and_back() {
    let numbers: Vec<f32> = (0..2 * ROWS * ROW).map(|i| 0.25 * i as f32).collect();
    let place = |i: usize| (i % ROW as usize) as f32;
    let expected: Vec<f32> = numbers.iter().enumerate().map(|(i, x)| 2.0 * x + place(i)).collect();
    for config in orders(blocks(1, 64)) {
        let mut array = Aligned::new(&numbers);
        launch(&config, array.array(), pipeline).unwrap();
        assert_eq!(array.slice(), expected);
    }
}

/// The fault of a kernel of one warp whose two barriers are ready.
#[track_caller]
fn broken(kind: FaultKind, kernel: fn(Array<f32>)) -> String {
    let mut array = Aligned::<f32>::zeroed((ROWS * ROW) as usize);
    let words = fault(launch(&blocks(1, 32), array.array(), kernel), kind).to_string();
    assert!(words.contains("tests/bulk.rs"), "{words}");
    words
}

fn ready() {
    if thread::lane() == 0 {
        stage(0).0.init();
    }
    warp::sync();
}

#[test]
fn stages_used_in_the_wrong_order() {
    let words = broken(FaultKind::Race, |array| {
        ready();
        begin(&array, 0);
        // No lane has waited.
        stage(0).1.get(thread::lane());
    });
    assert!(words.contains("thread 0 wrote"), "{words}");
    let words = broken(FaultKind::Race, |array| {
        ready();
        begin(&array, 0);
        let (barrier, row) = stage(0);
        barrier.wait(0);
        row.get(thread::lane());
        // Lanes may still be reading.
        if thread::lane() == 31 {
            barrier.expect(4 * ROW);
            bulk::copy_in(array.view().part(0, ROW as usize), row, barrier);
        }
    });
    assert!(words.contains("read at"), "{words}");
    broken(FaultKind::Race, |array| {
        ready();
        let row = stage(0).1;
        row.set(thread::lane(), 1.0);
        // Lanes may still be writing.
        if thread::lane() == 31 {
            bulk::copy_out(array.view().part(0, 32), row);
        }
    });
}

#[test]
fn waits_in_vain_and_bytes_that_nobody_expects() {
    let words = broken(FaultKind::Deadlock, |array| {
        ready();
        begin(&array, 0);
        stage(0).0.wait(0);
        stage(0).0.wait(1);
    });
    assert!(words.contains("nobody has begun"), "{words}");
    let words = broken(FaultKind::Deadlock, |array| {
        ready();
        let (barrier, row) = stage(0);
        if thread::lane() == 0 {
            barrier.expect(4 * ROW);
            bulk::copy_in(array.view().part(0, ROW as usize - 4), row, barrier);
        }
        barrier.wait(0);
    });
    assert!(words.contains("nobody has begun"), "{words}");
    let words = broken(FaultKind::Trap, |array| {
        ready();
        let (barrier, row) = stage(0);
        if thread::lane() == 0 {
            bulk::copy_in(array.view().part(0, ROW as usize), row, barrier);
            barrier.expect(4 * ROW);
        }
    });
    assert!(words.contains("more bytes than its barrier expects"), "{words}");
    let words = broken(FaultKind::Trap, |_| {
        ready();
        if thread::lane() == 0 {
            stage(0).0.expect(16);
            stage(0).0.expect(16);
        }
    });
    assert!(words.contains("before the last ones came"), "{words}");
    broken(FaultKind::Uninitialised, |array| begin(&array, 0));
}

#[test]
fn copies_that_the_gpu_does_not_take() {
    fn copied(array: Array<f32>, (from, count): (usize, usize), to: u32) {
        ready();
        if thread::lane() == 0 {
            let (barrier, row) = stage(0);
            barrier.expect(4 * count as u32);
            let row = row.part(to, ROW - to);
            bulk::copy_in(array.view().part(from, count), row, barrier);
        }
    }
    broken(FaultKind::Misaligned, |array| copied(array, (1, 4), 0));
    broken(FaultKind::Misaligned, |array| copied(array, (0, 4), 2));
    broken(FaultKind::Misaligned, |array| copied(array, (0, 6), 0));
    broken(FaultKind::Trap, |array| copied(array, (0, ROW as usize + 4), 0));
    broken(FaultKind::Trap, |array| copied(array, ((ROWS * ROW) as usize - 4, 8), 0));
}
