//! Baselines and measurements of warpswarm: each is a program in `src/bin`.
