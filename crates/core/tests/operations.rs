//! Every operation of an expression returns the same bits side by side, as the CPU computes terms, and alone, as the
//! emulator does.

use warpswarm_core::Float;
use warpswarm_core::expression::machine::{INDEXED, Instruction, Program, Step, WIDTH, run};
use warpswarm_core::expression::{Operation, Reduction};

/// Numbers in all ranges that functions distinguish.
const NUMBERS: [f64; WIDTH] = [
    0.0,
    -0.0,
    1e-30,
    -1e-12,
    0.1,
    -0.3,
    0.5,
    0.7,
    0.83,
    -0.95,
    1.0,
    -1.0,
    1.1,
    1.6,
    -1.5,
    2.0,
    -2.74,
    3.3,
    -4.5,
    6.9,
    9.5,
    -12.2,
    19.0,
    -25.0,
    37.7,
    44.4,
    -100.5,
    250.0,
    1e6,
    -1e30,
    f64::INFINITY,
    f64::NAN,
];

fn side_by_side<R: Float>() {
    let width = WIDTH as u32;
    for &operation in Operation::ALL {
        for shift in 0..WIDTH {
            // Three rows of arguments, each rotated further than the previous one, and the row of results.
            let number = |row: usize, j: usize| R::from_f64(NUMBERS[(j + row * shift) % WIDTH]);
            let rows = (0..3).flat_map(|row| (0..WIDTH).map(move |j| (row, j)));
            let mut memory: Vec<R> = rows.map(|(row, j)| number(row, j)).collect();
            memory.resize(4 * WIDTH + 1, R::ZERO);
            let from = [0, 1, 2].map(|row| (row * width) | INDEXED);
            let instruction = Instruction { operation, into: 3 * width, from };
            let step = Step::Fold {
                reduction: Reduction::Sum,
                terms: width,
                first: 0,
                len: 1,
                term: 3 * width,
                into: 4 * width,
                spread: false,
            };
            let program =
                Program { steps: &[step], bodies: &[instruction], solves: &[], moves: &[] };
            run(&mut memory, program);
            for j in 0..WIDTH {
                let arguments = [0, 1, 2].map(|row| number(row, j));
                let alone = operation.apply(arguments);
                let found = memory[3 * WIDTH + j];
                let is_same = found.to_bits64() == alone.to_bits64();
                let both_nan = found.is_nan() && alone.is_nan();
                assert!(is_same || both_nan, "{operation:?} of {arguments:?} in {}", R::NAME);
            }
        }
    }
}

#[test]
fn terms_are_the_same_alone_and_side_by_side() {
    side_by_side::<f32>();
    side_by_side::<f64>();
}
