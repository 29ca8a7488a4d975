//! A run's population in memory.

use warpswarm_core::launch::{Control, GenerationArgs, OwnRun, Ptr, stopped};
use warpswarm_core::method::{
    self, Individual, MAX_NUMBERS, MAX_OTHERS, Method, Numbers, Own, SiteDraws,
};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::random::RunKey;
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use super::place::{Place, normals_of};
use crate::run::{Run, bounds_of_run, given, level_of, of_run};

/// One run's arrays and this block's place in it.
#[derive(Clone, Copy)]
pub struct Generation<'a, R> {
    pub(crate) args: &'a GenerationArgs<R>,
    /// The run's index in the launch.
    pub(crate) number: usize,
    /// This block's index among the run's blocks.
    pub(crate) part: u32,
    /// The key of the run's draws.
    key: RunKey,
    /// `[parity][individual][place]`
    public: View<R>,
    /// `[parity][individual]`
    fitness: View<Fitness<R>>,
    /// `[row][individual][place]`
    own: View<R>,
    /// `[parity][individual][number]`
    numbers: View<R>,
    /// Numbers of an individual.
    count: usize,
    pub(crate) global: View<Candidate<R>>,
    pub(crate) global_position: View<R>,
    pub(crate) lower: View<R>,
    pub(crate) upper: View<R>,
    pub(crate) control: View<Control>,
}

/// The data of one parity, which all individuals may read.
#[derive(Clone, Copy)]
pub(crate) struct Parity<R> {
    /// `[individual][place]`
    pub(crate) rows: View<R>,
    /// `[individual]`
    pub(crate) fitness: View<Fitness<R>>,
    /// `[individual][number]`
    numbers: View<R>,
    /// Numbers of an individual.
    count: usize,
    stride: usize,
}

impl<R: DeviceReal> Parity<R> {
    /// The row of an individual.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn row(&self, individual: u32) -> View<R> {
        self.rows.part(individual as usize * self.stride, self.stride)
    }

    /// An individual's numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn numbers(&self, individual: u32) -> Numbers<R> {
        let mut numbers = Numbers::default();
        let mut k = 0;
        while k < MAX_NUMBERS {
            if k < self.count {
                numbers[k] = self.numbers.get(individual as usize * self.count + k);
            }
            k += 1;
        }
        numbers
    }

    /// Writes an individual's numbers; by one lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn set_numbers(&self, individual: u32, numbers: Numbers<R>) {
        let mut k = 0;
        while k < MAX_NUMBERS {
            if k < self.count {
                self.numbers.set(individual as usize * self.count + k, numbers[k]);
            }
            k += 1;
        }
    }

    /// Writes number 0 of an individual; by one lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn set_number(&self, individual: u32, number: R) {
        self.numbers.set(individual as usize * self.count, number);
    }
}

