//! Finds a template in an image that contains it translated, rotated and scaled.

use core::f64::consts::FRAC_1_PI;

use warpswarm_kernels::{Objective, Point, Real, Table};

/// The mean squared difference of image and template, over (x, y, angle, scale). Point (u, v) of the template is mapped
/// to (x, y) + scale R(angle) (u, v), where the image is interpolated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Registration {
    /// The image, `[row][column]`, the same for all runs.
    pub image: Table,
    /// Horizontal coordinate u of each point of the template; each run has its own, as for the next two tables.
    pub across: Table,
    /// Vertical coordinate v.
    pub down: Table,
    /// Brightness.
    pub grey: Table,
}

impl<R: Real> Objective<R> for Registration {
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let place = placed([0, 1, 2, 3].map(|i| x.get(i)));
        let sum = x.sum_rows([self.across, self.down, self.grey], |[u, v, grey]| {
            let missed = bright(x, self.image, place([u, v])) - grey;
            missed * missed
        });
        sum / R::from_u32(self.grey.len() as u32)
    }
}

/// Maps a point of the template to the image, by (x, y, angle, scale).
#[inline(always)]
pub fn placed<R: Real>([x, y, angle, scale]: [R; 4]) -> impl Fn([R; 2]) -> [R; 2] {
    let turns = R::from_f64(0.5 * FRAC_1_PI) * angle;
    let (cos, sin) = (scale * turns.cos_turns(), scale * turns.sin_turns());
    move |[u, v]| [x + (cos * u - sin * v), y + (sin * u + cos * v)]
}

/// The brightness of the image between its points, by bilinear interpolation. Outside it has the brightness of the
/// edge.
#[inline(always)]
fn bright<R: Real, P: Point<R>>(point: &P, image: Table, [x, y]: [R; 2]) -> R {
    // The two neighbours, and the fraction of the way from the first to the second.
    let between = |x: R, points: usize| {
        let x = x.clamp_to(R::ZERO, R::from_u32(points as u32 - 1));
        let first = x.floor().smaller(R::from_u32(points as u32 - 2));
        (first.to_f64() as usize, x - first)
    };
    let ((column, right), (row, down)) = (between(x, image.columns()), between(y, image.rows()));
    let mix = |a: R, b: R, part: R| a + part * (b - a);
    let along = |row: usize| {
        let cell = |column| point.cell(image, row, column);
        mix(cell(column), cell(column + 1), right)
    };
    mix(along(row), along(row + 1), down)
}

warpswarm_kernels::export_objective! { few kernels, "Registration", Registration, Registration }

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_core::data::{DataSlices, WithData};
    use warpswarm_core::objective::SlicePoint;

    const IMAGE: [f64; 6] = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0];

    #[test]
    fn between_points_and_beyond_them() {
        let (image, data) = (Table::new(0, 6, 3, false), DataSlices { all: &IMAGE, of_run: &[] });
        let point = WithData { point: SlicePoint(&[0.0]), data };
        let at = |x, y| bright(&point, image, [x, y]);
        assert_eq!((at(0.0, 0.0), at(2.0, 1.0), at(1.25, 0.5)), (0.0, 12.0, 6.25));
        assert_eq!((at(-3.0, 0.25), at(7.0, -1.0), at(1.0, 9.0)), (2.5, 2.0, 11.0));
    }

    /// A rotation by 90 degrees maps (1, 0) to (0, 1), so the point is at (1, 0) + (0, 1) = (1, 1), where the image is
    /// 11.
    #[test]
    fn a_quarter_turn() {
        let one = |start| Table::new(start, 1, 1, true);
        let image = Table::new(0, 6, 3, false);
        let objective = Registration { image, across: one(0), down: one(1), grey: one(2) };
        let data = DataSlices { all: &IMAGE, of_run: &[1.0, 0.0, 8.0] };
        let x = [1.0, 0.0, core::f64::consts::FRAC_PI_2, 1.0];
        let value: f64 = objective.value(&WithData { point: SlicePoint(&x), data });
        assert!((value - 9.0).abs() < 1e-12, "{value}");
    }
}
