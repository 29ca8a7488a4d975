//! A block's shared memory, with a record of which thread accessed which word when.
//!
//! Time is counted in epochs: a block barrier begins a new epoch of the block, and a `warp::sync` one of the warp. Two
//! accesses are ordered if the block's epochs differ, or if both are of one warp and the warp's epochs differ, or if
//! one thread made both. Epochs never repeat on an operating-system thread, so that records of earlier launches are in
//! the past and need not be cleared.

use core::panic::Location;

/// An access by one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The source line that made it.
    pub(super) place: &'static Location<'static>,
    /// The block's epoch.
    pub(super) epoch: u64,
    /// The warp's epoch; wraps, which is harmless within one epoch of the block.
    pub(super) warp_epoch: u32,
    /// The thread's index in its block.
    pub(super) thread: u32,
}

impl Access {
    fn warp(&self) -> u32 {
        self.thread / 32
    }

    /// Whether nothing orders this access, which came first, before `next`.
    pub(super) fn unordered(&self, next: &Access) -> bool {
        self.epoch == next.epoch
            && self.thread != next.thread
            && (self.warp() != next.warp() || self.warp_epoch == next.warp_epoch)
    }
}

/// The record of one word: the last write and, after it, reads by up to two threads.
///
/// Two suffice. If the readers of this epoch are of two warps, the two records are of different warps, and no writer is
/// ordered after both. If they are of one warp, only those of its present epoch can be unordered to a writer, and of
/// two different threads one is not the writer.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    value: u32,
    write: Option<Access>,
    read: Option<Access>,
    other_read: Option<Access>,
}

/// Why an access is a fault.
#[derive(Debug)]
pub(super) enum Misuse {
    OutOfBounds,
    Misaligned,
    Uninitialised,
    /// The earlier access of the two, and whether it was a write.
    Race(Access, bool),
}

/// A block's shared memory.
#[derive(Debug, Default)]
pub(super) struct SharedMemory {
    words: Vec<Word>,
    bytes: u32,
    /// The epoch at which the block began: what was written before belongs to another block.
    begin: u64,
    /// As many bytes that are used as global memory, if a kernel asks for them: see [`near`](crate::shared::near).
    near: Vec<u128>,
}

impl SharedMemory {
    /// Makes it the memory of a block that begins at `epoch`; no word counts as written.
    pub(super) fn begin(&mut self, bytes: u32, epoch: u64) {
        let words = bytes.div_ceil(4) as usize;
        if self.words.len() < words {
            self.words.resize(words, Word::default());
        }
        self.bytes = bytes;
        self.begin = epoch;
        self.near.clear();
    }

    /// The bytes that are used as global memory: their address and their number.
    pub(super) fn near(&self) -> (usize, usize) {
        (self.near.as_ptr() as usize, size_of_val(&self.near[..]))
    }

    /// The address of byte `offset` in generic addresses. What no thread has written there is NaN.
    pub(super) fn near_address(&mut self, offset: u32) -> Result<u64, Misuse> {
        if offset > self.bytes {
            return Err(Misuse::OutOfBounds);
        }
        if self.near.is_empty() {
            self.near.resize(self.bytes as usize / 16 + 1, u128::MAX);
        }
        Ok(self.near.as_ptr() as u64 + u64::from(offset))
    }

    /// The size that the launch set.
    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// The words that an access of `size` bytes at `offset` covers.
    fn words(&mut self, offset: u32, size: u32) -> Result<&mut [Word], Misuse> {
        if offset > self.bytes || self.bytes - offset < size {
            return Err(Misuse::OutOfBounds);
        }
        if !offset.is_multiple_of(size) {
            return Err(Misuse::Misaligned);
        }
        let first = (offset / 4) as usize;
        Ok(&mut self.words[first..first + (size / 4) as usize])
    }

    pub(super) fn read_u32(&mut self, offset: u32, by: Access) -> Result<u32, Misuse> {
        let begin = self.begin;
        self.words(offset, 4)?[0].read(begin, by)
    }

    pub(super) fn read_u64(&mut self, offset: u32, by: Access) -> Result<u64, Misuse> {
        let begin = self.begin;
        let words = self.words(offset, 8)?;
        let low = words[0].read(begin, by)?;
        Ok(u64::from(words[1].read(begin, by)?) << 32 | u64::from(low))
    }

    /// The word that blocks of the cluster have stored there, in no order to other accesses. Such words are written by
    /// single atomic stores only, after a first ordinary write.
    pub(super) fn load_u64(&mut self, offset: u32) -> Result<u64, Misuse> {
        let begin = self.begin;
        let words = self.words(offset, 8)?;
        let value = |word: &Word| match word.write {
            Some(write) if write.epoch >= begin => Ok(u64::from(word.value)),
            _ => Err(Misuse::Uninitialised),
        };
        Ok(value(&words[1])? << 32 | value(&words[0])?)
    }

    /// Stores a word for [`load_u64`](SharedMemory::load_u64).
    pub(super) fn store_u64(&mut self, offset: u32, value: u64) -> Result<(), Misuse> {
        let begin = self.begin;
        let words = self.words(offset, 8)?;
        if words.iter().any(|word| word.write.is_none_or(|write| write.epoch < begin)) {
            return Err(Misuse::Uninitialised);
        }
        words[0].value = value as u32;
        words[1].value = (value >> 32) as u32;
        Ok(())
    }