impl<'a, R: DeviceReal> Generation<'a, R> {
    /// The run that this block works on, whose individuals have `own` own rows and `numbers` numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of_block(
        args: &'a GenerationArgs<R>,
        (own, numbers): (usize, usize),
        key: RunKey,
    ) -> Self {
        // Each caller computes it again, so that no register holds it in between.
        let place = thread::run_and_part(args.runs, args.blocks_per_run);
        Generation::of_run(args, (own, numbers), key, place)
    }

    /// A run of the launch, and a block's index among its blocks.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of_run(
        args: &'a GenerationArgs<R>,
        (own, numbers): (usize, usize),
        key: RunKey,
        (run, part): (u32, u32),
    ) -> Self {
        let (runs, number) = (args.runs, run as usize);
        let (n, stride) = (args.individuals as usize, args.stride as usize);
        let optional = |ptr, len| optional_of_run(ptr, (runs, number), len);
        Generation {
            args,
            number,
            part,
            key,
            public: of_run(args.public, runs, number, 2 * n * stride),
            fitness: of_run(args.fitness, runs, number, 2 * n),
            own: optional(args.own, own * n * stride),
            numbers: optional(args.numbers, 2 * numbers * n),
            count: numbers,
            global: of_run(args.global, runs, number, 1),
            global_position: of_run(args.global_positions, runs, number, stride),
            lower: bounds_of_run(args.lower, args.bounds_runs, number, stride),
            upper: bounds_of_run(args.upper, args.bounds_runs, number, stride),
            control: of_run(args.control, runs, number, 1),
        }
    }

    /// The same, computed again: see [`of_block`](Generation::of_block).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn again<M: Method<R>>(&self) -> Self {
        Generation::of_block(self.args, (M::OWN, M::NUMBERS), self.key)
    }

    /// The iteration that a launch computes: 0 to place the individuals, none if the run has stopped.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn next(&self) -> Option<u64> {
        let control = self.control.get(0);
        if self.args.iterations == 0 {
            return if control.stopped == stopped::WAITS { None } else { Some(0) };
        }
        if control.stopped == stopped::NOT { Some(control.iterations + 1) } else { None }
    }

    /// The violation level at which an individual is judged, if there are constraints.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn level_of<const CONSTRAINED: bool>(&self, individual: u32) -> R {
        level_of::<R, CONSTRAINED>(self.control, individual)
    }

    /// The run's data other than its individuals.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn run(&self) -> Run<R> {
        let blocks = self.args.blocks_per_run;
        Run {
            global: self.global,
            global_position: self.global_position,
            control: self.control,
            block_best: of_run(self.args.block_best, self.args.runs, self.number, blocks as usize),
            blocks,
            part: self.part,
            stop: own_run_of(self.args, self.number).stop,
        }
    }

    /// The data that iteration `iteration` reads and the one before wrote. `!iteration` has the same parity as
    /// `iteration - 1`, which would take another register.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn read_by(&self, iteration: u64) -> Parity<R> {
        self.written_by(!iteration)
    }

    /// What iteration `iteration` writes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn written_by(&self, iteration: u64) -> Parity<R> {
        let (n, stride) = (self.args.individuals as usize, self.args.stride as usize);
        let count = self.count;
        let parity = (iteration & 1) as usize;
        Parity {
            rows: self.public.part(parity * n * stride, n * stride),
            fitness: self.fitness.part(parity * n, n),
            numbers: if count == 0 {
                View::EMPTY
            } else {
                self.numbers.part(parity * n * count, n * count)
            },
            count,
            stride,
        }
    }

    /// An individual at an iteration.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn individual(
        &self,
        iteration: u64,
        index: u32,
        fitness: Fitness<R>,
    ) -> Individual<R> {
        // Opaque for the same reason as the key.
        let high = thread::opaque((iteration >> 32) as u32);
        Individual {
            key: hidden(self.key),
            iteration: u64::from(high) << 32 | u64::from(iteration as u32),
            index,
            individuals: self.args.individuals,
            dimensions: self.args.dimensions,
            attempt: 0,
            fitness,
        }
    }

    /// The individuals of this block: the first, and the one after the last. Each caller computes them again.
    ///
    /// A run has at most 2^31 individuals, so that sums of an index and a stride fit. The individuals of a block are
    /// neighbours, so that of equal candidates the first one is in the first block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn of_this_block(&self) -> (u32, u32) {
        let (n, share) = (self.args.individuals, self.args.individuals_per_block);
        let first = thread::opaque(self.part) * share;
        (first, (first + share).min(n))
    }

    /// Calls `work` for the individuals of this warp, with all its lanes together.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn each(&self, mut work: impl FnMut(u32)) {
        let (first, end) = self.of_this_block();
        let mut index = first + thread::warp();
        while index < end {
            work(index);
            index += thread::block_dim() / 32;
        }
    }

    /// Own row `row` of an individual.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn own_row(&self, row: usize, individual: u32) -> View<R> {
        let (n, stride) = (self.args.individuals as usize, self.args.stride as usize);
        self.own.part((row * n + individual as usize) * stride, stride)
    }

    /// A coordinate of an individual's own rows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn own<M: Method<R>>(&self, individual: u32, i: u32) -> Own<R> {
        let mut own = Own::default();
        if M::OWN > 0 {
            own[0] = self.own_row(0, individual).get(i as usize);
        }
        if M::OWN > 1 {
            own[1] = self.own_row(1, individual).get(i as usize);
        }
        own
    }

    /// Writes a coordinate of an individual's own rows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn set_own<M: Method<R>>(&self, individual: u32, i: u32, own: Own<R>) {
        if M::OWN > 0 {
            self.own_row(0, individual).set(i as usize, own[0]);
        }
        if M::OWN > 1 {
            self.own_row(1, individual).set(i as usize, own[1]);
        }
    }

    /// Lower and upper bound of coordinate `i`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn bounds(&self, i: u32) -> (R, R) {
        (self.lower.get(i as usize), self.upper.get(i as usize))
    }

    /// Coordinate `i` of the first position, and of the own rows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn started<M: Method<R>>(
        &self,
        method: &M,
        who: &Individual<R>,
        i: u32,
    ) -> (R, Own<R>) {
        let given = given(&self.args.start, (self.number, who.index, i), self.args.stride);
        let drawn = draws_of(who).drawn(i, 0);
        method::first(method, who, i, self.bounds(i), (drawn, given))
    }

    /// Coordinate `i` of a proposal, or of the first position, and of the own rows after it. `public` and `best` are
    /// not called at iteration 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn proposed<M: Method<R>>(
        &self,
        method: &M,
        before: Parity<R>,
        (who, plan): (&Individual<R>, &M::Plan),
        i: u32,
        public: impl FnOnce() -> R,
        best: impl FnOnce() -> R,
    ) -> (R, Own<R>) {
        if who.iteration == 0 {
            return self.started(method, who, i);
        }
        let (others, mut theirs) = (method.others(plan), [R::ZERO; MAX_OTHERS]);
        let mut k = 0;
        while k < M::OTHERS {
            theirs[k] = self.other::<M>(before, others[k]).get(i as usize);
            k += 1;
        }
        let [even, odd] = normals_of::<R, M, 2>(method, (who, plan), i / 2 * 2);
        let normal = if i.is_multiple_of(2) { even } else { odd };
        let place = Place {
            coordinate: i,
            draws: draws_of(who),
            known: None,
            normal,
            bounds: self.bounds(i),
            public: public(),
            own: self.own::<M>(who.index, i),
            best: best(),
            theirs,
            of: |individual| before.row(individual).get(i as usize),
        };
        method.propose(plan, &place)
    }
}

