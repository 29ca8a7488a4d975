//! The numbers of dimensions in which a problem is defined.

use core::fmt;

use crate::launch::Tile;

/// A set of allowed numbers of dimensions: the multiples of one number within limits.
///
/// ```
/// use warpswarm_core::problems::Dimensions;
/// let atoms = Dimensions { least: 6, most: usize::MAX, multiple_of: 3 };
/// assert!(atoms.allows(9) && !atoms.allows(10) && !atoms.allows(3));
/// assert_eq!((atoms.usual(), Dimensions::exactly(7).usual()), (30, 7));
/// assert_eq!(Dimensions::at_least(2).to_string(), "at least 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// The smallest allowed number.
    pub least: usize,
    /// The largest allowed number; `usize::MAX` for no limit.
    pub most: usize,
    /// All allowed numbers are multiples of this.
    pub multiple_of: usize,
}

impl Dimensions {
    /// The default number of dimensions of most problems.
    const USUAL: usize = 30;

    /// All numbers from `least` on.
    pub const fn at_least(least: usize) -> Self {
        Dimensions { least, most: usize::MAX, multiple_of: 1 }
    }

    /// Only this number.
    pub const fn exactly(number: usize) -> Self {
        Dimensions { least: number, most: number, multiple_of: 1 }
    }

    /// Whether `number` is allowed.
    pub const fn allows(&self, number: usize) -> bool {
        self.least <= number && number <= self.most && number.is_multiple_of(self.multiple_of)
    }

    /// Whether only one number is allowed.
    pub const fn is_fixed(&self) -> bool {
        self.least == self.most
    }

    /// The default number of dimensions: the allowed one that is nearest to 30.
    pub const fn usual(&self) -> usize {
        if self.most < Self::USUAL {
            self.most
        } else if self.least > Self::USUAL {
            self.least
        } else {
            Self::USUAL / self.multiple_of * self.multiple_of
        }
    }

    /// The kernels that a problem with these numbers of dimensions needs, as a word of
    /// [`for_each_problem`](crate::for_each_problem): those of the smallest tile ([`Tile::for_dimensions`]), and of
    /// each larger tile that an allowed number needs.
    pub fn kernels(&self) -> &'static str {
        let [smallest, middle, _] = Tile::all::<f32>().map(|tile| tile.dimensions() as usize);
        match (self.least > smallest, self.most) {
            (false, most) if most <= smallest => "two",
            (true, most) if most <= middle => "few",
            (true, _) => "many",
            (false, _) => "any",
        }
    }
}

impl fmt::Display for Dimensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dimensions { least, most, multiple_of } = *self;
        if least == most {
            return write!(f, "exactly {least}");
        }
        match (multiple_of, most) {
            (1, usize::MAX) => write!(f, "at least {least}"),
            (1, _) => write!(f, "{least} to {most}"),
            (of, usize::MAX) => write!(f, "multiples of {of}, at least {least}"),
            (of, _) => write!(f, "multiples of {of} from {least} to {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn numbers_are_allowed_by_size_and_by_multiple() {
        let threes = Dimensions { least: 6, most: 12, multiple_of: 3 };
        let allowed =
            |of: Dimensions| (1..15).filter(|n| of.allows(*n)).collect::<std::vec::Vec<_>>();
        assert_eq!(allowed(threes), [6, 9, 12]);
        assert_eq!(allowed(Dimensions::exactly(4)), [4]);
        assert_eq!(allowed(Dimensions::at_least(12)), [12, 13, 14]);
        assert_eq!((threes.is_fixed(), Dimensions::exactly(4).is_fixed()), (false, true));
    }

    #[test]
    fn the_usual_number_is_near_thirty() {
        let fours = Dimensions { least: 4, most: 400, multiple_of: 4 };
        let few = Dimensions::exactly(4);
        assert_eq!([few, fours, Dimensions::at_least(2)].map(|of| of.usual()), [4, 28, 30]);
        assert_eq!(Dimensions::at_least(50).usual(), 50);
    }

    #[test]
    fn what_is_allowed_in_words() {
        let words = |of: Dimensions| of.to_string();
        assert_eq!(words(Dimensions::at_least(2)), "at least 2");
        assert_eq!(words(Dimensions::exactly(3)), "exactly 3");
        let threes = Dimensions { least: 6, most: 12, multiple_of: 3 };
        assert_eq!(words(threes), "multiples of 3 from 6 to 12");
        assert_eq!(words(Dimensions { multiple_of: 1, ..threes }), "6 to 12");
        assert_eq!(words(Dimensions { most: usize::MAX, ..threes }), "multiples of 3, at least 6");
    }
}
