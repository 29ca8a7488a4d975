//! An iteration of PSO as BLAS calls: v = w v + c1 r1 * (p - q) + c2 r2 * (g - q), q = q + v, sphere, bests.

use anyhow::Result;

use crate::blas::{Blas, Buffer, Matrix, Side, Vector};

const INERTIA: f32 = 0.7298;
const COGNITIVE: f32 = 1.4962;
const SOCIAL: f32 = 1.4962;
/// The box in which particles start.
const BOUNDS: (f32, f32) = (-5.12, 5.12);

/// The element-wise product of two matrices, for which BLAS has no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// `sbmv` with a diagonal matrix of the length of the swarm: product and sum in one call.
    Sbmv,
    /// `dgmm` on one column of the length of the swarm; then `geam` for the sum.
    Dgmm,
}

/// The update of the personal bests, for which BLAS also has no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bests {
    /// The host compares values and sends ones and zeros, with which `dgmm` multiplies columns. This uses only the
    /// libraries.
    Host,
    /// Two kernels of our own compare and copy; `amin` finds the smallest value.
    Kernels,
}

/// A variant of the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) product: Product,
    pub(crate) bests: Bests,
}

/// A swarm of n particles in d dimensions.
pub(crate) struct Swarm<'a, B> {
    pub(crate) blas: &'a mut B,
    d: usize,
    n: usize,
    way: Way,
    /// The host's copy of the personal best values.
    values: Vec<f32>,
}

impl<'a, B: Blas> Swarm<'a, B> {
    /// Places and evaluates all particles. Velocities are half the difference to another random point.
    ///
    /// `draw` fills a buffer with uniform numbers in (0, 1].
    pub(crate) fn new(
        blas: &'a mut B,
        (d, n): (usize, usize),
        way: Way,
        draw: &mut dyn FnMut(&mut B, Buffer) -> Result<()>,
    ) -> Result<Self> {
        blas.write(Buffer::Ones, &vec![1.0; d.max(n)])?;
        blas.write(Buffer::PersonalValues, &vec![f32::INFINITY; n])?;
        let mut swarm = Swarm { blas, d, n, way, values: vec![f32::INFINITY; n] };
        swarm.place(Buffer::Position, draw)?;
        swarm.place(Buffer::Velocity, draw)?;
        let (x, v) = (swarm.matrix(Buffer::Position), swarm.matrix(Buffer::Velocity));
        swarm.blas.geam((d, n), (0.5, v), (-0.5, x), v)?;
        swarm.evaluate()?;
        swarm.renew()?;
        Ok(swarm)
    }

    /// lower + (upper - lower) u: a multiplication by a number, and the addition of a matrix of rank one.
    fn place(
        &mut self,
        buffer: Buffer,
        draw: &mut dyn FnMut(&mut B, Buffer) -> Result<()>,
    ) -> Result<()> {
        let (lower, upper) = BOUNDS;
        draw(self.blas, buffer)?;
        let all = self.matrix(buffer);
        let (size, ones) = ((self.d, self.n), Vector(Buffer::Ones, 0));
        self.blas.geam(size, (upper - lower, all), (0.0, all), all)?;
        self.blas.ger(size, lower, ones, ones, all)
    }

    fn matrix(&self, buffer: Buffer) -> Matrix {
        Matrix(buffer, self.d)
    }

    /// One iteration.
    pub(crate) fn step(
        &mut self,
        draw: &mut dyn FnMut(&mut B, Buffer) -> Result<()>,
    ) -> Result<()> {
        let size = (self.d, self.n);
        let [p, x, t2] =
            [Buffer::PersonalBest, Buffer::Position, Buffer::T2].map(|b| self.matrix(b));
        // t2 = p - x; v = w v + c1 r1 * t2
        draw(self.blas, Buffer::T1)?;
        self.blas.geam(size, (1.0, p), (-1.0, x), t2)?;
        self.multiply(COGNITIVE, Buffer::T1, Buffer::T2, INERTIA, Buffer::Velocity)?;
        // t2 = g - x, where g in all columns is a matrix of rank one; v = v + c2 r2 * t2
        draw(self.blas, Buffer::T1)?;
        self.blas.geam(size, (-1.0, x), (0.0, x), t2)?;
        let (g, ones) = (Vector(Buffer::GlobalBest, 0), Vector(Buffer::Ones, 0));
        self.blas.ger(size, 1.0, g, ones, t2)?;
        self.multiply(SOCIAL, Buffer::T1, Buffer::T2, 1.0, Buffer::Velocity)?;
        // x = x + v
        let (v, x) = (Vector(Buffer::Velocity, 0), Vector(Buffer::Position, 0));
        self.blas.axpy(self.d * self.n, 1.0, v, x)?;
        self.evaluate()?;
        self.renew()
    }