/// The part of an array that belongs to one run; empty if `len` is zero.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn optional_of_run<T: Copy>(
    ptr: Ptr<T>,
    (runs, run): (u32, usize),
    len: usize,
) -> View<T> {
    if len == 0 { View::EMPTY } else { of_run(ptr, runs, run, len) }
}

/// The draws of an individual for its coordinates.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn draws_of<R: DeviceReal>(who: &Individual<R>) -> SiteDraws {
    SiteDraws::of(&Individual { key: hidden(who.key), ..*who })
}

/// The key of the draws of the run that this block works on.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn key_of_block<R: DeviceReal>(args: &GenerationArgs<R>) -> RunKey {
    let (run, _) = thread::run_and_part(args.runs, args.blocks_per_run);
    key_of_run(args, run)
}

/// The key of the draws of a run of the launch.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn key_of_run<R: DeviceReal>(args: &GenerationArgs<R>, run: u32) -> RunKey {
    let OwnRun { seed, leg, .. } = own_run_of(args, run as usize);
    RunKey::new(seed, args.first_run + u64::from(run)).of_leg(leg)
}

/// The own settings of the run that this block works on. They are read where they are needed, because the stop rule
/// would take registers throughout.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn own_run<R: DeviceReal>(args: &GenerationArgs<R>) -> OwnRun<R> {
    let (run, _) = thread::run_and_part(args.runs, args.blocks_per_run);
    own_run_of(args, run as usize)
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn own_run_of<R: DeviceReal>(args: &GenerationArgs<R>, run: usize) -> OwnRun<R> {
    of_run(args.own_runs, args.runs, run, 1).get(0)
}

/// The same key, opaque to the compiler, so that values computed from it in a loop are not kept in registers
/// throughout.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn hidden(key: RunKey) -> RunKey {
    key.through(thread::opaque)
}
