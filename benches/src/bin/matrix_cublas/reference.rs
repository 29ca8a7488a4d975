//! The same calls on the CPU, written directly from their definitions, with bounds checks. The libraries are compared
//! with this reference.

use anyhow::Result;

use crate::blas::{Blas, Buffer, Matrix, Side, Vector};

/// Buffers on the host.
pub(crate) struct Reference {
    d: usize,
    n: usize,
    buffers: Vec<Vec<f32>>,
    state: u64,
}

impl Reference {
    pub(crate) fn new((d, n): (usize, usize)) -> Self {
        // NaN reveals reads of elements that were not written.
        let buffers = Buffer::ALL.map(|buffer| vec![f32::NAN; buffer.len((d, n))]).to_vec();
        let mut reference = Reference { d, n, buffers, state: 1 };
        reference.all(Buffer::PersonalBest).fill(0.0);
        reference
    }

    fn all(&mut self, buffer: Buffer) -> &mut [f32] {
        &mut self.buffers[buffer as usize]
    }

    fn at(&self, Vector(buffer, first): Vector, i: usize) -> f32 {
        self.buffers[buffer as usize][first + i]
    }

    fn set(&mut self, Vector(buffer, first): Vector, i: usize, x: f32) {
        self.buffers[buffer as usize][first + i] = x;
    }

    /// The position of an element of a matrix; checks that it is inside `rows`.
    fn element(Matrix(buffer, lead): Matrix, rows: usize, i: usize, j: usize) -> Vector {
        assert!(lead >= rows, "the leading dimension of {buffer:?} is {lead}, of {rows} rows");
        Vector(buffer, j * lead + i)
    }

    /// Calls `f` for each element of a matrix of this size.
    fn each((m, n): (usize, usize), mut f: impl FnMut(usize, usize)) {
        for j in 0..n {
            for i in 0..m {
                f(i, j);
            }
        }
    }
}

impl Blas for Reference {
    fn uniform(&mut self, out: Buffer) -> Result<()> {
        for i in 0..self.buffers[out as usize].len() {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            self.buffers[out as usize][i] = ((self.state >> 40) + 1) as f32 / (1 << 24) as f32;
        }
        Ok(())
    }

    fn geam(
        &mut self,
        size: (usize, usize),
        (alpha, a): (f32, Matrix),
        (beta, b): (f32, Matrix),
        c: Matrix,
    ) -> Result<()> {
        Self::each(size, |i, j| {
            let [a, b, c] = [a, b, c].map(|matrix| Self::element(matrix, size.0, i, j));
            // As in BLAS, an operand with the factor zero is not read.
            let term = |factor: f32, at| if factor == 0.0 { 0.0 } else { factor * self.at(at, 0) };
            let sum = term(alpha, a) + term(beta, b);
            self.set(c, 0, sum);
        });
        Ok(())
    }

    fn dgmm(
        &mut self,
        side: Side,
        size: (usize, usize),
        a: Matrix,
        x: Vector,
        c: Matrix,
    ) -> Result<()> {
        Self::each(size, |i, j| {
            let factor = self.at(x, if side == Side::Left { i } else { j });
            let [a, c] = [a, c].map(|matrix| Self::element(matrix, size.0, i, j));
            self.set(c, 0, factor * self.at(a, 0));
        });
        Ok(())
    }

    fn sbmv(
        &mut self,
        n: usize,
        (alpha, a): (f32, Buffer),
        x: Vector,
        (beta, y): (f32, Vector),
    ) -> Result<()> {
        for i in 0..n {
            let kept = if beta == 0.0 { 0.0 } else { beta * self.at(y, i) };
            self.set(y, i, alpha * self.at(Vector(a, 0), i) * self.at(x, i) + kept);
        }
        Ok(())
    }

    fn ger(
        &mut self,
        size: (usize, usize),
        alpha: f32,
        x: Vector,
        y: Vector,
        a: Matrix,
    ) -> Result<()> {
        Self::each(size, |i, j| {
            let a = Self::element(a, size.0, i, j);
            self.set(a, 0, self.at(a, 0) + alpha * self.at(x, i) * self.at(y, j));
        });
        Ok(())
    }

    fn axpy(&mut self, n: usize, alpha: f32, x: Vector, y: Vector) -> Result<()> {
        for i in 0..n {
            self.set(y, i, self.at(y, i) + alpha * self.at(x, i));
        }
        Ok(())
    }

    fn gemv_transposed(
        &mut self,
        (m, n): (usize, usize),
        a: Matrix,
        x: Vector,
        y: Vector,
    ) -> Result<()> {
        for j in 0..n {
            let terms = (0..m).map(|i| self.at(Self::element(a, m, i, j), 0) * self.at(x, i));
            let sum = terms.sum();
            self.set(y, j, sum);
        }
        Ok(())
    }

    fn copy(&mut self, n: usize, x: Vector, y: Vector) -> Result<()> {
        for i in 0..n {
            self.set(y, i, self.at(x, i));
        }
        Ok(())
    }

    fn amin(&mut self, n: usize, x: Vector) -> Result<usize> {
        let all = (0..n).map(|i| self.at(x, i).abs()).enumerate();
        Ok(all.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index))
    }

    fn mark(&mut self) -> Result<()> {
        for j in 0..self.n {
            let [value, best] =
                [Buffer::Values, Buffer::PersonalValues].map(|b| self.at(Vector(b, 0), j));
            let improved = value < best;
            self.all(Buffer::Improved)[j] = f32::from(u8::from(improved));
            if improved {
                self.all(Buffer::PersonalValues)[j] = value;
            }
        }
        Ok(())
    }

    fn select(&mut self) -> Result<()> {
        for e in 0..self.d * self.n {
            if self.at(Vector(Buffer::Improved, 0), e / self.d) != 0.0 {
                self.all(Buffer::PersonalBest)[e] = self.at(Vector(Buffer::Position, 0), e);
            }
        }
        Ok(())
    }

    fn read(&mut self, from: Buffer) -> Result<Vec<f32>> {
        Ok(self.all(from).to_vec())
    }

    fn write(&mut self, to: Buffer, numbers: &[f32]) -> Result<()> {
        self.all(to).copy_from_slice(numbers);
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        Ok(())
    }
}