    /// y = alpha a * x + beta y, element-wise; `a` may be overwritten.
    fn multiply(&mut self, alpha: f32, a: Buffer, x: Buffer, beta: f32, y: Buffer) -> Result<()> {
        let count = self.d * self.n;
        match self.way.product {
            Product::Sbmv => self.blas.sbmv(count, (alpha, a), Vector(x, 0), (beta, Vector(y, 0))),
            Product::Dgmm => {
                let column = Matrix(a, count);
                self.blas.dgmm(Side::Left, (count, 1), column, Vector(x, 0), column)?;
                let (a, y) = (self.matrix(a), self.matrix(y));
                self.blas.geam((self.d, self.n), (alpha, a), (beta, y), y)
            }
        }
    }

    /// The sphere: the squares of the elements, summed over each column.
    fn evaluate(&mut self) -> Result<()> {
        let (count, x) = (self.d * self.n, Vector(Buffer::Position, 0));
        match self.way.product {
            Product::Sbmv => {
                let nothing = (0.0, Vector(Buffer::T2, 0));
                self.blas.sbmv(count, (1.0, Buffer::Position), x, nothing)?;
            }
            Product::Dgmm => {
                let (column, t2) = (Matrix(Buffer::Position, count), Matrix(Buffer::T2, count));
                self.blas.dgmm(Side::Left, (count, 1), column, x, t2)?;
            }
        }
        let (ones, values) = (Vector(Buffer::Ones, 0), Vector(Buffer::Values, 0));
        self.blas.gemv_transposed((self.d, self.n), self.matrix(Buffer::T2), ones, values)
    }

    /// Updates the personal bests and the global best.
    fn renew(&mut self) -> Result<()> {
        let best = match self.way.bests {
            Bests::Host => self.renew_by_host()?,
            Bests::Kernels => {
                self.blas.mark()?;
                self.blas.select()?;
                // The values of the sphere are not negative, so the smallest absolute value is the smallest value.
                self.blas.amin(self.n, Vector(Buffer::PersonalValues, 0))?
            }
        };
        let holder = Vector(Buffer::PersonalBest, best * self.d);
        self.blas.copy(self.d, holder, Vector(Buffer::GlobalBest, 0))
    }

    fn renew_by_host(&mut self) -> Result<usize> {
        let values = self.blas.read(Buffer::Values)?;
        let mut improved = vec![0.0; self.n];
        for ((value, best), mark) in values.iter().zip(&mut self.values).zip(&mut improved) {
            if value < best {
                (*best, *mark) = (*value, 1.0);
            }
        }
        let others: Vec<f32> = improved.iter().map(|mark| 1.0 - mark).collect();
        self.blas.write(Buffer::Improved, &improved)?;
        self.blas.write(Buffer::Others, &others)?;
        // p = p diag(others) + x diag(improved)
        let size = (self.d, self.n);
        let [p, x, t2] =
            [Buffer::PersonalBest, Buffer::Position, Buffer::T2].map(|b| self.matrix(b));
        self.blas.dgmm(Side::Right, size, p, Vector(Buffer::Others, 0), p)?;
        self.blas.dgmm(Side::Right, size, x, Vector(Buffer::Improved, 0), t2)?;
        let (all, t2) = (Vector(Buffer::PersonalBest, 0), Vector(Buffer::T2, 0));
        self.blas.axpy(self.d * self.n, 1.0, t2, all)?;
        let least = self.values.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        Ok(least.map_or(0, |(index, _)| index))
    }
}
