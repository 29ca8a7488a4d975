//! The constants of a function's file for one instance.

use super::random::{normal, permutation, rotation, uniform};
use crate::problem::problem_file::Given;

/// An instance of a function, in a number of dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub(super) function: u32,
    pub(super) number: u32,
    pub(super) dimensions: usize,
}

/// An optimum, its value, and the constants of the function's file.
#[derive(Debug)]
pub(super) struct Numbers {
    pub(super) optimum: Vec<f64>,
    pub(super) value: f64,
    pub(super) constants: Vec<(String, Given)>,
}

type Matrix = Vec<Vec<f64>>;

impl Instance {
    pub(super) fn numbers(self) -> Numbers {
        let value = self.optimum_value();
        let optimum = self.optimum();
        let mut constants =
            vec![("D", Given::Number(self.dimensions as f64)), ("f_opt", Given::Number(value))];
        match self.function {
            9 | 19 => constants.push(("R", matrix(&self.scaled_rotation()))),
            20 | 24 => constants.push(("signs", Given::list(optimum.iter().map(|x| x.signum())))),
            21 | 22 => {}
            _ => constants.push(("x_opt", Given::list(optimum.iter().copied()))),
        }
        constants.extend(self.rotations().iter().map(|(name, rows)| (*name, matrix(rows))));
        if let 21 | 22 = self.function {
            constants.extend(self.peaks());
        }
        let constants = constants.into_iter().map(|(name, given)| (name.into(), given)).collect();
        Numbers { optimum, value, constants }
    }

    /// The seed of an instance. Two functions are variants of another function and share its seed.
    fn seed(self) -> u64 {
        let function = match self.function {
            4 => 3,
            18 => 17,
            other => other,
        };
        u64::from(function) + 10_000 * u64::from(self.number)
    }

    /// The seed of the last rotation of a function with two rotations.
    fn other_seed(self) -> u64 {
        self.seed() + 1_000_000
    }

    /// A ratio of two normal random numbers, rounded to hundredths, from -1000 to 1000.
    fn optimum_value(self) -> f64 {
        let of = |seed| normal(1, seed)[0];
        let hundredths = 100.0 * 100.0 * of(self.seed()) / of(self.seed() + 1);
        ((hundredths + 0.5).floor() / 100.0).clamp(-1000.0, 1000.0)
    }

    fn optimum(self) -> Vec<f64> {
        let signed = |size: f64, is_negative: bool| if is_negative { -size } else { size };
        match self.function {
            4 => {
                let odd = |(i, x): (usize, f64)| if i % 2 == 0 { x.abs() } else { x };
                self.usual_optimum(self.seed()).into_iter().enumerate().map(odd).collect()
            }
            5 => {
                self.usual_optimum(self.seed()).into_iter().map(|x| signed(5.0, x < 0.0)).collect()
            }
            8 => self.usual_optimum(self.seed()).into_iter().map(|x| 0.75 * x).collect(),
            9 | 19 => {
                let rotation = rotation(self.dimensions, self.seed());
                let sum = |j: usize| rotation.iter().map(|row| row[j]).sum::<f64>();
                (0..self.dimensions).map(|j| sum(j) / (2.0 * self.stretch())).collect()
            }
            12 => self.usual_optimum(self.other_seed()),
            20 => {
                let all = uniform(self.dimensions, self.seed());
                all.into_iter().map(|u| signed(0.5 * 4.209_687_463_3, u < 0.5)).collect()
            }
            21 | 22 => {
                let (width, half) = self.area();
                let all = uniform(self.dimensions, self.seed());
                all.into_iter().map(|u| 0.8 * (width * u - half)).collect()
            }
            24 => {
                let all = normal(self.dimensions, self.seed());
                all.into_iter().map(|x| signed(1.25, x < 0.0)).collect()
            }
            _ => self.usual_optimum(self.seed()),
        }
    }

    /// Multiples of 0.0008 from -4 to 4, and never 0.
    fn usual_optimum(self, seed: u64) -> Vec<f64> {
        let one = |u: f64| 8.0 * (1e4 * u).floor() / 1e4 - 4.0;
        let all = uniform(self.dimensions, seed).into_iter().map(one);
        all.map(|x| if x == 0.0 { -1e-5 } else { x }).collect()
    }

