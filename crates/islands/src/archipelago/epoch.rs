//! One epoch: emigrants leave, all islands move, immigrants arrive.
//!
//! Individuals that leave at the end of an epoch arrive at the end of the next one, and nothing waits for them until
//! then. So between epochs, when immigrants have arrived and the next emigrants have not left, the states of the
//! islands are the whole state. The individuals that immigrants will be offered to are also chosen when these leave.

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::migration::{Departure, Migrants, Migration, Replacement, Selection};
use warpswarm::{Communicator, Precise, Result};

use super::{Archipelago, Group};
use crate::agreement::gather;
use crate::settings::Islands;
use crate::wire;

/// The islands whose migrants go to another rank, and those whose migrants come from there, in ascending order.
pub(super) struct Route {
    rank: u32,
    leaving: Vec<u32>,
    coming: Vec<u32>,
}

impl Route {
    /// The routes of a rank to all others with which it exchanges migrants.
    pub(super) fn all(islands: &Islands, rank: u32, ranks: u32) -> Vec<Route> {
        let (topology, count) = (islands.topology, islands.count as u32);
        let leaving = |from: u32, to: u32| {
            let (from, to) = (islands.of_rank(from, ranks), islands.of_rank(to, ranks));
            let sends = |island: &u32| {
                topology.targets(count, *island).iter().any(|target| to.contains(target))
            };
            from.filter(sends).collect()
        };
        let others = (0..ranks).filter(|other| *other != rank);
        let route = |other| Route {
            rank: other,
            leaving: leaving(rank, other),
            coming: leaving(other, rank),
        };
        others
            .map(route)
            .filter(|route| !route.leaving.is_empty() || !route.coming.is_empty())
            .collect()
    }
}

/// The exchange of migrants between a rank and the others.
pub(super) struct Crossing<'a> {
    others: &'a dyn Communicator,
    islands: Islands,
    own: Range<u32>,
    routes: Vec<Route>,
}

impl<'a> Crossing<'a> {
    pub(super) fn new(others: &'a dyn Communicator, islands: &Islands) -> Self {
        let (rank, ranks) = (others.rank(), others.size());
        Crossing {
            others,
            islands: islands.clone(),
            own: islands.of_rank(rank, ranks),
            routes: Route::all(islands, rank, ranks),
        }
    }

    /// The islands from which an island receives immigrants.
    fn sources(&self, island: u32) -> Vec<u32> {
        self.islands.topology.sources(self.islands.count as u32, island)
    }

    /// Exchanges the emigrants of this rank's islands, `[island of this rank]`, while `work` is done; returns the
    /// immigrants of each island.
    fn cross<R: Precise>(
        &self,
        own: Vec<Migrants<R>>,
        work: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<Migrants<R>>> {
        let dimensions = own[0].positions.len() / own[0].len();
        let length = wire::length::<R>(self.islands.migrants as usize, dimensions);
        let (mut sent, mut expected) = (Vec::new(), Vec::new());
        for Route { rank, leaving, coming } in &self.routes {
            if !leaving.is_empty() {
                let mut bytes = Vec::with_capacity(leaving.len() * length);
                let own = leaving.iter().map(|island| &own[(island - self.own.start) as usize]);
                own.for_each(|migrants| wire::write(migrants, &mut bytes));
                sent.push((*rank, bytes));
            }
            if !coming.is_empty() {
                expected.push((*rank, coming.len() * length));
            }
        }
        let received = self.others.exchange(&sent, &expected, work)?;
        let mut all: Vec<Option<Migrants<R>>> = vec![None; self.islands.count as usize];
        for (island, migrants) in self.own.clone().zip(own) {
            all[island as usize] = Some(migrants);
        }
        let coming = self.routes.iter().map(|route| &route.coming);
        for (islands, bytes) in coming.filter(|coming| !coming.is_empty()).zip(received) {
            for (island, bytes) in islands.iter().zip(bytes.chunks_exact(length)) {
                all[*island as usize] = Some(wire::read(bytes, dimensions));
            }
        }
        // From all neighbours, in the order of their numbers.
        let immigrants = |island| {
            let sources = self.sources(island).into_iter();
            Migrants::joined(sources.filter_map(|source| all[source as usize].clone()))
        };
        Ok(self.own.clone().map(immigrants).collect())
    }
}

impl<R: Precise + Serialize + DeserializeOwned> Archipelago<'_, R> {
    /// Does `count` epochs from iteration `at` on, or as many as are left; returns the iteration at which they end.
    pub(super) fn epochs(&mut self, mut at: u64, limit: u64, count: u64) -> Result<u64> {
        let every = self.islands.every;
        let mut left = count;
        while left > 0 {
            let together = self.together(at, left);
            if together > 0 && self.travel(together)? {
                at += together * every;
                left -= together;
                self.record(at)?;
            } else {
                at = self.epoch(at, limit)?;
                left -= 1;
            }
        }
        Ok(at)
    }

