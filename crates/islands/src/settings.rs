//! The settings of islands and of migration.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use warpswarm::algorithms::cmepso::Part;
use warpswarm::migration::{Replacement, Selection};
use warpswarm::{Algorithm, CmepsoParams, Error, MAX_ITERATIONS, Result};

use crate::topology::Topology;

/// The largest number of islands.
pub const MAX_ISLANDS: u64 = 1 << 20;

/// The islands, and when and how individuals migrate between them.
///
/// ```
/// use warpswarm_islands::{Inhabitants, Islands, Topology};
/// let islands = Islands { count: 8, topology: Topology::Torus, ..Islands::default() };
/// islands.check()?;
/// assert_eq!((islands.every, islands.migrants), (50, 1));
/// let crowded = Islands { topology: Topology::Full, migrants: 10, inhabitants: Inhabitants::all(64), ..islands };
/// assert_eq!(
///     crowded.check().unwrap_err().to_string(),
///     "migrants is 10; allowed: 1 to 9, so that the immigrants from 7 neighbours are no more than the 64 individuals \
///      of an island"
/// );
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Islands {
    /// The number of islands, 2 to [`MAX_ISLANDS`]. Default 2.
    pub count: u64,
    /// Which islands send to which. Default a ring.
    pub topology: Topology,
    /// The iterations of an *epoch*, at the end of which individuals leave and arrive, at least 1. Default 50.
    pub every: u64,
    /// The number of individuals that are sent to each neighbour: the same ones to all. At least 1; default 1.
    pub migrants: u64,
    /// Which individuals are sent. Default the best.
    pub selection: Selection,
    /// Which individuals they replace. Default the worst.
    pub replacement: Replacement,
    /// The populations, at least one, which the islands use in turn: island i has population i modulo their number.
    /// With several populations and [`Topology::Master`], the first is the master's, and the other islands use the
    /// others in turn.
    pub inhabitants: Vec<Inhabitants>,
}

/// The population of an island.
///
/// ```
/// use warpswarm_islands::{Inhabitants, Islands};
/// use warpswarm::{DeParams, PsoParams};
/// let pso = Inhabitants { algorithm: PsoParams::default().into(), individuals: 256 };
/// let de = Inhabitants { algorithm: DeParams::default().into(), individuals: 64 };
/// let islands = Islands { count: 5, inhabitants: vec![pso, de], ..Islands::default() };
/// assert_eq!((0..5).map(|island| islands.of(island).individuals).collect::<Vec<_>>(), [256, 64, 256, 64, 256]);
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Inhabitants {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The number of individuals.
    pub individuals: u64,
}

impl Inhabitants {
    /// A population of the default algorithm, `auto`, on every island; there `auto` means `shade`.
    pub fn all(individuals: u64) -> Vec<Inhabitants> {
        vec![Inhabitants { algorithm: Algorithm::default(), individuals }]
    }
}

impl Default for Islands {
    fn default() -> Self {
        Islands {
            count: 2,
            topology: Topology::default(),
            every: 50,
            migrants: 1,
            selection: Selection::default(),
            replacement: Replacement::default(),
            inhabitants: Inhabitants::all(1024),
        }
    }
}

impl Islands {
    /// The population of an island.
    pub fn of(&self, island: u32) -> &Inhabitants {
        let (island, kinds) = (island as usize, self.inhabitants.len());
        match self.topology {
            Topology::Master if island > 0 && kinds > 1 => {
                &self.inhabitants[1 + (island - 1) % (kinds - 1)]
            }
            _ => &self.inhabitants[island % kinds],
        }
    }

