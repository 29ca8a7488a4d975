//! What an individual proposes: rows of coordinates, several at a time where the processor has vectors.

use std::cell::Cell;

use warpswarm_core::method::{MAX_OWN, Method, Own, Site, SiteDraws, With};
use warpswarm_core::random::{Draw, Factor, PLACES};
use warpswarm_core::real::Float;

use super::Before;
use crate::flight::Rows;

/// A proposal: its coordinates, and the own rows that go with it, `[place]`; those that there are not are empty.
pub(super) struct Proposal<R> {
    pub(super) x: Vec<R>,
    pub(super) own: [Vec<R>; MAX_OWN],
}

/// What is around an individual that proposes, in rows of as many places; own rows that there are not are empty.
#[derive(Clone, Copy)]
pub(super) struct Around<'a, R> {
    pub(super) before: Before<'a, R>,
    pub(super) bounds: &'a Rows<R>,
    pub(super) public: &'a [R],
    pub(super) own: [&'a [R]; MAX_OWN],
    pub(super) best: &'a [R],
    pub(super) draws: SiteDraws,
    /// Of which the normal numbers are made, if the method asks for any.
    pub(super) normals: Option<SiteDraws>,
}

impl<R: Float> Proposal<R> {
    /// Room for rows of so many places.
    pub(super) fn new<M: Method<R>>(stride: usize) -> Self {
        let row = |there| vec![R::ZERO; if there { stride } else { 0 }];
        Proposal { x: row(true), own: [row(M::OWN > 0), row(M::OWN > 1)] }
    }

    /// Proposes all coordinates; the places behind the last stay zero.
    #[inline(always)]
    pub(super) fn fill<M: Method<R>>(
        &mut self,
        method: &M,
        plan: &M::Plan,
        around: &Around<'_, R>,
        drawn: &mut Drawn<R>,
    ) {
        method.of_kind(*plan, Fill { proposal: self, around, drawn });
    }

    #[inline(always)]
    fn fill_all<M: Method<R>>(
        &mut self,
        method: &M,
        plan: &M::Plan,
        around: &Around<'_, R>,
        drawn: &mut Drawn<R>,
    ) {
        let (stride, dimensions) = (self.x.len(), around.before.bounds.dimensions());
        let mut first = 0;
        while first < stride {
            // So many that a compiler knows it, or fewer.
            if stride - first >= PLACES {
                self.fill_places(method, plan, around, drawn, (first, PLACES));
            } else {
                self.fill_places(method, plan, around, drawn, (first, stride - first));
            }
            first += PLACES;
        }
        for row in self.rows(M::OWN) {
            row[dimensions..].fill(R::ZERO);
        }
    }

