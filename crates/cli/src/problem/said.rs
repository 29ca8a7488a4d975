//! The options that describe a problem in addition to its name.

use crate::failure::Failure;

/// The options that describe a problem in addition to its name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    pub(crate) dim: Option<u64>,
    pub(crate) shift: f64,
    pub(crate) lower: Option<f64>,
    pub(crate) upper: Option<f64>,
    pub(crate) instance: Option<u32>,
}

impl Said {
    /// Refuses those of these options that are set, because the problem determines them itself.
    pub(super) fn refuse(&self, options: &[&str], whose: &str) -> Result<(), Failure> {
        let shift = (self.shift != 0.0).then_some(self.shift);
        let whole = |number: Option<u64>| number.map(|number| number as f64);
        let all = [
            ("--dim", whole(self.dim)),
            ("--lower", self.lower),
            ("--upper", self.upper),
            ("--shift", shift),
            ("--instance", whole(self.instance.map(u64::from))),
        ];
        let given = |(option, value): (&'static str, Option<f64>)| {
            Some((option, value.filter(|_| options.contains(&option))?))
        };
        match all.into_iter().find_map(given) {
            Some((option, value)) => {
                Err(Failure::Input(format!("{option} is {value}{whose}; leave it out")))
            }
            None => Ok(()),
        }
    }
}
