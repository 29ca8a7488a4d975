//! Axes: the places of values on them, and the labels of their ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

use crate::number;

/// Larger numbers are drawn as this one.
const MOST: f64 = 1e300;

/// An axis; values on a logarithmic axis are logarithms already.
///
/// ```
/// use warpswarm_pictures::{Axis, Scale};
/// let months = Axis::new("month", (0.0, 2.0), vec![0.0, 1.0, 2.0], |i| ["May", "June", "July"][i as usize].into());
/// assert_eq!(months.ticks[1], (1.0, "June".to_string()));
/// // Two hundred and three million, on a logarithmic scale.
/// let evaluations = Axis::of("evaluations", Scale::Log { zero: None }, [2e2, 3e6].into_iter());
/// assert!(evaluations.ticks.contains(&(3.0, "1000".to_string())));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub name: String,
    /// Its ends.
    pub range: (f64, f64),
    /// The places of ticks, and their labels.
    pub ticks: Vec<(f64, String)>,
}

/// The mapping of values to places on an axis.
///
/// ```
/// use warpswarm_pictures::Scale;
/// let scale = Scale::of([1e-3, 10.0, 0.0].into_iter());
/// // Zero has no logarithm: it gets a place of its own, below the others.
/// assert_eq!(scale, Scale::Log { zero: Some(-4.0) });
/// assert_eq!([1e-3, 10.0, 0.0, f64::NAN].map(|x| scale.place(x)), [Some(-3.0), Some(1.0), Some(-4.0), None]);
/// assert_eq!(Scale::of([-1.0, 1e6].into_iter()), Scale::Linear);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Values themselves.
    Linear,
    /// Decimal logarithms of values.
    Log {
        /// The place of zero, below all others; none if no value is zero.
        zero: Option<f64>,
    },
}

impl Scale {
    /// Logarithmic if the greatest value is several times the least, and none is negative.
    pub fn of(values: impl Iterator<Item = f64>) -> Scale {
        let (mut least, mut most, mut zero) = (f64::INFINITY, 0.0_f64, false);
        for value in values.filter(|value| value.is_finite()) {
            if value < 0.0 {
                return Scale::Linear;
            }
            zero |= value == 0.0;
            if value > 0.0 {
                (least, most) = (least.min(value), most.max(value));
            }
        }
        if least > most || most < 4.0 * least && !zero {
            return Scale::Linear;
        }
        Scale::Log { zero: zero.then(|| least.log10().floor() - 1.0) }
    }

    /// The place of a value; none for NaN and infinities.
    pub fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Scale::Linear => value.clamp(-MOST, MOST),
            Scale::Log { zero } if value <= 0.0 => zero?,
            Scale::Log { .. } => value.log10(),
        };
        (value.is_finite() && place.is_finite()).then_some(place)
    }
}

impl Axis {
    /// An axis with a label at each tick.
    pub fn new(
        name: impl Into<String>,
        range: (f64, f64),
        ticks: Vec<f64>,
        label: impl Fn(f64) -> String,
    ) -> Axis {
        Axis {
            name: name.into(),
            range,
            ticks: ticks.into_iter().map(|tick| (tick, label(tick))).collect(),
        }
    }

    /// Powers of ten around these exponents.
    ///
    /// ```
    /// use warpswarm_pictures::Axis;
    /// let axis = Axis::decades("error", [-1.5, 0.5].into_iter());
    /// assert_eq!(axis.range, (-2.0, 1.0));
    /// let texts: Vec<_> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
    /// assert_eq!(texts, ["0.01", "0.1", "1", "10"]);
    /// ```
    pub fn decades(name: impl Into<String>, exponents: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = ends(exponents).unwrap_or((0.0, 0.0));
        let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
        let every = ((high - low) / 10.0).ceil().max(1.0) as usize;
        let ticks = (low as i32..=high as i32).step_by(every).map(f64::from).collect();
        Axis::new(name, (low, high), ticks, power_of_ten)
    }

    /// An axis of a scale for values, with a small margin beyond the least and the greatest; without values, from 0 to
    /// 1.
    pub fn of(name: impl Into<String>, scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        let places = values.filter_map(|value| scale.place(value));
        let found = ends(places);
        match scale {
            Scale::Linear => {
                let (low, high) = found.unwrap_or((0.0, 1.0));
                let (low, high) = apart(low, high);
                let more = 0.04 * (high - low);
                Axis::linear(name, (low - more, high + more))
            }
            Scale::Log { zero } => Axis::log(name, found.unwrap_or((0.0, 1.0)), zero),
        }
    }

