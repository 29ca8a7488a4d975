//! The serial SPSO of the CPSO paper. Its parameters are those of `pso`.

use super::{Algorithm, AlgorithmInfo, Preset, PsoParams};
use crate::settings::choices::Backend;

pub(super) const INFO: AlgorithmInfo = AlgorithmInfo {
    id: "spso",
    title: "serial particle swarm optimisation, asynchronous: the baseline of the speed tables",
    source: "CPSO, particle swarm optimisation with CUDA and a tree reduction, Algorithm 1",
    backends: &[Backend::Cpu],
    presets: PRESETS,
};

/// The presets of `pso` with a star topology and a constant inertia.
const PRESETS: &[Preset] = &[
    Preset { make: || Algorithm::Spso(PsoParams::clerc_kennedy_2002()), ..PsoParams::PRESETS[0] },
    Preset { make: || Algorithm::Spso(PsoParams::cpso_paper()), ..PsoParams::PRESETS[1] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_are_those_that_it_takes() {
        for preset in PsoParams::PRESETS {
            let Algorithm::Pso(params) = preset.algorithm() else {
                unreachable!("a preset of pso")
            };
            let listed = PRESETS.iter().find(|ours| ours.name == preset.name);
            assert_eq!(listed.is_some(), params.spso::<f64>().is_ok(), "{}", preset.name);
            if let Some(ours) = listed {
                assert_eq!(
                    (ours.algorithm(), ours.source),
                    (Algorithm::Spso(params), preset.source)
                );
            }
        }
    }
}