    /// Proposes `count` coordinates from the `first` on.
    ///
    /// Which draws are asked for, the first of them tells; where another asks for more, those are drawn for all, and all are
    /// proposed again.
    #[inline(always)]
    fn fill_places<M: Method<R>>(
        &mut self,
        method: &M,
        plan: &M::Plan,
        around: &Around<'_, R>,
        drawn: &mut Drawn<R>,
        (first, count): (usize, usize),
    ) {
        let window = Window::of::<M>(around, first, count);
        let asked = &Cell::new(0);
        drawn.there = 0;
        method.propose(plan, &window.place::<M>(0, drawn, asked));
        // Without its draws it did not know whether it re-enters its bounds.
        let mut wanted = asked.get() & !(1 << REENTRY);
        // Places of their own: nothing that is read can be where they are.
        let mut made = [[R::ZERO; PLACES]; 1 + MAX_OWN];
        loop {
            assert!(wanted >> ABSENT == 0, "a method looks at an individual that there is not");
            drawn.draw(around, wanted, (first, count));
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

    /// The coordinates, and so many own rows.
    #[inline(always)]
    fn rows(&mut self, own: usize) -> impl Iterator<Item = &mut [R]> {
        let [own0, own1] = &mut self.own;
        [&mut self.x, own0, own1].into_iter().take(1 + own).map(Vec::as_mut_slice)
    }
}

/// A proposal whose coordinates are to be proposed.
struct Fill<'a, 'b, R> {
    proposal: &'a mut Proposal<R>,
    around: &'a Around<'b, R>,
    drawn: &'a mut Drawn<R>,
}

impl<R: Float, M: Method<R>> With<(M, M::Plan)> for Fill<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn with(self, (method, plan): (M, M::Plan)) {
        self.proposal.fill_all(&method, &plan, self.around, self.drawn);
    }
}

/// Sets of draws: see [`Site::drawn`].
const SETS: u32 = 8;
/// In whose place the draws are with which coordinates re-enter their bounds.
const REENTRY: u32 = SETS;
/// The bit of what is asked for that stands for the factors.
const FACTORS: u32 = SETS + 1;
/// The bit of what is asked for that stands for the normal numbers.
const NORMALS: u32 = SETS + 2;
/// The bit of what is asked for that says that there is no such individual.
const ABSENT: u32 = 31;

/// The draws of neighbouring coordinates.
pub(super) struct Drawn<R> {
    /// Which are there, a bit a set; the others are of no meaning.
    there: u32,
    sets: [[[Draw<R>; PLACES]; 2]; SETS as usize + 1],
    factors: [[Factor<R>; PLACES]; 2],
    normals: [R; PLACES],
}

impl<R: Float> Drawn<R> {
    /// None yet.
    pub(super) fn none() -> Self {
        Drawn {
            there: 0,
            sets: [[[Draw::of_one_to_two(R::ONE); PLACES]; 2]; SETS as usize + 1],
            factors: [[Factor::of_offset(R::ZERO); PLACES]; 2],
            normals: [R::NAN; PLACES],
        }
    }

    /// Draws what is `wanted`, a bit each, and not there, for `count` coordinates from the `first` on.
    #[inline(always)]
    fn draw(&mut self, around: &Around<'_, R>, wanted: u32, (first, count): (usize, usize)) {
        let draws = &around.draws;
        let mut missing = wanted & !self.there;
        if missing >> FACTORS & 1 != 0 {
            missing &= !(1 << FACTORS);
            self.factors = draws.factors_of_row(first as u32, count);
        }
        if missing >> NORMALS & 1 != 0 {
            missing &= !(1 << NORMALS);
            self.normals = match &around.normals {
                Some(draws) => draws.normals_of_row(first as u32, count),
                None => [R::NAN; PLACES],
            };
        }
        while missing != 0 {
            let set = missing.trailing_zeros();
            missing &= missing - 1;
            let place = &mut self.sets[set as usize];
            *place = if set == REENTRY {
                draws.reentry_row(first as u32, count)
            } else {
                draws.of_row(set, first as u32, count)
            };
        }
        self.there = wanted;
    }
}

/// Some neighbouring places of what is [`Around`] an individual.
#[derive(Clone, Copy)]
struct Window<'a, R> {
    first: usize,
    public: &'a [R],
    own: [&'a [R]; MAX_OWN],
    best: &'a [R],
    lower: &'a [R],
    upper: &'a [R],
    /// All individuals' public points from the first of these places on.
    others: &'a [R],
    stride: usize,
}

impl<'a, R: Float> Window<'a, R> {
    #[inline(always)]
    fn of<M: Method<R>>(around: &Around<'a, R>, first: usize, count: usize) -> Self {
        let Around { before, bounds, public, own, best, .. } = *around;
        Window {
            first,
            public: &public[first..][..count],
            // Where there is no such row, any: it is not looked at.
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

    /// The `i`-th of these places.
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

/// A coordinate of an individual that proposes.
struct Place<'a, R> {
    /// Its place among its neighbours.
    i: usize,
    coordinate: u32,
    public: R,
    own: Own<R>,
    best: R,
    bounds: (R, R),
    /// The public point's neighbouring places.
    row: &'a [R],
    others: &'a [R],
    stride: usize,
    drawn: &'a Drawn<R>,
    /// Which sets of draws have been asked for, a bit each, [`FACTORS`], [`NORMALS`] and [`ABSENT`].
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
        // Noted, and not a panic: no vectors are made of a loop that has one.
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
        debug_assert!(set < SETS);
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
