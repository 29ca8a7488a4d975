//! The options of `solve` for islands.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use warpswarm::migration::{Replacement, Selection};
use warpswarm::{MAX_INDIVIDUALS, MAX_ITERATIONS};
use warpswarm_islands::{MAX_ISLANDS, Topology};

use super::values::{one_of, whole};

#[derive(Clone, Debug, Args)]
pub(crate) struct IslandArgs {
    /// Have runs exchange individuals as islands: each with the next one (ring), with all others (full), with those beside
    /// it on a grid (torus), or the first with all others (star), or all others only send to the first (master), with cmepso its slaves to
    /// its master. With `mpirun` they are spread over its ranks
    #[arg(long, value_name = "TOPOLOGY", value_parser = one_of(Topology::ALL, Topology::name))]
    pub(crate) islands: Option<Topology>,

    /// Number of islands [default: as many as there are ranks; with cmepso and master as many as swarms]
    #[arg(long, value_name = "N", requires = "islands", value_parser = whole(2..=MAX_ISLANDS))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) island_count: Option<u64>,

    /// Algorithms with settings as in `compare`, separated by commas, of which the islands take one each in turn; those
    /// that say no individuals have --individuals
    #[arg(long, value_name = "NAME[:KEY=VALUE],...", value_delimiter = ',', requires = "islands")]
    #[arg(conflicts_with_all = ["algorithm", "parameters"])]
    pub(crate) island_set: Vec<String>,

    /// Iterations of an epoch, at the end of which individuals leave, and those arrive that left an epoch before
    #[arg(long, value_name = "K", requires = "islands", value_parser = whole(1..=MAX_ITERATIONS))]
    #[arg(allow_negative_numbers = true, default_value = "50")]
    pub(crate) migrate_every: u64,

    /// How many leave an island for each of its neighbours, the same ones for all
    #[arg(long, value_name = "M", requires = "islands", value_parser = whole(1..=MAX_INDIVIDUALS))]
    #[arg(allow_negative_numbers = true, default_value = "1")]
    pub(crate) migrants: u64,

    /// Which leave
    #[arg(long, requires = "islands", default_value = "best", value_parser = named(&Selection::ALL))]
    pub(crate) select: Selection,

    /// In whose place they are taken, where they are better [default: worst; with cmepso and master first]
    #[arg(long, requires = "islands", value_parser = named(&Replacement::ALL))]
    pub(crate) replace: Option<Replacement>,
}

/// One of some values, by its name.
fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(|(name, _)| *name));
    names.try_map(|name| {
        let found = all.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or("allowed: one of the names above")
    })
}
