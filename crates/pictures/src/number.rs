//! Formats of numbers, and quantiles.

/// The quantile `p` of `sorted` numbers, interpolated between the two nearest (as R's type 7); NaN if there are none. A
/// quantile between an infinity and another number is infinite.
///
/// ```
/// use warpswarm_pictures::quantile;
/// let sorted = [1.0, 2.0, 4.0, 8.0];
/// assert_eq!([0.0, 0.5, 1.0].map(|p| quantile(&sorted, p)), [1.0, 3.0, 8.0]);
/// ```
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = p * last as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let low = sorted[below.min(last)];
    let high = sorted[(below + 1).min(last)];
    let is_low = part == 0.0 || low == high || low == f64::NEG_INFINITY;
    if is_low { low } else { low + part * (high - low) }
}

/// A number with at most about five digits.
///
/// ```
/// use warpswarm_pictures::short;
/// assert_eq!([0.1 + 0.2, 1234.5678, 2.5e-10, -1e6].map(short), ["0.3", "1234.6", "2.5e-10", "-1e6"]);
/// ```
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        format!("{x}")
    } else if !(1e-3..1e6).contains(&size) {
        let text = format!("{x:.3e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{exponent}", trimmed(mantissa))
    } else {
        let decimals = (4 - size.log10().floor() as i32).max(0) as usize;
        trimmed(&format!("{x:.decimals$}")).to_string()
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A number with this many decimals and with separators between thousands.
///
/// ```
/// assert_eq!(warpswarm_pictures::grouped(-1234567.891, 2), "-1,234,567.89");
/// ```
pub fn grouped(x: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", x.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_zero = !text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let sign = if x < 0.0 && !is_zero { "-" } else { "" };
    format!("{sign}{}{rest}", apart(whole))
}

/// A count with its noun.
///
/// ```
/// use warpswarm_pictures::counted;
/// assert_eq!([1, 20_000].map(|n| counted(n, "run")), ["1 run", "20,000 runs"]);
/// ```
pub fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", apart(&n.to_string()), if n == 1 { "" } else { "s" })
}

/// Digits with commas between thousands.
fn apart(digits: &str) -> String {
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_type_seven() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| quantile(&sorted, p)),
            [1.0, 1.75, 3.0, 5.0, 8.0]
        );
        assert_eq!(quantile(&[3.0], 0.3), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
        let unknown = [1.0, f64::INFINITY, f64::INFINITY];
        assert_eq!(
            (quantile(&unknown, 0.25), quantile(&unknown, 1.0)),
            (f64::INFINITY, f64::INFINITY)
        );
        let unknown = [f64::NEG_INFINITY, 1.0, 2.0];
        assert_eq!((quantile(&unknown, 0.25), quantile(&unknown, 0.75)), (f64::NEG_INFINITY, 1.5));
    }

    #[test]
    fn numbers_are_short() {
        let texts =
            [0.0, 39.798096, -1234.5678, 1e-300, 0.05169, 1e6, 123456.7, f64::INFINITY].map(short);
        assert_eq!(texts, ["0", "39.798", "-1234.6", "1e-300", "0.05169", "1e6", "123457", "inf"]);
        assert_eq!(grouped(-1234567.25, 1), "-1,234,567.2");
        assert_eq!(
            (grouped(1000.0, 0), grouped(-0.0, 0), grouped(-0.01, 1)),
            ("1,000".into(), "0".into(), "0.0".into())
        );
        let most = "18,446,744,073,709,551,615 runs";
        assert_eq!(
            [0, 1, 20_000, u64::MAX].map(|n| counted(n, "run")),
            ["0 runs", "1 run", "20,000 runs", most]
        );
    }
}
