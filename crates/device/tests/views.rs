//! Views, shared arrays, thread indices and the table of entries.

mod common;

use core::mem::offset_of;

use common::{Aligned, Array, blocks, launch, orders, shared};
use warpswarm_core::launch::Control;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;
use warpswarm_device::emulator;
use warpswarm_device::shared::Stored;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread};

fn stream_kernel<R: DeviceReal>((x, y): (Array<R>, Array<R>)) {
    let (x, y) = (x.view(), y.view());
    let i = 4 * thread::global_index() as usize;
    let (from, to) = (x.row(i, 4), y.row(i, 4));
    let [a, b, c, d] = from.stream4(0, R::ONE);
    to.set_stream4(0, [d, c, b, a]);
    // Beyond the end of the row: the caller's value, and no write.
    assert_eq!(from.stream4(4, -R::ONE), [-R::ONE; 4]);
    to.set_stream4(4, [R::ONE; 4]);
    assert_eq!(from.stream2(2, R::ONE), [c, d]);
    to.set_stream2(0, [d, c]);
    to.set(3, [a]);
    assert_eq!((from.get(0, R::ONE), from.get(4, -R::ONE)), ([a], [-R::ONE]));
    assert_eq!(y.part(i, 4).get(3), x.get(i));
    assert_eq!(y.get_shared(i), x.get_shared(i + 3));
}

#[test]
fn streams_of_four() {
    fn check<R: DeviceReal + Default>() {
        let items: Vec<R> = (0..512).map(R::from_u32).collect();
        let (mut x, mut y) = (Aligned::new(&items), Aligned::zeroed(512));
        launch(&blocks(2, 64), (x.array(), y.array()), stream_kernel::<R>).unwrap();
        for (x, y) in items.chunks(4).zip(y.slice().chunks(4)) {
            assert_eq!([x[3], x[2], x[1], x[0]], y);
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn fields_and_counters() {
    fn kernel(control: Array<Control>) {
        let (control, run) = (control.view(), thread::block_index() as usize);
        let ticket = control.atomic_u32(run, offset_of!(Control, ticket));
        assert!(ticket.add_acq_rel(2) < 2 * thread::block_dim());
        control
            .atomic_u64(run, offset_of!(Control, not_finite))
            .add_relaxed(u64::from(thread::index()));
        block::sync();
        if thread::index() == 5 {
            let improved_at = control.field::<u64>(run, offset_of!(Control, improved_at));
            improved_at.store_relaxed(0, 7 + improved_at.load_relaxed(0));
        }
    }
    for config in orders(blocks(3, 64)) {
        let mut control = vec![Control { improved_at: 10, ..Control::default() }; 3];
        launch(&config, Array::of(&mut control), kernel).unwrap();
        let expected =
            Control { improved_at: 17, not_finite: 63 * 32, ticket: 128, ..Control::default() };
        assert_eq!(control, [expected; 3]);
    }
}

fn shared_kernel<T: Stored>((x, y): (Array<T>, Array<T>)) {
    let (me, threads) = (thread::index(), thread::block_dim());
    let array = shared::<T>(24, threads);
    array.set(me, x.view().get(me as usize));
    block::sync();
    let half = array.part(threads / 2, threads / 2);
    let value = if me < threads / 2 { half.get(me) } else { array.get(me - threads / 2) };
    y.view().set(me as usize, value);
}

#[test]
fn shared_arrays_of_every_type() {
    fn check<T: Stored + PartialEq + core::fmt::Debug>(item: impl Fn(u32) -> T) {
        let mut x: Vec<T> = (0..96).map(item).collect();
        let mut y = vec![x[0]; 96];
        launch(&blocks(1, 96), (Array::of(&mut x), Array::of(&mut y)), shared_kernel).unwrap();
        let rotated = [&x[48..], &x[..48]].concat();
        assert_eq!(y, rotated);
        assert_eq!(size_of::<T>() as u32, T::BYTES);
    }
    fn candidate<R: Float>(i: u32) -> Candidate<R> {
        let (violation, value) = (R::from_u32(i * i), R::from_f64(f64::from(i) * -0.7));
        Candidate::new(Fitness { violation, value }, i + 9)
    }
    check(|i| i.wrapping_mul(0x9E37_79B9));
    check(|i| u64::from(i).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    check(|i| i as f32 * -0.3);
    check(|i| f64::from(i) * -0.3);
    check(candidate::<f32>);
    check(candidate::<f64>);
}

#[test]
fn threads_know_where_they_are() {
    fn kernel(out: Array<[u32; 6]>) {
        let here = [
            thread::index(),
            thread::block_index(),
            thread::block_dim(),
            thread::grid_dim(),
            thread::lane(),
            thread::warp(),
        ];
        out.view().set(thread::global_index() as usize, here);
    }
    for cooperative in [false, true] {
        let mut out = vec![[0; 6]; 3 * 96];
        let config = emulator::LaunchConfig { cooperative, ..blocks(3, 96) };
        launch(&config, Array::of(&mut out), kernel).unwrap();
        for (i, here) in out.into_iter().enumerate() {
            let i = i as u32;
            assert_eq!(here, [i % 96, i / 96, 96, 3, i % 32, i % 96 / 32]);
        }
    }
}

warpswarm_device::entries! {
    /// Two kernels.
    pub fn table {
        "double_f32" => |array: Array<f32>| double(array),
        concat!("double_", "f64") => |array: Array<f64>| double(array),
    }
}

fn double<R: DeviceReal>(array: Array<R>) {
    let (view, i) = (array.view(), thread::global_index() as usize);
    view.set(i, view.get(i) * R::TWO);
}

#[test]
fn the_table_of_entries_is_what_the_macro_was_given() {
    let names: Vec<_> = table().iter().map(emulator::Entry::name).collect();
    assert_eq!(names, ["double_f32", "double_f64"]);
    let mut items: Vec<f64> = (0..64).map(f64::from).collect();
    let argument = Array::of(&mut items);
    let at = (&raw const argument).cast();
    // SAFETY: the argument is the entry's, and its array outlives the launch.
    let result = unsafe {
        let bytes = std::slice::from_raw_parts(at, size_of_val(&argument));
        emulator::launch(&table()[1], &blocks(2, 32), bytes)
    };
    result.unwrap();
    assert_eq!(items, (0..64).map(|i| f64::from(2 * i)).collect::<Vec<_>>());
}
