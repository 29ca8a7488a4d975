//! The calls of cuBLAS and cuRAND that PSO in matrices needs, with BLAS's own arguments: sizes, leading dimensions, steps.
//!
//! Matrices are stored by columns, as in BLAS. A swarm's have a column a particle, so that a particle's coordinates are
//! neighbours.

use anyhow::Result;

/// The matrices and vectors of a swarm of n particles in d dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    /// d x n
    Velocity,
    /// d x n
    Position,
    /// d x n
    PersonalBest,
    /// d x n: the first temporary matrix.
    T1,
    /// d x n: the second.
    T2,
    /// d
    GlobalBest,
    /// n: values where the particles are.
    Values,
    /// n: values of personal bests.
    PersonalValues,
    /// n: 1 where a particle improved, else 0.
    Improved,
    /// n: the opposite.
    Others,
    /// As many ones as the longer side has.
    Ones,
}

impl Buffer {
    pub(crate) const ALL: [Buffer; 11] = [
        Buffer::Velocity,
        Buffer::Position,
        Buffer::PersonalBest,
        Buffer::T1,
        Buffer::T2,
        Buffer::GlobalBest,
        Buffer::Values,
        Buffer::PersonalValues,
        Buffer::Improved,
        Buffer::Others,
        Buffer::Ones,
    ];

    pub(crate) fn len(self, (d, n): (usize, usize)) -> usize {
        match self {
            Buffer::Velocity | Buffer::Position | Buffer::PersonalBest => d * n,
            Buffer::T1 | Buffer::T2 => d * n,
            Buffer::GlobalBest => d,
            Buffer::Values | Buffer::PersonalValues | Buffer::Improved | Buffer::Others => n,
            Buffer::Ones => d.max(n),
        }
    }
}

/// A matrix in a buffer, with its leading dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix(pub(crate) Buffer, pub(crate) usize);

/// A vector in a buffer, from a place on; its step is 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector(pub(crate) Buffer, pub(crate) usize);

/// At which side of a matrix a diagonal one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// What the libraries do. Sizes are (rows, columns).
pub(crate) trait Blas {
    /// cuRAND's uniform numbers, in (0, 1], into a whole buffer.
    fn uniform(&mut self, out: Buffer) -> Result<()>;
    /// `geam`: C = alpha A + beta B; C may be A or B.
    fn geam(
        &mut self,
        size: (usize, usize),
        a: (f32, Matrix),
        b: (f32, Matrix),
        c: Matrix,
    ) -> Result<()>;
    /// `dgmm`: C = diag(x) A or A diag(x); C may be A.
    fn dgmm(
        &mut self,
        side: Side,
        size: (usize, usize),
        a: Matrix,
        x: Vector,
        c: Matrix,
    ) -> Result<()>;
    /// `sbmv` of a matrix that has no band beside its diagonal a: y = alpha diag(a) x + beta y.
    fn sbmv(&mut self, n: usize, a: (f32, Buffer), x: Vector, y: (f32, Vector)) -> Result<()>;
    /// `ger`: A = A + alpha x y'.
    fn ger(
        &mut self,
        size: (usize, usize),
        alpha: f32,
        x: Vector,
        y: Vector,
        a: Matrix,
    ) -> Result<()>;
    /// `axpy`: y = y + alpha x.
    fn axpy(&mut self, n: usize, alpha: f32, x: Vector, y: Vector) -> Result<()>;
    /// `gemv` of the transposed matrix: y = A' x.
    fn gemv_transposed(
        &mut self,
        size: (usize, usize),
        a: Matrix,
        x: Vector,
        y: Vector,
    ) -> Result<()>;
    /// `copy`: y = x.
    fn copy(&mut self, n: usize, x: Vector, y: Vector) -> Result<()>;
    /// `amin`: which is nearest to zero, from 0; BLAS counts from 1.
    fn amin(&mut self, n: usize, x: Vector) -> Result<usize>;

    /// A kernel of our own: [`Buffer::Improved`] where a value is below the personal one, which it replaces.
    fn mark(&mut self) -> Result<()>;
    /// A kernel of our own: positions of those that improved become personal bests.
    fn select(&mut self) -> Result<()>;

    /// To the host.
    fn read(&mut self, from: Buffer) -> Result<Vec<f32>>;
    /// From the host.
    fn write(&mut self, to: Buffer, numbers: &[f32]) -> Result<()>;
    /// Waits for all that was asked for.
    fn wait(&mut self) -> Result<()>;
}
