//! Every collective of warp, block and grid against a plain computation on the host.

#![allow(clippy::needless_range_loop, reason = "as in the workspace")]

mod common;

use common::{Array, blocks, launch, orders, shared};
use warpswarm_core::launch::slot_words;
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::real::Float;
use warpswarm_core::sum::{self, Operator, Product, Sum};
use warpswarm_device::cluster::{self, NearBoard};
use warpswarm_device::emulator::LaunchConfig;
use warpswarm_device::grid::{self, Board, Exchange};
use warpswarm_device::shared::Stored;
use warpswarm_device::view::DeviceReal;
use warpswarm_device::{block, thread, warp};

/// Numbers of all sizes and signs; the same for the same `seed`.
fn numbers<R: Float>(seed: u64, count: usize) -> Vec<R> {
    let number = |i: usize| {
        let mut z = (seed << 32 | i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z ^= z >> 32;
        let magnitude = [1e-3, 1.0, 7.0, 1e4][(z >> 40) as usize % 4];
        R::from_f64(((z % 2_000_001) as f64 - 1e6) * 1e-6 * magnitude)
    };
    (0..count).map(number).collect()
}

/// An operator to which the grouping of its operands matters.
struct Grouping;
impl<R: Float> Operator<R> for Grouping {
    fn identity() -> R {
        R::ZERO
    }
    fn combine(a: R, b: R) -> R {
        (a + b) * R::from_f64(1.25)
    }
}

fn join_kernel<R: DeviceReal, O: Operator<R>, const LANES: u32>((x, y): (Array<R>, Array<R>)) {
    let i = thread::global_index() as usize;
    y.view().set(i, warp::join::<R, O, LANES>(x.view().get(i)));
}

fn check_join<R: DeviceReal, O: Operator<R>, const LANES: u32, const N: usize>() {
    for config in orders(blocks(2, 64)) {
        let (mut x, mut y) = (numbers::<R>(1, 128), vec![R::ZERO; 128]);
        let arguments = (Array::of(&mut x), Array::of(&mut y));
        launch(&config, arguments, join_kernel::<R, O, LANES>).unwrap();
        for i in 0..128 {
            let first = i / N * N;
            let leaves: [R; N] = x[first..first + N].try_into().expect("N numbers");
            let expected = sum::join::<R, O, N>(leaves);
            assert_eq!(y[i].to_bits64(), expected.to_bits64(), "{LANES} lanes, thread {i}");
        }
    }
}

#[test]
fn warp_join_is_the_join_of_sum() {
    fn check<R: DeviceReal, O: Operator<R>>() {
        check_join::<R, O, 1, 1>();
        check_join::<R, O, 2, 2>();
        check_join::<R, O, 4, 4>();
        check_join::<R, O, 8, 8>();
        check_join::<R, O, 16, 16>();
        check_join::<R, O, 32, 32>();
    }
    check::<f32, Sum>();
    check::<f64, Sum>();
    check::<f32, Product>();
    check::<f64, Product>();
    check::<f32, Grouping>();
    check::<f64, Grouping>();
}

#[test]
fn votes_minima_and_shuffles() {
    fn kernel((x, y): (Array<f64>, Array<u64>)) {
        let (me, lane) = (thread::index(), thread::lane());
        let mine = x.view().get(me as usize);
        let results = [
            u64::from(warp::any(mine > 1.0)),
            u64::from(warp::any(mine > 1e9)),
            u64::from(warp::ballot(mine > 0.0)),
            u64::from(warp::min((mine * 1e3) as i32 as u32)),
            warp::shuffle_xor(mine, 5).to_bits(),
            warp::shuffle(mine, (lane * 7 + 3) % 32).to_bits(),
            u64::from(warp::shuffle(mine as f32, 31).to_bits()),
            u64::from(block::sync_or(me == 77)),
            u64::from(block::sync_or(false)),
            u64::from(block::sync_count(me % 5 == 1)),
        ];
        for (k, result) in results.into_iter().enumerate() {
            y.view().set(10 * me as usize + k, result);
        }
    }
    for config in orders(blocks(1, 96)) {
        let (mut x, mut y) = (numbers::<f64>(2, 96), vec![0_u64; 10 * 96]);
        launch(&config, (Array::of(&mut x), Array::of(&mut y)), kernel).unwrap();
        for (i, results) in y.chunks(10).enumerate() {
            let (lane, lanes) = (i % 32, &x[i / 32 * 32..][..32]);
            let ballot = (0..32).fold(0, |bits, k| bits | u64::from(lanes[k] > 0.0) << k);
            let minimum = lanes.iter().map(|x| (x * 1e3) as i32 as u32).min().unwrap();
            let expected = [
                u64::from(lanes.iter().any(|&x| x > 1.0)),
                0,
                ballot,
                u64::from(minimum),
                lanes[lane ^ 5].to_bits(),
                lanes[(lane * 7 + 3) % 32].to_bits(),
                u64::from((lanes[31] as f32).to_bits()),
                1,
                0,
                19,
            ];
            assert_eq!(results, expected, "thread {i}");
        }
    }
}

/// Fitnesses with many ties, and some infinities, NaN and absent ones.
fn candidates<R: Float>(seed: u64, count: usize, constrained: bool) -> Vec<Candidate<R>> {
    let draws = numbers::<f64>(seed, 2 * count);
    let special = [R::INFINITY, -R::INFINITY, R::NAN, R::MAX, -R::MAX];
    let one = |i: usize| {
        let (a, b) = (draws[2 * i].abs(), draws[2 * i + 1]);
        let pick = (a * 1e6) as usize;
        let value =
            if pick.is_multiple_of(7) { special[pick % 5] } else { R::from_f64((b * 3.0).round()) };
        let violation = if constrained { R::from_f64((a * 2.0).floor()) } else { R::ZERO };
        if pick.is_multiple_of(11) {
            return Candidate::NONE;
        }
        Candidate::new(Fitness { violation, value }.canonical(), i as u32)
    };
    (0..count).map(one).collect()
}

fn same<R: Float>(a: Candidate<R>, b: Candidate<R>) -> bool {
    let bits = |c: Candidate<R>| {
        (c.fitness.violation.to_bits64(), c.fitness.value.to_bits64(), c.index, c.reserved)
    };
    bits(a) == bits(b)
}

type BestArgs<R> = (Array<Candidate<R>>, Array<Candidate<R>>, Array<u32>, u64);

fn best_kernel<R: DeviceReal>((x, best, lane, constrained): BestArgs<R>) {
    let i = thread::global_index() as usize;
    let found = warp::best(x.view().get(i), constrained == 1);
    best.view().set(i, found.0);
    lane.view().set(i, found.1);
}

#[test]
fn warp_best_is_the_first_in_the_order() {
    fn check<R: DeviceReal>(constrained: bool) {
        for seed in 0..60 {
            let count = 64;
            let mut x = candidates::<R>(seed, count, constrained);
            if seed == 0 {
                x.fill(Candidate::NONE);
            }
            if seed == 1 {
                // Equal fitness everywhere, the lowest index in the middle of the warp.
                let fitness = Fitness { violation: R::ZERO, value: R::HALF };
                let equal = |i| Candidate::new(fitness, (i as u32 + 19) % 32);
                x = (0..count).map(equal).collect();
            }
            let (mut best, mut lane) = (vec![Candidate::<R>::NONE; count], vec![99; count]);
            let (x_of, best_of) = (Array::of(&mut x), Array::of(&mut best));
            let arguments = (x_of, best_of, Array::of(&mut lane), u64::from(constrained));
            launch(&blocks(1, 64), arguments, best_kernel::<R>).unwrap();
            for i in 0..count {
                let lanes = &x[i / 32 * 32..][..32];
                let expected = lanes.iter().copied().reduce(Candidate::better).unwrap();
                assert!(same(best[i], expected), "{:?} is not {expected:?}", best[i]);
                let holder = lanes.iter().position(|&c| same(c, expected)).unwrap();
                assert_eq!(lane[i], holder as u32);
            }
        }
    }
    for constrained in [false, true] {
        check::<f32>(constrained);
        check::<f64>(constrained);
    }
}

/// The better of two candidates.
struct Better;
impl<R: Float> Operator<Candidate<R>> for Better {
    fn identity() -> Candidate<R> {
        Candidate::NONE
    }
    fn combine(a: Candidate<R>, b: Candidate<R>) -> Candidate<R> {
        a.better(b)
    }
}

fn block_kernel<T: Stored, O: Operator<T>>((x, y): (Array<T>, Array<T>)) {
    let i = thread::global_index() as usize;
    let scratch = shared::<T>(16, thread::block_dim());
    y.view().set(i, block::reduce::<T, O>(x.view().get(i), scratch));
    block::sync();
    // The scratch may be used again.
    let again = block::reduce::<T, O>(x.view().get(i), scratch);
    y.view().set(i, again);
}

const BLOCK_SIZES: [u32; 9] = [32, 64, 96, 128, 160, 224, 512, 992, 1024];

#[test]
fn block_reduce_combines_all_threads() {
    fn check<R: DeviceReal>() {
        for block in BLOCK_SIZES {
            let config = LaunchConfig { shared_bytes: 16 + 24 * block, ..blocks(2, block) };
            for config in orders(config) {
                let count = 2 * block as usize;
                let mut x = candidates::<R>(u64::from(block), count, true);
                let mut y = vec![Candidate::<R>::NONE; count];
                let arguments = (Array::of(&mut x), Array::of(&mut y));
                launch(&config, arguments, block_kernel::<_, Better>).unwrap();
                // Whole numbers, whose sum is exact in any order.
                let mut terms: Vec<R> = (0..count).map(|i| R::from_u32(i as u32 % 17)).collect();
                let mut sums = vec![R::ZERO; count];
                let arguments = (Array::of(&mut terms), Array::of(&mut sums));
                launch(&config, arguments, block_kernel::<_, Sum>).unwrap();
                for i in 0..count {
                    let first = i / block as usize * block as usize;
                    let threads = first..first + block as usize;
                    let best = x[threads.clone()].iter().copied().reduce(Candidate::better);
                    assert!(same(y[i], best.unwrap()), "block {block}, thread {i}");
                    let sum = terms[threads].iter().fold(R::ZERO, |a, &b| a + b);
                    assert_eq!(sums[i].to_bits64(), sum.to_bits64(), "block {block}, thread {i}");
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

/// An operator whose result shows which operands were combined, and in which order: different trees of different terms
/// give different results. Zero stands for no operand.
struct Pairs;
impl Operator<u64> for Pairs {
    fn identity() -> u64 {
        0
    }
    fn combine(a: u64, b: u64) -> u64 {
        let mixed = |a: u64, b: u64| (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if a == 0 || b == 0 { a | b } else { mixed(a, b) }
    }
}

/// Checks the result of a tree reduction with [`Pairs`] in all threads of one block; threads beyond the terms have
/// none.
#[track_caller]
fn check_tree(block: u32, terms: &[u64], expected: u64) {
    for config in orders(LaunchConfig { shared_bytes: 16 + 8 * block, ..blocks(1, block) }) {
        let (mut x, mut y) = (vec![0; block as usize], vec![0; block as usize]);
        x[..terms.len()].copy_from_slice(terms);
        let arguments = (Array::of(&mut x), Array::of(&mut y));
        launch(&config, arguments, block_kernel::<_, Pairs>).unwrap();
        assert_eq!(y, vec![expected; block as usize], "block {block}");
    }
}

/// Figure 7 of the CPSO paper. A block here has at least a whole warp: the other 24 threads have no terms, and the
/// first two rounds change nothing.
#[test]
fn eight_threads_reduce_as_in_figure_7() {
    let c = Pairs::combine;
    let [v0, v1, v2, v3, v4, v5, v6, v7] = [3, 14, 15, 92, 65, 35, 89, 79];
    let [first0, first1, first2, first3] = [c(v0, v4), c(v1, v5), c(v2, v6), c(v3, v7)];
    let [second0, second1] = [c(first0, first2), c(first1, first3)];
    let third0 = c(second0, second1);
    check_tree(32, &[v0, v1, v2, v3, v4, v5, v6, v7], third0);
    // Combining neighbours first is a different tree, and the test distinguishes them.
    let neighbours = c(c(c(v0, v1), c(v2, v3)), c(c(v4, v5), c(v6, v7)));
    assert_ne!(third0, neighbours);
}

#[test]
fn the_lower_half_takes_in_the_upper_half_in_blocks_of_every_size() {
    for block in BLOCK_SIZES {
        let terms: Vec<u64> = (1..=u64::from(block)).collect();
        let mut row = terms.clone();
        while row.len() > 1 {
            // In a row of odd length the middle element waits.
            let upper = row.split_off(row.len().div_ceil(2));
            for (mine, other) in row.iter_mut().zip(upper) {
                *mine = Pairs::combine(*mine, other);
            }
        }
        check_tree(block, &terms, row[0]);
    }
}

fn last_kernel([ticket, row, seen, last]: [Array<u32>; 4]) {
    let (block, blocks) = (thread::block_index(), thread::grid_dim());
    let i = thread::global_index() as usize;
    row.view().set(i, i as u32 + 1);
    if grid::last_block(ticket.view().atomic_u32(0, 0), blocks) {
        let me = thread::index() as usize;
        last.view().set(me, block + 1);
        let mut sum = 0;
        for other in 0..blocks * thread::block_dim() {
            sum += row.view().get(other as usize);
        }
        seen.view().set(me, sum);
    }
}

#[test]
fn the_last_block_sees_what_all_others_wrote() {
    for grid in [1, 2, 7, 40] {
        let mut ticket = vec![0_u32];
        for cooperative in [false, true] {
            for config in orders(LaunchConfig { cooperative, ..blocks(grid, 64) }) {
                let count = 64 * grid;
                let mut row = vec![0_u32; count as usize];
                let (mut seen, mut last) = (vec![0_u32; 64], vec![0_u32; 64]);
                let arrays = [&mut ticket, &mut row, &mut seen, &mut last];
                launch(&config, arrays.map(|array| Array::of(array)), last_kernel).unwrap();
                assert_eq!(seen, [count * (count + 1) / 2; 64]);
                assert!(last[0] > 0 && last.iter().all(|&block| block == last[0]));
                assert_eq!(ticket, [0], "the ticket is zero again");
            }
        }
    }
}

type GridArgs<R> = ([Array<Candidate<R>>; 2], Array<u32>, Array<Candidate<R>>);

fn grid_kernel<R: DeviceReal>(([x, row], ticket, result): GridArgs<R>) {
    let scratch = shared::<Candidate<R>>(0, thread::block_dim());
    let mine = x.view().get(thread::global_index() as usize);
    let best = block::reduce::<_, Better>(mine, scratch);
    block::sync();
    let place = (row.view(), thread::block_index());
    let (ticket, blocks) = (ticket.view().atomic_u32(0, 0), thread::grid_dim());
    if let Some(best) = grid::reduce::<_, Better>(best, place, ticket, blocks, scratch) {
        result.view().set(thread::index() as usize, best);
    }
}

#[test]
fn grid_reduce_combines_all_blocks() {
    fn check<R: DeviceReal>() {
        for grid in [1, 2, 31, 33, 100, 200] {
            for config in orders(blocks(grid, 64)) {
                let mut x = candidates::<R>(u64::from(grid), 64 * grid as usize, true);
                let mut row = vec![Candidate::<R>::NONE; grid as usize];
                let mut result = vec![Candidate::<R>::new(Fitness::WORST, 7); 64];
                let mut ticket = vec![0_u32];
                let arrays = [Array::of(&mut x), Array::of(&mut row)];
                let arguments = (arrays, Array::of(&mut ticket), Array::of(&mut result));
                launch(&config, arguments, grid_kernel::<R>).unwrap();
                let expected = x.iter().copied().reduce(Candidate::better).unwrap();
                assert!(result.iter().all(|&best| same(best, expected)), "{grid} blocks");
                assert_eq!(ticket, [0]);
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ExchangeArgs<R> {
    /// `[group of blocks][round][block]`
    posts: Array<Fitness<R>>,
    slots: Array<u64>,
    /// `[group of blocks][round][block][thread]`
    heard: Array<Candidate<R>>,
    rounds: u32,
    words: u32,
}

const FIRST_TAG: u32 = 41;
const CLUSTER: u32 = 5;

fn exchange_kernel<R: DeviceReal>(args: ExchangeArgs<R>) {
    let blocks = thread::grid_dim();
    let exchange = Exchange::new(args.slots.view(), blocks, args.words);
    let post = |tag, block, fitness| {
        if thread::index() == 0 {
            exchange.post(tag, block, fitness);
        }
    };
    exchange_with(&args, &exchange, (0, blocks), post);
}

/// The same in clusters of [`CLUSTER`] blocks.
fn near_kernel<R: DeviceReal>(args: ExchangeArgs<R>) {
    cluster::needed();
    let len = 2 * args.words * CLUSTER;
    let board = NearBoard::new(shared::<u64>(64, len), CLUSTER);
    board.clear(len);
    let exchange = Exchange::new(board, CLUSTER, args.words);
    let post = |tag, block, fitness| {
        if thread::warp() == 0 {
            exchange.post_alone(tag, block, fitness);
        }
    };
    let first = thread::block_index() / CLUSTER * CLUSTER;
    exchange_with(&args, &exchange, (first, CLUSTER), post);
    cluster::sync();
}

/// All rounds of the `blocks` blocks from `first` on.
fn exchange_with<R: DeviceReal, B: Board>(
    args: &ExchangeArgs<R>,
    exchange: &Exchange<B>,
    (first, blocks): (u32, u32),
    post: impl Fn(u32, u32, Fitness<R>),
) {
    let block = thread::block_index();
    let told = shared::<Candidate<R>>(0, 1);
    for round in 0..args.rounds {
        let place = (first * args.rounds + round * blocks + block - first) as usize;
        block::sync();
        post(FIRST_TAG + round, block - first, args.posts.view().get(place));
        if thread::warp() == 0 {
            let best = exchange.collect::<R, 4>(FIRST_TAG + round);
            if thread::lane() == 0 {
                told.set(0, best);
            }
        }
        block::sync();
        let place = place * thread::block_dim() as usize + thread::index() as usize;
        args.heard.view().set(place, told.get(0));
    }
}

#[test]
fn blocks_agree_on_their_best_in_every_round() {
    fn check<R: DeviceReal>(constrained: bool, grid: u32, block: u32) {
        let config = LaunchConfig { cooperative: true, ..blocks(grid, block) };
        check_exchange(constrained, config, grid, exchange_kernel::<R>);
    }
    for (grid, block) in [(2, 64), (3, 32), (31, 32), (33, 96), (128, 32), (129, 32), (200, 32)] {
        for constrained in [false, true] {
            check::<f32>(constrained, grid, block);
            check::<f64>(constrained, grid, block);
        }
    }
}

#[test]
fn the_blocks_of_a_cluster_agree_on_their_best_in_every_round() {
    fn check<R: DeviceReal>(constrained: bool, grid: u32, block: u32) {
        let config = LaunchConfig { cluster: CLUSTER, ..blocks(grid, block) };
        check_exchange(constrained, config, CLUSTER, near_kernel::<R>);
    }
    for (grid, block) in [(5, 32), (15, 64)] {
        for constrained in [false, true] {
            check::<f32>(constrained, grid, block);
            check::<f64>(constrained, grid, block);
        }
    }
}

/// Checks the results of all threads in groups of `together` blocks.
fn check_exchange<R: DeviceReal>(
    constrained: bool,
    config: LaunchConfig,
    together: u32,
    kernel: fn(ExchangeArgs<R>),
) {
    let LaunchConfig { grid, block, .. } = config;
    let (rounds, words) = (6, slot_words::<R>(constrained));
    let count = (rounds * grid) as usize;
    for config in orders(config) {
        let mut posts: Vec<Fitness<R>> = candidates::<R>(u64::from(grid), count, constrained)
            .iter()
            .map(|candidate| candidate.fitness)
            .collect();
        if grid > 2 {
            // A round in which no block has a result.
            posts[grid as usize..2 * grid as usize].fill(Fitness::WORST);
        }
        let mut slots = vec![0; (2 * words * grid) as usize];
        let mut heard = vec![Candidate::<R>::NONE; count * block as usize];
        let args = ExchangeArgs {
            posts: Array::of(&mut posts),
            slots: Array::of(&mut slots),
            heard: Array::of(&mut heard),
            rounds,
            words,
        };
        launch(&config, args, kernel).unwrap();
        let threads = (together * block) as usize;
        for (posts, heard) in posts.chunks(together as usize).zip(heard.chunks(threads)) {
            let fitness = |fitness: Fitness<R>| {
                let nothing = !constrained && fitness.value.is_nan();
                if nothing { Fitness::WORST } else { fitness }
            };
            let best = posts.iter().zip(0..).map(|(&post, i)| Candidate::new(fitness(post), i));
            let mut best = best.reduce(Candidate::better).unwrap();
            if !constrained && best.fitness.value.is_nan() {
                // Without constraints a block without a result cannot be distinguished from one with NaN.
                best.fitness.violation = R::ZERO;
            }
            for &other in heard {
                assert!(same(other, best), "{grid} blocks: {other:?} is not {best:?}");
            }
        }
    }
}
