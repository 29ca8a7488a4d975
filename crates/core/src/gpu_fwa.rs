//! GPU-FWA: fireworks that search independently, and from time to time are attracted to the best or repelled from it.
//!
//! **Idea.** In an explosion every firework throws sparks around itself and moves to the best of them if that is
//! better. After several explosions, a mutation moves it nearer to the best firework or farther away, even if that is
//! worse. Its new amplitude then depends on its fitness relative to the others. This is a cycle: `explosions`
//! iterations and one for the mutation.
//!
//! **Equations** (lengths of coordinate k in its range, u_k - l_k):
//!
//! ```text
//! amplitude     A_i = A ((f_i - y_min + e) / sum_j (f_j - y_min + e) + d)      after each mutation
//! explosion     x'_k = x_k + h (u_k - l_k),  h = A_i U(-1, 1), the same for z coordinates
//! mutation      x'_k = b_k + s (x_k - b_k),  s = U(1 - delta, 1 + delta), each coordinate with
//!               probability 1/2
//! mapping       x' = l + |x' - l| mod (u - l)   out of bounds (mode modulo)
//! ```
//!
//! | symbol | field | meaning | range | default |
//! |---|---|---|---|---|
//! | m | `sparks` | sparks of each firework in an explosion | 1 to 64 | 16 |
//! | L | `explosions` | explosions between two mutations | >= 1 | 30 |
//! | delta | `delta` | reach of the mutation | [0, 1) | 0.5 |
//! | A | `amplitude` | sum of all amplitudes, in ranges | finite, > 0 | |
//! | d | `amplitude_floor` | least share of A for every firework | finite, >= 0 | |
//! | | `limits`, `modulo` | what happens out of bounds | | modulo |
//! | f, y_min, e | | as in [`fwa`] | | |
//! | z | | uniform in 0 to D; the z coordinates are a uniform random subset | | |
//! | b | | the best firework | | |
//!
//! **Source.** K. Ding, S. Zheng, Y. Tan, "A GPU-based parallel fireworks algorithm for optimization",
//! GECCO 2013.
//!
//! **Deviations.**
//! * Algorithm 3 as printed, x + (x - b) s, always moves away from b. The text (the distance is *multiplied* by s) and
//!   the analysis (s has mean 1) need b + (x - b) s, which is used here.
//! * One iteration is an explosion or a mutation: the paper's 1,000 iterations are 1,000 (L + 1) of ours. Its count of
//!   evaluations, n m 1,000, omits L; ours counts every evaluation.
//! * For each spark p is drawn uniformly, and each coordinate moves with probability p. So z is uniform in 0 to D and
//!   all subsets of z coordinates are equally likely, as if z were drawn first.
//! * For the construction of a spark, the paper's Algorithm 2 refers to itself; Tan and Zhu's explosion is used.
//! * The paper gives neither A nor d; `docs/papers/gpu-fwa.md` shows their effect on its table.
//! * The paper uses one warp for each firework, half of which throws 16 sparks from shared memory. Here the kernels of
//!   all methods map an individual to a thread, eight lanes or a warp, as the planner chooses. The paper's own kernels
//!   are the schedule `stepwise`, on devices that have it.

use crate::boundary::Limits;
use crate::fwa::{self, Range};
use crate::method::{Individual, Method, Numbers, Own, Population, Site, step_of_cycle};
use crate::order::Fitness;
use crate::real::Float;
use crate::words;

/// The parameters of GPU-FWA, in the precision of the run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuFwa<R> {
    /// A, the sum of all amplitudes, in ranges.
    pub amplitude: R,
    /// d, the least share of A for every firework.
    pub amplitude_floor: R,
    /// delta, the reach of the mutation.
    pub delta: R,
    /// What happens out of bounds, unless `modulo` is 1.
    pub limits: Limits<R>,
    /// 1 for the paper's mapping, [`fwa::modulo`]; 0 for `limits`.
    pub modulo: u32,
    /// m, the sparks of each firework in an explosion.
    pub sparks: u32,
    /// L, the explosions between two mutations.
    pub explosions: u32,
}

/// What a firework does in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first explosion of a cycle: amplitudes are computed anew.
    First,
    /// Another explosion.
    Explosion,
    /// The mutation.
    Mutation,
}

/// How a point is changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan<R> {
    /// Whether this is a mutation.
    pub mutates: bool,
    /// The probability with which a coordinate changes.
    pub part: R,
    /// h or s
    pub change: R,
}

/// The index of the number that holds the amplitude.
const AMPLITUDE: usize = 0;

