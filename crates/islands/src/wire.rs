//! Migrants as bytes: for each its violation, its value and its coordinates, each in as many bytes as its number type,
//! little-endian.

use warpswarm::migration::Migrants;
use warpswarm::{Fitness, Float};

/// The number of bytes of `migrants` migrants with `dimensions` coordinates.
pub(crate) fn length<R: Float>(migrants: usize, dimensions: usize) -> usize {
    migrants * (dimensions + 2) * size_of::<R>()
}

pub(crate) fn write<R: Float>(migrants: &Migrants<R>, bytes: &mut Vec<u8>) {
    let mut put = |x: R| bytes.extend_from_slice(&x.to_bits64().to_le_bytes()[..size_of::<R>()]);
    for (fitness, position) in migrants.fitness.iter().zip(rows(migrants)) {
        put(fitness.violation);
        put(fitness.value);
        position.iter().for_each(|x| put(*x));
    }
}

/// `[migrant][coordinate]`
fn rows<R: Float>(migrants: &Migrants<R>) -> std::slice::ChunksExact<'_, R> {
    migrants.positions.chunks_exact((migrants.positions.len() / migrants.len().max(1)).max(1))
}

/// Reads what [`write`] has written.
pub(crate) fn read<R: Float>(bytes: &[u8], dimensions: usize) -> Migrants<R> {
    let number = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        R::from_bits64(u64::from_le_bytes(bits))
    };
    let numbers: Vec<R> = bytes.chunks_exact(size_of::<R>()).map(number).collect();
    let mut migrants = Migrants { fitness: Vec::new(), positions: Vec::new() };
    for one in numbers.chunks_exact(dimensions + 2) {
        migrants.fitness.push(Fitness { violation: one[0], value: one[1] });
        migrants.positions.extend_from_slice(&one[2..]);
    }
    migrants
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<R: Float>() {
        let numbers = [R::ZERO, -R::ONE, R::INFINITY, R::from_f64(0.1), R::MAX, R::HALF_EPSILON];
        let fitness = |value| Fitness { violation: R::ZERO, value };
        let migrants = Migrants {
            fitness: [R::from_f64(0.3), -R::INFINITY].map(fitness).to_vec(),
            positions: numbers.to_vec(),
        };
        let mut bytes = Vec::new();
        write(&migrants, &mut bytes);
        assert_eq!(bytes.len(), length::<R>(2, 3));
        assert_eq!(read::<R>(&bytes, 3), migrants);
        let nan = Migrants { fitness: vec![Fitness::<R>::WORST], positions: vec![R::ONE] };
        let mut bytes = Vec::new();
        write(&nan, &mut bytes);
        let value = read::<R>(&bytes, 1).fitness[0].value;
        assert_eq!(value.to_bits64(), R::NAN.to_bits64());
    }

    #[test]
    fn bits_arrive_as_they_left() {
        check::<f32>();
        check::<f64>();
    }
}
