//! The options of `solve` for islands.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use warpswarm::migration::{Replacement, Selection};
use warpswarm::{MAX_INDIVIDUALS, MAX_ITERATIONS};
use warpswarm_islands::{MAX_ISLANDS, Topology};

use super::values::{one_of, whole};

#[derive(Clone, Debug, Args)]
pub(crate) struct IslandArgs {
    /// Make the runs islands, which exchange individuals in this topology
    ///
    /// An island is a run that exchanges individuals with other runs. In a ring, each island sends to the next one.
    /// With full, each sends to all others. On a torus, each sends to its neighbours on a closed grid. In a star, the
    /// first island sends to all others, and they send to it. With master, all others send to the first, which sends to
    /// none.
    ///
    /// With `mpirun`, the islands are distributed over the ranks. With cmepso and master, the slave swarms send to the
    /// master swarm. With --islands, the algorithm auto is shade.
    #[arg(long, value_name = "TOPOLOGY", value_parser = one_of(Topology::ALL, Topology::name))]
    pub(crate) islands: Option<Topology>,

    /// Number of islands [default: the number of ranks; with cmepso and master, the number of swarms]
    #[arg(long, value_name = "N", requires = "islands", value_parser = whole(2..=MAX_ISLANDS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) island_count: Option<u64>,

    /// Algorithms of the islands, separated by commas; the islands take them in turn
    ///
    /// The settings are written as for `compare`. An algorithm without its own individuals takes --individuals.
    #[arg(long, value_name = "NAME[:KEY=VALUE],...", value_delimiter = ',', requires = "islands")]
    #[arg(conflicts_with_all = ["algorithm", "parameters"])]
    pub(crate) island_set: Vec<String>,

    /// Iterations of an epoch, the interval between two exchanges
    ///
    /// Individuals leave at the end of an epoch. They arrive at the end of the next epoch.
    #[arg(long, value_name = "K", requires = "islands", value_parser = whole(1..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true, default_value = "50")]
    pub(crate) migrate_every: u64,

    /// Number of individuals that leave an island for each neighbour
    ///
    /// All neighbours get the same individuals.
    #[arg(long, value_name = "M", requires = "islands", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true, default_value = "1")]
    pub(crate) migrants: u64,

    /// Which individuals leave an island
    #[arg(long, requires = "islands", default_value = "best", value_parser = named(&Selection::ALL))]
    pub(crate) select: Selection,

    /// Which individuals the arriving ones replace, if these are better [default: worst; with cmepso and master first]
    #[arg(long, requires = "islands", value_parser = named(&Replacement::ALL))]
    pub(crate) replace: Option<Replacement>,
}

/// Parses the name of one of the given values.
fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(|(name, _)| *name));
    names.try_map(|name| {
        let found = all.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or("allowed: one of the names above")
    })
}
