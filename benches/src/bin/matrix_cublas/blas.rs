//! The calls of cuBLAS and cuRAND for PSO with matrices, with BLAS's arguments: sizes, leading dimensions, increments.
//!
//! Matrices are stored in column-major order, as in BLAS. The matrices of a swarm have one column per particle, so that
//! a particle's coordinates are contiguous.

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
    /// d x n: the second temporary matrix.
    T2,
    /// d
    GlobalBest,
    /// n: values at the positions.
    Values,
    /// n: values of the personal bests.
    PersonalValues,
    /// n: 1 for a particle that has improved, otherwise 0.
    Improved,
    /// n: 1 - `Improved`.
    Others,
    /// max(d, n): ones.
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

/// A vector in a buffer, starting at an index, with increment 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector(pub(crate) Buffer, pub(crate) usize);

/// The side of a matrix on which a diagonal matrix is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// The operations of the libraries. Sizes are (rows, columns).
pub(crate) trait Blas {
    /// Fills a whole buffer with cuRAND's uniform numbers in (0, 1].
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
    /// `sbmv` for a matrix that consists only of its diagonal a: y = alpha diag(a) x + beta y.
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
    /// `gemv` for the transposed matrix: y = A' x.
    fn gemv_transposed(
        &mut self,
        size: (usize, usize),
        a: Matrix,
        x: Vector,
        y: Vector,
    ) -> Result<()>;
    /// `copy`: y = x.
    fn copy(&mut self, n: usize, x: Vector, y: Vector) -> Result<()>;
    /// `amin`: the index of the element with the smallest absolute value, from 0 on (in BLAS from 1 on).
    fn amin(&mut self, n: usize, x: Vector) -> Result<usize>;

    /// Our own kernel: sets [`Buffer::Improved`] for each value that is below the personal best value, and replaces the
    /// latter.
    fn mark(&mut self) -> Result<()>;
    /// Our own kernel: copies the positions of improved particles to the personal bests.
    fn select(&mut self) -> Result<()>;

    /// Copies a buffer to the host.
    fn read(&mut self, from: Buffer) -> Result<Vec<f32>>;
    /// Copies numbers from the host to a buffer.
    fn write(&mut self, to: Buffer, numbers: &[f32]) -> Result<()>;
    /// Waits for all enqueued operations.
    fn wait(&mut self) -> Result<()>;
}
