//! Names like one that nothing has.

/// The names of a registry most like the one that was given, the nearest first.
pub(crate) fn nearest(name: &str, known: &[&'static str]) -> Vec<&'static str> {
    let name = name.to_lowercase();
    let mut ranked: Vec<_> =
        known.iter().map(|&known| (strsim::jaro_winkler(&name, known), known)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let close = ranked.iter().take_while(|(likeness, _)| *likeness > 0.6).count();
    ranked.truncate(close.clamp(1, 3).max(if close == 0 { 3 } else { 1 }));
    ranked.into_iter().map(|(_, known)| known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        let known = ["sphere", "rastrigin", "rosenbrock", "euclidean"];
        assert_eq!(nearest("rastrgin", &known)[0], "rastrigin");
        assert_eq!(nearest("Sphere", &known)[0], "sphere");
        assert_eq!(nearest("", &known).len(), 3);
        assert_eq!(nearest("qqq", &known).len(), 3);
    }
}
