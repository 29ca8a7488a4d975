//! The two models. Each set of solutions fits one of them to the same image, with its own data and bounds, as a run of
//! a batch.
//!
//! The paper's models are not public. Ours differ in shape, brightness, position and number of parameters: 16 and 14.
//! The second model has two more parameters that are fixed at 0, so that both vectors have the same length, as in the
//! paper's program.

use anyhow::{Context, Result};
use warpswarm::problems::{ImageRegistration, Problem};
use warpswarm::{Bounds, Data, OwnObjective};
use warpswarm_core::objective::SlicePoint;

/// Number of coordinates of a solution.
pub(crate) const DIMENSIONS: usize = 16;
/// Number of points of each model.
const POINTS: usize = 64;

/// A model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// Points in a row.
    columns: usize,
    /// Horizontal and vertical distance between neighbouring points.
    apart: [f64; 2],
    /// The true parameters in units of 1/64, which are exact in f32.
    truth: [i8; DIMENSIONS],
    /// The number of free parameters; the others are fixed at 0.
    pub(crate) parameters: usize,
    /// The bound of the last parameters, which deform the model.
    bend: f64,
}

/// The model of each set.
pub(crate) const MODELS: [Model; 2] = [
    // The built-in model: a square that can be deformed at six points.
    Model {
        columns: 8,
        apart: [0.25, 0.25],
        truth: [-19, 13, 23, 57, 9, -7, -13, 5, 6, 11, -5, -12, 14, -6, -10, 8],
        parameters: 16,
        bend: 0.3,
    },
    // A strip, twice as long as high, that can be deformed at five points.
    Model {
        columns: 16,
        apart: [0.125, 0.25],
        truth: [21, -9, -17, 70, -8, 6, 10, -11, -5, 9, 12, -7, 4, 10, 0, 0],
        parameters: 14,
        bend: 0.25,
    },
];

impl Model {
    /// The true parameters, `[coordinate]`.
    pub(crate) fn placement(&self) -> [f64; DIMENSIONS] {
        self.truth.map(|part| f64::from(part) / 64.0)
    }

    /// Its points, relative to its centre.
    fn points(&self) -> impl Iterator<Item = [f64; 2]> + Clone + use<> {
        let Model { columns, apart: [across, down], .. } = *self;
        let along =
            |i: usize, count: usize, apart: f64| apart * (i as f64 - 0.5 * (count as f64 - 1.0));
        (0..POINTS).map(move |k| {
            let rows = POINTS / columns;
            [along(k % columns, columns, across), along(k / columns, rows, down)]
        })
    }

    fn bounds(&self) -> Result<Bounds> {
        let of = |i: usize| match i {
            _ if i >= self.parameters => (0.0, 0.0),
            4.. => (-self.bend, self.bend),
            _ => ImageRegistration::bounds(i),
        };
        let (lower, upper) = (0..DIMENSIONS).map(of).unzip();
        Ok(Bounds::new(lower, upper)?)
    }
}

/// The objective and the bounds of some of the sets, one run for each set.
pub(crate) fn objective(
    models: &[Model],
) -> Result<(OwnObjective<f32, ImageRegistration>, Bounds)> {
    let runs = models.len() as u64;
    let column = |number: fn(&Model, [f64; 2]) -> f64| -> Vec<f32> {
        let of = |model: &'_ Model| {
            let model = *model;
            model.points().map(move |point| number(&model, point) as f32)
        };
        models.iter().flat_map(of).collect()
    };
    let mut data = Data::new();
    let mut table = |number| data.table_of_runs(column(number), runs);
    let across = table(|_, [u, _]| u)?;
    let down = table(|_, [_, v]| v)?;
    let seen =
        |model: &Model, point| ImageRegistration::seen(&SlicePoint(&model.placement()), point);
    let grey = table(seen)?;
    // Without a name of kernels, because those of the built-in problem are used.
    let objective = ImageRegistration { across, down, grey };
    let objective = OwnObjective::new(ImageRegistration::ID, objective).with_data(data);
    let bounds = models.iter().map(Model::bounds).collect::<Result<Vec<_>>>()?;
    let bounds = Bounds::of_runs(bounds).context("models have as many coordinates")?;
    Ok((objective, bounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_model_is_the_one_that_is_built_in() {
        let [first, _] = MODELS;
        for (i, x) in first.placement().into_iter().enumerate() {
            assert_eq!(ImageRegistration::optimum_position(DIMENSIONS, i), Some(x));
            let bounds = first.bounds().unwrap();
            assert_eq!((bounds.lower()[i], bounds.upper()[i]), ImageRegistration::bounds(i));
        }
        let corners = (first.points().next(), first.points().last());
        assert_eq!(corners, (Some([-0.875, -0.875]), Some([0.875, 0.875])));
    }

    #[test]
    fn models_differ_and_lie_within_their_bounds() {
        let [first, second] = MODELS;
        assert!(first.points().zip(second.points()).any(|(a, b)| a != b));
        assert_eq!(second.points().last(), Some([0.9375, 0.375]));
        for model in MODELS {
            let bounds = model.bounds().unwrap();
            let fixed = (0..DIMENSIONS).filter(|&i| bounds.lower()[i] == bounds.upper()[i]);
            assert_eq!(fixed.count(), DIMENSIONS - model.parameters);
            for (i, x) in model.placement().into_iter().enumerate() {
                assert!((bounds.lower()[i]..=bounds.upper()[i]).contains(&x), "{i}: {x}");
            }
        }
    }
}
