//! Functions with gradients written by hand.

use warpswarm_core::polish::{
    Landscape, Report, Settings, Smooth, Store, cells, descend, descent_numbers, nelder_mead,
    simplex_numbers,
};
use warpswarm_core::{Fitness, Float};

/// A function, its gradient, its bounds, and which coordinates are fixed.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) bounds: Vec<(f64, f64)>,
    pub(crate) fixed: Vec<bool>,
    pub(crate) value: fn(&[f64]) -> f64,
    pub(crate) gradient: fn(&[f64]) -> Vec<f64>,
}

impl Function {
    pub(crate) fn dimensions(&self) -> usize {
        self.bounds.len()
    }

    /// A point near `centre`, at a distance of up to half of `r` in each coordinate, the same in each call.
    pub(crate) fn start(&self, centre: impl Fn(usize) -> f64, r: f64) -> Vec<f64> {
        let off = |i: usize| ((i * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
        let moved = |(i, (lower, upper)): (usize, &(f64, f64))| {
            (centre(i) + r * off(i)).clamp(*lower, *upper)
        };
        self.bounds.iter().enumerate().map(moved).collect()
    }
}

/// In both precisions the value and the gradient are computed in `f64` and rounded.
impl<R: Float> Landscape<R> for Function {
    fn dimensions(&self) -> usize {
        self.bounds.len()
    }
    fn bounds(&self, i: usize) -> (R, R) {
        let (lower, upper) = self.bounds[i];
        (R::from_f64(lower), R::from_f64(upper))
    }
    fn is_fixed(&self, i: usize) -> bool {
        self.fixed[i]
    }
    fn evaluate(&mut self, x: impl Store<R>, _: impl FnMut(usize, R)) -> Fitness<R> {
        let x = all(x, self.bounds.len());
        for (i, (x, (lower, upper))) in x.iter().zip(&self.bounds).enumerate() {
            assert!(self.fixed[i] || (x >= lower && x <= upper), "coordinate {i} is {x}");
        }
        Fitness { violation: R::ZERO, value: R::from_f64((self.value)(&x)) }
    }
}

impl<R: Float> Smooth<R> for Function {
    fn partials(&mut self, x: impl Store<R>, mut partial: impl FnMut(usize, usize, R)) {
        for (i, slope) in (self.gradient)(&all(x, self.bounds.len())).into_iter().enumerate() {
            partial(0, i, R::from_f64(slope));
        }
    }
}

/// The coordinates of a point, as `f64`.
pub(crate) fn all<R: Float>(x: impl Store<R>, n: usize) -> Vec<f64> {
    (0..n).map(|i| x.get(i).to_f64()).collect()
}

/// The result of a descent from `start`.
pub(crate) fn descended<R: Float, L: Smooth<R> + Clone>(
    landscape: &L,
    settings: &Settings<R>,
    start: &[R],
) -> (Vec<R>, Report<R>) {
    let mut x = start.to_vec();
    let mut work = vec![R::NAN; descent_numbers(x.len(), landscape.constraints())];
    let report = descend(&mut landscape.clone(), settings, cells(&mut x), cells(&mut work));
    check(landscape, &x, &report);
    (x, report)
}

/// The result of a simplex search from `start`.
pub(crate) fn simplex<R: Float, L: Landscape<R> + Clone>(
    landscape: &L,
    settings: &Settings<R>,
    start: &[R],
) -> (Vec<R>, Report<R>) {
    let mut x = start.to_vec();
    let mut work = vec![R::NAN; simplex_numbers(x.len())];
    let report = nelder_mead(&mut landscape.clone(), settings, cells(&mut x), cells(&mut work));
    check(landscape, &x, &report);
    (x, report)
}

/// Fails unless the report belongs to this point, and the point is not worse than the start.
fn check<R: Float, L: Landscape<R> + Clone>(landscape: &L, x: &[R], report: &Report<R>) {
    let fitness = landscape.clone().evaluate(cells(&mut x.to_vec()), |_, _| ()).canonical();
    assert_eq!(fitness.ordered(), report.best.ordered(), "{report:?}");
    assert!(!report.start.beats(report.best), "{report:?}");
    let more = if landscape.constraints() > 0 { 31 } else { 0 };
    assert!(report.gradients <= report.evaluations + more, "{report:?}");
}

fn function(
    name: &'static str,
    bounds: Vec<(f64, f64)>,
    value: fn(&[f64]) -> f64,
    gradient: fn(&[f64]) -> Vec<f64>,
) -> Function {
    Function { name, fixed: vec![false; bounds.len()], bounds, value, gradient }
}

pub(crate) fn sphere(n: usize) -> Function {
    let value = |x: &[f64]| x.iter().map(|x| x * x).sum();
    function("sphere", vec![(-5.0, 5.0); n], value, |x| x.iter().map(|x| 2.0 * x).collect())
}

/// The sum of 10^(6 i / (n - 1)) x_i^2.
pub(crate) fn ellipsoid(n: usize) -> Function {
    fn factor(i: usize, n: usize) -> f64 {
        10.0_f64.powf(6.0 * i as f64 / (n - 1) as f64)
    }
    let value =
        |x: &[f64]| x.iter().enumerate().map(|(i, v)| factor(i, x.len()) * v * v).sum::<f64>();
    let gradient = |x: &[f64]| {
        x.iter().enumerate().map(|(i, v)| 2.0 * factor(i, x.len()) * v).collect::<Vec<f64>>()
    };
    function("ellipsoid", vec![(-5.0, 5.0); n], value, gradient)
}

pub(crate) fn rosenbrock(n: usize) -> Function {
    let value = |x: &[f64]| {
        x.windows(2)
            .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
            .sum::<f64>()
    };
    let gradient = |x: &[f64]| {
        let mut g = vec![0.0; x.len()];
        for i in 0..x.len() - 1 {
            let along = x[i + 1] - x[i] * x[i];
            g[i] += -400.0 * x[i] * along - 2.0 * (1.0 - x[i]);
            g[i + 1] += 200.0 * along;
        }
        g
    };
    function("rosenbrock", vec![(-5.0, 10.0); n], value, gradient)
}

pub(crate) fn zakharov(n: usize) -> Function {
    fn weighted(x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, x)| 0.5 * (i + 1) as f64 * x).sum()
    }
    let value = |x: &[f64]| {
        let s = weighted(x);
        x.iter().map(|x| x * x).sum::<f64>() + s.powi(2) + s.powi(4)
    };
    let gradient = |x: &[f64]| {
        let s = weighted(x);
        let outer = 2.0 * s + 4.0 * s.powi(3);
        x.iter().enumerate().map(|(i, x)| 2.0 * x + outer * 0.5 * (i + 1) as f64).collect()
    };
    function("zakharov", vec![(-5.0, 10.0); n], value, gradient)
}

