//! The proposal of an individual: rows of coordinates, several at a time with vector instructions.

use std::cell::Cell;

use warpswarm_core::method::{MAX_OWN, Method, Own, Site, SiteDraws, With};
use warpswarm_core::random::{Draw, Factor, PLACES};
use warpswarm_core::real::Float;

use super::Before;
use crate::flight::Rows;
use crate::vectors::{self, Run};

/// A proposal: its coordinates and its own rows, `[place]`; rows that the method does not have are empty.
pub(super) struct Proposal<R> {
    pub(super) x: Vec<R>,
    pub(super) own: [Vec<R>; MAX_OWN],
}

/// What an individual reads for a proposal, in rows of equal length; own rows that the method does not have are empty.
#[derive(Clone, Copy)]
pub(super) struct ProposalContext<'a, R> {
    pub(super) before: Before<'a, R>,
    pub(super) bounds: &'a Rows<R>,
    pub(super) public: &'a [R],
    pub(super) own: [&'a [R]; MAX_OWN],
    pub(super) best: &'a [R],
    pub(super) draws: SiteDraws,
    /// The draws for the normal numbers, if the method uses any.
    pub(super) normals: Option<SiteDraws>,
}

impl<R: Float> Proposal<R> {
    /// Room for rows of `stride` places.
    pub(super) fn new<M: Method<R>>(stride: usize) -> Self {
        let row = |there| vec![R::ZERO; if there { stride } else { 0 }];
        Proposal { x: row(true), own: [row(M::OWN > 0), row(M::OWN > 1)] }
    }

    /// Proposes all coordinates; the places after the last one stay zero.
    #[inline(always)]
    pub(super) fn fill<M: Method<R>>(
        &mut self,
        method: &M,
        plan: &M::Plan,
        context: &ProposalContext<'_, R>,
        drawn: &mut Drawn<R>,
    ) {
        method.of_kind(*plan, Fill { proposal: self, context, drawn });
    }

    #[inline(always)]
    fn fill_all<M: Method<R>>(
        &mut self,
        method: &M,
        plan: &M::Plan,
        context: &ProposalContext<'_, R>,
        drawn: &mut Drawn<R>,
    ) {
        let (stride, dimensions) = (self.x.len(), context.before.bounds.dimensions());
        let mut first = 0;
        while first < stride {
            // A number that the compiler knows, or fewer.
            if stride - first >= PLACES {
                self.fill_places(method, plan, context, drawn, (first, PLACES));
            } else {
                self.fill_places(method, plan, context, drawn, (first, stride - first));
            }
            first += PLACES;
        }
        for row in self.rows(M::OWN) {
            row[dimensions..].fill(R::ZERO);
        }
    }

    /// Proposes `count` coordinates from `first` on.
    ///
    /// The first coordinate determines which draws are needed. If another one needs more, those are drawn for all, and
    /// all are proposed again.
    #[inline(always)]
    fn fill_places<M: Method<R>>(
        &mut self,
        method: &M,
        plan: &M::Plan,
        context: &ProposalContext<'_, R>,
        drawn: &mut Drawn<R>,
        (first, count): (usize, usize),
    ) {
        let window = Window::of::<M>(context, first, count);
        let asked = &Cell::new(0);
        drawn.there = 0;
        method.propose(plan, &window.place::<M>(0, drawn, asked));
        // It was evaluated without draws, so it is unknown whether it re-enters its bounds.
        let mut wanted = asked.get() & !(1 << REENTRY);
        // A separate array, without aliases to what is read.
        let mut made = [[R::ZERO; PLACES]; 1 + MAX_OWN];
        loop {
            assert!(wanted >> ABSENT == 0, "a method looks at an individual that there is not");
            drawn.draw((&context.draws, context.normals.as_ref()), wanted, (first, count));
            asked.set(wanted);
            let drawn = &*drawn;
            for i in 0..count {
                let (x, own) = method.propose(plan, &window.place::<M>(i, drawn, asked));
                made[0][i] = x;
                for row in 0..M::OWN {
                    made[1 + row][i] = own[row];
                }
            }
            if asked.get() == wanted {
                break;
            }
            wanted = asked.get();
        }
        for (row, made) in self.rows(M::OWN).zip(&made) {
            row[first..][..count].copy_from_slice(&made[..count]);
        }
    }