    /// The swarms of cooperative evolutionary multi-swarm optimisation, with an island for each: the first is the
    /// [master's](Part::Master), to which each [slave](Part::Slave) sends its best. The individuals are divided as in
    /// one population.
    ///
    /// ```
    /// use warpswarm::CmepsoParams;
    /// use warpswarm_islands::Islands;
    /// let params = CmepsoParams { slaves: 4, ..CmepsoParams::default() };
    /// let islands = Islands { every: 10, ..Islands::cmepso(params, 164)? };
    /// assert_eq!(islands.count, 5);
    /// // Of each slave the master keeps the best, and has a particle.
    /// assert_eq!((islands.of(0).individuals, islands.of(4).individuals), (8, 40));
    /// # Ok::<(), warpswarm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If this number of individuals cannot be divided into equal swarms.
    pub fn cmepso(params: CmepsoParams, individuals: u64) -> Result<Islands> {
        let slaves = u64::from(params.slaves);
        let [whole, master, slave] =
            [Part::Whole, Part::Master, Part::Slave].map(|part| CmepsoParams { part, ..params });
        let particles = whole.particles(individuals)?.into();
        Ok(Islands {
            count: slaves + 1,
            topology: Topology::Master,
            replacement: Replacement::First,
            inhabitants: vec![
                Inhabitants { algorithm: master.into(), individuals: 2 * slaves },
                Inhabitants { algorithm: slave.into(), individuals: particles },
            ],
            ..Islands::default()
        })
    }

    /// The islands of one of `ranks` ranks: consecutive ones, with one more on some ranks than on others.
    ///
    /// ```
    /// use warpswarm_islands::Islands;
    /// let islands = Islands { count: 8, ..Islands::default() };
    /// assert_eq!([0, 1, 2].map(|rank| islands.of_rank(rank, 3)), [0..2, 2..5, 5..8]);
    /// ```
    pub fn of_rank(&self, rank: u32, ranks: u32) -> Range<u32> {
        let begin = |rank: u64| (rank * self.count / u64::from(ranks)) as u32;
        begin(u64::from(rank))..begin(u64::from(rank) + 1)
    }

    /// Whether every field is in its range.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] with the field, its value and what is allowed.
    pub fn check(&self) -> Result<()> {
        let within =
            |field, value: u64, least: u64, most: u64| match (least..=most).contains(&value) {
                true => Ok(()),
                false => Err(wrong(field, value, format!("{least} to {most}"))),
            };
        within("island_count", self.count, 2, MAX_ISLANDS)?;
        within("migrate_every", self.every, 1, MAX_ITERATIONS)?;
        if self.inhabitants.is_empty() {
            return Err(wrong("island_set", 0, "at least one algorithm".into()));
        }
        self.check_master()?;
        (0..self.count as u32).try_for_each(|island| self.check_crowd(island))
    }

    /// Whether each slave of a master alone has an individual there.
    fn check_master(&self) -> Result<()> {
        let all: Vec<_> = self.inhabitants.iter().map(slaves_elsewhere).collect();
        let slaves = match all.as_slice() {
            all if all.iter().all(Option::is_none) => return Ok(()),
            [Some(slaves), others @ ..]
                if !others.is_empty() && others.iter().all(Option::is_none) =>
            {
                *slaves
            }
            _ => {
                let ids = self.inhabitants.iter().map(|one| one.algorithm.info().id);
                let ids = ids.collect::<Vec<_>>().join(", ");
                let allowed = "part=master for the first of several, and no other".into();
                return Err(wrong("island_set", ids, allowed));
            }
        };
        let needed = [
            ("islands", self.topology.to_string(), Topology::Master.to_string()),
            ("replace", self.replacement.name().into(), Replacement::First.name().into()),
            ("migrants", self.migrants.to_string(), "1".into()),
            ("island_count", self.count.to_string(), (slaves + 1).to_string()),
        ];
        match needed.into_iter().find(|(_, value, needed)| value != needed) {
            None => Ok(()),
            Some((field, value, needed)) => {
                let allowed = format!("{needed}, for the master of cmepso and its {slaves} slaves");
                Err(wrong(field, value, allowed))
            }
        }
    }

    /// Whether there are no more immigrants than individuals on an island.
    fn check_crowd(&self, island: u32) -> Result<()> {
        let Inhabitants { individuals, .. } = *self.of(island);
        let neighbours = match self.topology {
            // Constructing the lists would take long.
            Topology::Full => self.count - 1,
            Topology::Star | Topology::Master if island == 0 => self.count - 1,
            // No island sends to it, but it sends itself.
            Topology::Master => 1,
            topology => topology.sources(self.count as u32, island).len() as u64,
        };
        let most = individuals / neighbours;
        if most == 0 {
            let allowed = format!(
                "so few that the immigrants from {neighbours} neighbours are no more than the {individuals} individuals \
                 of an island"
            );
            return Err(wrong("island_count", self.count, allowed));
        }
        if (1..=most).contains(&self.migrants) {
            return Ok(());
        }
        let from = match neighbours {
            1 => "a neighbour".into(),
            many => format!("{many} neighbours"),
        };
        let allowed = format!(
            "1 to {most}, so that the immigrants from {from} are no more than the {individuals} individuals of an island"
        );
        Err(wrong("migrants", self.migrants, allowed))
    }

