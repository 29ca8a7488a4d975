//! Finding a tissue model in an image of it: moved, rotated, scaled, and deformed at six points.

use core::f64::consts::FRAC_1_PI;

use super::{Dimensions, Problem};
use crate::data::Table;
use crate::objective::{Objective, Point};
use crate::real::Real;

/// sum_k (I(T(p_k)) - M_k)^2 over 64 points p_k of a model with intensities M_k; minimum 0, to rounding.
///
/// The points are the centres of 8 x 8 squares that fill [-1, 1]^2. T bends, T scales and turns, T moves:
///
/// * q = p + sum_j w_j(p) (dx_j, dy_j), with w_j(p) = max(0, 1 - 2 |p - c_j|^2)^2 for the points c_j of
///   `CONTROL`;
/// * T(p) = (tx, ty) + scale R(angle) q, with R a rotation.
///
/// The image is I(u, v) = sum h / (1 + (8 (r - r_j))^2 + (4 (s - s_j))^2) with r = u + v and s = u - v over
/// the `CELLS`. The cells look similar and can be confused: there are local minima at 0.06 to 0.5, where
/// a random point has about 4.5. PSO with the preset `libcudaoptimize` and 64 particles, in f32, is below
/// 0.001 after 1,000 iterations in 59 of 100 runs (seed 0), after 3,000 in 85; 12 are then above 0.06.
///
/// ```
/// use warpswarm_core::{Objective, objective::SlicePoint};
/// use warpswarm_core::problems::{ImageRegistration, Problem};
/// let (problem, side) = (ImageRegistration::default(), ImageRegistration::optimum_position);
/// let found: Vec<f64> = (0..16).filter_map(|i| side(16, i)).collect();
/// assert!(problem.value(&SlicePoint(&found)) < 1e-20);
/// assert!(problem.value(&SlicePoint(&[0.0_f64; 16])) > 0.05);
/// ```
///
/// For your own model, give three tables of the objective's data, of equal length; each run may have different ones.
/// The sum is over the model's points. [`seen`](ImageRegistration::seen) computes the intensities of a model at a given
/// place:
///
/// ```
/// use warpswarm_core::data::{DataSlices, Table, WithData};
/// use warpswarm_core::{Objective, objective::SlicePoint, problems::ImageRegistration};
/// let mut place = [0.0_f64; 16];
/// (place[0], place[3]) = (-0.25, 1.5);
/// // Two points, (-0.5, 0.5) and (0.5, 0.5), as they look there.
/// let grey = [-0.5, 0.5].map(|u| ImageRegistration::seen(&SlicePoint(&place), [u, 0.5]));
/// let numbers = [-0.5, 0.5, 0.5, 0.5, grey[0], grey[1]];
/// let [across, down, grey] = [0, 2, 4].map(|start| Table::new(start, 2, 1, false));
/// let model = ImageRegistration { across, down, grey };
/// let data = DataSlices { all: &numbers, of_run: &[] };
/// let value = |x: &[f64]| model.value(&WithData { point: SlicePoint(x), data });
/// assert!(value(&place) == 0.0 && value(&[0.0; 16]) > 0.0);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImageRegistration {
    /// The first coordinate of each point of the model; all three tables are empty for the built-in model.
    pub across: Table,
    /// The second coordinate of each point.
    pub down: Table,
    /// The intensity of each point.
    pub grey: Table,
}

impl ImageRegistration {
    /// I(T(p)): the image's intensity at the place of a model's point, for a placement of 16 coordinates.
    #[inline(always)]
    pub fn seen<R: Real, P: Point<R>>(placement: &P, point: [R; 2]) -> R {
        let [u, v] = placed(placement)(point);
        image(u, v)
    }
}

/// The control points of the deformation.
const CONTROL: [[f64; 2]; 6] =
    [[-0.625, -0.5], [0.0, -0.5], [0.625, -0.5], [-0.625, 0.5], [0.0, 0.5], [0.625, 0.5]];