impl<R: Float> GpuFwa<R> {
    /// What fireworks do in an iteration, which counts from 1; the result for 0 is unused.
    #[inline(always)]
    pub fn phase(&self, iteration: u64) -> Phase {
        match self.step(iteration) {
            0 => Phase::First,
            step if step == u64::from(self.explosions) => Phase::Mutation,
            _ => Phase::Explosion,
        }
    }

    /// The number of explosions from an iteration (from 1) on, inclusive, until the next mutation; 0 if it is the
    /// mutation.
    #[inline(always)]
    pub fn explosions_left(&self, iteration: u64) -> u64 {
        u64::from(self.explosions) - self.step(iteration)
    }

    #[inline(always)]
    fn step(&self, iteration: u64) -> u64 {
        step_of_cycle(iteration, u64::from(self.explosions) + 1)
    }

    /// The coordinate, mapped into its bounds; random modes call `draw`.
    #[inline(always)]
    pub fn mapped(&self, x: R, bounds: (R, R), draw: impl FnOnce() -> R) -> R {
        if self.modulo == 1 { fwa::modulo(x, bounds) } else { self.limits.enforce(x, bounds, draw) }
    }
}

impl<R: Float> Method<R> for GpuFwa<R> {
    const OWN: usize = 0;
    const NUMBERS: usize = 1;
    type Observation = Phase;
    type Plan = Plan<R>;

    words!(amplitude, amplitude_floor, delta, limits, modulo, sparks, explosions);

    #[inline(always)]
    fn most_attempts(&self) -> u32 {
        self.sparks
    }

    #[inline(always)]
    fn attempts(&self, iteration: u64, _: u32) -> u32 {
        if self.phase(iteration) == Phase::Mutation { 1 } else { self.sparks }
    }

    fn evaluations(&self, individuals: u32, iterations: u64) -> u64 {
        let [explosions, sparks] = [self.explosions, self.sparks].map(u64::from);
        let (cycles, rest) = (iterations / (explosions + 1), iterations % (explosions + 1));
        let of_cycles = cycles.saturating_mul(explosions * sparks + 1);
        of_cycles.saturating_add(rest * sparks).saturating_mul(u64::from(individuals))
    }

    /// Fireworks are independent of each other until the last explosion of a cycle.
    #[inline(always)]
    fn noticed(&self, iteration: u64) -> u64 {
        let (step, last) = (self.step(iteration), u64::from(self.explosions) - 1);
        if iteration == 0 || step >= last { iteration } else { iteration + (last - step) }
    }

    #[inline(always)]
    fn observes(&self, iteration: u64) -> bool {
        self.phase(iteration) == Phase::First
    }

    #[inline(always)]
    fn start(&self, _: R, _: R) -> Own<R> {
        Own::default()
    }

    fn observes_far(&self) -> bool {
        true
    }

    #[inline(always)]
    fn observe<P: Population<R>>(
        &self,
        who: &Individual<R>,
        population: &P,
        numbers: &mut Numbers<R>,
    ) -> Phase {
        let phase = self.phase(who.iteration);
        if phase == Phase::First {
            let range = Range::of(who.individuals, population);
            numbers[AMPLITUDE] =
                range.amplitude((self.amplitude, self.amplitude_floor), who.fitness);
        }
        phase
    }

    #[inline(always)]
    fn plan(&self, who: &Individual<R>, phase: Phase, numbers: &mut Numbers<R>) -> Plan<R> {
        let [part, u] = who.uniform(0);
        let symmetric = R::TWO * u - R::ONE;
        if phase == Phase::Mutation {
            return Plan { mutates: true, part: R::HALF, change: R::ONE + self.delta * symmetric };
        }
        Plan { mutates: false, part, change: numbers[AMPLITUDE] * symmetric }
    }

    #[inline(always)]
    fn propose<S: Site<R>>(&self, plan: &Plan<R>, site: &S) -> (R, Own<R>) {
        let (x, (lower, upper)) = (site.public(), site.bounds());
        let changed = if plan.mutates {
            let best = site.best();
            best + (x - best) * plan.change
        } else {
            x + plan.change * (upper - lower)
        };
        let changed = self.mapped(changed, (lower, upper), || site.reentry());
        let changes = site.draws(0)[0] < plan.part;
        (if changes { changed } else { x }, Own::default())
    }