pub(crate) fn dixon_price(n: usize) -> Function {
    let value = |x: &[f64]| {
        let pairs = x.windows(2).enumerate();
        let rest =
            pairs.map(|(i, w)| (i + 2) as f64 * (2.0 * w[1] * w[1] - w[0]).powi(2)).sum::<f64>();
        (x[0] - 1.0).powi(2) + rest
    };
    let gradient = |x: &[f64]| {
        let mut g = vec![0.0; x.len()];
        g[0] = 2.0 * (x[0] - 1.0);
        for i in 1..x.len() {
            let factor = 2.0 * (i + 1) as f64 * (2.0 * x[i] * x[i] - x[i - 1]);
            g[i] += factor * 4.0 * x[i];
            g[i - 1] -= factor;
        }
        g
    };
    function("dixon-price", vec![(-10.0, 10.0); n], value, gradient)
}

/// The sum of squares of x_i - i / 3, with products x_i x_(i+1), on [-1, 2]: most of its bounds are active.
pub(crate) fn bounded_quadratic(n: usize) -> Function {
    let value = |x: &[f64]| {
        let squares = x.iter().enumerate().map(|(i, x)| (x - i as f64 / 3.0).powi(2)).sum::<f64>();
        squares + x.windows(2).map(|w| 0.9 * w[0] * w[1]).sum::<f64>()
    };
    let gradient = |x: &[f64]| {
        let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
        (0..x.len())
            .map(|i| 2.0 * (x[i] - i as f64 / 3.0) + 0.9 * (at(i.wrapping_sub(1)) + at(i + 1)))
            .collect()
    };
    function("bounded quadratic", vec![(-1.0, 2.0); n], value, gradient)
}

/// The sum of x_i - ln(x_i), which is NaN from zero on; its minimum is at 1.
pub(crate) fn logarithms(n: usize) -> Function {
    let value = |x: &[f64]| x.iter().map(|x| x - f64::ln(*x)).sum();
    function("logarithms", vec![(-2.0, 10.0); n], value, |x| {
        x.iter().map(|x| if *x > 0.0 { 1.0 - 1.0 / x } else { f64::NAN }).collect()
    })
}

/// The sum of (x_i + 1)^2, but NaN where a coordinate is below -1/2: the smallest value is at the edge.
pub(crate) fn cliff(n: usize) -> Function {
    let value = |x: &[f64]| {
        let outside = x.iter().any(|x| *x < -0.5);
        if outside { f64::NAN } else { x.iter().map(|x| (x + 1.0) * (x + 1.0)).sum() }
    };
    function("cliff", vec![(-2.0, 2.0); n], value, |x| x.iter().map(|x| 2.0 * (x + 1.0)).collect())
}
