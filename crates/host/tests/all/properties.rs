//! What holds of every configuration: one that is allowed runs and keeps its promises, one that is not is refused by
//! name before anything is evaluated.
//!
//! The cases are the same each time. `PROPTEST_CASES=N` tries N of each property, `PROPTEST_RNG_SEED=S` others.

mod allowed;
mod cases;
mod refused;
mod wild;

use proptest::test_runner::{Config, RngSeed};

/// So many cases, the same each time, unless the environment asks for others.
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
