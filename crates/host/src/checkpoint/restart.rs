//! The file format of runs with restarts.

use serde::{Deserialize, Serialize};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::restart::RestartState;
use warpswarm_cpu_ref::parked::Parked;
use warpswarm_cpu_ref::restarts::Earlier;

/// [`RestartState`].
#[derive(Deserialize, Serialize)]
pub(super) struct OfLegs {
    number: u64,
    began: u64,
    evaluations: u64,
    spent: [u64; 2],
    limit: u64,
    ahead: u64,
    regime: u32,
    doubled: u32,
    individuals: u32,
    is_new: bool,
}

impl OfLegs {
    pub(super) fn of(legs: RestartState) -> Self {
        let RestartState {
            number,
            began,
            evaluations,
            spent,
            limit,
            ahead,
            regime,
            doubled,
            individuals,
            is_new,
        } = legs;
        OfLegs {
            number,
            began,
            evaluations,
            spent,
            limit,
            ahead,
            regime,
            doubled,
            individuals,
            is_new,
        }
    }

    pub(super) fn legs(self) -> RestartState {
        let OfLegs {
            number,
            began,
            evaluations,
            spent,
            limit,
            ahead,
            regime,
            doubled,
            individuals,
            is_new,
        } = self;
        RestartState {
            number,
            began,
            evaluations,
            spent,
            limit,
            ahead,
            regime,
            doubled,
            individuals,
            is_new,
        }
    }
}

/// A [`Parked`] search. Pairs are (violation, value).
#[derive(Deserialize, Serialize)]
pub(super) struct OfParked<R> {
    age: u64,
    best_positions: Vec<R>,
    best: Vec<(R, R)>,
    numbers: Vec<R>,
    memory: Vec<R>,
    archive: Vec<R>,
    legs: OfLegs,
}

impl<R> OfParked<R> {
    pub(super) fn of(parked: Parked<R>) -> Self {
        let pair = |fitness: Fitness<R>| (fitness.violation, fitness.value);
        OfParked {
            age: parked.age,
            best_positions: parked.best_positions,
            best: parked.best.into_iter().map(pair).collect(),
            numbers: parked.numbers,
            memory: parked.memory,
            archive: parked.archive,
            legs: OfLegs::of(parked.legs),
        }
    }

    pub(super) fn parked(self) -> Parked<R> {
        let fitness = |(violation, value)| Fitness { violation, value };
        Parked {
            age: self.age,
            best_positions: self.best_positions,
            best: self.best.into_iter().map(fitness).collect(),
            numbers: self.numbers,
            memory: self.memory,
            archive: self.archive,
            legs: self.legs.legs(),
        }
    }
}

/// The best of the [`Earlier`] legs. The pair is (violation, value).
#[derive(Deserialize, Serialize)]
pub(super) struct OfEarlier<R> {
    best: (R, R),
    index: u32,
    position: Vec<R>,
    improved_at: u64,
    evaluations: u64,
}

impl<R> OfEarlier<R> {
    pub(super) fn of(earlier: Earlier<R>) -> Self {
        let Earlier { best: Candidate { fitness, index, .. }, position, .. } = earlier;
        let best = (fitness.violation, fitness.value);
        let Earlier { improved_at, evaluations, .. } = earlier;
        OfEarlier { best, index, position, improved_at, evaluations }
    }

    pub(super) fn earlier(self) -> Earlier<R> {
        let OfEarlier { best: (violation, value), index, position, improved_at, evaluations } =
            self;
        let best = Candidate { fitness: Fitness { violation, value }, index, reserved: 0 };
        Earlier { best, position, improved_at, evaluations }
    }
}