    /// How many of the remaining epochs a device does in one launch; no further than to the next record.
    fn together(&self, at: u64, left: u64) -> u64 {
        let every = self.islands.every;
        let limit = if self.by_itself { self.groups[0].limit } else { 0 };
        let end = self.history.until_next(at).map_or(limit, |next| limit.min(at + next));
        left.min(end.saturating_sub(at) / every)
    }

    /// The device on which an island can do several epochs in one launch, if it can: an island that is alone on its
    /// rank and receives one individual at a time.
    pub(super) fn goes_on(&mut self) -> Result<Option<String>> {
        let Islands { migrants, selection, replacement, .. } = self.islands;
        let one = self.own.len() == 1 && self.crossing.sources(self.own.start).len() == 1;
        let usual = (selection, replacement) == (Selection::Best, Replacement::Worst);
        if one && usual && migrants == 1 {
            self.groups[0].optimiser.prepare_epochs()
        } else {
            Ok(None)
        }
    }

    /// Finds out whether another rank's island uses the same device: islands that wait for each other would block each
    /// other there.
    pub(super) fn settle_devices(&mut self) -> Result<()> {
        let all: Vec<Option<String>> = gather(self.crossing.others, &self.device)?;
        let own = all.iter().filter(|device| **device == self.device).count();
        self.by_itself = self.device.is_some() && own == 1;
        Ok(())
    }

    /// Does `epochs` epochs of the one island of this rank in one launch; returns whether it did.
    fn travel(&mut self, epochs: u64) -> Result<bool> {
        let crossing = self.crossing.clone();
        let exchange = &mut |migrants| {
            let mut arriving = crossing.cross(vec![migrants], &mut || Ok(()))?;
            Ok(arriving.remove(0))
        };
        self.groups[0].optimiser.step_epochs(self.islands.every, epochs, exchange)
    }

    /// Does an epoch from iteration `at` on, or what is left of it; returns the iteration at which it ends.
    fn epoch(&mut self, at: u64, limit: u64) -> Result<u64> {
        let end = limit.min(at + self.islands.every);
        if end < at + self.islands.every {
            // No immigrant would arrive.
            self.advance(at, end)?;
            self.record(end)?;
            return Ok(end);
        }
        let departures = self.depart()?;
        let leaving = departures.iter().map(|one| one.emigrants.clone()).collect();
        let crossing = self.crossing.clone();
        let arriving = crossing.cross(leaving, &mut || self.advance(at, end))?;
        self.arrive(&departures, &arriving, end)?;
        self.record(end)?;
        Ok(end)
    }

    /// Moves every island that has not stopped from one iteration to another, and stores records on the way.
    fn advance(&mut self, at: u64, end: u64) -> Result<()> {
        let mut here = at;
        while here < end {
            let next = self.history.until_next(here).map_or(end, |next| end.min(here + next));
            for Group { optimiser, limit, .. } in &mut self.groups {
                let iterations = next.min(*limit).saturating_sub(here);
                if iterations > 0 {
                    optimiser.step(iterations)?;
                }
            }
            here = next;
            // The record at the end includes the immigrants.
            if here < end {
                self.record(here)?;
            }
        }
        Ok(())
    }

    /// Chooses the emigrants of this rank's islands, and the individuals to which immigrants will be offered, `[island
    /// of this rank]`.
    fn depart(&mut self) -> Result<Vec<Departure<R>>> {
        let Islands { migrants: emigrants, selection, replacement, .. } = self.islands;
        let migration = Migration { emigrants, selection, replacement };
        let crossing = &self.crossing;
        let immigrants = |island| crossing.sources(island).len() * emigrants as usize;
        let mut own = Vec::new();
        for group in &mut self.groups {
            let immigrants: Vec<usize> = group.islands.clone().map(immigrants).collect();
            own.extend(group.optimiser.depart(&migration, &immigrants)?);
        }
        Ok(own)
    }

    /// Offers immigrants to the chosen individuals of each island.
    fn arrive(
        &mut self,
        departures: &[Departure<R>],
        arriving: &[Migrants<R>],
        end: u64,
    ) -> Result<()> {
        for group in self.groups.iter_mut().filter(|group| end <= group.limit) {
            let first = (group.islands.start - self.own.start) as usize;
            let own = first..first + group.islands.len();
            let places = departures[own.clone()].iter().map(|one| one.places.clone());
            group.optimiser.immigrate(&arriving[own], &places.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
