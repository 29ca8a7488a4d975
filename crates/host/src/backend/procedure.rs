//! The algorithms as backends know them.

use warpswarm_core::Real;
use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::De;
use warpswarm_core::epso::Epso;
use warpswarm_core::fwa::{self, Fwa};
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::method::Method;
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::sa::Sa;
use warpswarm_core::solis_wets::SolisWets;

use crate::algorithms::Algorithm;
use crate::error::Result;

/// An algorithm with its parameters in the run's number type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Procedure<R> {
    /// A star with constant inertia, which has loops and kernels of its own.
    Pso(Coefficients<R>),
    Spso(Coefficients<R>),
    Topology(Pso<R>),
    De(De<R>),
    Sa(Sa<R>),
    SolisWets(SolisWets<R>),
    Epso(Epso<R>),
    Cmepso(Cmepso<R>),
    GpuFwa(GpuFwa<R>),
    /// No method: on the CPU alone.
    Fwa(Fwa<R>),
}

/// Evaluates `$body` with the method that a procedure is; `$other` where it is none.
macro_rules! with_method {
    ($procedure:expr, $method:ident => $body:expr, else $other:expr) => {
        match $procedure {
            $crate::backend::Procedure::Pso(_)
            | $crate::backend::Procedure::Spso(_)
            | $crate::backend::Procedure::Fwa(_) => $other,
            $crate::backend::Procedure::Topology($method) => $body,
            $crate::backend::Procedure::De($method) => $body,
            $crate::backend::Procedure::Sa($method) => $body,
            $crate::backend::Procedure::SolisWets($method) => $body,
            $crate::backend::Procedure::Epso($method) => $body,
            $crate::backend::Procedure::Cmepso($method) => $body,
            $crate::backend::Procedure::GpuFwa($method) => $body,
        }
    };
}
pub(crate) use with_method;

impl<R: Real> Procedure<R> {
    pub(super) fn new(algorithm: &Algorithm, individuals: u64) -> Result<Self> {
        Ok(match algorithm {
            Algorithm::Pso(params) if params.is_plain() => Procedure::Pso(params.coefficients()?),
            Algorithm::Pso(params) => Procedure::Topology(params.method(individuals)?),
            Algorithm::Spso(params) => Procedure::Spso(params.spso()?),
            Algorithm::De(params) => Procedure::De(params.method(individuals)?),
            Algorithm::Sa(params) => Procedure::Sa(params.method()?),
            Algorithm::SolisWets(params) => Procedure::SolisWets(params.method()?),
            Algorithm::Epso(params) => Procedure::Epso(params.method()?),
            Algorithm::Cmepso(params) => Procedure::Cmepso(params.method(individuals)?),
            Algorithm::GpuFwa(params) => Procedure::GpuFwa(params.method()?),
            Algorithm::Fwa(params) => Procedure::Fwa(params.fireworks(individuals)?),
        })
    }

    /// Evaluations of an individual in so many iterations; none where that depends on the run.
    pub(super) fn evaluations(&self, iterations: u64) -> Option<u64> {
        fn of<R: Real, M: Method<R>>(method: &M, iterations: u64) -> u64 {
            method.evaluations(iterations)
        }
        if matches!(self, Procedure::Fwa(_)) {
            return None;
        }
        Some(with_method!(self, method => of(method, iterations), else iterations))
    }

    /// Evaluations of an individual in an iteration, where it makes many.
    pub(crate) fn most_attempts(&self) -> u32 {
        fn of<R: Real, M: Method<R>>(method: &M) -> u32 {
            method.attempts(1)
        }
        with_method!(self, method => of(method), else 1)
    }

    /// Own rows, and numbers, of an individual.
    pub(crate) fn keeps(&self) -> (usize, usize) {
        fn of<R: Real, M: Method<R>>(_: &M) -> (usize, usize) {
            (M::OWN, M::NUMBERS)
        }
        if matches!(self, Procedure::Fwa(_)) {
            return (0, fwa::NUMBERS);
        }
        with_method!(self, method => of(method), else (2, 0))
    }
}
