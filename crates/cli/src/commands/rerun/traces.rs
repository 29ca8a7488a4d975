//! The differences between the trace of a stored run and that of its repetition.

use std::collections::BTreeMap;
use std::io;

use csv::StringRecord;
use warpswarm_pictures::counted;

/// A trace as read from a file.
pub(super) struct Rows {
    names: StringRecord,
    rows: Vec<StringRecord>,
}

pub(super) fn rows(reader: &mut csv::Reader<impl io::Read>) -> csv::Result<Rows> {
    let names = reader.headers()?.clone();
    Ok(Rows { names, rows: reader.records().collect::<csv::Result<_>>()? })
}

/// The rows of a run by their iteration.
type Run<'a> = BTreeMap<u64, &'a StringRecord>;

impl Rows {
    /// `None` if the run or the iteration of a row is not a whole number.
    fn by_run(&self) -> Option<BTreeMap<u64, Run<'_>>> {
        let mut all = BTreeMap::<u64, Run<'_>>::new();
        for row in &self.rows {
            let number = |column| row.get(column)?.parse().ok();
            all.entry(number(0)?).or_default().insert(number(1)?, row);
        }
        Some(all)
    }

    fn is_empty(&self, column: usize) -> bool {
        self.rows.iter().all(|row| row.get(column).is_none_or(str::is_empty))
    }
}

/// The comparison of two traces.
#[derive(Default)]
pub(super) struct Traces {
    /// The number of rows that were compared.
    pub(super) rows: usize,
    /// What was not compared, because only one of the traces has it.
    pub(super) left_out: Vec<String>,
    pub(super) difference: Option<String>,
}

/// Compares the rows that two traces have for the same run and iteration, without the column of seconds. Which rows and
/// columns are recorded does not change a run.
pub(super) fn compare(there: &Rows, here: &Rows) -> Traces {
    let only =
        |difference: &str| Traces { difference: Some(difference.to_owned()), ..Traces::default() };
    if there.names != here.names {
        return only("the trace has other columns");
    }
    let (Some(a), Some(b)) = (there.by_run(), here.by_run()) else {
        return only("the trace has a row whose run or iteration is not a whole number");
    };
    let mut pairs = Pairs::default();
    for (number, there) in &a {
        if let Some(here) = b.get(number) {
            pairs.add(*number, there, here);
        }
    }
    let runs =
        || format!("the trace has {} there, {} here", counted(a.len() as u64, "run"), b.len());
    let runs = a.keys().ne(b.keys()).then(runs);

    let (columns, mut left_out) = columns(there, here);
    if pairs.others {
        left_out.push(format!(
            "{} there, {} here; the {} in both are compared (`record_every`, `records_at_most` and `resume` \
             change which rows there are)",
            counted(there.rows.len() as u64, "row"),
            here.rows.len(),
            pairs.rows.len()
        ));
    }
    let difference = pairs.first_difference(&columns).or(runs).or(pairs.ends);
    Traces { rows: pairs.rows.len(), left_out, difference }
}

/// The columns to compare with their names, and what is to be said of those that only one trace has recorded.
fn columns<'a>(there: &'a Rows, here: &Rows) -> (Vec<(usize, &'a str)>, Vec<String>) {
    let all = there.names.iter().enumerate().filter(|(_, name)| *name != "seconds");
    let (both, one): (Vec<_>, Vec<_>) =
        all.partition(|(i, _)| there.is_empty(*i) == here.is_empty(*i));
    let place = |i| if here.is_empty(i) { "here" } else { "there" };
    let said = |(i, name)| format!("`{name}` is empty {} and is not compared", place(i));
    (both, one.into_iter().map(said).collect())
}

/// The rows of two traces for the same run and iteration.
#[derive(Default)]
struct Pairs<'a> {
    rows: Vec<(u64, &'a StringRecord, &'a StringRecord)>,
    /// Whether a trace has rows between these.
    others: bool,
    /// The first run that has more iterations in one of the traces.
    ends: Option<String>,
}

impl<'a> Pairs<'a> {
    fn add(&mut self, number: u64, there: &Run<'a>, here: &Run<'a>) {
        let [a, b] = [there, here].map(|run| run.keys().last().copied().unwrap_or_default());
        // The last row of a run contains its local search, so it is compared only with another last row.
        let is_compared = |at: u64| a == b || at < a.min(b);
        let compared = |run: &Run<'a>| run.keys().filter(|at| is_compared(**at)).count();
        let before = self.rows.len();
        let pairs = there.iter().filter_map(|(at, row)| Some((*at, *row, *here.get(at)?)));
        self.rows.extend(pairs.filter(|(at, ..)| is_compared(*at)));
        let both = self.rows.len() - before;
        self.others |= compared(there) != both || compared(here) != both;
        if a != b {
            self.ends.get_or_insert_with(|| {
                format!("run {number} ends at iteration {a} there, {b} here; the rows before are the same")
            });
        }
    }

