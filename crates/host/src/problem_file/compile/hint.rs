//! What a name that nothing has may have been meant for.

use super::FUNCTIONS;
use crate::error::meant;

/// Functions of other languages, and what to write for them.
const ELSEWHERE: [(&str, &str); 12] = [
    ("sqr", "`x^2` or `sqrt(x)`"),
    ("square", "`x^2`"),
    ("power", "`x^y`"),
    ("log2", "`log(x) / log(2)`"),
    ("exp2", "`2^x`"),
    ("sec", "`1 / cos(x)`"),
    ("csc", "`1 / sin(x)`"),
    ("cot", "`1 / tan(x)`"),
    ("clamp", "`min(max(x, lower), upper)`"),
    ("clip", "`min(max(x, lower), upper)`"),
    ("average", "`mean(x)`"),
    ("fabs", "`abs(x)`"),
];

/// A variable, a constant, a column or an index that was meant.
pub(super) fn name(name: &str, known: &[&str]) -> Option<String> {
    if name == "e" && !known.contains(&"e") {
        return Some("; allowed: `exp(1)`".into());
    }
    let same = known.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
    let like = same.or_else(|| meant(name, known))?;
    Some(format!("; did you mean `{like}`?"))
}

/// A function that was meant. A function of another meaning is never proposed: only letters in another case or order
/// count as the same name.
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
    let like = FUNCTIONS.iter().find(|known| is_like(known))?;
    Some(format!("; did you mean `{like}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_of_another_meaning_is_proposed() {
        for unknown in ["asin", "mod", "cbrt", "atan2", "logg", "sinc", "len2", "x"] {
            assert_eq!(function(unknown), None, "{unknown}");
        }
        for (unknown, is) in
            [("Sqrt", "sqrt"), ("sqtr", "sqrt"), ("LOG", "log"), ("flooR", "floor")]
        {
            assert_eq!(function(unknown), Some(format!("; did you mean `{is}`?")));
        }
        assert_eq!(function("sqr").as_deref(), Some("; allowed: `x^2` or `sqrt(x)`"));
    }

    #[test]
    fn names_are_proposed_whatever_their_case() {
        assert_eq!(name("T", &["t", "time"]).as_deref(), Some("; did you mean `t`?"));
        assert_eq!(name("lifetme", &["lifetime"]).as_deref(), Some("; did you mean `lifetime`?"));
        assert_eq!(name("e", &["a"]).as_deref(), Some("; allowed: `exp(1)`"));
        assert_eq!(name("zoo", &["a"]), None);
    }
}