    /// A linear axis with about six ticks.
    ///
    /// ```
    /// use warpswarm_pictures::Axis;
    /// let axis = Axis::linear("seconds", (0.0, 10.0));
    /// assert_eq!(axis.ticks.iter().map(|tick| tick.0).collect::<Vec<_>>(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    /// ```
    pub fn linear(name: impl Into<String>, range: (f64, f64)) -> Axis {
        let (low, high) = apart(range.0, range.1);
        let rough = high / 6.0 - low / 6.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|s| s * power)
            .find(|s| *s >= rough)
            .unwrap_or(rough);
        let ticks: Vec<f64> = ((low / step).ceil() as i64..=(high / step).floor() as i64)
            .map(|i| i as f64 * step)
            .collect();
        let mut name = name.into();
        let label = labels(&mut name, &ticks, step);
        Axis::new(name, (low, high), ticks, label)
    }

    /// A logarithmic axis over exponents from `low` to `high`, with zero at the place `zero`, if there is one.
    fn log(name: impl Into<String>, (low, high): (f64, f64), zero: Option<f64>) -> Axis {
        let least = zero.map_or(low, |zero| zero + 1.0);
        let mantissas: &[f64] = match high - least {
            span if span < 1.0 => &[2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            span if span < 2.5 => &[2.0, 5.0],
            _ => &[],
        };
        let (below, above) = (least.floor() as i32, high.ceil() as i32);
        let every = ((f64::from(above) - f64::from(below)) / 8.0).ceil().max(1.0) as usize;
        let mut ticks: Vec<f64> = (below..=above).rev().step_by(every).map(f64::from).collect();
        ticks.extend(
            (below..=above).flat_map(|e| mantissas.iter().map(move |m| f64::from(e) + m.log10())),
        );
        let range = (zero.unwrap_or(low) - 0.03 * (high - low), high + 0.03 * (high - low));
        let range = apart(range.0, range.1);
        ticks.retain(|tick| {
            (range.0..=range.1).contains(tick) && zero.is_none_or(|zero| *tick > zero)
        });
        let mut axis = Axis::new(name, range, ticks, power_of_ten);
        axis.ticks.extend(zero.map(|zero| (zero, "0".to_string())));
        axis.ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        axis
    }
}

/// A linear axis with ticks of its own.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range()).map(value, limit)
    }
    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.iter().map(|tick| tick.0).collect()
        }
    }
    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

/// The least and the greatest finite number.
pub(crate) fn ends(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.filter(|x| x.is_finite()).fold(None, |ends, x| match ends {
        None => Some((x, x)),
        Some((low, high)) => Some((f64::min(low, x), f64::max(high, x))),
    })
}

/// Ends so far apart that the ticks between them differ.
fn apart(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    let least = if size < f64::MIN_POSITIVE { 1.0 } else { 1e-9 * size };
    if high - low >= least {
        return (low, high);
    }
    let more = if low == high && size >= f64::MIN_POSITIVE { 0.05 * size } else { least };
    (low - more, high + more)
}

/// The labels of ticks with this step. If they would need many digits, the axis shows differences from the first tick.
fn labels(name: &mut String, ticks: &[f64], step: f64) -> impl Fn(f64) -> String + use<> {
    let most = ticks.iter().fold(0.0_f64, |most, tick| most.max(tick.abs()));
    let order = |x: f64| x.log10().floor() as i32;
    let place = order(step * 1.000_001);
    let mut base = 0.0;
    let mut most = order(most.max(step) * 1.000_001);
    if most - place >= 6 {
        base = ticks.first().copied().unwrap_or(0.0);
        name.push_str(&format!(" - ({})", written(base, most, place)));
        most = place + 1;
    }
    move |tick| written(tick - base, most, place)
}

/// A number with so many decimals; the thousands of a long one are apart, but not those of one of four digits, which may be a
/// year.
fn grouped(x: f64, decimals: usize) -> String {
    let text = number::grouped(x, decimals);
    if x.abs() < 9999.5 { text.replace(',', "") } else { text }
}

/// A number whose last digit is that of `place`, in a row in which the greatest has that of `most`.
fn written(x: f64, most: i32, place: i32) -> String {
    if x.abs() < 0.5 * 10_f64.powi(place) {
        "0".into()
    } else if place < -4 || most > 6 {
        let order = (x.abs() * 1.000_000_1).log10().floor() as i32;
        format!("{x:.*e}", (order - place).max(0) as usize)
    } else {
        grouped(x, (-place).max(0) as usize)
    }
}

