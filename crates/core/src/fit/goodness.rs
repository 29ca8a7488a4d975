//! Measures of how well a model fits, for comparing models.

use crate::real::Float;

/// The number of observations, and their variation, which R squared needs besides chi-squared.
///
/// **Method.** Weight, mean and sum of squared deviations, updated by each observation (D. H. D. West, Updating mean
/// and variance estimates: an improved method, Communications of the ACM 22, 1979) and combined (T. F. Chan, G. H.
/// Golub, R. J. LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979). The plain
/// sum of squares would lose its digits if the mean is large. The order is that of [`sum_rows`](super::sum_rows), if
/// the caller follows it.
///
/// ```
/// use warpswarm_core::fit::Spread;
/// let mut spread = Spread::<f64>::EMPTY;
/// for y in [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0] {
///     spread.add(y, 1.0);
/// }
/// assert_eq!((spread.rows, spread.mean, spread.squares), (3, 1e9 + 2.0, 2.0));
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<R> {
    /// The number of observations.
    pub rows: u64,
    /// The sum of their weights.
    pub weight: R,
    /// Their weighted mean.
    pub mean: R,
    /// The weighted sum of squared deviations from the mean.
    pub squares: R,
}

impl<R: Float> Spread<R> {
    /// No observations.
    pub const EMPTY: Self = Spread { rows: 0, weight: R::ZERO, mean: R::ZERO, squares: R::ZERO };

    /// Adds an observation with its weight, at least 0.
    #[inline(always)]
    pub fn add(&mut self, y: R, weight: R) {
        self.combine(&Spread { rows: 1, weight, mean: y, squares: R::ZERO });
    }

    /// Adds later observations.
    #[inline(always)]
    pub fn combine(&mut self, later: &Self) {
        let weight = self.weight + later.weight;
        let difference = later.mean - self.mean;
        // Weights of zero change nothing.
        let part = if weight == R::ZERO { R::ZERO } else { later.weight / weight };
        self.squares += later.squares + difference * difference * self.weight * part;
        self.mean += difference * part;
        self.weight = weight;
        self.rows = self.rows.saturating_add(later.rows);
    }
}

/// How well a model with k free parameters fits n observations.
///
/// | method | formula |
/// |---|---|
/// | [`degrees_of_freedom`](Self::degrees_of_freedom) | n - k |
/// | [`reduced`](Self::reduced) | chi-squared / (n - k) |
/// | [`r_squared`](Self::r_squared) | 1 - chi-squared / sum w (y - mean)^2 |
/// | [`aic`](Self::aic) | n ln(chi-squared / n) + 2 k |
/// | [`bic`](Self::bic) | n ln(chi-squared / n) + k ln(n) |
///
/// AIC and BIC are lmfit's, for normal errors of unknown size; only differences between models of the same data are
/// meaningful. After a fit of counts ([`poisson`](super::poisson)) use [`count_aic`](Self::count_aic) and
/// [`count_bic`](Self::count_bic), chi-squared + 2 k and chi-squared + k ln(n); R squared is meaningless.
///
/// ```
/// use warpswarm_core::fit::Goodness;
/// let fit = Goodness { chi_squared: 4.0_f64, rows: 10, parameters: 2 };
/// assert_eq!(fit.reduced(), 0.5);
/// assert!((fit.aic() - (10.0 * 0.4_f64.ln() + 4.0)).abs() < 1e-12);
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goodness<R> {
    /// The cost at the solution.
    pub chi_squared: R,
    /// n, the number of observations.
    pub rows: u64,
    /// k, the number of free parameters.
    pub parameters: u32,
}

impl<R: Float> Goodness<R> {
    #[inline(always)]
    fn n(&self) -> R {
        R::from_f64(self.rows as f64)
    }
    #[inline(always)]
    fn k(&self) -> R {
        R::from_u32(self.parameters)
    }

    /// n - k, zero if there are more parameters than observations.
    #[inline(always)]
    pub fn degrees_of_freedom(&self) -> u64 {
        self.rows.saturating_sub(u64::from(self.parameters))
    }
    /// Chi-squared over the degrees of freedom; infinite if there are none, as SciPy's covariance then is.
    #[inline(always)]
    pub fn reduced(&self) -> R {
        match self.degrees_of_freedom() {
            0 => R::INFINITY,
            freedom => self.chi_squared / R::from_f64(freedom as f64),
        }
    }
    /// The fraction of the observations' variation that the model explains: at most 1, below 0 if a constant fits
    /// better.
    #[inline(always)]
    pub fn r_squared(&self, spread: &Spread<R>) -> R {
        R::ONE - self.chi_squared / spread.squares
    }
    /// Akaike's information criterion; smaller is better.
    #[inline(always)]
    pub fn aic(&self) -> R {
        self.n() * (self.chi_squared / self.n()).ln() + R::TWO * self.k()
    }
    /// The Bayesian information criterion; smaller is better.
    #[inline(always)]
    pub fn bic(&self) -> R {
        self.n() * (self.chi_squared / self.n()).ln() + self.k() * self.n().ln()
    }
    /// Akaike's information criterion of a fit of counts, up to a constant of the data.
    #[inline(always)]
    pub fn count_aic(&self) -> R {
        self.chi_squared + R::TWO * self.k()
    }
    /// The Bayesian information criterion of a fit of counts, up to a constant of the data.
    #[inline(always)]
    pub fn count_bic(&self) -> R {
        self.chi_squared + self.k() * self.n().ln()
    }
}
