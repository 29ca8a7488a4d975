//! Converts numbers and records to and from the bytes of device arrays: little-endian, in `repr(C)` layout, with zero
//! padding.

use std::mem::offset_of;

use warpswarm_core::Float;
use warpswarm_core::launch::{Control, Outcome, OwnRun, StopRule, Turns};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::restart::RestartState;

/// Writes a number at the beginning of `to`.
fn put_real<R: Float>(to: &mut [u8], value: R) {
    let size = size_of::<R>();
    to[..size].copy_from_slice(&value.to_bits64().to_le_bytes()[..size]);
}

/// Reads a number from the beginning of `from`.
fn get_real<R: Float>(from: &[u8]) -> R {
    let mut bits = [0; 8];
    bits[..size_of::<R>()].copy_from_slice(&from[..size_of::<R>()]);
    R::from_bits64(u64::from_le_bytes(bits))
}

fn put_u32(to: &mut [u8], value: u32) {
    to[..4].copy_from_slice(&value.to_le_bytes());
}

fn put_u64(to: &mut [u8], value: u64) {
    to[..8].copy_from_slice(&value.to_le_bytes());
}

fn get_u32(from: &[u8]) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&from[..4]);
    u32::from_le_bytes(bytes)
}

fn get_u64(from: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&from[..8]);
    u64::from_le_bytes(bytes)
}

/// An element of device arrays; `R` is the type of its numbers.
pub(crate) trait Item<R>: Sized {
    fn put(&self, to: &mut [u8]);
    fn get(from: &[u8]) -> Self;
}

/// A plain number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number<R>(pub(crate) R);

impl<R: Float> Item<R> for Number<R> {
    fn put(&self, to: &mut [u8]) {
        put_real(to, self.0);
    }
    fn get(from: &[u8]) -> Self {
        Number(get_real(from))
    }
}

impl<R: Float> Item<R> for Fitness<R> {
    fn put(&self, to: &mut [u8]) {
        put_real(&mut to[offset_of!(Fitness<R>, violation)..], self.violation);
        put_real(&mut to[offset_of!(Fitness<R>, value)..], self.value);
    }
    fn get(from: &[u8]) -> Self {
        Fitness {
            violation: get_real(&from[offset_of!(Fitness<R>, violation)..]),
            value: get_real(&from[offset_of!(Fitness<R>, value)..]),
        }
    }
}

impl<R: Float> Item<R> for Candidate<R> {
    fn put(&self, to: &mut [u8]) {
        self.fitness.put(&mut to[offset_of!(Candidate<R>, fitness)..]);
        put_u32(&mut to[offset_of!(Candidate<R>, index)..], self.index);
        put_u32(&mut to[offset_of!(Candidate<R>, reserved)..], self.reserved);
    }
    fn get(from: &[u8]) -> Self {
        Candidate {
            fitness: Fitness::get(&from[offset_of!(Candidate<R>, fitness)..]),
            index: get_u32(&from[offset_of!(Candidate<R>, index)..]),
            reserved: get_u32(&from[offset_of!(Candidate<R>, reserved)..]),
        }
    }
}

impl<R: Float> Item<R> for OwnRun<R> {
    fn put(&self, to: &mut [u8]) {
        put_u64(&mut to[offset_of!(OwnRun<R>, seed)..], self.seed);
        put_u64(&mut to[offset_of!(OwnRun<R>, leg)..], self.leg);
        let stop = &mut to[offset_of!(OwnRun<R>, stop)..];
        put_real(&mut stop[offset_of!(StopRule<R>, target)..], self.stop.target);
        put_u64(&mut stop[offset_of!(StopRule<R>, stagnation)..], self.stop.stagnation);
    }
    fn get(from: &[u8]) -> Self {
        let stop = &from[offset_of!(OwnRun<R>, stop)..];
        OwnRun {
            seed: get_u64(&from[offset_of!(OwnRun<R>, seed)..]),
            leg: get_u64(&from[offset_of!(OwnRun<R>, leg)..]),
            stop: StopRule {
                target: get_real(&stop[offset_of!(StopRule<R>, target)..]),
                stagnation: get_u64(&stop[offset_of!(StopRule<R>, stagnation)..]),
            },
        }
    }
}

impl<R> Item<R> for Control {
    fn put(&self, to: &mut [u8]) {
        put_u64(&mut to[offset_of!(Control, iterations)..], self.iterations);
        put_u64(&mut to[offset_of!(Control, improved_at)..], self.improved_at);
        put_u64(&mut to[offset_of!(Control, not_finite)..], self.not_finite);
        put_u64(&mut to[offset_of!(Control, level_bits)..], self.level_bits);
        put_u32(&mut to[offset_of!(Control, stopped)..], self.stopped);
        put_u32(&mut to[offset_of!(Control, ticket)..], self.ticket);
    }
    fn get(from: &[u8]) -> Self {
        Control {
            iterations: get_u64(&from[offset_of!(Control, iterations)..]),
            improved_at: get_u64(&from[offset_of!(Control, improved_at)..]),
            not_finite: get_u64(&from[offset_of!(Control, not_finite)..]),
            level_bits: get_u64(&from[offset_of!(Control, level_bits)..]),
            stopped: get_u32(&from[offset_of!(Control, stopped)..]),
            ticket: get_u32(&from[offset_of!(Control, ticket)..]),
        }
    }
}