fn power_of_ten(exponent: f64) -> String {
    let whole = exponent.floor();
    let mantissa = 10_f64.powf(exponent - whole).round();
    match whole as i32 {
        e @ 0..=5 => grouped(mantissa * 10_f64.powi(e), 0),
        e @ -4..=-1 => grouped(mantissa * 10_f64.powi(e), -e as usize),
        e => format!("{mantissa}e{e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.1.as_str()).collect()
    }

    #[track_caller]
    fn check(values: &[f64], name: &str, expected: &[&str]) {
        let axis = Axis::of("y", Scale::of(values.iter().copied()), values.iter().copied());
        assert_eq!((axis.name.as_str(), &texts(&axis)[..]), (name, expected));
        assert!(axis.range.0 < axis.range.1 && axis.range.1.is_finite(), "{axis:?}");
        for tick in &axis.ticks {
            assert!(axis.range.0 <= tick.0 && tick.0 <= axis.range.1, "{tick:?}");
        }
    }

    #[test]
    fn decades_hold_what_they_are_made_of() {
        let axis = Axis::decades("y", [-0.3, 1.2].into_iter());
        assert_eq!((axis.range, &texts(&axis)[..]), ((-1.0, 2.0), &["0.1", "1", "10", "100"][..]));
        assert_eq!(Axis::decades("y", [2.0].into_iter()).range, (2.0, 3.0));
    }

    #[test]
    fn ticks_are_round_and_their_labels_short() {
        check(&[0.0, 10.0, -1.0], "y", &["0", "2", "4", "6", "8", "10"]);
        check(&[3.0, 4.0], "y", &["3.0", "3.2", "3.4", "3.6", "3.8", "4.0"]);
        check(
            &[-30_000.0, 20_000.0],
            "y",
            &["-30,000", "-20,000", "-10,000", "0", "10,000", "20,000"],
        );
        check(&[1900.0, 1920.0], "y", &["1900", "1905", "1910", "1915", "1920"]);
        check(&[-2e-8, 2e-8], "y", &["-2e-8", "-1e-8", "0", "1e-8", "2e-8"]);
        check(&[-4e-5, 6e-5], "y", &["-4e-5", "-2e-5", "0", "2e-5", "4e-5", "6e-5"]);
        check(&[-3e12, 1e12], "y", &["-3e12", "-2e12", "-1e12", "0", "1e12"]);
    }

    #[test]
    fn magnitudes_are_ticked_by_decades_or_their_parts() {
        check(&[1e-3, 1e3], "y", &["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
        check(&[40.0, 900.0], "y", &["50", "100", "200", "500"]);
        check(&[0.0, 1e-2, 10.0], "y", &["0", "0.01", "0.1", "1", "10"]);
        check(&[2.0, 150.0], "y", &["2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn long_numbers_become_differences() {
        check(
            &[1_234_567.01, 1_234_567.05],
            "y - (1,234,567.01)",
            &["0", "0.01", "0.02", "0.03", "0.04"],
        );
    }

    #[test]
    fn what_has_no_range_gets_one() {
        for values in [
            &[][..],
            &[0.0],
            &[-1e-300],
            &[7.0, 7.0],
            &[1e308, -1e308],
            &[f64::NAN],
            &[5e-324, 1e308],
        ] {
            let axis = Axis::of("y", Scale::of(values.iter().copied()), values.iter().copied());
            assert!(
                axis.range.0 < axis.range.1 && axis.range.1.is_finite(),
                "{values:?}: {axis:?}"
            );
            assert!((2..=12).contains(&axis.ticks.len()), "{values:?}: {axis:?}");
        }
    }

    #[test]
    fn the_scale_follows_the_values() {
        let scale = |values: &[f64]| Scale::of(values.iter().copied());
        assert_eq!(scale(&[1.0, 3.0]), Scale::Linear);
        assert_eq!(scale(&[-1.0, 1e9]), Scale::Linear);
        assert_eq!(scale(&[0.0]), Scale::Linear);
        assert_eq!(scale(&[1.0, 50.0]), Scale::Log { zero: None });
        let with_zero = scale(&[0.0, 0.02, 1.0, f64::NAN]);
        assert_eq!(with_zero, Scale::Log { zero: Some(-3.0) });
        assert_eq!(
            [0.0, 0.1, f64::NAN].map(|x| with_zero.place(x)),
            [Some(-3.0), Some(-1.0), None]
        );
    }
}
