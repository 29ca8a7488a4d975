//! The last write to each word of global memory in a launch, by address.
//!
//! Every access to global memory calls this, so it must be fast. Words are grouped into pages, and only pages with a
//! written word are stored; each is a range of one list of entries. A small table holds the starts of recently used
//! pages, so that few accesses need the map.
//!
//! Entries of earlier launches stay in place and are ignored: each has the number of its launch.

use core::ops::Range;
use std::cell::Cell;
use std::collections::HashMap;

/// Words of a page: 4 KiB.
const PAGE: usize = 1024;
/// Pages in the table of recent ones.
const RECENT: usize = 256;
/// If there are more pages than these (24 MiB), a new launch frees them.
const MOST_PAGES: usize = 512;

/// A page, and the start of its entries if it has any.
type Found = (usize, Option<usize>);

/// Records of words, each with the number of the launch that wrote it.
#[derive(Debug)]
pub(super) struct Writes<W> {
    entries: Vec<Option<(u32, W)>>,
    /// The start of the entries of each page.
    pages: HashMap<usize, usize>,
    /// Recent results of `pages`, each at the page's number modulo the length.
    recent: Vec<Cell<Found>>,
    launch: u32,
}

/// The place of a word's entry. It stays the same until the next launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(usize);

impl<W> Default for Writes<W> {
    fn default() -> Self {
        let mut writes =
            Writes { entries: Vec::new(), pages: HashMap::new(), recent: Vec::new(), launch: 0 };
        writes.forget();
        writes
    }
}

impl<W> Writes<W> {
    /// Begins a launch, in which nothing has been written.
    pub(super) fn begin(&mut self) {
        if self.launch == u32::MAX || self.pages.len() > MOST_PAGES {
            self.forget();
        }
        self.launch += 1;
    }

    fn forget(&mut self) {
        self.launch = 0;
        self.entries = Vec::new();
        self.pages.clear();
        self.recent.clear();
        // No address is in the last page.
        self.recent.resize(RECENT, Cell::new((usize::MAX, None)));
    }

    /// The start of the entries of a page.
    #[inline]
    fn page(&self, page: usize) -> Option<usize> {
        let recent = &self.recent[page % RECENT];
        let (number, begin) = recent.get();
        if number == page { begin } else { self.page_by_map(page) }
    }

    #[cold]
    fn page_by_map(&self, page: usize) -> Option<usize> {
        let begin = self.pages.get(&page).copied();
        self.recent[page % RECENT].set((page, begin));
        begin
    }

    #[cold]
    fn new_page(&mut self, page: usize) -> usize {
        let begin = self.entries.len();
        self.entries.resize_with(begin + PAGE, || None);
        self.pages.insert(page, begin);
        self.recent[page % RECENT].set((page, Some(begin)));
        begin
    }

    /// The last write to a word.
    #[inline]
    pub(super) fn get(&self, word: usize) -> Option<&W> {
        let begin = self.page(word / PAGE)?;
        match &self.entries[begin + word % PAGE] {
            Some((launch, write)) if *launch == self.launch => Some(write),
            _ => None,
        }
    }

    /// The write in an entry.
    #[inline]
    pub(super) fn get_mut(&mut self, Entry(place): Entry) -> Option<&mut W> {
        match &mut self.entries[place] {
            Some((launch, write)) if *launch == self.launch => Some(write),
            _ => None,
        }
    }

    /// Removes the last write to each of some words.
    pub(super) fn remove(&mut self, words: Range<usize>) {
        for word in words {
            if let Some(begin) = self.page(word / PAGE) {
                self.entries[begin + word % PAGE] = None;
            }
        }
    }

    /// Stores the last write to a word in its entry. Returns the entry and its old content.
    #[inline]
    pub(super) fn insert(&mut self, word: usize, write: W) -> (Entry, Option<W>) {
        let page = word / PAGE;
        let begin = self.page(page).unwrap_or_else(|| self.new_page(page));
        let place = begin + word % PAGE;
        let old = self.entries[place].replace((self.launch, write));
        (Entry(place), old.filter(|(launch, _)| *launch == self.launch).map(|(_, write)| write))
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Shuffle;
    use super::*;

    #[test]
    fn it_is_a_map_that_every_launch_finds_empty() {
        let mut random = Shuffle(1);
        let mut writes = Writes::default();
        for launch in 0..50 {
            if launch == 20 {
                writes.launch = u32::MAX - 5;
            }
            writes.begin();
            let mut map = HashMap::new();
            // One launch uses more pages than are kept; the others use some that share a place in the table of recent
            // ones.
            let pages = if launch == 10 { 3 * MOST_PAGES } else { 5 };
            let apart = if launch == 10 { 1 } else { RECENT / 2 };
            for value in 0..2_000 {
                let word = (7 + apart * random.below(pages)) * PAGE + random.below(PAGE) % 50;
                assert_eq!(writes.get(word), map.get(&word));
                if random.below(100) == 0 {
                    writes.remove(word..word + 1);
                    map.remove(&word);
                }
                if random.below(2) == 0 {
                    let (entry, old) = writes.insert(word, value);
                    assert_eq!(old, map.insert(word, value));
                    assert_eq!(writes.get_mut(entry), Some(&mut value.clone()));
                }
            }
            assert!(map.iter().all(|(&word, value)| writes.get(word) == Some(value)));
        }
        assert!(writes.pages.len() <= MOST_PAGES && writes.launch < 50);
    }
}
