//! Baselines and measurements of warpswarm. Each is a program in `src/bin`.
