//! Which islands send to which.

use warpswarm::Error;

/// Which islands are neighbours; islands are numbered from 0.
///
/// ```
/// use warpswarm_islands::Topology;
/// assert_eq!(Topology::Ring.targets(6, 5), [0]);
/// assert_eq!(Topology::Full.targets(4, 1), [0, 2, 3]);
/// // Two rows of three: 0 1 2 and 3 4 5.
/// assert_eq!(Topology::Torus.targets(6, 1), [0, 2, 4]);
/// assert_eq!(Topology::Star.targets(4, 0), [1, 2, 3]);
/// assert_eq!(Topology::Star.targets(4, 2), [0]);
/// assert_eq!(Topology::Master.targets(4, 2), [0]);
/// assert!(Topology::Master.targets(4, 0).is_empty());
/// assert_eq!("torus".parse(), Ok(Topology::Torus));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// Each sends to the next one, and the last one to the first.
    #[default]
    Ring,
    /// Each sends to all others.
    Full,
    /// A grid that is closed in both directions. All rows have equal lengths, at least as long as there are rows; of
    /// all such grids it is the one with the most rows. Each sends to the islands above, below, left and right.
    Torus,
    /// The first sends to all others, and all others send to it.
    Star,
    /// All others send to the first, which sends to none.
    Master,
}

impl Topology {
    /// Every topology.
    pub const ALL: &'static [Topology] =
        &[Topology::Ring, Topology::Full, Topology::Torus, Topology::Star, Topology::Master];

    /// The name that users give it.
    pub const fn name(self) -> &'static str {
        match self {
            Topology::Ring => "ring",
            Topology::Full => "full",
            Topology::Torus => "torus",
            Topology::Star => "star",
            Topology::Master => "master",
        }
    }

    /// The islands to which `island` sends, in ascending order, each once and never itself.
    pub fn targets(self, islands: u32, island: u32) -> Vec<u32> {
        let mut targets = match self {
            Topology::Ring => vec![(island + 1) % islands],
            Topology::Full => (0..islands).collect(),
            Topology::Torus => beside(islands, island),
            Topology::Star if island == 0 => (0..islands).collect(),
            Topology::Star | Topology::Master => vec![0],
        };
        targets.retain(|target| *target != island);
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The islands from which `island` receives, in ascending order.
    ///
    /// ```
    /// use warpswarm_islands::Topology;
    /// assert_eq!(Topology::Ring.sources(6, 0), [5]);
    /// assert_eq!(Topology::Star.sources(3, 0), [1, 2]);
    /// ```
    pub fn sources(self, islands: u32, island: u32) -> Vec<u32> {
        match self {
            Topology::Ring if islands > 1 => vec![(island + islands - 1) % islands],
            Topology::Master if island == 0 => (1..islands).collect(),
            Topology::Master => Vec::new(),
            // In all other topologies an island receives from those to which it sends.
            _ => self.targets(islands, island),
        }
    }
}

/// The neighbours on a torus.
fn beside(islands: u32, island: u32) -> Vec<u32> {
    let rows = rows(islands);
    let columns = islands / rows;
    let (row, column) = (island / columns, island % columns);
    let at = |row: u32, column: u32| (row % rows) * columns + column % columns;
    vec![
        at(row + rows - 1, column),
        at(row, column + columns - 1),
        at(row, column + 1),
        at(row + 1, column),
    ]
}

/// The largest divisor that is not above the square root.
fn rows(islands: u32) -> u32 {
    let fits = |rows: &u32| islands.is_multiple_of(*rows) && *rows <= islands / rows;
    (1..=islands.isqrt()).rev().find(fits).unwrap_or(1)
}

impl std::str::FromStr for Topology {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Topology::ALL.iter().copied().find(|topology| topology.name() == name).ok_or_else(|| {
            let known = Topology::ALL.iter().map(|topology| topology.name()).collect();
            Error::UnknownName { what: "topology", name: name.into(), known }
        })
    }
}

impl std::fmt::Display for Topology {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torus_is_as_square_as_it_can_be() {
        assert_eq!([1, 2, 4, 6, 7, 8, 9, 12, 16, 36].map(rows), [1, 1, 2, 2, 1, 2, 3, 3, 4, 6]);
        // Four rows of four.
        assert_eq!(Topology::Torus.targets(16, 5), [1, 4, 6, 9]);
        assert_eq!(Topology::Torus.targets(16, 0), [1, 3, 4, 12]);
        // One row: above and below is the island itself.
        assert_eq!(Topology::Torus.targets(7, 0), [1, 6]);
        // Two rows: above and below are the same.
        assert_eq!(Topology::Torus.targets(8, 5), [1, 4, 6]);
        assert_eq!(Topology::Torus.targets(4, 3), [1, 2]);
        assert_eq!(Topology::Torus.targets(2, 0), [1]);
    }

    #[test]
    fn who_receives_is_who_was_sent_to() {
        for &topology in Topology::ALL {
            for islands in 1..=24 {
                for island in 0..islands {
                    let sends = |other: &u32| topology.targets(islands, *other).contains(&island);
                    let senders: Vec<u32> = (0..islands).filter(sends).collect();
                    let sources = topology.sources(islands, island);
                    assert_eq!(sources, senders, "{topology} {islands} {island}");
                    let targets = topology.targets(islands, island);
                    assert!(targets.is_sorted_by(|a, b| a < b) && !targets.contains(&island));
                    let is_master = topology == Topology::Master && island == 0;
                    assert_eq!(targets.is_empty(), islands == 1 || is_master);
                }
            }
        }
    }

    #[test]
    fn every_island_can_be_reached_from_every_other() {
        for &topology in Topology::ALL.iter().filter(|topology| **topology != Topology::Master) {
            for islands in 1..=24 {
                let (mut reached, mut next) = (vec![0], 0);
                while next < reached.len() {
                    for target in topology.targets(islands, reached[next]) {
                        if !reached.contains(&target) {
                            reached.push(target);
                        }
                    }
                    next += 1;
                }
                assert_eq!(reached.len(), islands as usize, "{topology} {islands}");
            }
        }
    }
}
