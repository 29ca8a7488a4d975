//! Properties of all configurations: an allowed one runs and satisfies the guarantees; one that is not allowed is
//! refused by name before anything is evaluated.
//!
//! The cases are the same each time. `PROPTEST_CASES=N` tries N cases of each property, `PROPTEST_RNG_SEED=S` other
//! cases.

mod allowed;
mod cases;
mod refused;
mod wild;

use proptest::test_runner::{Config, RngSeed};

/// `cases` cases, the same each time, unless the environment asks for others.
fn config(cases: u32) -> Config {
    let asked = Config::default();
    Config {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() { asked.cases } else { cases },
        rng_seed: match asked.rng_seed {
            RngSeed::Random => RngSeed::Fixed(1),
            fixed => fixed,
        },
        failure_persistence: None,
        ..asked
    }
}