    /// Whether each of `ranks` ranks gets an island.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if there are more ranks than islands.
    pub fn check_ranks(&self, ranks: u32) -> Result<()> {
        if u64::from(ranks) <= self.count {
            return Ok(());
        }
        Err(wrong(
            "island_count",
            self.count,
            format!("at least one island for each of the {ranks} ranks"),
        ))
    }
}

/// The number of slaves, if this is a master whose slaves are other islands.
fn slaves_elsewhere(inhabitants: &Inhabitants) -> Option<u64> {
    match inhabitants.algorithm {
        Algorithm::Cmepso(params) if params.part == Part::Master => Some(params.slaves.into()),
        _ => None,
    }
}

fn wrong(field: &'static str, value: impl ToString, allowed: String) -> Error {
    Error::Setting { field, value: value.to_string(), allowed }
}

/// The form of the settings in files.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    count: u64,
    topology: String,
    every: u64,
    migrants: u64,
    select: String,
    replace: String,
    inhabitants: Vec<Inhabitants>,
}

impl From<Islands> for Written {
    fn from(islands: Islands) -> Self {
        Written {
            count: islands.count,
            topology: islands.topology.name().into(),
            every: islands.every,
            migrants: islands.migrants,
            select: islands.selection.name().into(),
            replace: islands.replacement.name().into(),
            inhabitants: islands.inhabitants,
        }
    }
}

impl TryFrom<Written> for Islands {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        let islands = Islands {
            count: written.count,
            topology: written.topology.parse()?,
            every: written.every,
            migrants: written.migrants,
            selection: by_name("selection", &Selection::ALL, &written.select)?,
            replacement: by_name("replacement", &Replacement::ALL, &written.replace)?,
            inhabitants: written.inhabitants,
        };
        islands.check()?;
        Ok(islands)
    }
}

