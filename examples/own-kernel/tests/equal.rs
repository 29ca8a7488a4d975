//! The kernel has the same bits as the reduction on one thread; and the book's page shows the kernel's file.

use warpswarm_core::sum::{Sum, fold_slice};
use warpswarm_example_own_kernel::{Grid, emulated, is_same, numbers, serially};

const COUNTS: [usize; 13] = [1, 31, 32, 33, 255, 256, 257, 1000, 1023, 1024, 1025, 5000, 33_333];
const GRIDS: [Grid; 5] = [
    Grid { blocks: 1, threads: 32 },
    Grid { blocks: 1, threads: 1024 },
    Grid { blocks: 2, threads: 96 },
    Grid { blocks: 7, threads: 64 },
    Grid { blocks: 40, threads: 32 },
];

/// Compares on several grids and with several orders of threads.
#[track_caller]
fn check(numbers: &[f32]) {
    let expected = serially(numbers);
    for grid in GRIDS {
        for order in [None, Some(1), Some(2)] {
            let count = numbers.len();
            let found = emulated::summarise(numbers, grid, order)
                .unwrap_or_else(|fault| panic!("{count} numbers, {grid:?}: {fault}"));
            assert!(is_same(found, expected), "{count} numbers, {grid:?}: {found:?}, {expected:?}");
        }
    }
}

#[test]
fn every_grid_gives_the_bits_of_one_thread() {
    COUNTS.iter().for_each(|&count| check(&numbers(count)));
}

#[test]
fn the_order_of_the_sum_is_that_of_the_library() {
    for count in COUNTS {
        let numbers = numbers(count);
        let sum = fold_slice::<f32, Sum>(&numbers, |_, x| x);
        assert_eq!(serially(&numbers).sum.to_bits(), sum.to_bits(), "{count} numbers");
    }
    // A sequential sum differs, so the test can detect another order.
    let numbers = numbers(1000);
    assert_ne!(serially(&numbers).sum.to_bits(), numbers.iter().sum::<f32>().to_bits());
}

#[test]
fn equals_zeros_and_nan_have_their_order() {
    check(&[]);
    check(&[2.5; 100]);
    check(&[-0.0; 70]);
    check(&[f32::NAN; 40]);
    let mut some = numbers(2100);
    for place in [7, 1030, 2099] {
        some[place] = -1e9;
    }
    assert_eq!(serially(&some).index, 7);
    check(&some);
    // NaN is never the smallest number, and makes the sum NaN.
    some[0] = f32::NAN;
    assert!(serially(&some).sum.is_nan() && serially(&some).index == 7);
}

/// The code on the page is that of the file, so readers copy tested code.
#[test]
fn the_page_shows_the_kernel_as_it_is() {
    let page = include_str!("../../../docs/how-to/write-a-kernel.md");
    let (_, section) = page.split_once("\n## A kernel to copy\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap_or((section, ""));
    let blocks = section.split("```rust,ignore\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|block| block.split_once("```").unwrap().0).collect();
    let (page, file) = (blocks.join("\n"), include_str!("../kernels/src/lib.rs"));
    for (number, (page, file)) in (1..).zip(page.lines().zip(file.lines())) {
        assert_eq!(page, file, "the page, and line {number} of kernels/src/lib.rs");
    }
    assert_eq!(page.lines().count(), file.lines().count(), "lines of the page, and of the file");
}
