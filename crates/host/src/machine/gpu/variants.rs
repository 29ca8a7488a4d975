//! A kernel's texts that differ in what is known of its argument: each is compiled by itself and stays loaded, so they are few.

use std::sync::Arc;

use crate::error::faults;

/// The most texts in which something is known. Each takes the driver's compiler up to half a second, which somebody who tries hundreds of
/// settings in one process would wait for longer than for the runs. What comes later gets the text in which nothing is known.
const MOST: usize = 4;

/// Words of an argument, by their place in bytes.
type Known = Vec<(u32, u32)>;

/// What has been made of each text of a kernel, by the words known in it.
#[derive(Debug)]
pub(super) struct Variants<T>(Vec<(Known, Arc<T>)>);

impl<T> Default for Variants<T> {
    fn default() -> Self {
        Variants(Vec::new())
    }
}

impl<T: Default> Variants<T> {
    /// What is made of the text for an argument with these words, and which of them are known in it: all or none.
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
