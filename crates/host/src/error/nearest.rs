//! Suggestions for unknown names.

/// Half of the letters agree. That is enough for the short names of a file, and too little for those of a registry.
const ALIKE: f64 = 0.5;

/// Up to three names of a registry that are similar to the given one or begin with it, the nearest first.
pub(crate) fn nearest(name: &str, known: &[&'static str]) -> Vec<&'static str> {
    let name = name.to_lowercase();
    let begins = |known: &str| name.len() >= 2 && known.starts_with(&name);
    let close = ranked(&name, known).into_iter();
    let close = close.filter(|(likeness, known)| *likeness > ALIKE || begins(known));
    close.take(3).map(|(_, known)| known).collect()
}

/// The end of the message for an unknown name.
pub(crate) fn suggestion(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        "no known name is similar".to_owned()
    } else {
        format!("did you mean {}?", nearest.join(", "))
    }
}

/// The most similar of some names, if one is similar enough.
#[cfg(feature = "problem-files")]
pub(crate) fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let (likeness, known) = *ranked(name, known).first()?;
    (likeness >= ALIKE).then_some(known)
}

/// Names with their likeness to another name, the nearest first.
fn ranked<'a>(name: &str, known: &[&'a str]) -> Vec<(f64, &'a str)> {
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    let mut ranked: Vec<_> = known.iter().map(|&known| (likeness(known), known)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        let known = ["sphere", "rastrigin", "rosenbrock", "euclidean"];
        assert_eq!(nearest("rastrgin", &known)[0], "rastrigin");
        assert_eq!(nearest("Sphere", &known)[0], "sphere");
        for unlike in ["", "qqq", "qing"] {
            assert!(nearest(unlike, &known).is_empty(), "{unlike}");
        }
        assert_eq!(nearest("sp", &known), ["sphere"]);
        assert_eq!(nearest("Ros", &known), ["rosenbrock"]);
        // Half of the letters of "spring" and "qing" agree.
        assert!(nearest("qing", &["spring"]).is_empty());
        assert_eq!(suggestion(&["pso", "spso"]), "did you mean pso, spso?");
        assert_eq!(suggestion(&[]), "no known name is similar");
    }

    #[cfg(feature = "problem-files")]
    #[test]
    fn a_name_is_meant_where_it_is_like_another() {
        let known = ["height", "lifetime", "len", "sqrt", "t", "tau", "x1"];
        for (name, is) in
            [("lifetme", "lifetime"), ("Height", "height"), ("tua", "tau"), ("len2", "len")]
        {
            assert_eq!(meant(name, &known), Some(is), "{name}");
        }
        for name in ["y", "zoo", "z2", ""] {
            assert_eq!(meant(name, &known), None, "{name}");
        }
    }
}
