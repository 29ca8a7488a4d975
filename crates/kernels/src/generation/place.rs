//! A coordinate of an individual that proposes.

use warpswarm_core::method::{Individual, MAX_OTHERS, Method, Own, Site, SiteDraws};
use warpswarm_core::random::{Draw, Factor};
use warpswarm_device::thread;
use warpswarm_device::view::{DeviceReal, View};

use super::population::hidden;

/// The draws of a coordinate: factors, and draws of set 0.
pub(crate) type Known<R> = ([Factor<R>; 2], [Draw<R>; 2]);

/// The normal numbers of `N` (2 or 4) neighbouring coordinates from `first` on, a multiple of `N`; NaN if the method
/// uses none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn normals_of<R: DeviceReal, M: Method<R>, const N: usize>(
    method: &M,
    (who, plan): (&Individual<R>, &M::Plan),
    first: u32,
) -> [R; N] {
    let mut normals = [R::NAN; N];
    let who = &Individual { key: hidden(who.key), ..*who };
    if let Some(draws) = SiteDraws::of_normals(method, who, plan) {
        if N == 4 {
            normals.copy_from_slice(&draws.normals_of_quad(first / 4));
        } else {
            normals.copy_from_slice(&draws.normals_of_pair(first / 2));
        }
    }
    normals
}

/// A coordinate of an individual that proposes.
#[derive(Clone, Copy)]
pub(crate) struct Place<R, F> {
    pub(crate) coordinate: u32,
    pub(crate) draws: SiteDraws,
    /// Factors, and draws of set 0, if they have been drawn already.
    pub(crate) known: Option<Known<R>>,
    /// See [`Site::normal`].
    pub(crate) normal: R,
    pub(crate) bounds: (R, R),
    pub(crate) public: R,
    pub(crate) own: Own<R>,
    pub(crate) best: R,
    /// The public points of [`Method::others`] at this coordinate.
    pub(crate) theirs: [R; MAX_OTHERS],
    /// The public point of an individual at this coordinate.
    pub(crate) of: F,
}

impl<R: DeviceReal, F: Fn(u32) -> R> Site<R> for Place<R, F> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn coordinate(&self) -> u32 {
        self.coordinate
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn public(&self) -> R {
        self.public
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn own(&self, row: usize) -> R {
        if row == 0 { self.own[0] } else { self.own[1] }
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(&self, individual: u32) -> R {
        (self.of)(individual)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn other(&self, k: usize, _: u32) -> R {
        self.theirs[k]
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn best(&self) -> R {
        self.best
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn bounds(&self) -> (R, R) {
        self.bounds
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn factors(&self) -> [Factor<R>; 2] {
        match self.known {
            Some((factors, _)) => factors,
            None => self.draws.factors(self.coordinate),
        }
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn drawn(&self, set: u32) -> [Draw<R>; 2] {
        match self.known {
            Some((_, drawn)) if set == 0 => drawn,
            _ => self.draws.drawn(self.coordinate, set),
        }
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn normal(&self) -> R {
        self.normal
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn reentry(&self) -> R {
        // Rarely needed: opaque, so that the compiler does not compute it in advance for all coordinates.
        self.draws.reentry(thread::opaque(self.coordinate))
    }
}

/// `N` (2 or 4) places of a row from `k` on.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn places<R: DeviceReal, const N: usize>(row: View<R>, k: u32) -> [R; 4] {
    if N == 4 {
        return row.get4(k as usize);
    }
    [row.get(k as usize), row.get(k as usize + 1), R::ZERO, R::ZERO]
}

/// Writes `N` (2 or 4) places of a row from `k` on.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn set_places<R: DeviceReal, const N: usize>(row: View<R>, k: u32, x: [R; 4]) {
    if N == 4 {
        return row.set4(k as usize, x);
    }
    row.set(k as usize, x[0]);
    row.set(k as usize + 1, x[1]);
}