    #[inline(always)]
    fn accept(
        &self,
        who: &Individual<R>,
        plan: &Plan<R>,
        proposal: Fitness<R>,
        _: &mut Numbers<R>,
    ) -> bool {
        plan.mutates || proposal.beats(who.fitness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Boundary;
    use crate::method::tests::{Known, Still, feasible, individual};

    const GPU_FWA: GpuFwa<f64> = GpuFwa {
        amplitude: 0.25,
        amplitude_floor: 0.0,
        delta: 0.5,
        limits: Limits { correction: 0.22, boundary: Boundary::Clamp },
        modulo: 1,
        sparks: 4,
        explosions: 3,
    };

    #[test]
    fn a_cycle_is_explosions_and_a_mutation() {
        use Phase::{Explosion, First, Mutation};
        let phases = [1, 2, 3, 4, 5, 6].map(|iteration| GPU_FWA.phase(iteration));
        assert_eq!(phases, [First, Explosion, Explosion, Mutation, First, Explosion]);
        assert_eq!(
            [1, 2, 3, 4, 5].map(|iteration| GPU_FWA.attempts(iteration, 0)),
            [4, 4, 4, 1, 4]
        );
        for iterations in 0..20 {
            let sum: u64 = (1..=iterations).map(|i| u64::from(GPU_FWA.attempts(i, 0))).sum();
            assert_eq!(GPU_FWA.evaluations(7, iterations), 7 * sum);
        }
        let left = [1, 2, 3, 4, 5].map(|iteration| GPU_FWA.explosions_left(iteration));
        assert_eq!(left, [3, 2, 1, 0, 3]);
        let noticed = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|iteration| GPU_FWA.noticed(iteration));
        assert_eq!(noticed, [0, 3, 3, 3, 4, 7, 7, 7, 8]);
        let looks = [1, 2, 3, 4, 5].map(|iteration| GPU_FWA.observes(iteration));
        assert_eq!(looks, [true, false, false, false, true]);
        let later = 5_u64 << 40;
        assert_eq!(GPU_FWA.phase(later + 1), phases[(later % 4) as usize]);
        assert_eq!(GpuFwa { explosions: 1, ..GPU_FWA }.phase(2), Mutation);
    }

    #[test]
    fn amplitudes_are_renewed_at_the_start_of_a_cycle() {
        let three = Known(&[2.0, 3.0, 5.0].map(feasible));
        let who = Individual { individuals: 3, ..individual(feasible(5.0)) };
        // y_min = 2; f - y_min = 0, 1, 3, in all 4: the third gets 3/4 of 0.25.
        let mut numbers = Numbers::default();
        let seen = GPU_FWA.observe(&who, &three, &mut numbers);
        let amplitude = numbers[0];
        assert!((amplitude - 0.1875).abs() < 1e-15, "{amplitude}");
        let plan = GPU_FWA.plan(&who, seen, &mut numbers);
        let [part, u] = who.uniform(0);
        let change = amplitude * (2.0 * u - 1.0);
        assert_eq!(plan, Plan { mutates: false, part, change });
        let later = Individual { iteration: 2, ..who };
        GPU_FWA.observe(&later, &three, &mut numbers);
        assert_eq!(numbers[0], amplitude);
        let mutation = Individual { iteration: 4, ..who };
        let seen = GPU_FWA.observe(&mutation, &three, &mut numbers);
        let plan = GPU_FWA.plan(&mutation, seen, &mut numbers);
        assert!(plan.mutates && plan.part == 0.5 && (0.5..1.5).contains(&plan.change));
    }

    #[test]
    fn explosion_and_mutation_by_hand() {
        let site = Still {
            public: 3.0,
            best: 1.0,
            bounds: (-4.0, 6.0),
            draws: [[0.25, 0.0]; 3],
            ..Still::default()
        };
        let propose = |plan| GPU_FWA.propose(&plan, &site).0;
        let explosion = Plan { mutates: false, part: 0.5, change: 0.2 };
        assert_eq!(propose(explosion), 3.0 + 0.2 * 10.0);
        assert_eq!(propose(Plan { part: 0.25, ..explosion }), 3.0, "not this coordinate");
        // 8 is out of bounds: -4 + 12 mod 10 = -2.
        assert!((propose(Plan { change: 0.5, ..explosion }) + 2.0).abs() < 1e-14);
        let mutation = Plan { mutates: true, part: 0.5, change: 1.5 };
        assert_eq!(propose(mutation), 1.0 + 1.5 * (3.0 - 1.0));
        let clamped = GpuFwa { modulo: 0, ..GPU_FWA };
        assert_eq!(clamped.propose(&Plan { change: 0.5, ..explosion }, &site).0, 6.0);
    }

    #[test]
    fn explosions_are_greedy_and_mutations_are_not() {
        let who = individual(feasible(2.0));
        let accepts = |mutates, value| {
            let plan = Plan { mutates, part: 0.5, change: 1.0 };
            GPU_FWA.accept(&who, &plan, feasible(value), &mut Numbers::default())
        };
        assert!(accepts(false, 1.0) && !accepts(false, 2.0) && !accepts(false, f64::NAN));
        assert!(accepts(true, 3.0));
    }
}
