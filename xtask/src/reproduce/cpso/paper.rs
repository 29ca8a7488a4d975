//! The numbers in Tables IV, V and VI of the CPSO paper.
//!
//! They are stored as the printed text; [`number`] parses them. Two are misprints, listed in
//! [`MISPRINTS`] with the value that the rest of the paper supports.

/// Iterations of every run in the paper.
pub(crate) const ITERATIONS: u64 = 100_000;

/// Threads per block, as in the paper's Algorithm 2.
pub(crate) const BLOCK_SIZE: u64 = 32;

/// Repetitions per number of particles, according to the paper. The rows of its Table V have only
/// three: in every row the mean is that of minimum, median and maximum.
pub(crate) const REPETITIONS: u64 = 10;

/// The columns of Tables IV and V, in the paper's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Min,
    Max,
    Mean,
    Median,
    Deviation,
}

impl Column {
    pub(crate) const ALL: [Column; 5] =
        [Column::Min, Column::Max, Column::Mean, Column::Median, Column::Deviation];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Column::Min => "min",
            Column::Max => "max",
            Column::Mean => "mean",
            Column::Median => "median",
            Column::Deviation => "deviation",
        }
    }
}

/// One row of the three tables; times in milliseconds, in the order of [`Column::ALL`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) particles: u32,
    /// Table IV, serial SPSO on the CPU.
    pub(crate) spso: [&'static str; 5],
    /// Table V, CPSO on the GPU. Its heading "CPSO CPU" is an error.
    pub(crate) cpso: [&'static str; 5],
    /// Table VI, the mean of SPSO divided by the mean of CPSO.
    pub(crate) speedup: &'static str,
}

const fn row(
    particles: u32,
    spso: [&'static str; 5],
    cpso: [&'static str; 5],
    speedup: &'static str,
) -> Row {
    Row { particles, spso, cpso, speedup }
}

#[rustfmt::skip]
pub(crate) const ROWS: [Row; 12] = [
    row(32, ["309", "387", "335.90", "328", "23.31"], ["5,405", "5,432", "5,422.33", "5,430", "15.04"], "0.1"),
    row(64, ["604", "693", "634.30", "622.50", "28.35"], ["5,478", "5,617", "5,537", "5,516", "71.84"], "0.1"),
    row(128, ["1,222", "1,401", "1,259.30", "1,243", "48.38"], ["5,703", "5,823", "5,752.33", "5,731", "62.78"], "0.2"),
    row(256, ["2,676", "2,813", "2,735.10", "2,731.50", "40.05"], ["5,783", "5,902", "5,824", "5,787", "67.58"], "0.5"),
    row(512, ["5,378", "5,664", "5,489.90", "5,482", "81.48"], ["5,769", "5,882", "5,829.67", "5,838", "56.96"], "0.9"),
    row(1_024, ["11,189", "12,237", "11,496.10", "11,360.50", "309.38"], ["5,797", "5,893", "5,841.33", "5,834", "48.42"], "2.0"),
    row(2_048, ["24,548", "25,640", "4,865.50", "24,812", "296.38"], ["5,806", "5,939", "5,864", "5,847", "68.11"], "4.2"),
    row(4_096, ["45,907", "47,328", "46,369.80", "46,248.50", "387.45"], ["5,931", "6,027", "5,988", "6,006", "50.47"], "7.7"),
    row(8_192, ["101,203", "103,771", "102,598", "102,670", "703.28"], ["6,179", "6,268", "6,221", "6,216", "44.71"], "16.5"),
    row(16_384, ["199,465", "201,425", "200,503", "200,560", "796.56"], ["6,828", "6,904", "6,869.67", "6,877", "38.53"], "29.2"),
    row(32_768, ["93,643", "402,628", "398,791", "399,447", "3,717.68"], ["13,121", "13,212", "13,180.33", "13,208", "51.42"], "30.3"),
    row(65_536, ["788,879", "798,531", "793,711", "793,717", "4,784.19"], ["21,382", "21,471", "21,431", "21,440", "45.18"], "37.0"),
];

/// A number in Table IV that cannot be correct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misprint {
    pub(crate) particles: u32,
    pub(crate) column: Column,
    /// The probable value: the first digit is missing.
    pub(crate) likely: &'static str,
}

/// The mean at 2,048 is below the minimum, and Table VI's speed-up of 4.2 needs 24,865.50. The
/// minimum at 32,768 is a quarter of the median, although the deviation is a hundredth of it.
pub(crate) const MISPRINTS: [Misprint; 2] = [
    Misprint { particles: 2_048, column: Column::Mean, likely: "24,865.50" },
    Misprint { particles: 32_768, column: Column::Min, likely: "393,643" },
];

/// The misprint in this cell of Table IV, if there is one.
pub(crate) fn misprint(particles: u32, column: Column) -> Option<Misprint> {
    MISPRINTS.into_iter().find(|m| m.particles == particles && m.column == column)
}

/// The mean time of SPSO with the misprint corrected, for curves and ratios.
pub(crate) fn spso_mean(row: &Row) -> f64 {
    number(misprint(row.particles, Column::Mean).map_or(row.spso[2], |m| m.likely))
}

/// The mean time of CPSO.
pub(crate) fn cpso_mean(row: &Row) -> f64 {
    number(row.cpso[2])
}

/// Parses a printed number, with commas between thousands.
pub(crate) fn number(printed: &str) -> f64 {
    printed.replace(',', "").parse().expect("the tables above hold numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpswarm_statistics::Summary;

    #[test]
    fn particles_double_from_row_to_row() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.particles, 32 << i);
        }
    }

    /// The numbers of each row are consistent, except the listed misprints.
    #[test]
    fn only_the_listed_numbers_are_misprints() {
        for row in &ROWS {
            let [min, max, mean, median, deviation] = row.spso.map(number);
            let consistent = |x: f64| min <= x && x <= max;
            let mean_is_wrong = !consistent(mean);
            assert!(consistent(median), "{}", row.particles);
            assert_eq!(mean_is_wrong, misprint(row.particles, Column::Mean).is_some());
            let min_is_wrong = max - min > 10.0 * deviation;
            assert_eq!(min_is_wrong, misprint(row.particles, Column::Min).is_some());
        }
    }

    #[test]
    fn table_6_follows_from_the_mended_means() {
        for row in &ROWS {
            let speedup = spso_mean(row) / cpso_mean(row);
            assert!((speedup - number(row.speedup)).abs() <= 0.0501, "{}", row.particles);
        }
    }

    /// With three repetitions, minimum, median and maximum are all values. The paper's mean and sample
    /// deviation (n - 1) follow from them.
    #[test]
    fn table_5_is_of_three_repetitions() {
        for row in &ROWS {
            let [min, max, mean, median, deviation] = row.cpso.map(number);
            let summary = Summary::of(&[min, median, max]);
            assert!((summary.mean - mean).abs() < 0.34, "{}", row.particles);
            assert!((summary.deviation - deviation).abs() < 1.0, "{}", row.particles);
        }
    }
}
