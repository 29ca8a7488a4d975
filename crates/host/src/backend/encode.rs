//! Numbers and records as the bytes that a device has of them: little-endian, in `repr(C)` layout,
//! padding zero.

use std::mem::offset_of;

use warpswarm_core::Real;
use warpswarm_core::boundary::Limits;
use warpswarm_core::cmepso::Cmepso;
use warpswarm_core::de::De;
use warpswarm_core::epso::Epso;
use warpswarm_core::gpu_fwa::GpuFwa;
use warpswarm_core::launch::{Control, GenerationArgs, PsoArgs, StopRule};
use warpswarm_core::order::{Candidate, Fitness};
use warpswarm_core::pso::Coefficients;
use warpswarm_core::pso_topology::Pso;
use warpswarm_core::sa::Sa;
use warpswarm_core::solis_wets::SolisWets;

use super::Procedure;

/// Writes a number at the beginning of `to`.
fn put_real<R: Real>(to: &mut [u8], value: R) {
    let size = size_of::<R>();
    to[..size].copy_from_slice(&value.to_bits64().to_le_bytes()[..size]);
}

/// Reads a number from the beginning of `from`.
fn get_real<R: Real>(from: &[u8]) -> R {
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

/// Something that arrays in device memory hold; `R` is the number in it.
pub(crate) trait Item<R>: Sized {
    fn put(&self, to: &mut [u8]);
    fn get(from: &[u8]) -> Self;
}

/// A number by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number<R>(pub(crate) R);

impl<R: Real> Item<R> for Number<R> {
    fn put(&self, to: &mut [u8]) {
        put_real(to, self.0);
    }
    fn get(from: &[u8]) -> Self {
        Number(get_real(from))
    }
}

impl<R: Real> Item<R> for Fitness<R> {
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

impl<R: Real> Item<R> for Candidate<R> {
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

impl<R> Item<R> for Control {
    fn put(&self, to: &mut [u8]) {
        put_u64(&mut to[offset_of!(Control, iterations)..], self.iterations);
        put_u64(&mut to[offset_of!(Control, improved_at)..], self.improved_at);
        put_u64(&mut to[offset_of!(Control, not_finite)..], self.not_finite);
        put_u32(&mut to[offset_of!(Control, stopped)..], self.stopped);
        put_u32(&mut to[offset_of!(Control, ticket)..], self.ticket);
    }
    fn get(from: &[u8]) -> Self {
        Control {
            iterations: get_u64(&from[offset_of!(Control, iterations)..]),
            improved_at: get_u64(&from[offset_of!(Control, improved_at)..]),
            not_finite: get_u64(&from[offset_of!(Control, not_finite)..]),
            stopped: get_u32(&from[offset_of!(Control, stopped)..]),
            ticket: get_u32(&from[offset_of!(Control, ticket)..]),
        }
    }
}

/// An array of items as bytes.
pub(crate) fn bytes_of<R, T: Item<R>>(items: impl ExactSizeIterator<Item = T>) -> Vec<u8> {
    let mut bytes = vec![0; items.len() * size_of::<T>()];
    for (to, item) in bytes.chunks_exact_mut(size_of::<T>()).zip(items) {
        item.put(to);
    }
    bytes
}

/// Bytes as the items of an array.
pub(crate) fn items_of<R, T: Item<R>>(bytes: &[u8]) -> impl Iterator<Item = T> {
    bytes.chunks_exact(size_of::<T>()).map(T::get)
}

/// The arguments of PSO's kernels.
pub(crate) fn pso_args<R: Real>(args: &PsoArgs<R>) -> Vec<u8> {
    let mut bytes = vec![0; size_of::<PsoArgs<R>>()];
    macro_rules! put {
        ($put:ident: $($field:ident $(. $part:ident)?),*) => {
            $($put(&mut bytes[offset_of!(PsoArgs<R>, $field)..], args.$field $(. $part)?);)*
        };
    }
    put!(put_u64: positions.address, velocities.address, best_positions.address, best.address);
    put!(put_u64: global.address, global_positions.address, lower.address, upper.address);
    put!(put_u64: control.address, block_best.address, slots.address, slot_positions.address);
    put!(put_u64: seed, first_run, iterations);
    put!(put_stop: stop);
    put!(put_coefficients: coefficients);
    put!(put_u32: runs, individuals, dimensions, stride, blocks_per_run, tag);
    bytes
}

/// What the kernels of a method have in common.
pub(crate) fn generation_args<R: Real>(args: &GenerationArgs<R>) -> Vec<u8> {
    let mut bytes = vec![0; size_of::<GenerationArgs<R>>()];
    macro_rules! put {
        ($put:ident: $($field:ident $(. $part:ident)?),*) => {
            $($put(&mut bytes[offset_of!(GenerationArgs<R>, $field)..], args.$field $(. $part)?);)*
        };
    }
    put!(put_u64: public.address, fitness.address, own.address, numbers.address);
    put!(put_u64: global.address, global_positions.address, lower.address, upper.address);
    put!(put_u64: control.address, block_best.address, slots.address, slot_indices.address);
    put!(put_u64: seed, first_run, iterations);
    put!(put_stop: stop);
    put!(put_u32: runs, individuals, dimensions, stride, blocks_per_run, tag, team);
    bytes
}

/// A method's parameters as its kernels take them; nothing for what is no method.
pub(crate) fn method_bytes<R: Real>(procedure: &Procedure<R>) -> Vec<u8> {
    macro_rules! put {
        ($type:ident, $method:ident: $($put:ident: $($field:ident),*;)*) => {{
            let mut bytes = vec![0; size_of::<$type<R>>()];
            $($($put(&mut bytes[offset_of!($type<R>, $field)..], $method.$field);)*)*
            bytes
        }};
    }
    match *procedure {
        Procedure::Pso(_) | Procedure::Spso(_) | Procedure::Fwa(_) => Vec::new(),
        Procedure::Topology(m) => {
            let topology = m.topology as u32;
            let mut bytes = put!(Pso, m: put_coefficients: coefficients; put_real: final_inertia;
                put_u32: inertia_iterations, width;);
            put_u32(&mut bytes[offset_of!(Pso<R>, topology)..], topology);
            bytes
        }
        Procedure::De(m) => {
            let (base, crossover) = (m.base as u32, m.crossover as u32);
            let mut bytes =
                put!(De, m: put_real: scale_factor, crossover_rate; put_limits: limits;);
            put_u32(&mut bytes[offset_of!(De<R>, base)..], base);
            put_u32(&mut bytes[offset_of!(De<R>, crossover)..], crossover);
            bytes
        }
        Procedure::Sa(m) => {
            let neighbour = m.neighbour as u32;
            let mut bytes = put!(Sa, m: put_real: temperature, cooling, step, step_cooling;
                put_limits: limits;);
            put_u32(&mut bytes[offset_of!(Sa<R>, neighbour)..], neighbour);
            bytes
        }
        Procedure::SolisWets(m) => put!(SolisWets, m: put_real: step, smallest_step;
            put_limits: limits; put_u32: successes, failures;),
        Procedure::GpuFwa(m) => put!(GpuFwa, m: put_real: amplitude, amplitude_floor, delta;
            put_limits: limits; put_u32: modulo, sparks, explosions;),
        Procedure::Epso(m) => epso_bytes(&m),
        Procedure::Cmepso(m) => {
            let mut bytes = put!(Cmepso, m: put_real: third; put_u32: slaves, particles;);
            let epso = epso_bytes(&m.epso);
            bytes[offset_of!(Cmepso<R>, epso)..][..epso.len()].copy_from_slice(&epso);
            bytes
        }
    }
}

fn epso_bytes<R: Real>(m: &Epso<R>) -> Vec<u8> {
    let mut bytes = vec![0; size_of::<Epso<R>>()];
    macro_rules! put {
        ($($put:ident: $($field:ident),*;)*) => {
            $($($put(&mut bytes[offset_of!(Epso<R>, $field)..], m.$field);)*)*
        };
    }
    put!(put_coefficients: coefficients;
        put_real: final_inertia, weight_deviation, best_deviation;
        put_u32: inertia_iterations, replicas;);
    bytes
}

fn put_limits<R: Real>(to: &mut [u8], limits: Limits<R>) {
    put_real(&mut to[offset_of!(Limits<R>, correction)..], limits.correction);
    put_u32(&mut to[offset_of!(Limits<R>, boundary)..], limits.boundary as u32);
}

fn put_stop<R: Real>(to: &mut [u8], stop: StopRule<R>) {
    put_real(&mut to[offset_of!(StopRule<R>, target)..], stop.target);
    put_u64(&mut to[offset_of!(StopRule<R>, stagnation)..], stop.stagnation);
}

fn put_coefficients<R: Real>(to: &mut [u8], c: Coefficients<R>) {
    put_real(&mut to[offset_of!(Coefficients<R>, inertia)..], c.inertia);
    put_real(&mut to[offset_of!(Coefficients<R>, cognitive)..], c.cognitive);
    put_real(&mut to[offset_of!(Coefficients<R>, social)..], c.social);
    put_real(&mut to[offset_of!(Coefficients<R>, velocity_limit)..], c.velocity_limit);
    put_real(&mut to[offset_of!(Coefficients<R>, correction)..], c.correction);
    put_u32(&mut to[offset_of!(Coefficients<R>, boundary)..], c.boundary as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_read_back_to_the_same_bits() {
        fn check<R: Real>() {
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
        let control =
            Control { iterations: 1 << 40, improved_at: 2, not_finite: 3, stopped: 4, ticket: 5 };
        let bytes = bytes_of::<f32, _>([control].into_iter());
        assert_eq!(items_of::<f32, Control>(&bytes).next(), Some(control));
    }
}
