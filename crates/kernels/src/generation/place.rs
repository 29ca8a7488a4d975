//! A coordinate at which an individual proposes.

use warpswarm_core::method::{MAX_OTHERS, Own, Site, SiteDraws};
use warpswarm_core::random::{Draw, Factor};
use warpswarm_device::thread;
use warpswarm_device::view::DeviceReal;

/// What is drawn for a coordinate: factors, and draws of set 0.
pub(crate) type Known<R> = ([Factor<R>; 2], [Draw<R>; 2]);

/// A coordinate of an individual that proposes.
#[derive(Clone, Copy)]
pub(crate) struct Place<R, F> {
    pub(crate) coordinate: u32,
    pub(crate) draws: SiteDraws,
    /// Factors, and draws of set 0, where they are known already.
    pub(crate) known: Option<Known<R>>,
    pub(crate) bounds: (R, R),
    pub(crate) public: R,
    pub(crate) own: Own<R>,
    pub(crate) best: R,
    /// The public points of [`Method::others`] there.
    pub(crate) theirs: [R; MAX_OTHERS],
    /// An individual's public point there.
    pub(crate) of: F,
}

impl<R: DeviceReal, F: Fn(u32) -> R> Site<R> for Place<R, F> {
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
        if row == 0 { self.own[0] } else { self.own[1] }
    }
    #[inline(always)]
    fn of(&self, individual: u32) -> R {
        (self.of)(individual)
    }
    #[inline(always)]
    fn other(&self, k: usize, _: u32) -> R {
        self.theirs[k]
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
        match self.known {
            Some((factors, _)) => factors,
            None => self.draws.factors(self.coordinate),
        }
    }
    #[inline(always)]
    fn drawn(&self, set: u32) -> [Draw<R>; 2] {
        match self.known {
            Some((_, drawn)) if set == 0 => drawn,
            _ => self.draws.drawn(self.coordinate, set),
        }
    }
    #[inline(always)]
    fn reentry(&self) -> R {
        // Rarely needed: hidden, so that the compiler does not compute it ahead for all.
        self.draws.reentry(thread::opaque(self.coordinate))
    }
}