impl<R> Item<R> for Outcome {
    fn put(&self, to: &mut [u8]) {
        put_u32(&mut to[offset_of!(Outcome, status)..], self.status);
        put_u32(&mut to[offset_of!(Outcome, evaluations)..], self.evaluations);
        put_u32(&mut to[offset_of!(Outcome, at_bounds)..], self.at_bounds);
        put_u32(&mut to[offset_of!(Outcome, undetermined)..], self.undetermined);
    }
    fn get(from: &[u8]) -> Self {
        Outcome {
            status: get_u32(&from[offset_of!(Outcome, status)..]),
            evaluations: get_u32(&from[offset_of!(Outcome, evaluations)..]),
            at_bounds: get_u32(&from[offset_of!(Outcome, at_bounds)..]),
            undetermined: get_u32(&from[offset_of!(Outcome, undetermined)..]),
        }
    }
}

impl<R> Item<R> for RestartState {
    fn put(&self, to: &mut [u8]) {
        let words = [
            (offset_of!(RestartState, number), self.number),
            (offset_of!(RestartState, began), self.began),
            (offset_of!(RestartState, evaluations), self.evaluations),
            (offset_of!(RestartState, spent), self.spent[0]),
            (offset_of!(RestartState, spent) + 8, self.spent[1]),
            (offset_of!(RestartState, limit), self.limit),
            (offset_of!(RestartState, ahead), self.ahead),
        ];
        words.into_iter().for_each(|(at, word)| put_u64(&mut to[at..], word));
        put_u32(&mut to[offset_of!(RestartState, regime)..], self.regime);
        put_u32(&mut to[offset_of!(RestartState, doubled)..], self.doubled);
        put_u32(&mut to[offset_of!(RestartState, individuals)..], self.individuals);
        to[offset_of!(RestartState, is_new)] = u8::from(self.is_new);
    }
    fn get(from: &[u8]) -> Self {
        let word = |at: usize| get_u64(&from[at..]);
        RestartState {
            number: word(offset_of!(RestartState, number)),
            began: word(offset_of!(RestartState, began)),
            evaluations: word(offset_of!(RestartState, evaluations)),
            spent: [0, 8].map(|part| word(offset_of!(RestartState, spent) + part)),
            limit: word(offset_of!(RestartState, limit)),
            ahead: word(offset_of!(RestartState, ahead)),
            regime: get_u32(&from[offset_of!(RestartState, regime)..]),
            doubled: get_u32(&from[offset_of!(RestartState, doubled)..]),
            individuals: get_u32(&from[offset_of!(RestartState, individuals)..]),
            is_new: from[offset_of!(RestartState, is_new)] != 0,
        }
    }
}

impl<R> Item<R> for Turns {
    fn put(&self, to: &mut [u8]) {
        put_u64(&mut to[offset_of!(Turns, age)..], self.age);
        put_u32(&mut to[offset_of!(Turns, active)..], self.active);
        put_u32(&mut to[offset_of!(Turns, reserved)..], self.reserved);
    }
    fn get(from: &[u8]) -> Self {
        Turns {
            age: get_u64(&from[offset_of!(Turns, age)..]),
            active: get_u32(&from[offset_of!(Turns, active)..]),
            reserved: get_u32(&from[offset_of!(Turns, reserved)..]),
        }
    }
}

/// The bytes of an array of items.
pub(crate) fn bytes_of<R, T: Item<R>>(items: impl ExactSizeIterator<Item = T>) -> Vec<u8> {
    let mut bytes = vec![0; items.len() * size_of::<T>()];
    for (to, item) in bytes.chunks_exact_mut(size_of::<T>()).zip(items) {
        item.put(to);
    }
    bytes
}

/// The items of an array of bytes.
pub(crate) fn items_of<R, T: Item<R>>(bytes: &[u8]) -> impl Iterator<Item = T> {
    bytes.chunks_exact(size_of::<T>()).map(T::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_read_back_to_the_same_bits() {
        fn check<R: Float>() {
            let number = |x: f64| R::from_f64(x);
            let fitness = Fitness { violation: number(0.1), value: R::NAN };
            let candidate = Candidate { fitness, index: 7, reserved: 0 };
            let bytes = bytes_of([candidate, Candidate::NONE].into_iter());
            assert_eq!(bytes.len(), 2 * size_of::<Candidate<R>>());
            let back: Vec<Candidate<R>> = items_of(&bytes).collect();
            assert_eq!(bytes_of(back.into_iter()), bytes);
            let back = Candidate::<R>::get(&bytes);
            assert_eq!((back.index, back.fitness.violation), (7, number(0.1)));
            assert_eq!(back.fitness.value.to_bits64(), R::NAN.to_bits64());
        }
        check::<f32>();
        check::<f64>();
        let control = Control {
            iterations: 1 << 40,
            improved_at: 2,
            not_finite: 3,
            level_bits: 6,
            stopped: 4,
            ticket: 5,
        };
        let bytes = bytes_of::<f32, _>([control].into_iter());
        assert_eq!(items_of::<f32, Control>(&bytes).next(), Some(control));
        let legs = RestartState {
            number: 1,
            began: 2,
            evaluations: 1 << 40,
            spent: [3, 4],
            limit: 5,
            ahead: 6,
            regime: 7,
            doubled: 8,
            individuals: 9,
            is_new: true,
        };
        let bytes = bytes_of::<f32, _>([legs].into_iter());
        assert_eq!(items_of::<f32, RestartState>(&bytes).next(), Some(legs));
        let turns = Turns { age: 1 << 40, active: 1, reserved: 0 };
        let bytes = bytes_of::<f32, _>([turns].into_iter());
        assert_eq!(items_of::<f32, Turns>(&bytes).next(), Some(turns));
    }
}
