//! Part of warpswarm.
