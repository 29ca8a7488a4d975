//! The CPSO paper's serial SPSO: the parameters are those of `pso`.

use super::parameters::Params;
use super::{Algorithm, AlgorithmInfo, PsoParams};
use crate::choices::Backend;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "spso",
    title: "serial particle swarm optimisation, asynchronous: the baseline of the speed tables",
    source: "CPSO: particle swarm optimization with CUDA and tree reduction, Algorithm 1",
    backends: &[Backend::Cpu],
    parameters: PsoParams::ROWS,
    presets: PsoParams::PRESETS,
    make: || Algorithm::Spso(PsoParams::clerc_kennedy_2002()),
};
