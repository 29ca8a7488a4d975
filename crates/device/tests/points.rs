//! However many lanes hold a point, its sums, products and coordinates have the bits of `SlicePoint`.

mod common;

use common::{Aligned, Array, blocks, launch, orders, shared};
use warpswarm_core::launch::row_stride;
use warpswarm_core::objective::{Point, SlicePoint};
use warpswarm_core::real::Float;
use warpswarm_device::emulator::LaunchConfig;
use warpswarm_device::point::{ThreadPoint, TilePoint, WarpPoint, coordinate};
use warpswarm_device::shared::SharedArray;
use warpswarm_device::view::{DeviceReal, View};
use warpswarm_device::{thread, warp};

const DIMENSIONS: [u32; 11] = [1, 2, 3, 4, 30, 31, 32, 33, 64, 100, 128];
const QUESTIONS: usize = 10;
const BLOCK: u32 = 64;

/// The results of all methods of a point, as bits; without `gathers` only those that every point supports.
fn ask<R: Float, P: Point<R>>(x: &P, gathers: bool) -> [u64; QUESTIONS] {
    let weight = |i: usize| R::from_u32(i as u32 % 7) - R::from_f64(2.5);
    let data = |k: usize| R::from_u32((k * 7919 % 1009) as u32) * R::from_f64(1e-3) - R::HALF;
    let mut answers = [0; QUESTIONS];
    answers[0] = x.dimensions() as u64;
    answers[1] = x.sum(|_, x| x).to_bits64();
    answers[2] = x.sum(|i, x| x * x * weight(i) + R::HALF).to_bits64();
    answers[3] = x.product(|i, x| x * weight(i)).to_bits64();
    answers[4] = x.sum(|_, _| -R::ZERO).to_bits64();
    answers[5] = x.sum_terms(1, data).to_bits64();
    answers[6] = x.sum_terms(77, data).to_bits64();
    answers[7] = x.sum_terms(2500, |k| data(k) * weight(k)).to_bits64();
    if gathers {
        answers[8] = x.sum_of_prefixes(|_, x| x, |i, s| s * s * weight(i)).to_bits64();
        for i in 0..x.dimensions() {
            answers[9] = answers[9].rotate_left(7) ^ x.get(i).to_bits64();
        }
    }
    answers
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Args<R> {
    /// `[particle][place]`
    rows: Array<R>,
    /// `[thread][question]`
    answers: Array<u64>,
    dimensions: u32,
    gathers: u32,
}

impl<R: DeviceReal> Args<R> {
    fn row(&self, particle: u32) -> View<R> {
        let stride = row_stride(self.dimensions) as usize;
        self.rows.view().part(particle as usize * stride, stride)
    }

    fn answer<P: Point<R>>(&self, point: &P) {
        let first = thread::index() as usize * QUESTIONS;
        for (k, answer) in ask(point, self.gathers == 1).into_iter().enumerate() {
            self.answers.view().set(first + k, answer);
        }
    }
}

fn by_thread<R: DeviceReal>(args: Args<R>) {
    args.answer(&ThreadPoint::new(args.row(thread::index()), args.dimensions as usize));
}

fn by_warp<R: DeviceReal>(args: Args<R>) {
    args.answer(&WarpPoint::new(args.row(thread::warp()), args.dimensions as usize));
}

fn by_tile<R: DeviceReal, const LANES: u32, const K: usize>(args: Args<R>) {
    let particle = thread::index() / LANES;
    let row = args.row(particle);
    let mut own = [R::ZERO; K];
    for (k, x) in own.iter_mut().enumerate() {
        let i = coordinate::<LANES>(thread::lane(), k);
        if i < args.dimensions as usize {
            *x = row.get(i);
        }
    }
    let places = LANES * K as u32;
    let staged = (LANES > 1 || K > 2) && args.gathers == 1;
    let stages: SharedArray<R> = shared(0, if staged { BLOCK * K as u32 } else { 0 });
    let stage = if staged { stages.part(particle * places, places) } else { stages };
    let dimensions = args.dimensions as usize;
    // Another point first, so that the stage is used twice.
    let other = TilePoint::<R, LANES, K>::new([R::ONE; K], dimensions, stage);
    let mut point = TilePoint::<R, LANES, K>::new(own, dimensions, stage);
    if staged && LANES == 1 {
        for (k, x) in own.into_iter().enumerate() {
            stage.set(k as u32, x);
        }
        let of_stage = TilePoint::<R, 1, K>::of_stage(dimensions, stage);
        point = TilePoint::new(of_stage.own, dimensions, stage);
    } else if staged {
        other.show();
        if dimensions > 0 {
            assert_eq!(other.get(dimensions - 1), R::ONE);
        }
        point.show();
    }
    args.answer(&point);
    warp::sync();
}

fn check<R: DeviceReal>(lanes: u32, per_lane: u32, dimensions: u32, kernel: fn(Args<R>)) {
    let (particles, stride) = (BLOCK / lanes, row_stride(dimensions));
    let mut items = vec![R::ZERO; (particles * stride) as usize];
    for (n, row) in items.chunks_mut(stride as usize).enumerate() {
        for (i, x) in row[..dimensions as usize].iter_mut().enumerate() {
            let digits = ((i * 7919 + n * 104_729 + 13) % 20_011) as f64;
            *x = R::from_f64((digits - 1e4) * [1e-6, 1e-4, 1e-2, 0.5][(i + n) % 4]);
        }
    }
    let mut rows = Aligned::zeroed(items.len());
    rows.slice().copy_from_slice(&items);
    let shared_bytes = BLOCK * per_lane * 4 * R::WORDS as u32;
    for config in orders(LaunchConfig { shared_bytes, ..blocks(1, BLOCK) }) {
        for gathers in [true, false] {
            let mut answers = vec![0; BLOCK as usize * QUESTIONS];
            let args = Args {
                rows: rows.array(),
                answers: Array::of(&mut answers),
                dimensions,
                gathers: u32::from(gathers),
            };
            launch(&config, args, kernel).unwrap();
            for (thread, answers) in answers.chunks(QUESTIONS).enumerate() {
                let first = thread / lanes as usize * stride as usize;
                let point = SlicePoint(&items[first..first + dimensions as usize]);
                let expected = ask(&point, gathers);
                assert_eq!(answers, expected, "{lanes} lanes, {dimensions} dimensions, {thread}");
            }
        }
    }
}

#[test]
fn a_thread_holds_a_point() {
    for dimensions in DIMENSIONS.into_iter().chain([1025]) {
        check::<f32>(1, 0, dimensions, by_thread);
        check::<f64>(1, 0, dimensions, by_thread);
    }
}

#[test]
fn a_warp_holds_a_point() {
    for dimensions in DIMENSIONS.into_iter().chain([1023, 1024, 1025, 2049]) {
        check::<f32>(32, 0, dimensions, by_warp);
        check::<f64>(32, 0, dimensions, by_warp);
    }
}

fn check_tile<R: DeviceReal, const LANES: u32, const K: usize>() {
    for dimensions in DIMENSIONS.into_iter().filter(|&d| d <= LANES * K as u32) {
        check::<R>(LANES, K as u32, dimensions, by_tile::<R, LANES, K>);
    }
}

#[test]
fn a_tile_of_one_lane_holds_a_point() {
    check_tile::<f32, 1, 2>();
    check_tile::<f64, 1, 2>();
    check_tile::<f32, 1, 8>();
    check_tile::<f64, 1, 8>();
}

#[test]
fn a_tile_of_eight_lanes_holds_a_point() {
    check_tile::<f32, 8, 4>();
    check_tile::<f64, 8, 4>();
    check_tile::<f32, 8, 16>();
    check_tile::<f64, 8, 16>();
}

#[test]
fn tiles_of_other_widths_hold_a_point() {
    check_tile::<f32, 1, 64>();
    check_tile::<f64, 2, 16>();
    check_tile::<f32, 4, 8>();
    check_tile::<f64, 16, 2>();
    check_tile::<f32, 16, 8>();
    check_tile::<f64, 32, 4>();
}