    /// The coordinates, and the first `own` own rows.
    #[inline(always)]
    fn rows(&mut self, own: usize) -> impl Iterator<Item = &mut [R]> {
        let [own0, own1] = &mut self.own;
        [&mut self.x, own0, own1].into_iter().take(1 + own).map(Vec::as_mut_slice)
    }
}

/// A proposal whose coordinates are to be computed.
struct Fill<'a, 'b, R> {
    proposal: &'a mut Proposal<R>,
    context: &'a ProposalContext<'b, R>,
    drawn: &'a mut Drawn<R>,
}

impl<R: Float, M: Method<R>> With<(M, M::Plan)> for Fill<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn with(self, (method, plan): (M, M::Plan)) {
        self.proposal.fill_all(&method, &plan, self.context, self.drawn);
    }
}

/// The number of sets of draws: see [`Site::drawn`].
const SETS: u32 = 8;
/// The index of the draws with which coordinates re-enter their bounds.
const REENTRY: u32 = SETS;
/// The bit of the factors, among the bits of needed draws.
const FACTORS: u32 = SETS + 1;
/// The panic of a method that would compute with numbers that are not drawn.
const NO_NORMALS: &str = "the method calls `Site::normal`, but its `Method::normals` returns `None`: implement \
    `normals` to return `Some(who.attempt)`";
/// The bit of the normal numbers.
const NORMALS: u32 = SETS + 2;
/// The bit that is set if an individual does not exist.
const ABSENT: u32 = 31;

/// The draws of neighbouring coordinates.
pub(super) struct Drawn<R> {
    /// Which sets are drawn, one bit for each; the others are undefined.
    there: u32,
    sets: [[[Draw<R>; PLACES]; 2]; SETS as usize + 1],
    factors: [[Factor<R>; PLACES]; 2],
    normals: [R; PLACES],
}

impl<R: Float> Drawn<R> {
    /// No draws yet.
    pub(super) fn none() -> Self {
        Drawn {
            there: 0,
            sets: [[[Draw::of_one_to_two(R::ONE); PLACES]; 2]; SETS as usize + 1],
            factors: [[Factor::of_offset(R::ZERO); PLACES]; 2],
            normals: [R::NAN; PLACES],
        }
    }

    /// Draws the sets of `wanted`, one bit for each, that are missing, for `count` coordinates from `first` on.
    ///
    /// Never inlined: one call for this many coordinates costs little, and all kinds of draws would otherwise be
    /// compiled into each place where a method proposes.
    #[inline(never)]
    fn draw(
        &mut self,
        (draws, normals): (&SiteDraws, Option<&SiteDraws>),
        wanted: u32,
        (first, count): (usize, usize),
    ) {
        vectors::run(Draws { drawn: self, draws, normals, wanted, first, count });
    }
}

/// The arguments of [`Drawn::draw`].
struct Draws<'a, R> {
    drawn: &'a mut Drawn<R>,
    draws: &'a SiteDraws,
    normals: Option<&'a SiteDraws>,
    wanted: u32,
    first: usize,
    count: usize,
}

impl<R: Float> Run for Draws<'_, R> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        // The usual count is a constant for the compiler.
        if self.count == PLACES { self.of(PLACES) } else { self.of(self.count) }
    }
}

impl<R: Float> Draws<'_, R> {
    #[inline(always)]
    fn of(&mut self, count: usize) {
        let Draws { ref mut drawn, draws, normals, wanted, first, .. } = *self;
        let first = first as u32;
        let mut missing = wanted & !drawn.there;
        if missing >> FACTORS & 1 != 0 {
            missing &= !(1 << FACTORS);
            drawn.factors = draws.factors_of_row(first, count);
        }
        if missing >> NORMALS & 1 != 0 {
            missing &= !(1 << NORMALS);
            drawn.normals = match normals {
                Some(draws) => draws.normals_of_row(first, count),
                None => panic!("{NO_NORMALS}"),
            };
        }
        while missing != 0 {
            let set = missing.trailing_zeros();
            missing &= missing - 1;
            let place = &mut drawn.sets[set as usize];
            *place = if set == REENTRY {
                draws.reentry_row(first, count)
            } else {
                draws.of_row(set, first, count)
            };
        }
        drawn.there = wanted;
    }
}

