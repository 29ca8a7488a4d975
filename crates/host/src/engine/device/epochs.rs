//! Several epochs of an island in one launch: while the kernel runs, the host passes emigrants on to other islands and
//! delivers immigrants.

use std::iter::{repeat, repeat_n};

use warpswarm_core::Float;
use warpswarm_core::launch::{
    MESSAGES_KEPT, MailboxLayout, key_word, keyed_fitness, keys_of, slot_words,
};
use warpswarm_cpu_ref::migration::Migrants;

use crate::error::Result;
use crate::machine::{LiveMemory, Service};

/// Passes an emigrant on to another island, and returns the immigrant that arrives at the end of the next epoch; one
/// each.
pub(crate) type MigrantExchange<'a, R> = &'a mut dyn FnMut(Migrants<R>) -> Result<Migrants<R>>;

/// No iteration: no particle has improved on the leader.
const NOBODY: u32 = u32::MAX;

/// The host's part in a launch over several epochs.
pub(super) struct MailboxService<'a, R> {
    /// The addresses of reports and answers on the device.
    pub(super) reports: u64,
    pub(super) answers: u64,
    pub(super) layout: MailboxLayout,
    pub(super) constrained: bool,
    pub(super) dimensions: usize,
    pub(super) blocks: u32,
    /// The number of reports that have been answered.
    pub(super) answered: u32,
    /// The number of epochs whose messages have been exchanged, and of all epochs.
    pub(super) done: u32,
    pub(super) epochs: u32,
    pub(super) exchange: MigrantExchange<'a, R>,
    /// The words that were read last.
    pub(super) words: Vec<u64>,
}

impl<R: Float> Service for MailboxService<'_, R> {
    fn serve(&mut self, memory: &mut dyn LiveMemory) -> Result<bool> {
        let served = self.answer(memory);
        if served.is_err() {
            // The kernel ends now; if this write fails, the kernel has failed anyway.
            let _ = memory.write(self.answers + 8 * u64::from(self.layout.answers), &[1]);
        }
        served
    }

    fn is_done(&self) -> bool {
        self.done == self.epochs
    }
}

impl<R: Float> MailboxService<'_, R> {
    /// Answers the next report, if it has arrived.
    fn answer(&mut self, memory: &mut dyn LiveMemory) -> Result<bool> {
        let MailboxLayout { message, report, pitch, reports, answer, .. } = self.layout;
        let (number, epoch) = (self.answered + 1, self.done + 1);
        let words = &mut self.words;
        words.resize(message as usize, 0);
        memory.read(self.reports + 8 * u64::from(reports), words)?;
        let Some(message) = under(number, words) else {
            return Ok(false);
        };
        let all = self.blocks * pitch;
        words.resize(all as usize, 0);
        memory.read(self.reports + 8 * u64::from(number % 2 * all), words)?;
        let Some((soonest, worst)) = summary(number, words, (report as usize, pitch as usize))
        else {
            return Ok(false);
        };
        let keys = self.keys() as usize;
        let mut words = vec![word(number, soonest), word(number, worst)];
        self.answered = number;
        if soonest == NOBODY {
            let leaving = self.opened(&message);
            let arriving = (self.exchange)(leaving)?;
            let tags = repeat_n(number, keys).chain(repeat(epoch));
            words.extend(tags.zip(self.closed(&arriving)).map(|(tag, half)| word(tag, half)));
            self.done = epoch;
        } else {
            words.resize(2 + keys, word(number, 0));
        }
        let slot = (epoch - 1) % MESSAGES_KEPT * answer;
        memory.write(self.answers + 8 * u64::from(slot), &words)?;
        Ok(true)
    }

    /// The number of words of the keys in a message.
    fn keys(&self) -> u32 {
        slot_words::<R>(self.constrained)
    }

    /// The migrant in a message.
    fn opened(&self, words: &[u32]) -> Migrants<R> {
        let (first, row) = words.split_at(self.keys() as usize);
        let mut keys = [0; 4];
        keys[..first.len()].copy_from_slice(first);
        let keys = keys_of::<R>(keys, self.constrained);
        let numbers = row.chunks_exact(R::WORDS).map(|number| {
            R::from_bits64(number.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word)))
        });
        Migrants {
            fitness: vec![keyed_fitness(keys, self.constrained)],
            positions: numbers.take(self.dimensions).collect(),
        }
    }

    /// The words of a message with one migrant.
    fn closed(&self, migrant: &Migrants<R>) -> impl Iterator<Item = u32> {
        let (keys, fitness) = (self.keys(), migrant.fitness[0].keys());
        let row = migrant.positions.iter().flat_map(|x| {
            let bits = x.to_bits64();
            [bits as u32, (bits >> 32) as u32].into_iter().take(R::WORDS)
        });
        // Padding beyond the dimensions is zero.
        (0..keys)
            .map(move |word| key_word::<R>(fitness, keys, word))
            .chain(row)
            .chain(repeat(0))
            .take(self.layout.message as usize)
    }
}

