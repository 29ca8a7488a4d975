//! Calls the loops of `cpu-ref` that carry out a procedure.

use warpswarm_core::Float;
use warpswarm_cpu_ref::generation::Work;
use warpswarm_cpu_ref::portfolio::{Portfolio, Span};
use warpswarm_cpu_ref::{DynObjective, Swarm, Task, Threads, fwa, portfolio, pso, restarts, spso};

use super::super::{Job, Procedure};

/// A run at iteration 0.
pub(in super::super) fn place<R: Float>(
    job: &Job<R>,
    run: u32,
    work: &Work<'_, R>,
    spread: Threads,
) -> Swarm<R> {
    let (n, id) = (job.individuals, job.run_id(run));
    match &job.procedure {
        Procedure::Fwa(_) => {
            let mut swarm = fwa::start(work, n, id, spread);
            swarm.control = job.going_on(&swarm);
            swarm
        }
        Procedure::Portfolio(searches) => {
            let mut swarm = portfolio::start(searches, work, id, spread);
            swarm.control = job.going_on(&swarm);
            swarm
        }
        Procedure::Method(named) => named.method.start(work, n, id, spread),
        Procedure::Pso(_) | Procedure::Spso(_) => {
            let task = task(work, DynObjective::<R, true>(work.evaluate));
            Swarm::new(&task, n, id, spread)
        }
    }
}

fn task<'a, R: Float, O>(work: &Work<'a, R>, objective: O) -> Task<'a, R, O> {
    let Work { bounds, start, stop, halt, .. } = *work;
    Task { objective, bounds, start, stop, halt }
}

/// Advances a swarm. If the objective is `CONSTRAINED`, evaluations also compute the violation.
pub(in super::super) fn advance<R: Float, const CONSTRAINED: bool>(
    swarm: &mut Swarm<R>,
    job: &Job<R>,
    work: &Work<'_, R>,
    iterations: u64,
    spread: Threads,
) {
    let task = task(work, DynObjective::<R, CONSTRAINED>(work.evaluate));
    let span = Span { iterations, evaluations: job.evaluations };
    match &job.procedure {
        Procedure::Spso(coefficients) => spso::run(swarm, &task, coefficients, iterations),
        Procedure::Pso(coefficients) => pso::run(swarm, &task, coefficients, iterations, spread),
        Procedure::Method(named) if job.restarts => {
            named.method.run_anew(swarm, work, span, spread);
        }
        Procedure::Method(named) => match &named.reduction {
            Some(reduction) => {
                named.method.run_with_reduction(swarm, reduction, work, iterations, spread)
            }
            None => named.method.run(swarm, work, iterations, spread),
        },
        Procedure::Fwa(parameters) => fwa::run(swarm, parameters, work, span, spread),
        Procedure::Portfolio(searches) => portfolio::run(swarm, searches, work, span, spread),
    }
}

/// The evaluations of each run, if iterations differ in evaluations.
pub(in super::super) fn evaluations<'a, R: Float>(
    job: &Job<R>,
    swarms: impl Iterator<Item = &'a Swarm<R>>,
) -> Option<Vec<u64>> {
    match job.procedure {
        Procedure::Fwa(_) => Some(swarms.map(fwa::evaluations).collect()),
        Procedure::Portfolio(_) => Some(swarms.map(Portfolio::evaluations).collect()),
        _ if job.restarts => {
            let of = |swarm| restarts::evaluations(swarm, job.procedure.of_leg(job.individuals));
            Some(swarms.map(of).collect())
        }
        _ => None,
    }
}
