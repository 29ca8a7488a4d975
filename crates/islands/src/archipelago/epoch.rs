//! One epoch: migrants set out, everybody moves, migrants arrive.
//!
//! Those that set out at the end of an epoch arrive at the end of the next one, and until then nobody waits for them. So
//! between epochs, when those that arrived are there and before the next have set out, the states of the islands are all
//! that there is.

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpswarm::migration::Migrants;
use warpswarm::{Precise, Result};

use super::{Archipelago, Group};
use crate::settings::Islands;
use crate::wire;

/// Migrants that set out from this rank.
struct Departed<R> {
    /// Those of this rank's islands, `[island of this rank]`.
    own: Vec<Migrants<R>>,
    /// To other ranks: whom, and what.
    sent: Vec<(u32, Vec<u8>)>,
    /// From other ranks: from whom, and how many bytes.
    expected: Vec<(u32, usize)>,
    dimensions: usize,
}

/// Whose migrants go to another rank, and whose come from there, by their islands in ascending order.
pub(super) struct Route {
    rank: u32,
    leaving: Vec<u32>,
    coming: Vec<u32>,
}

impl Route {
    /// Those of a rank to all others with which it has any.
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

impl<R: Precise + Serialize + DeserializeOwned> Archipelago<'_, R> {
    /// An epoch from iteration `at` on, or as much of it as is left; where it ends.
    pub(super) fn epoch(&mut self, at: u64, limit: u64) -> Result<u64> {
        let end = limit.min(at + self.islands.every);
        if end < at + self.islands.every {
            // Nobody would arrive.
            self.advance(at, end)?;
            self.record(end)?;
            return Ok(end);
        }
        let departed = self.depart()?;
        let others = self.others;
        let work = &mut || self.advance(at, end);
        let received = others.exchange(&departed.sent, &departed.expected, work)?;
        self.arrive(&departed, &received, end)?;
        self.record(end)?;
        Ok(end)
    }

    /// Has every island that goes on move from one iteration to another, and keeps records on the way.
    fn advance(&mut self, at: u64, end: u64) -> Result<()> {
        let mut here = at;
        while here < end {
            let next = self.record_every.map_or(end, |every| end.min((here / every + 1) * every));
            for Group { optimiser, limit, .. } in &mut self.groups {
                let iterations = next.min(*limit).saturating_sub(here);
                if iterations > 0 {
                    optimiser.step(iterations)?;
                }
            }
            here = next;
            // At the end there are those that arrive.
            if here < end {
                self.record(here)?;
            }
        }
        Ok(())
    }

    /// Chooses who sets out, and to whom.
    fn depart(&mut self) -> Result<Departed<R>> {
        let (count, selection) = (self.islands.migrants, self.islands.selection);
        let mut own = Vec::new();
        for group in &mut self.groups {
            own.extend(group.optimiser.emigrants(count, selection)?);
        }
        let dimensions = own[0].positions.len() / own[0].len();
        let length = wire::length::<R>(count as usize, dimensions);
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
        Ok(Departed { own, sent, expected, dimensions })
    }

    /// Offers those that have come to the islands for which they set out.
    fn arrive(&mut self, departed: &Departed<R>, received: &[Vec<u8>], end: u64) -> Result<()> {
        let length = wire::length::<R>(self.islands.migrants as usize, departed.dimensions);
        let mut all: Vec<Option<Migrants<R>>> = vec![None; self.islands.count as usize];
        for (island, migrants) in self.own.clone().zip(&departed.own) {
            all[island as usize] = Some(migrants.clone());
        }
        let coming = self.routes.iter().map(|route| &route.coming);
        for (islands, bytes) in coming.filter(|coming| !coming.is_empty()).zip(received) {
            for (island, bytes) in islands.iter().zip(bytes.chunks_exact(length)) {
                all[*island as usize] = Some(wire::read(bytes, departed.dimensions));
            }
        }
        let (topology, count) = (self.islands.topology, self.islands.count as u32);
        // Of all neighbours, in the order of their numbers.
        let immigrants = |island| {
            let sources = topology.sources(count, island).into_iter();
            Migrants::joined(sources.filter_map(|source| all[source as usize].clone()))
        };
        for group in self.groups.iter_mut().filter(|group| end <= group.limit) {
            let immigrants: Vec<_> = group.islands.clone().map(immigrants).collect();
            group.optimiser.immigrate(&immigrants, self.islands.replacement)?;
        }
        Ok(())
    }
}