/// Height and centre (u, v) of each cell of the image.
const CELLS: [[f64; 3]; 8] = [
    [1.125, 0.125, -1.0],
    [1.0, 0.625, -0.5],
    [0.75, 1.0, -0.125],
    [0.875, -0.375, -0.5],
    [1.125, 0.0, -0.125],
    [0.75, 0.5, 0.375],
    [1.125, -1.0, 0.25],
    [0.875, -0.625, 0.75],
];
const POINTS: usize = 64;

impl<R: Real> Objective<R> for ImageRegistration {
    #[inline(always)]
    fn value<P: Point<R>>(&self, x: &P) -> R {
        let place = placed(x);
        let missed = |point: [R; 2], intensity: R| {
            let [u, v] = place(point);
            let missed = image(u, v) - intensity;
            missed * missed
        };
        if self.grey.is_empty() {
            x.sum_terms(POINTS, |k| missed(centre(k), intensity(k)))
        } else {
            x.sum_rows([self.across, self.down, self.grey], |[u, v, grey]| missed([u, v], grey))
        }
    }
}

/// p_k, a point of the built-in model.
#[inline(always)]
fn centre<R: Real>(k: usize) -> [R; 2] {
    let along = |i: usize| R::from_f64(0.25) * R::from_u32(i as u32) - R::from_f64(0.875);
    [along(k % 8), along(k / 8)]
}

/// T: the place of a model's point in the image.
#[inline(always)]
fn placed<R: Real, P: Point<R>>(x: &P) -> impl Fn([R; 2]) -> [R; 2] {
    let (along, across) = (x.get(0), x.get(1));
    let (turns, scale) = (R::from_f64(0.5 * FRAC_1_PI) * x.get(2), x.get(3));
    let (cos, sin) = (scale * turns.cos_turns(), scale * turns.sin_turns());
    let bends: [[R; 2]; 6] = core::array::from_fn(|j| [x.get(4 + 2 * j), x.get(5 + 2 * j)]);
    move |[px, py]| {
        let (mut qx, mut qy) = (px, py);
        for ([cx, cy], [dx, dy]) in CONTROL.into_iter().zip(bends) {
            let (near, high) = (px - R::from_f64(cx), py - R::from_f64(cy));
            let weight = (R::ONE - R::TWO * (near * near + high * high)).larger(R::ZERO);
            let weight = weight * weight;
            qx += weight * dx;
            qy += weight * dy;
        }
        [along + (cos * qx - sin * qy), across + (sin * qx + cos * qy)]
    }
}

/// I, the intensity of the image at (u, v).
#[inline(always)]
fn image<R: Real>(u: R, v: R) -> R {
    let (r, s) = (R::from_f64(8.0) * (u + v), R::from_f64(4.0) * (u - v));
    let mut sum = R::ZERO;
    for [height, u, v] in CELLS {
        let (r, s) = (r - R::from_f64(8.0 * (u + v)), s - R::from_f64(4.0 * (u - v)));
        sum += R::from_f64(height) / (R::ONE + (r * r + s * s));
    }
    sum
}

/// M_k, from a table in the precision of the computation; a kernel contains only one of the two tables.
#[inline(always)]
fn intensity<R: Real>(k: usize) -> R {
    // Changes nothing: it shows the compiler that the index is in range.
    let k = k % POINTS;
    R::either(|| SINGLE[k], || INTENSITIES[k])
}

impl Problem for ImageRegistration {
    const ID: &'static str = "image-registration";
    const FORMULA: &'static str = "sum (I(T(p_k)) - M_k)^2 over 64 points p_k of a model with intensities M_k, \
                                   T(p) = t + scale R(angle) (p + sum_j w_j(p) d_j), I an image of eight cells";
    const SOURCE: &'static str = "made for this project, after the form of the first case study of Y. Nashed, \
                                  R. Ugolotti, P. Mesejo, S. Cagnoni, libCudaOptimize, GECCO companion 2012, \
                                  whose image and model are not public";
    const DIMENSIONS: Dimensions = Dimensions::exactly(16);
    const COORDINATES: &'static [&'static str] = &[
        "tx", "ty", "angle", "scale", "dx1", "dy1", "dx2", "dy2", "dx3", "dy3", "dx4", "dy4",
        "dx5", "dy5", "dx6", "dy6",
    ];

    fn bounds(i: usize) -> (f64, f64) {
        match i {
            0 | 1 => (-1.0, 1.0),
            2 => (-0.8, 0.8),
            3 => (0.6, 1.6),
            _ => (-0.3, 0.3),
        }
    }
    fn optimum_position(_dimensions: usize, i: usize) -> Option<f64> {
        Some(f64::from(OPTIMUM[i]) / 64.0)
    }
    fn optimum_value(_dimensions: usize) -> Option<f64> {
        Some(0.0)
    }
}

