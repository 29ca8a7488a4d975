//! Tables of measured values whose rows may be in any order. Places are not NaN and not minus zero.

/// Why rows are no grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Flaw {
    /// Two rows have the same pair of places.
    Twice([f64; 2]),
    /// No row has this pair of places. On each axis, a place that is in one row only is perhaps mistyped.
    Missing { pair: [f64; 2], alone: [Option<f64>; 2] },
}

/// The rows of a curve, with ascending places; or a place that two rows have.
pub(crate) fn line(places: &[f64], values: &[f64]) -> Result<[Vec<f64>; 2], f64> {
    let mut rows: Vec<_> = places.iter().copied().zip(values.iter().copied()).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    match rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(pair[0].0),
        None => Ok(rows.into_iter().unzip()).map(|(places, values)| [places, values]),
    }
}

/// A value for each pair of places on two axes.
#[derive(Debug, PartialEq)]
pub(crate) struct Grid {
    /// The places of the two axes, ascending.
    pub(crate) axes: [Vec<f64>; 2],
    /// The values, `[first][second]`.
    pub(crate) values: Vec<f64>,
}

/// The grid of rows with two places and a value.
pub(crate) fn grid(first: &[f64], second: &[f64], values: &[f64]) -> Result<Grid, Flaw> {
    let axes = [axis(first), axis(second)];
    let columns = axes[1].len();
    let place = |axis: &[f64], number: f64| axis.partition_point(|&other| other < number);
    let pair = |cell: usize| [axes[0][cell / columns], axes[1][cell % columns]];
    // If there are more pairs than rows, one of these first pairs is missing.
    let count = axes[0].len().saturating_mul(columns).min(values.len() + 1);
    let mut cells = vec![None; count];
    for ((&a, &b), &value) in first.iter().zip(second).zip(values) {
        let cell = place(&axes[0], a) * columns + place(&axes[1], b);
        match cells.get_mut(cell) {
            Some(Some(_)) => return Err(Flaw::Twice(pair(cell))),
            Some(empty) => *empty = Some(value),
            None => {}
        }
    }
    if let Some(cell) = cells.iter().position(Option::is_none) {
        let alone = [first, second].map(alone);
        return Err(Flaw::Missing { pair: pair(cell), alone });
    }
    Ok(Grid { values: cells.into_iter().flatten().collect(), axes })
}

/// The only number that is in one row, if another one is in three or more.
fn alone(numbers: &[f64]) -> Option<f64> {
    let all = ascending(numbers);
    let rows = || all.chunk_by(|a, b| a == b);
    let mut single = rows().filter(|rows| rows.len() == 1);
    let number = single.next()?[0];
    let is_only = single.next().is_none() && rows().any(|rows| rows.len() >= 3);
    is_only.then_some(number)
}

/// The different numbers of a column, ascending.
fn axis(numbers: &[f64]) -> Vec<f64> {
    let mut all = ascending(numbers);
    all.dedup();
    all
}

fn ascending(numbers: &[f64]) -> Vec<f64> {
    let mut all = numbers.to_vec();
    all.sort_by(f64::total_cmp);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_be_in_any_order() {
        assert_eq!(
            line(&[3.0, 1.0, 2.0], &[7.0, 5.0, 6.0]),
            Ok([vec![1.0, 2.0, 3.0], vec![5.0, 6.0, 7.0]])
        );
        let found = grid(&[2.0, 1.0, 1.0, 2.0], &[0.5, 0.5, 0.1, 0.1], &[4.0, 2.0, 1.0, 3.0]);
        let axes = [vec![1.0, 2.0], vec![0.1, 0.5]];
        assert_eq!(found, Ok(Grid { axes, values: vec![1.0, 2.0, 3.0, 4.0] }));
    }

    #[test]
    fn what_is_no_table_is_said() {
        assert_eq!(line(&[1.0, 2.0, 1.0], &[0.0; 3]), Err(1.0));
        assert_eq!(grid(&[1.0, 1.0], &[5.0, 5.0], &[0.0; 2]), Err(Flaw::Twice([1.0, 5.0])));
        let found = grid(&[1.0, 1.0, 2.0], &[5.0, 6.0, 5.0], &[0.0; 3]);
        assert_eq!(found, Err(Flaw::Missing { pair: [2.0, 6.0], alone: [None; 2] }));
        // A million pairs of a thousand rows.
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        let missing = Flaw::Missing { pair: [0.0, 1.0], alone: [None; 2] };
        assert_eq!(grid(&many, &many, &many), Err(missing));
    }

    #[test]
    fn a_mistyped_place_is_found() {
        let rows = || (0..5).flat_map(|a| (0..4).map(move |b| (f64::from(a), f64::from(b))));
        let (mut first, mut second): (Vec<_>, Vec<_>) = rows().unzip();
        let alone = |first: &[f64], second: &[f64]| match grid(first, second, &[0.0; 20]) {
            Err(Flaw::Missing { alone, .. }) => alone,
            found => panic!("{found:?}"),
        };
        second[6] = 2.5;
        assert_eq!(alone(&first, &second), [None, Some(2.5)]);
        first[9] = 2.1;
        assert_eq!(alone(&first, &second), [Some(2.1), Some(2.5)]);
        // Two of them are not typing errors.
        first[2] = 0.1;
        assert_eq!(alone(&first, &second), [None, Some(2.5)]);
        // The row of the right number is missing, which leaves it in two of three.
        let (first, second) = ([1.0, 1.0, 1.0, 2.5, 2.0, 2.0], [5.0, 6.0, 7.0, 5.0, 6.0, 7.0]);
        let found = grid(&first, &second, &[0.0; 6]);
        assert_eq!(found, Err(Flaw::Missing { pair: [2.0, 5.0], alone: [Some(2.5), None] }));
    }
}