fn by_name<T: Copy>(what: &'static str, all: &[(&'static str, T)], name: &str) -> Result<T> {
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known = all.iter().map(|(known, _)| *known).collect();
        Error::UnknownName { what, name: name.into(), known }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn islands(count: u64, topology: Topology, migrants: u64, individuals: u64) -> Islands {
        let inhabitants = Inhabitants::all(individuals);
        Islands { count, topology, migrants, inhabitants, ..Islands::default() }
    }

    fn refused(islands: &Islands) -> String {
        islands.check().unwrap_err().to_string()
    }

    #[test]
    fn immigrants_are_no_more_than_individuals() {
        islands(8, Topology::Full, 2, 14).check().unwrap();
        assert!(
            refused(&islands(8, Topology::Full, 2, 13))
                .starts_with("migrants is 2; allowed: 1 to 1, so")
        );
        assert!(
            refused(&islands(8, Topology::Full, 1, 6))
                .starts_with("island_count is 8; allowed: so few")
        );
        // Its first island has all others as neighbours.
        assert!(
            refused(&islands(9, Topology::Star, 2, 15))
                .starts_with("migrants is 2; allowed: 1 to 1, so")
        );
        islands(9, Topology::Ring, 15, 15).check().unwrap();
        assert_eq!(
            refused(&islands(9, Topology::Ring, 16, 15)),
            "migrants is 16; allowed: 1 to 15, so that the immigrants from a neighbour are no more than the 15 \
             individuals of an island"
        );
        assert!(
            refused(&islands(9, Topology::Ring, 0, 15))
                .starts_with("migrants is 0; allowed: 1 to 15")
        );
    }

    #[test]
    fn of_different_islands_the_smallest_counts() {
        let mut few = islands(4, Topology::Ring, 9, 16);
        few.inhabitants.extend(Inhabitants::all(8));
        assert!(refused(&few).starts_with("migrants is 9; allowed: 1 to 8"));
    }

    #[test]
    fn a_master_has_a_place_for_each_slave() {
        let params = CmepsoParams { slaves: 3, ..CmepsoParams::default() };
        let good = Islands::cmepso(params, 12).unwrap();
        good.check().unwrap();
        assert_eq!([0, 1, 2, 3].map(|island| good.of(island).individuals), [6, 3, 3, 3]);
        let check = |changed: Islands, expected: &str| {
            assert_eq!(
                refused(&changed),
                format!("{expected}, for the master of cmepso and its 3 slaves")
            );
        };
        check(Islands { count: 5, ..good.clone() }, "island_count is 5; allowed: 4");
        check(Islands { migrants: 2, ..good.clone() }, "migrants is 2; allowed: 1");
        check(
            Islands { topology: Topology::Star, ..good.clone() },
            "islands is star; allowed: master",
        );
        check(
            Islands { replacement: Replacement::Worst, ..good.clone() },
            "replace is worst; allowed: first",
        );
        let [master, slave] = good.inhabitants.clone().try_into().unwrap();
        for (set, ids) in [
            (vec![master.clone()], "cmepso"),
            (vec![slave, master.clone()], "cmepso, cmepso"),
            (vec![master.clone(), master], "cmepso, cmepso"),
        ] {
            let expected = "allowed: part=master for the first of several, and no other";
            let islands = Islands { inhabitants: set, ..good.clone() };
            assert_eq!(refused(&islands), format!("island_set is {ids}; {expected}"));
        }
    }

    #[test]
    fn the_first_of_several_are_the_masters_alone() {
        let inhabitants = [9, 8, 7].map(|n| Inhabitants::all(n)[0].clone()).to_vec();
        let mut islands = Islands { inhabitants, ..islands(5, Topology::Master, 1, 9) };
        let individuals = |islands: &Islands| [0, 1, 2, 3, 4].map(|i| islands.of(i).individuals);
        assert_eq!(individuals(&islands), [9, 8, 7, 8, 7]);
        islands.inhabitants.truncate(1);
        assert_eq!(individuals(&islands), [9; 5]);
    }

    #[test]
    fn ranges_are_checked() {
        assert_eq!(
            refused(&islands(1, Topology::Ring, 1, 9)),
            "island_count is 1; allowed: 2 to 1048576"
        );
        let at_once = Islands { every: 0, ..Islands::default() };
        assert!(refused(&at_once).starts_with("migrate_every is 0; allowed: 1 to "));
        let nobody = Islands { inhabitants: Vec::new(), ..Islands::default() };
        assert_eq!(refused(&nobody), "island_set is 0; allowed: at least one algorithm");
        let few = Islands::default();
        assert!(few.check_ranks(2).is_ok());
        let message = few.check_ranks(3).unwrap_err().to_string();
        assert_eq!(
            message,
            "island_count is 2; allowed: at least one island for each of the 3 ranks"
        );
    }

    #[test]
    fn every_island_has_one_rank() {
        for count in 2..=20 {
            let islands = islands(count, Topology::Ring, 1, 9);
            for ranks in 1..=count as u32 {
                let all = (0..ranks).map(|rank| islands.of_rank(rank, ranks));
                assert!(all.clone().all(|own| !own.is_empty()));
                assert!(all.flatten().eq(0..count as u32));
            }
        }
    }

    #[test]
    fn files_say_the_same() {
        let mut islands = islands(8, Topology::Star, 3, 100);
        islands.selection = Selection::Random;
        let text = toml::to_string(&islands).unwrap();
        assert!(
            text.contains("topology = \"star\"") && text.contains("select = \"random\""),
            "{text}"
        );
        assert_eq!(toml::from_str::<Islands>(&text).unwrap(), islands);
        let error =
            toml::from_str::<Islands>(&text.replacen("star", "cube", 1)).unwrap_err().to_string();
        assert!(
            error.contains("unknown topology `cube`; known: ring, full, torus, star, master"),
            "{error}"
        );
        assert!(toml::from_str::<Islands>(&text.replace("= 8", "= 1")).is_err());
    }
}