    /// Rotations, and the products of rotations and scales that follow each other.
    fn rotations(self) -> Vec<(&'static str, Matrix)> {
        let dimensions = self.dimensions;
        let first = || rotation(dimensions, self.other_seed());
        let second = || rotation(dimensions, self.seed());
        let product = |base: f64| ("M", scaled_product(&first(), base.sqrt(), &second()));
        let rows = |base: f64| ("Q", scaled_rows(second(), base.sqrt()));
        match self.function {
            6 | 13 => vec![product(10.0)],
            7 => vec![("R", first()), rows(10.0)],
            10 | 11 | 12 | 14 => vec![("R", first())],
            15 => vec![("R", first()), product(10.0)],
            16 => vec![("R", first()), product(0.01)],
            17 => vec![("R", first()), rows(10.0)],
            18 => vec![("R", first()), rows(1000.0)],
            21 | 22 => vec![("R", second())],
            23 | 24 => vec![product(100.0)],
            _ => Vec::new(),
        }
    }

    fn scaled_rotation(self) -> Matrix {
        let mut rotation = rotation(self.dimensions, self.seed());
        rotation.iter_mut().flatten().for_each(|x| *x *= self.stretch());
        rotation
    }

    /// The factor that makes Rosenbrock's valley narrower in many dimensions.
    fn stretch(self) -> f64 {
        ((self.dimensions as f64).sqrt() / 8.0).max(1.0)
    }

    /// The width of the cube that contains Gallagher's peaks, and half of it.
    fn area(self) -> (f64, f64) {
        if self.function == 21 { (10.0, 5.0) } else { (9.8, 4.9) }
    }

    /// Gallagher's peaks, the global one first: their heights, positions, and widths in each direction.
    fn peaks(self) -> [(&'static str, Given); 3] {
        const CONDITION: f64 = 1000.0;
        let (count, condition) =
            if self.function == 21 { (101, CONDITION.sqrt()) } else { (21, CONDITION) };
        let of_others = |i: usize| i as f64 / (count - 2) as f64;
        let heights = (0..count - 1).map(|i| of_others(i) * (9.1 - 1.1) + 1.1);
        let conditions = permutation(count - 1, self.seed()).into_iter();
        let conditions = conditions.map(|i| CONDITION.powf(of_others(i)));
        let conditions: Vec<f64> = [condition].into_iter().chain(conditions).collect();

        let last = (self.dimensions - 1) as f64;
        let scales = |(peak, condition): (u64, f64)| {
            let order = permutation(self.dimensions, self.seed() + 1000 * peak);
            order.iter().map(|&i| f64::powf(condition, i as f64 / last - 0.5)).collect()
        };
        let scales: Matrix = (0..).zip(conditions).map(scales).collect();

        let (width, half) = self.area();
        let rotation = rotation(self.dimensions, self.seed());
        let numbers = uniform(count * self.dimensions, self.seed());
        let rotated = |(peak, numbers): (usize, &[f64])| {
            let size = if peak == 0 { 0.8 } else { 1.0 };
            let part = |row: &Vec<f64>| {
                size * row.iter().zip(numbers).fold(0.0, |sum, (r, u)| sum + r * (width * u - half))
            };
            rotation.iter().map(part).collect()
        };
        let places: Matrix = numbers.chunks(self.dimensions).enumerate().map(rotated).collect();
        [
            ("height", Given::list([10.0].into_iter().chain(heights))),
            ("place", matrix(&places)),
            ("scale", matrix(&scales)),
        ]
    }
}

/// `first * diag(base^(k / (D - 1))) * second`, `k` from 0.
fn scaled_product(first: &Matrix, base: f64, second: &Matrix) -> Matrix {
    let dimensions = first.len();
    let scale: Vec<f64> = scales(dimensions, base).collect();
    let entry = |row: &[f64], j: usize| {
        (0..dimensions).fold(0.0, |sum, k| sum + row[k] * scale[k] * second[k][j])
    };
    first.iter().map(|row| (0..dimensions).map(|j| entry(row, j)).collect()).collect()
}

/// A matrix with row `i`, from 0, multiplied by `base^(i / (D - 1))`.
fn scaled_rows(mut matrix: Matrix, base: f64) -> Matrix {
    let scales = scales(matrix.len(), base);
    for (row, scale) in matrix.iter_mut().zip(scales) {
        row.iter_mut().for_each(|x| *x *= scale);
    }
    matrix
}

fn scales(dimensions: usize, base: f64) -> impl Iterator<Item = f64> {
    (0..dimensions).map(move |i| base.powf(i as f64 / (dimensions - 1) as f64))
}

fn matrix(rows: &Matrix) -> Given {
    Given::List(rows.iter().map(|row| Given::list(row.iter().copied())).collect())
}
