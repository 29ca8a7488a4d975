//! The output of the programs: a line for each case, measured or not.

/// A case, measured by a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    /// The program and its variant, such as `evox_graph_pso`.
    pub(super) system: String,
    pub(super) case: String,
    /// The number of individuals; `64x1000` means a thousand runs of 64.
    pub(super) individuals: String,
    pub(super) dimensions: String,
    pub(super) iterations: u64,
    /// The time of all iterations.
    pub(super) seconds: f64,
    pub(super) best: String,
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    Measured(Measured),
    /// A case that was not measured, and why.
    Missing {
        what: String,
        why: String,
    },
}

impl Measured {
    /// Microseconds per iteration.
    pub(super) fn each(&self) -> f64 {
        self.seconds / self.iterations as f64 * 1e6
    }
}

impl Line {
    /// Parses `SYSTEM CASE INDIVIDUALS DIMENSIONS ITERATIONS SECONDS ITERATIONS/S BEST`, with a remark after `#`; or
    /// `SYSTEM CASE INDIVIDUALS DIMENSIONS ITERATIONS FAILED WHY`; or `# skip SYSTEM CASE: WHY`. Returns `None` for
    /// other lines, because libraries may print anything.
    pub(super) fn read(text: &str) -> Option<Line> {
        let missing = |what: &str, why: &str| {
            Some(Line::Missing { what: what.trim().into(), why: why.trim().into() })
        };
        if let Some(skipped) = text.strip_prefix("# skip ") {
            let (what, why) = skipped.split_once(':')?;
            return missing(what, why);
        }
        if let Some((what, why)) = text.split_once(" FAILED") {
            return missing(what, why);
        }
        let (numbers, _) = text.split_once('#').unwrap_or((text, ""));
        let words: Vec<&str> = numbers.split_whitespace().collect();
        let [system, case, individuals, dimensions, iterations, seconds, _, best] = words[..]
        else {
            return None;
        };
        // `~` marks fewer iterations than requested.
        let iterations = iterations.trim_start_matches('~').parse().ok()?;
        let seconds = seconds.parse().ok()?;
        if iterations == 0 || !(seconds > 0.0 && f64::is_finite(seconds)) {
            return missing(&format!("{system} {case}"), &format!("{iterations} in {seconds} s"));
        }
        let case = if system.ends_with("_de") { format!("de_{case}") } else { case.into() };
        let [system, individuals, dimensions, best] =
            [system, individuals, dimensions, best].map(String::from);
        let measured =
            Measured { system, case, individuals, dimensions, iterations, seconds, best };
        Some(Line::Measured(measured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(text: &str) -> Measured {
        match Line::read(text) {
            Some(Line::Measured(measured)) => measured,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn missing(text: &str) -> (String, String) {
        match Line::read(text) {
            Some(Line::Missing { what, why }) => (what, why),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_line_is_read() {
        let line =
            "jax_tuned n1k_d2 1024 2 10000 0.069500 143884.9 1e-13  # first call 2.3 s, 3 timed";
        let expected = Measured {
            system: "jax_tuned".into(),
            case: "n1k_d2".into(),
            individuals: "1024".into(),
            dimensions: "2".into(),
            iterations: 10_000,
            seconds: 0.0695,
            best: "1e-13".into(),
        };
        assert_eq!(measured(line), expected);
        assert!((measured(line).each() - 6.95).abs() < 1e-12);
    }

    #[test]
    fn batches_marks_and_values_that_are_no_numbers_are_read() {
        let line = measured("evox_vmap_pso batch1000 64x1000 10 ~600 0.1536 3906.2 nan");
        assert_eq!((&line.individuals[..], line.iterations), ("64x1000", 600));
        assert!((line.each() - 256.0).abs() < 1e-9);
    }

    #[test]
    fn de_has_rows_of_its_own() {
        assert_eq!(measured("evosax_de n768_d30 768 30 1000 0.056 1 2").case, "de_n768_d30");
    }

    #[test]
    fn what_is_missing_says_why() {
        let told = |what: &str, why: &str| (what.to_string(), why.to_string());
        let line = "evox_pso n64k_d30 65536 30 1000 FAILED OutOfMemoryError: CUDA out of memory";
        let why = "OutOfMemoryError: CUDA out of memory";
        assert_eq!(missing(line), told("evox_pso n64k_d30 65536 30 1000", why));
        let line = "# skip evosax_de batch1000: its time was over";
        assert_eq!(missing(line), told("evosax_de batch1000", "its time was over"));
        assert_eq!(missing("x n32_d2 32 2 0 0.0 nan 1").0, "x n32_d2");
    }

    #[test]
    fn other_lines_are_not_read() {
        for text in
            ["", "# jax 0.11.2 NVIDIA H200", "#   try n1k_d2 block/b1: 0.6 us/iteration", "a b c"]
        {
            assert_eq!(Line::read(text), None, "{text}");
        }
        assert_eq!(Line::read("warning: 1 2 3 four 5 6 7"), None);
    }
}
