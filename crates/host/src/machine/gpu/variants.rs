//! Variants of a kernel: PTX texts in which words of the argument are constants. Each is compiled separately and stays
//! loaded, so their number is limited.

use std::sync::Arc;

use crate::error::faults;

/// The largest number of specialised variants. Each takes the driver's compiler up to half a second. A process that
/// tries hundreds of settings would spend more time compiling than running. Further arguments use the general variant.
const MOST: usize = 4;

/// Known words of an argument, with their byte offsets.
type Known = Vec<(u32, u32)>;

/// The loaded function or other result for each variant of a kernel, by its known words.
#[derive(Debug)]
pub(super) struct Variants<T>(Vec<(Known, Arc<T>)>);

impl<T> Default for Variants<T> {
    fn default() -> Self {
        Variants(Vec::new())
    }
}

impl<T: Default> Variants<T> {
    /// The result for the variant for an argument with these words, and the words that are constants in it: all or
    /// none.
    pub(super) fn of(&mut self, known: &Known) -> (Known, Arc<T>) {
        if let Some((known, made)) = self.0.iter().find(|(of, _)| of == known) {
            return (known.clone(), made.clone());
        }
        let specialised = self.0.iter().filter(|(known, _)| !known.is_empty()).count();
        if specialised >= faults::known_texts(MOST) && !known.is_empty() {
            return self.of(&Vec::new());
        }
        let made = Arc::<T>::default();
        self.0.push((known.clone(), made.clone()));
        (known.clone(), made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_first_few_arguments_have_texts_of_their_own() {
        let mut variants = Variants::<Cell<u32>>::default();
        for k in 0..MOST as u32 {
            let (known, made) = variants.of(&vec![(0, k)]);
            made.set(k);
            assert_eq!(known, [(0, k)]);
        }
        for k in [9, 10] {
            let (known, made) = variants.of(&vec![(0, k)]);
            assert!(known.is_empty());
            assert_eq!(made.replace(100), if k == 9 { 0 } else { 100 });
        }
        assert_eq!(variants.of(&vec![(0, 2)]).1.get(), 2);
        assert_eq!(variants.of(&vec![]).1.get(), 100);
        assert_eq!(variants.0.len(), MOST + 1);
    }
}