    /// The difference at the earliest iteration.
    fn first_difference(&self, columns: &[(usize, &str)]) -> Option<String> {
        let differing = self.rows.iter().filter_map(|(at, there, here)| {
            let column = columns.iter().find(|(i, _)| there.get(*i) != here.get(*i))?;
            Some((at, there, here, column))
        });
        let (at, there, here, (i, name)) = differing.min_by_key(|(at, ..)| **at)?;
        let value = |row: &StringRecord, i| row.get(i).unwrap_or_default().to_owned();
        Some(format!(
            "run {} from iteration {at} on: {name} is {} there, {} here",
            value(there, 0),
            value(there, *i),
            value(here, *i)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(there: &str, here: &str) -> Traces {
        let [there, here] = [there, here].map(|rest| {
            let text = format!("run,iteration,seconds,best,mean\n{rest}");
            rows(&mut csv::Reader::from_reader(text.as_bytes())).unwrap()
        });
        compare(&there, &here)
    }

    fn differs(there: &str, here: &str) -> String {
        compared(there, here).difference.unwrap()
    }

    #[test]
    fn the_earliest_iteration_is_said() {
        let there = "0,0,0.1,1,2\n0,9,0.2,0.5,1\n1,0,0,1,2\n1,5,0,-0.0,1\n";
        let same = "0,0,7,1,2\n0,9,8,0.5,1\n1,0,9,1,2\n1,5,9,-0.0,1\n";
        let same = compared(there, same);
        assert_eq!((same.rows, same.left_out.len(), same.difference), (4, 0, None));
        let here = "0,0,0.1,1,2\n0,9,0.2,0.25,1\n1,0,0,1,2\n1,5,0,0.0,1\n";
        let said = differs(there, here);
        assert_eq!(said, "run 1 from iteration 5 on: best is -0.0 there, 0.0 here");
        let first_run = "0,0,0.1,1,2\n0,9,0.2,0.5,1\n";
        assert_eq!(differs(there, first_run), "the trace has 2 runs there, 1 here");
        assert!(differs(there, "0,x,0.1,1,2\n").contains("not a whole number"));
    }

    #[test]
    fn rows_of_the_same_iteration_are_compared() {
        let there = "0,0,0,9,9\n0,2,0,8,8\n0,4,0,7,7\n0,6,0,6,6\n0,7,0,1,5\n";
        let here = compared(there, "0,0,0,9,9\n0,3,0,8,8\n0,6,0,6,6\n0,7,0,1,5\n");
        assert_eq!((here.rows, here.difference), (3, None));
        let said = "5 rows there, 4 here; the 3 in both are compared";
        assert!(here.left_out[0].starts_with(said), "{:?}", here.left_out);
        let said = differs(there, "0,0,0,9,9\n0,3,0,8,8\n0,6,0,5,6\n0,7,0,1,5\n");
        assert_eq!(said, "run 0 from iteration 6 on: best is 6 there, 5 here");
    }

    #[test]
    fn the_last_row_of_a_shorter_run_is_not_compared() {
        let there = "0,0,0,9,9\n0,2,0,8,8\n0,4,0,7,7\n0,6,0,1,6\n";
        // Its value is that of the local search.
        let here = compared(there, "0,0,0,9,9\n0,2,0,8,8\n0,4,0,1,7\n");
        assert_eq!((here.rows, here.left_out.len()), (2, 0));
        let said = "run 0 ends at iteration 6 there, 4 here; the rows before are the same";
        assert_eq!(here.difference.unwrap(), said);
    }

    #[test]
    fn a_column_that_was_not_recorded_is_not_compared() {
        let (all, without) = ("0,0,0,9,9\n0,2,0,8,8\n", "0,0,0,9,\n0,2,0,8,\n");
        let here = compared(all, without);
        assert_eq!((here.rows, here.difference), (2, None));
        assert_eq!(here.left_out, ["`mean` is empty here and is not compared"]);
        assert_eq!(compared(without, all).left_out, ["`mean` is empty there and is not compared"]);
        assert!(differs(all, "0,0,0,9,9\n0,2,0,8,\n").contains("mean is 8 there,  here"));
    }
}