/// Some neighbouring places of [`ProposalContext`].
#[derive(Clone, Copy)]
struct Window<'a, R> {
    first: usize,
    public: &'a [R],
    own: [&'a [R]; MAX_OWN],
    best: &'a [R],
    lower: &'a [R],
    upper: &'a [R],
    /// All individuals' public points, from the first of these places on.
    others: &'a [R],
    stride: usize,
}

impl<'a, R: Float> Window<'a, R> {
    #[inline(always)]
    fn of<M: Method<R>>(context: &ProposalContext<'a, R>, first: usize, count: usize) -> Self {
        let ProposalContext { before, bounds, public, own, best, .. } = *context;
        Window {
            first,
            public: &public[first..][..count],
            // A row that the method does not have is replaced by any other; it is not read.
            own: [
                &(if M::OWN > 0 { own[0] } else { public })[first..][..count],
                &(if M::OWN > 1 { own[1] } else { public })[first..][..count],
            ],
            best: &best[first..][..count],
            lower: &bounds.lower[first..][..count],
            upper: &bounds.upper[first..][..count],
            others: &before.rows[first..],
            stride: before.stride,
        }
    }

    /// Place `i` of these places.
    #[inline(always)]
    fn place<'b, M: Method<R>>(
        &self,
        i: usize,
        drawn: &'b Drawn<R>,
        asked: &'b Cell<u32>,
    ) -> Place<'b, R>
    where
        'a: 'b,
    {
        let own = |row: usize| if row < M::OWN { self.own[row][i] } else { R::ZERO };
        Place {
            i,
            coordinate: (self.first + i) as u32,
            public: self.public[i],
            own: [own(0), own(1)],
            best: self.best[i],
            bounds: (self.lower[i], self.upper[i]),
            row: self.public,
            others: self.others,
            stride: self.stride,
            drawn,
            asked,
        }
    }
}

/// One coordinate of an individual that proposes.
struct Place<'a, R> {
    /// The index of the coordinate among its neighbours.
    i: usize,
    coordinate: u32,
    public: R,
    own: Own<R>,
    best: R,
    bounds: (R, R),
    /// The neighbouring places of the public point.
    row: &'a [R],
    others: &'a [R],
    stride: usize,
    drawn: &'a Drawn<R>,
    /// The sets of draws that have been used, one bit for each, [`FACTORS`], [`NORMALS`] and [`ABSENT`].
    asked: &'a Cell<u32>,
}

impl<R: Float> Place<'_, R> {
    #[inline(always)]
    fn ask(&self, bits: u32) {
        self.asked.set(self.asked.get() | bits);
    }

    #[inline(always)]
    fn draws_of(&self, set: u32) -> [Draw<R>; 2] {
        self.ask(1 << set);
        let [first, second] = &self.drawn.sets[set as usize];
        [first[self.i], second[self.i]]
    }
}

impl<R: Float> Site<R> for Place<'_, R> {
    #[inline(always)]
    fn coordinate(&self) -> u32 {
        self.coordinate
    }
    #[inline(always)]
    fn public(&self) -> R {
        self.public
    }
    #[inline(always)]
    fn own(&self, row: usize) -> R {
        self.own[row]
    }
    #[inline(always)]
    fn of(&self, individual: u32) -> R {
        let others = self.others.get(individual as usize * self.stride..);
        let row = others.and_then(|others| others.get(..self.row.len()));
        // A bit instead of a panic: loops that can panic are not vectorised.
        self.ask(if row.is_none() { 1 << ABSENT } else { 0 });
        row.unwrap_or(self.row)[self.i]
    }
    #[inline(always)]
    fn best(&self) -> R {
        self.best
    }
    #[inline(always)]
    fn bounds(&self) -> (R, R) {
        self.bounds
    }
    #[inline(always)]
    fn factors(&self) -> [Factor<R>; 2] {
        self.ask(1 << FACTORS);
        let [first, second] = &self.drawn.factors;
        [first[self.i], second[self.i]]
    }
    #[inline(always)]
    fn drawn(&self, set: u32) -> [Draw<R>; 2] {
        // If `set` is a constant, the compiler removes this.
        assert!(set < SETS, "`Site::draws({set})`: sets go from 0 to {}", SETS - 1);
        self.draws_of(set)
    }
    #[inline(always)]
    fn normal(&self) -> R {
        self.ask(1 << NORMALS);
        self.drawn.normals[self.i]
    }
    #[inline(always)]
    fn reentry(&self) -> R {
        self.draws_of(REENTRY)[0].open()
    }
}
