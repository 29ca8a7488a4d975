//! The notes below the tables: differences from the paper, and their reasons.

/// Below Table 2.
pub(crate) const PRECISION: [&str; 7] = [
    "Evaluations: the paper counts n m 1,000 = 768,000, which leaves out L: it is what 1,000 explosions make, \
     33 rounds of its Algorithm 1. 1,000 rounds make 23,088,048. It says that FWA and PSO made as many as \
     GPU-FWA; without --quick all three are here with either number.",
    "GPU-FWA: the paper gives neither the amplitude A nor its floor; ours are one range of the bounds and 0. \
     docs/papers/gpu-fwa.md shows what they do: f5 comes out as well as in the paper with a large A only.",
    "GPU-FWA: Algorithm 3 as printed always drives fireworks from the best. The text and its analysis have the \
     distance multiplied instead, which is what is done here.",
    "FWA: 64 fireworks, 640 sparks, 64 Gaussian sparks. Amplitude and bounds of the spark counts are not given; \
     ours are Tan and Zhu's, but for the least sparks of a firework, which are 2. The paper's FWA has minor \
     modifications, which it does not name. Ours is drawn to the middle of the box by its Gaussian sparks, where \
     most of these optima lie; the paper's, from its numbers, was not.",
    "PSO: a ring of 768 particles with Bratton and Kennedy's coefficients, positions clamped to the bounds.",
    "The paper does not say in which precision it computed; ours is f64. Generators differ (CURAND's there, \
     Philox here), and so do all trials.",
    "f6: FWA's mean is the better one in the paper's table. Its text counts f6 among what GPU-FWA wins, and says \
     in the same sentence that it lost there.",
];

/// Below the same table for shifted optima.
pub(crate) const SHIFTED: [&str; 3] = [
    "Every coordinate of the optimum is moved by -0.1 widths of the box, within the same bounds; the minimum is \
     the same (Schwefel's function has no smaller value in what the bounds then hold). The paper's optima lie in \
     the middle of the box, but for f4 and f6.",
    "FWA's Gaussian sparks multiply coordinates themselves, so that zero attracts: it gains by optima in the middle \
     and loses them here. GPU-FWA's mutation multiplies distances from the best firework, and PSO's steps are \
     distances too: neither knows where zero is, and what changes is how far the bounds are.",
    "What is not taken away: sparks move several coordinates by one common displacement, and in the shifted \
     optimum, too, all coordinates are equal.",
];

/// Below Table 3.
pub(crate) const TESTS: [&str; 3] = [
    "Two-sided, Welch's, at 0.01: + GPU-FWA is better, - worse, ~ no significant difference. The paper does not \
     say which t-test it took.",
    "`paper's Table 2`: the p-values that follow from means and deviations in the paper's Table 2 with 20 trials. \
     They are not those that it printed: of its 11 significant differences 5 are significant so. Either the \
     deviations or the number of trials must be others.",
    "The paper's 0.00E+00 is below what its format shows.",
];

/// Below the ranks of L and delta.
pub(crate) const SETTINGS: [&str; 2] = [
    "The paper compared L = 10, 20, 30, 40, 50 and delta = 0.1 to 0.9, says that L = 30 and delta = 0.5 performed quite well, \
     and leaves out the results.",
    "All settings make as many evaluations, n m 1,000 or a part of it, and not as many rounds: with equal rounds L = 50 \
     would make five times as many as L = 10. A mutation takes n evaluations, an explosion n m, so that equal evaluations \
     are equal explosions within 1 %; what differs is how often fireworks are attracted and repulsed.",
];

/// Below Table 4.
pub(crate) const SPEED: [&str; 4] = [
    "Equal evaluations: FWA and PSO make as many as 1,000 rounds of GPU-FWA, n (1 + 1,000 (30 x 16 + 1)). As the \
     paper counts: they make n m 1,000, while GPU-FWA does all of its rounds. From the paper's own PSO, 84.615 s \
     are 110 microseconds for each of 768,000 evaluations, or 3.7 for each of 23 million: it seems to have made \
     as many as GPU-FWA.",
    "FWA and PSO grow with n: 64, 640 and 64 fireworks, sparks and Gaussian sparks, and 768 particles, at n = 48. \
     FWA's selection takes time by the square of that, the paper's times do not: its selection may be another.",
    "PSO's time at n = 72 is smaller in the paper than at n = 48, for half as many evaluations again.",
    "The paper's text speaks of speed-ups of up to 140, 160, 180 and 200 over one or the other; its Table 4 ends \
     at 120.3 and 187.0. The other functions are in its Figures 10 and 11 as curves; only Rosenbrock's numbers \
     are printed, and can be shown beside ours.",
];
