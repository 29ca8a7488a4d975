//! Suggestions for unknown names.

use super::functions::names;
use crate::error::meant;

/// Functions of other languages, and what to write instead.
const ELSEWHERE: [(&str, &str); 54] = [
    ("sqr", "`x^2` or `sqrt(x)`"),
    ("square", "`x^2`"),
    ("power", "`x^y`"),
    ("exp2", "`2^x`"),
    ("exp10", "`10^x`"),
    ("lg", "`log10(x)` or `log2(x)`"),
    ("sine", "`sin(x)`"),
    ("cosine", "`cos(x)`"),
    ("tangent", "`tan(x)`"),
    ("sec", "`1 / cos(x)`"),
    ("csc", "`1 / sin(x)`"),
    ("cot", "`1 / tan(x)`"),
    ("sech", "`1 / cosh(x)`"),
    ("csch", "`1 / sinh(x)`"),
    ("coth", "`1 / tanh(x)`"),
    ("arcsin", "`asin(x)`"),
    ("arccos", "`acos(x)`"),
    ("arctan", "`atan(x)`"),
    ("arctan2", "`atan2(y, x)`"),
    ("arcsinh", "`asinh(x)`"),
    ("arccosh", "`acosh(x)`"),
    ("arctanh", "`atanh(x)`"),
    ("arsinh", "`asinh(x)`"),
    ("arcosh", "`acosh(x)`"),
    ("artanh", "`atanh(x)`"),
    ("sgn", "`sign(x)`"),
    ("signum", "`sign(x)`"),
    ("ceiling", "`ceil(x)`"),
    ("rint", "`round(x)`"),
    ("fix", "`trunc(x)`"),
    ("int", "`trunc(x)`, `floor(x)` or `round(x)`"),
    ("fmod", "`mod(a, b)`, which has the sign of b"),
    ("rem", "`mod(a, b)`, which has the sign of b"),
    ("remainder", "`mod(a, b)`, which has the sign of b"),
    ("deg", "`x * 180 / pi`"),
    ("degrees", "`x * 180 / pi`"),
    ("rad", "`x * pi / 180`"),
    ("radians", "`x * pi / 180`"),
    ("tgamma", "`gamma(x)`"),
    ("gammaln", "`lgamma(x)`"),
    ("lngamma", "`lgamma(x)`"),
    ("loggamma", "`lgamma(x)`"),
    ("factorial", "`gamma(x + 1)`"),
    ("besselj0", "`j0(x)`"),
    ("besselj1", "`j1(x)`"),
    ("heaviside", "`x > 0`"),
    ("clamp", "`min(max(x, lower), upper)`"),
    ("clip", "`min(max(x, lower), upper)`"),
    ("average", "`mean(x)`"),
    ("interp1", "`interp(x, xs, ys)`"),
    ("interp2", "`interp(x, y, xs, ys, values)`"),
    ("interpolate", "`interp(x, xs, ys)`"),
    ("lookup", "`interp(x, xs, ys)`"),
    ("fabs", "`abs(x)`"),
];

/// The usual names of indices.
const INDICES: [&str; 3] = ["i", "j", "k"];

/// The variable, constant, column or index that may be meant. In a fit, columns stand for their number in the row.
pub(super) fn name(name: &str, known: &[&str], is_fit: bool) -> Option<String> {
    if name == "e" && !known.contains(&"e") {
        return Some("; allowed: `exp(1)`".into());
    }
    let same = known.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
    if same.is_none() && INDICES.contains(&name) && is_fit {
        return Some("; columns of a fit have no index: write `t`, not `t[i]`".into());
    }
    if same.is_none() && INDICES.contains(&name) {
        return Some(format!("; an index needs a reduction, such as `sum({name}, ...)`"));
    }
    // A single letter resembles too many names.
    let like = same.or_else(|| meant(name, known).filter(|_| name.len() > 1))?;
    Some(format!("; did you mean `{like}`?"))
}

/// The function that may be meant. A function with a different meaning is never suggested: only a difference in case or
/// in the order of letters counts as the same name.
pub(super) fn function(name: &str) -> Option<String> {
    if let Some((_, instead)) = ELSEWHERE.iter().find(|(known, _)| *known == name) {
        return Some(format!("; allowed: {instead}"));
    }
    let sorted = |name: &str| {
        let mut letters: Vec<char> = name.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let letters = sorted(name);
    let is_like = |known: &&str| name.len() > 1 && sorted(known) == letters;
    let like = names().find(is_like)?;
    Some(format!("; did you mean `{like}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_of_another_meaning_is_proposed() {
        for unknown in ["modul", "cbrtt", "atan3", "logg", "sinc", "len2", "x"] {
            assert_eq!(function(unknown), None, "{unknown}");
        }
        // The suggestion for a name with reordered letters is unique, and no known name is in the list of other
        // languages.
        for known in names() {
            let meant = format!("; did you mean `{known}`?");
            assert_eq!(function(&known.to_uppercase()), Some(meant), "{known}");
            assert!(ELSEWHERE.iter().all(|(name, _)| *name != known), "{known}");
        }
        for (unknown, is) in
            [("Sqrt", "sqrt"), ("sqtr", "sqrt"), ("LOG", "log"), ("flooR", "floor")]
        {
            assert_eq!(function(unknown), Some(format!("; did you mean `{is}`?")));
        }
        assert_eq!(function("arctan").as_deref(), Some("; allowed: `atan(x)`"));
        assert_eq!(function("sqr").as_deref(), Some("; allowed: `x^2` or `sqrt(x)`"));
    }

    #[test]
    fn names_are_proposed_whatever_their_case() {
        assert_eq!(name("T", &["t", "time"], false).as_deref(), Some("; did you mean `t`?"));
        assert_eq!(
            name("lifetme", &["lifetime"], false).as_deref(),
            Some("; did you mean `lifetime`?")
        );
        assert_eq!(name("e", &["a"], false).as_deref(), Some("; allowed: `exp(1)`"));
        assert_eq!(name("zoo", &["a"], false), None);
        assert_eq!(name("q", &["pi", "x", "qa"], false), None, "one letter is like too many");
        let reduced = Some("; an index needs a reduction, such as `sum(i, ...)`");
        assert_eq!(name("i", &["pi", "x"], false).as_deref(), reduced);
        let plain = Some("; columns of a fit have no index: write `t`, not `t[i]`");
        assert_eq!(name("i", &["pi", "x"], true).as_deref(), plain);
    }
}