    pub(super) fn write_u32(&mut self, offset: u32, value: u32, by: Access) -> Result<(), Misuse> {
        self.words(offset, 4)?[0].write(value, by)
    }

    pub(super) fn write_u64(&mut self, offset: u32, value: u64, by: Access) -> Result<(), Misuse> {
        let words = self.words(offset, 8)?;
        words[0].write(value as u32, by)?;
        words[1].write((value >> 32) as u32, by)
    }
}

impl Word {
    #[inline]
    fn read(&mut self, begin: u64, by: Access) -> Result<u32, Misuse> {
        match self.write {
            Some(write) if write.epoch >= begin => {
                if write.unordered(&by) {
                    return Err(Misuse::Race(write, true));
                }
            }
            _ => return Err(Misuse::Uninitialised),
        }
        self.note_read(by);
        Ok(self.value)
    }

    #[inline]
    fn note_read(&mut self, by: Access) {
        let Some(read) = self.read.filter(|read| read.epoch == by.epoch) else {
            (self.read, self.other_read) = (Some(by), None);
            return;
        };
        let other_warp = self.other_read.is_some_and(|other| other.warp() != read.warp());
        if other_warp {
            // Two warps have read already: any write in this epoch is a race.
        } else if read.warp() != by.warp() {
            self.other_read = Some(by);
        } else if read.warp_epoch != by.warp_epoch {
            (self.read, self.other_read) = (Some(by), None);
        } else if read.thread != by.thread {
            self.other_read = Some(by);
        }
    }

    #[inline]
    fn write(&mut self, value: u32, by: Access) -> Result<(), Misuse> {
        if let Some(write) = self.write
            && write.unordered(&by)
        {
            return Err(Misuse::Race(write, true));
        }
        for read in [self.read, self.other_read].into_iter().flatten() {
            if read.unordered(&by) {
                return Err(Misuse::Race(read, false));
            }
        }
        // An access that is ordered after this write is ordered after those reads too.
        *self = Word { value, write: Some(by), read: None, other_read: None };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Shuffle;
    use super::*;

    /// The same rules with the whole history, for one word.
    #[derive(Default)]
    struct History(Vec<(Access, bool)>);

    impl History {
        fn races(&mut self, by: Access, writes: bool) -> bool {
            let races =
                self.0.iter().any(|(earlier, wrote)| (*wrote || writes) && earlier.unordered(&by));
            self.0.push((by, writes));
            races
        }
    }

    #[test]
    fn three_records_find_the_races_that_the_whole_history_has() {
        let mut random = Shuffle(1);
        let place = Location::caller();
        let (mut races, mut clean) = (0, 0);
        for _ in 0..20_000 {
            let mut memory = SharedMemory::default();
            memory.begin(4, 1);
            let mut history = History::default();
            let (mut epoch, mut warp_epochs) = (1, [0; 3]);
            let first = Access { place, epoch, warp_epoch: 0, thread: 0 };
            memory.write_u32(0, 0, first).expect("nobody was there before");
            history.races(first, true);
            for _ in 0..12 {
                match random.below(8) {
                    0 => epoch += 1,
                    1 | 2 => warp_epochs[random.below(3)] += 1,
                    what => {
                        let thread = [0, 1, 2, 32, 33, 64][random.below(6)];
                        let warp_epoch = warp_epochs[(thread / 32) as usize];
                        let by = Access { place, epoch, warp_epoch, thread };
                        let writes = what == 3;
                        let result = if writes {
                            memory.write_u32(0, 1, by)
                        } else {
                            memory.read_u32(0, by).map(drop)
                        };
                        if history.races(by, writes) {
                            assert!(matches!(result, Err(Misuse::Race(..))), "{:?}", history.0);
                            races += 1;
                            break;
                        }
                        assert!(result.is_ok(), "{result:?} {:?}", history.0);
                        clean += 1;
                    }
                }
            }
        }
        assert!(races > 5_000 && clean > 5_000, "{races} {clean}");
    }

    #[test]
    fn halves_of_a_wide_element() {
        let mut memory = SharedMemory::default();
        memory.begin(16, 5);
        let by = Access { place: Location::caller(), epoch: 5, warp_epoch: 0, thread: 3 };
        memory.write_u32(8, 7, by).unwrap();
        assert!(matches!(memory.read_u64(8, by), Err(Misuse::Uninitialised)));
        memory.write_u32(12, 9, by).unwrap();
        assert_eq!(memory.read_u64(8, by).unwrap(), (9 << 32) + 7);
        memory.write_u64(0, u64::MAX - 1, by).unwrap();
        assert_eq!(memory.read_u32(0, by).unwrap(), u32::MAX - 1);
        assert!(matches!(memory.read_u64(4, by), Err(Misuse::Misaligned)));
        assert!(matches!(memory.read_u64(16, by), Err(Misuse::OutOfBounds)));
        assert!(matches!(memory.read_u32(u32::MAX - 3, by), Err(Misuse::OutOfBounds)));
        // The next block finds no written word.
        memory.begin(16, 6);
        let by = Access { epoch: 6, ..by };
        assert!(matches!(memory.read_u32(0, by), Err(Misuse::Uninitialised)));
    }
}
