//! Epochs of an island in one launch: a kernel that goes on while the host takes who sets out to other islands, and brings
//! who arrives.

use warpswarm_core::Real;
use warpswarm_core::launch::{LETTERS_KEPT, OfficeLayout, slot_words};
use warpswarm_core::order::Fitness;
use warpswarm_cpu_ref::migration::Migrants;

use super::machine::{Desk, Service};
use crate::error::Result;

/// Takes who sets out of an island to others, and gives who arrives there at the end of the next epoch; one each.
pub(crate) type Ferry<'a, R> = &'a mut dyn FnMut(Migrants<R>) -> Result<Migrants<R>>;

/// No iteration: nobody has improved on the leader.
const NOBODY: u32 = u32::MAX;

/// The host's part in a launch over several epochs.
pub(super) struct Letters<'a, R> {
    /// Where the office is on the device.
    pub(super) office: u64,
    pub(super) layout: OfficeLayout,
    pub(super) constrained: bool,
    pub(super) dimensions: usize,
    pub(super) blocks: u32,
    /// Reports that have been answered.
    pub(super) answered: u32,
    /// The epochs whose letters have been exchanged, and how many there are.
    pub(super) done: u32,
    pub(super) epochs: u32,
    pub(super) exchange: Ferry<'a, R>,
}

impl<R: Real> Service for Letters<'_, R> {
    fn serve(&mut self, desk: &mut dyn Desk) -> Result<bool> {
        let served = self.answer(desk);
        if served.is_err() {
            // The kernel ends; if it cannot be told, it has failed.
            let _ = desk.write(self.address(self.layout.closed), &1_u64.to_le_bytes());
        }
        served
    }

    fn is_done(&self) -> bool {
        self.done == self.epochs
    }
}

impl<R: Real> Letters<'_, R> {
    fn address(&self, word: u32) -> u64 {
        self.office + 8 * u64::from(word)
    }

    /// Answers the next report, if it is there.
    fn answer(&mut self, desk: &mut dyn Desk) -> Result<bool> {
        let OfficeLayout { report_words, outbox, letter, answers, answer_words, .. } = self.layout;
        let mut bytes = vec![0; 8 * (outbox + letter) as usize];
        desk.read(self.address(self.layout.reports), &mut bytes)?;
        let (number, epoch) = (self.answered + 1, self.done + 1);
        let words = |first: u32, count: u32| {
            words_under(number, &bytes[8 * first as usize..8 * (first + count) as usize])
        };
        let all = report_words * self.blocks;
        let (Some(reports), Some(letter)) = (words(number % 2 * all, all), words(outbox, letter))
        else {
            return Ok(false);
        };
        let of_block = |block: usize| {
            let word = |word: u32| reports[(word * self.blocks) as usize + block];
            (0..report_words).map(word).collect::<Vec<u32>>()
        };
        let of_blocks: Vec<_> = (0..self.blocks as usize).map(of_block).collect();
        let soonest = of_blocks.iter().map(|report| report[0]).min().unwrap_or(NOBODY);
        // Of the greatest, all bits turned, the least.
        let worst = of_blocks.iter().map(|report| &report[1..]).min().and_then(<[u32]>::last);
        let worst = !worst.copied().unwrap_or_default();
        let mut answer = under(number, [soonest, worst]);
        self.answered = number;
        if soonest == NOBODY {
            let leaving = self.opened(&letter);
            let arriving = (self.exchange)(leaving)?;
            answer.extend(under(epoch, self.closed(&arriving, letter.len())));
            self.done = epoch;
        }
        let slot = (epoch - 1) % LETTERS_KEPT;
        desk.write(self.address(answers + slot * answer_words), &answer)?;
        Ok(true)
    }

    /// Who is in a letter.
    fn opened(&self, words: &[u32]) -> Migrants<R> {
        let (keys, row) = words.split_at(slot_words::<R>(self.constrained) as usize);
        let mut keys = keys.chunks_exact(R::WORDS).map(|key| {
            R::from_ordered(key.iter().fold(0, |key, word| key << 32 | u64::from(*word)))
        });
        let violation = if self.constrained { keys.next() } else { None }.unwrap_or(R::ZERO);
        let value = keys.next().unwrap_or(R::NAN);
        let numbers = row.chunks_exact(R::WORDS).map(|number| {
            R::from_bits64(number.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word)))
        });
        Migrants {
            fitness: vec![Fitness { violation, value }],
            positions: numbers.take(self.dimensions).collect(),
        }
    }

    /// The words of a letter with one migrant.
    fn closed(&self, migrant: &Migrants<R>, words: usize) -> impl Iterator<Item = u32> {
        let (violation, value) = migrant.fitness[0].ordered();
        let keys = if self.constrained { vec![violation, value] } else { vec![value] };
        let halves = |bits: u64| [(bits >> 32) as u32, bits as u32];
        let of_keys = keys.into_iter().flat_map(halves);
        let of_row = migrant.positions.iter().flat_map(|x| {
            let [high, low] = halves(x.to_bits64());
            [low, high]
        });
        // In 32 bits there is nothing in the upper half.
        let is_word = move |(k, high): (usize, bool)| R::WORDS == 2 || (k % 2 == 0) != high;
        let keys = of_keys.enumerate().filter(move |(k, _)| is_word((*k, true)));
        let row = of_row.enumerate().filter(move |(k, _)| is_word((*k, false)));
        let all: Vec<u32> = keys.chain(row).map(|(_, word)| word).collect();
        // Places beyond the dimensions are at rest.
        all.into_iter().chain(std::iter::repeat(0)).take(words)
    }
}

/// Words as they lie under a tag.
fn under(tag: u32, words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let word = |word| (u64::from(tag) << 32 | u64::from(word)).to_le_bytes();
    words.into_iter().flat_map(word).collect()
}

/// The words that have all come under a tag.
fn words_under(tag: u32, bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, _) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    words.map(|word| ((word >> 32) as u32 == tag).then_some(word as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<R: Real>(constrained: bool) {
        let layout = OfficeLayout::new::<R>(constrained, 3, 4);
        let mut exchange = |migrants| Ok(migrants);
        let letters = Letters {
            office: 0,
            layout,
            constrained,
            dimensions: 3,
            blocks: 3,
            answered: 0,
            done: 0,
            epochs: 1,
            exchange: &mut exchange,
        };
        let number = |x: f64| R::from_f64(x);
        let violation = if constrained { number(0.5) } else { R::ZERO };
        for value in [-1.5, 1e-30, f64::INFINITY] {
            let migrants = Migrants {
                fitness: vec![Fitness { violation, value: number(value) }],
                positions: vec![number(1.25), number(-1e30), number(0.1)],
            };
            let words: Vec<u32> = letters.closed(&migrants, layout.letter as usize).collect();
            assert_eq!(words.len(), layout.letter as usize);
            assert_eq!(letters.opened(&words), migrants);
        }
    }

    #[test]
    fn who_is_in_a_letter_comes_out_of_it() {
        there_and_back::<f32>(false);
        there_and_back::<f32>(true);
        there_and_back::<f64>(false);
        there_and_back::<f64>(true);
    }

    #[test]
    fn a_letter_is_there_when_all_of_it_is() {
        let word = |tag: u64, word: u64| (tag << 32 | word).to_le_bytes();
        assert_eq!(words_under(7, &[word(7, 1), word(7, 2)].concat()), Some(vec![1, 2]));
        assert_eq!(words_under(7, &[word(7, 1), word(6, 2)].concat()), None);
    }
}