/// Combines reports of `words` words at distance `pitch`, if all have arrived: the earliest iteration, and the worst
/// particle.
fn summary(number: u32, reports: &[u64], (words, pitch): (usize, usize)) -> Option<(u32, u32)> {
    // Words with the same tag are ordered by their contents.
    let mut soonest = u64::MAX;
    let mut worst: Option<&[u64]> = None;
    for report in reports.chunks_exact(pitch) {
        if report[..words].iter().any(|&word| tag(word) != number) {
            return None;
        }
        soonest = soonest.min(report[0]);
        // All bits are inverted, so the largest particle has the smallest words.
        let own = &report[1..words];
        worst = Some(worst.map_or(own, |worst| worst.min(own)));
    }
    let worst = worst.and_then(<[u64]>::last)?;
    Some((soonest as u32, !(*worst as u32)))
}

fn tag(word: u64) -> u32 {
    (word >> 32) as u32
}

/// A word with its tag.
fn word(tag: u32, half: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(half)
}

/// The contents of words, if all have arrived with this tag.
fn under(number: u32, words: &[u64]) -> Option<Vec<u32>> {
    words.iter().map(|&word| (tag(word) == number).then_some(word as u32)).collect()
}

#[cfg(test)]
mod tests {
    use warpswarm_core::order::Fitness;

    use super::*;

    fn there_and_back<R: Float>(constrained: bool) {
        let layout = MailboxLayout::new::<R>(constrained, 3, 4);
        let mut exchange = |migrants| Ok(migrants);
        let messages = MailboxService {
            reports: 0,
            answers: 0,
            layout,
            constrained,
            dimensions: 3,
            blocks: 3,
            answered: 0,
            done: 0,
            epochs: 1,
            exchange: &mut exchange,
            words: Vec::new(),
        };
        let number = |x: f64| R::from_f64(x);
        let violation = if constrained { number(0.5) } else { R::ZERO };
        for value in [-1.5, 1e-30, f64::INFINITY] {
            let migrants = Migrants {
                fitness: vec![Fitness { violation, value: number(value) }],
                positions: vec![number(1.25), number(-1e30), number(0.1)],
            };
            let words: Vec<u32> = messages.closed(&migrants).collect();
            assert_eq!(words.len(), layout.message as usize);
            assert_eq!(messages.opened(&words), migrants);
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
    fn reports_are_of_the_soonest_and_the_worst() {
        let report = |first, key, individual: u32| [first, key, !individual, 0];
        let all = [report(9, 4, 1), report(7, 4, 2), report(NOBODY, 5, 3)].concat();
        let mut words: Vec<u64> = all.into_iter().map(|half| word(6, half)).collect();
        assert_eq!(summary(6, &words, (3, 4)), Some((7, 2)));
        words[3] = 0;
        assert_eq!(summary(6, &words, (3, 4)), Some((7, 2)));
        words[2] = word(5, 0);
        assert_eq!(summary(6, &words, (3, 4)), None);
    }

    #[test]
    fn a_letter_is_there_when_all_of_it_is() {
        assert_eq!(under(7, &[word(7, 1), word(7, 2)]), Some(vec![1, 2]));
        assert_eq!(under(7, &[word(7, 1), word(6, 2)]), None);
    }
}
