//! Settings and claims of the libCudaOptimize paper about its first case study. The paper shows the times only as
//! curves, in Figures 4 and 5, without numbers.

pub(crate) const REPETITIONS: u64 = 10;

/// The number of particles in Figure 4, over generations.
pub(crate) const PARTICLES: u64 = 64;
/// The number of generations in Figure 5, over particles.
pub(crate) const GENERATIONS: u64 = 200;

/// Runs of each implementation in Figure 4. With 10 runs per configuration there are 100 configurations: 100 to 10,000
/// generations in steps of 100, if they are evenly spaced.
pub(crate) const RUNS_OVER_GENERATIONS: u64 = 1_000;
/// Runs in Figure 5: 125 configurations, 16 to 512 particles in steps of 4.
pub(crate) const RUNS_OVER_PARTICLES: u64 = 1_250;

/// The numbers of generations that we measure for Figure 4. The first and the last are the paper's.
pub(crate) const ALONG_GENERATIONS: [u64; 7] = [100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/// The numbers of particles that we measure for Figure 5. The first and the last are the paper's.
pub(crate) const ALONG_PARTICLES: [u64; 11] = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/// Below about this number of particles, the CPU was faster than CPU and GPU together.
pub(crate) const OVERTAKEN_AT: u64 = 60;

/// The number of generations for both sets at once and one by one. The paper does not give it.
pub(crate) const GENERATIONS_IN_TURN: u64 = 1_000;

pub(crate) const MACHINE: &str = "Core i7 at 2.67 GHz, GeForce GTS 450, CUDA 4.1";

pub(crate) const CLAIMS: &str = "The paper prints curves and no numbers. It says that all on the GPU is clearly the fastest, and that with \
     fewer than 60 particles (200 generations) the CPU is faster than CPU + GPU, because of what is copied between \
     the two.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_reach_as_far_as_the_papers() {
        let ends = |along: &[u64]| (along[0], along[along.len() - 1]);
        assert_eq!(ends(&ALONG_GENERATIONS), (100, 10_000));
        assert_eq!(ends(&ALONG_PARTICLES), (16, 512));
        assert!(ALONG_GENERATIONS.is_sorted() && ALONG_PARTICLES.is_sorted());
        // The paper's steps follow from its numbers of runs; our points are some of them.
        let steps = |along: &[u64], runs: u64| {
            let (first, last) = ends(along);
            let step = (last - first) / (runs / REPETITIONS - 1);
            assert!(along.iter().all(|x| (x - first) % step == 0));
            step
        };
        assert_eq!(steps(&ALONG_GENERATIONS, RUNS_OVER_GENERATIONS), 100);
        assert_eq!(steps(&ALONG_PARTICLES, RUNS_OVER_PARTICLES), 4);
        // The two figures have a common point.
        assert!(ALONG_GENERATIONS.contains(&GENERATIONS) && ALONG_PARTICLES.contains(&PARTICLES));
    }
}
