//! Random optimisations for `WARPSWARM_SOAK_SECONDS` (a few by default), on the CPU or on `WARPSWARM_SOAK_BACKEND`.

use std::env;

use warpswarm::Backend;

#[test]
fn soak() {
    let backend = env::var("WARPSWARM_SOAK_BACKEND");
    let backend = backend.map_or(Backend::Cpu, |name| name.parse().unwrap());
    warpswarm_tests::soak::soak(backend, 4);
}