/// The placement to be found, in 64ths: exact in both precisions, with no coordinate in the middle of its range.
const OPTIMUM: [i8; 16] = [-19, 13, 23, 57, 9, -7, -13, 5, 6, 11, -5, -12, 14, -6, -10, 8];

static SINGLE: [f32; POINTS] = narrowed(&INTENSITIES);

/// M_k = I(T(p_k)) at the optimum, k = 8 row + column, from the formulas above with Python's mpmath in fifty
/// digits.
static INTENSITIES: [f64; POINTS] = [
    0.096_808_606_238_483_16,
    0.212_991_298_372_768,
    0.528_812_282_024_417_8,
    0.557_131_740_084_364_1,
    0.309_603_967_907_767_2,
    0.449_764_639_402_664_53,
    0.379_876_497_624_140_1,
    0.262_241_299_516_882,
    0.135_276_819_389_409_08,
    0.433_002_183_629_757_56,
    0.988_718_632_064_589_7,
    0.474_747_478_268_118_03,
    0.368_748_704_537_285_3,
    0.504_245_268_805_171_4,
    0.239_818_369_008_492_5,
    0.320_521_710_565_952_8,
    0.167_547_338_670_114_93,
    0.443_011_227_716_889_6,
    0.387_448_084_052_007_26,
    0.297_994_903_325_205_3,
    0.426_810_065_437_204_23,
    0.287_929_390_750_982_67,
    0.267_933_254_927_197_66,
    0.658_204_953_897_772_4,
    0.182_914_913_008_170_67,
    0.307_146_515_942_284_1,
    0.285_494_987_842_524_8,
    0.274_659_768_896_453_05,
    0.366_163_616_990_898_1,
    0.219_615_415_681_388_18,
    0.264_067_190_789_784_8,
    0.724_104_403_486_395,
    0.200_589_725_725_749_15,
    0.415_672_458_518_661_64,
    0.274_858_217_598_003_44,
    0.282_071_014_068_023_7,
    0.236_319_603_535_925_63,
    0.189_491_772_972_188_14,
    0.185_356_114_975_974_96,
    0.281_666_424_227_318_5,
    0.253_208_812_372_432_7,
    0.843_525_046_361_899_1,
    0.248_930_911_105_531_7,
    0.274_176_026_227_270_6,
    0.189_230_019_309_090_34,
    0.157_779_539_063_199,
    0.136_520_143_998_391,
    0.127_744_523_433_075_5,
    0.349_240_318_178_709_5,
    0.706_010_866_522_828_4,
    0.237_362_883_112_088_47,
    0.367_868_796_690_735_47,
    0.156_636_552_092_960_93,
    0.123_203_805_443_075_99,
    0.101_108_122_426_604_89,
    0.082_131_500_962_419_65,
    0.205_493_308_979_826_23,
    0.195_298_897_652_674_89,
    0.275_632_167_349_836_14,
    0.351_869_857_200_074_74,
    0.128_081_099_384_029_95,
    0.094_226_560_819_347_91,
    0.075_077_542_164_212_32,
    0.058_659_047_394_349_05,
];

const fn narrowed(wide: &[f64; POINTS]) -> [f32; POINTS] {
    let mut narrow = [0.0; POINTS];
    let mut k = 0;
    while k < POINTS {
        narrow[k] = wide[k] as f32;
        k += 1;
    }
    narrow
}
