//! For `WARPSWARM_SOAK_SECONDS` (a few by default) on the CPU, or another backend of `WARPSWARM_SOAK_BACKEND`. It has a
//! program of its own, since it looks at what a whole process has.

use std::env;
use std::time::Duration;

use warpswarm::Backend;

#[test]
fn soak() {
    let seconds = env::var("WARPSWARM_SOAK_SECONDS").map_or(4, |text| text.parse().unwrap());
    let backend = env::var("WARPSWARM_SOAK_BACKEND");
    let backend = backend.map_or(Backend::Cpu, |name| name.parse().unwrap());
    warpswarm_tests::soak::soak(backend, Duration::from_secs(seconds));
}
