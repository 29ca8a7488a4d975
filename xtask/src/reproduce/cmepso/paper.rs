//! The numbers in Tables 2, 3 and 4 of the CMEPSO-GPU paper, as printed.
//!
//! The paper compares points of different forms of a problem in one table. Here each point is listed with
//! the form that has its constraints and values.

/// Iterations of every run in the paper.
pub(crate) const ITERATIONS: u64 = 1_000;
/// Runs of every problem; the paper prints the best one.
pub(crate) const RUNS: u64 = 20;

/// One form of a problem, with the columns of the paper's table that are points of this form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The number of the paper's table.
    pub(crate) table: u32,
    pub(crate) name: &'static str,
    /// The program's name of the problem.
    pub(crate) problem: &'static str,
    pub(crate) coordinates: &'static [&'static str],
    /// The number of constraints.
    pub(crate) constraints: usize,
    pub(crate) columns: &'static [Column],
    /// Mean time of CMEPSO's runs in seconds, if the paper has this form.
    pub(crate) seconds: Option<&'static str>,
    pub(crate) notes: &'static [&'static str],
}

/// A column of the paper's table: a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) x: &'static [&'static str],
    pub(crate) g: &'static [&'static str],
    pub(crate) violations: &'static str,
    pub(crate) fitness: &'static str,
}

const fn column(
    name: &'static str,
    x: &'static [&'static str],
    g: &'static [&'static str],
    violations: &'static str,
    fitness: &'static str,
) -> Column {
    Column { name, x, g, violations, fitness }
}

const SPRING: &[&str] = &["d", "D", "P"];
const BEAM: &[&str] = &["h", "l", "t", "b"];
const REDUCER: &[&str] = &["x1", "x2", "x3", "x4", "x5", "x6", "x7"];

#[rustfmt::skip]
pub(crate) const FORMS: [Form; 7] = [
    Form {
        table: 2, name: "spring, as the paper computed it", problem: "spring-cmepso",
        coordinates: SPRING, constraints: 4, seconds: Some("1.9833"),
        columns: &[
            column("CMEPSO", &["0.050000", "0.282023", "2.000000"],
                &["0.000000", "-0.235327", "-43.146137", "-0.778651"], "0", "0.002820"),
            column("{1}", &["0.050180", "0.279604", "2.087959"],
                &["-0.002840", "-0.249450", "-42.176000", "-0.780140"], "0", "0.002878"),
        ],
        notes: &[
            "The paper gives no formulas. Those that give all of its G and its fitness have 7178 in G1, where the \
             literature has 71785, and the denominator 12566 D d^3 - d^4 in G2, without the literature's brackets: \
             another problem, with a spring of a quarter of the weight.",
            "{1} is Teixeira et al., 2011. The paper's columns {2} and {3} are points of the literature's \
             problem, below, and so no comparison.",
        ],
    },
    Form {
        table: 2, name: "spring, as in the literature", problem: "spring",
        coordinates: SPRING, constraints: 4, seconds: None,
        columns: &[
            column("{2}", &["0.051728", "0.357644", "11.244543"],
                &["-0.000845", "-0.0000126", "-4.051300", "-0.727090"], "N/A", "0.0126747"),
            column("{3}", &["0.051989", "0.363965", "10.890522"],
                &["-0.000013", "-0.000021", "-4.061338", "-0.722698"], "N/A", "0.012681"),
        ],
        notes: &[
            "{2} is He and Wang, 2007, {3} Coello and Montes, 2002. {3}'s G1 does not follow from its x, which give \
             -0.00126.",
        ],
    },
    Form {
        table: 3, name: "welded beam, as the paper computed it", problem: "welded-beam-cmepso",
        coordinates: BEAM, constraints: 7, seconds: Some("2.1472"),
        columns: &[
            column("CMEPSO", &["0.205730", "1.517675", "9.036624", "0.205730"],
                &["-0.001953", "-0.001953", "0.000000", "-3.607646", "-0.080730", "-0.235540", "-0.000488"],
                "0", "1.458883"),
            column("{4}", &["0.205735", "1.517678", "9.036624", "0.205730"],
                &["-0.001953", "-0.001953", "0.000000", "-3.607646", "-0.080730", "-0.235540", "-0.000977"],
                "0", "1.458889"),
            column("{1}", &["0.171937", "4.122129", "9.587429", "0.183010"],
                &["-8.067400", "-39.336800", "-0.011070", "-3.467150", "-0.236390", "-16.024300", "-0.046940"],
                "0", "1.664373"),
        ],
        notes: &[
            "G1 is the simplest stress that gives the paper's figures; others might. In all of them the weld is \
             hardly bent: the literature's stress at the paper's x is 13,887 above the limit.",
            "{4} is Souza et al., 2011, PSO with correction: our PSO with the paper's values. As printed it is not \
             consistent: its h is above its b, and G3 = h - b is zero.",
            "{1} is a point of a third problem: the literature's stress, no slenderness in the buckling load, and \
             rows G5 to G7 in another order (deflection, buckling, 0.125 - h). {2} is one of the literature's, below.",
            "G1 = -0.001953 is two, and G2 the same one, of the last units of 13,600 and 30,000 in f32: that is the \
             precision in which the paper computed, and as near as a constraint comes to zero there.",
        ],
    },
    Form {
        table: 3, name: "welded beam, as in the literature", problem: "welded-beam",
        coordinates: BEAM, constraints: 7, seconds: None,
        columns: &[
            column("{2}", &["0.202369", "3.544214", "9.048210", "0.205723"],
                &["-12.839796", "-1.247467", "-0.001498", "-3.429347", "-0.079381", "-0.235536", "-11.681355"],
                "N/A", "1.728024"),
        ],
        notes: &["{2} is He and Wang, 2007. Its fitness at the printed x is 1.731485."],
    },
    Form {
        table: 4, name: "speed reducer, as the paper computed it", problem: "speed-reducer-cmepso",
        coordinates: REDUCER, constraints: 11, seconds: Some("2.4109"),
        columns: &[
            column("CMEPSO",
                &["3.500000", "0.700000", "17.000000", "7.300000", "7.800000", "2.900000", "5.286684"],
                &["-0.073915", "-0.197999", "-0.107955", "-0.901472", "-1.000000", "0.000000", "-0.702500",
                  "0.000000", "-0.795833", "-0.143836", "-0.010852"], "0", "2896.259277"),
            column("{1}",
                &["3.500459", "0.700020", "17.00503", "7.300251", "7.800195", "2.900041", "5.286863"],
                &["-0.074364", "-0.198624", "-0.108202", "-0.901443", "-1.000000", "-0.000102", "-0.702403",
                  "-0.000103", "-0.795801", "-0.143857", "-0.011074"], "0", "2897.531422"),
        ],
        notes: &[
            "G5 is -1.000000 in both columns, where the literature's formula gives +0.54, so that it was never felt \
             and x6 falls to its bound; and G9 is x1 x2 / 12 - 1, where x2 should divide.",
            "{1} is Teixeira et al., 2011; its G4 and G11 belong to x5 = 7.80195, its fitness to the printed \
             7.800195. The paper's columns {5} and {6} are points of the literature's problem, below.",
            "2896.259277 is the f32 next to the exact minimum.",
        ],
    },
    Form {
        table: 4, name: "speed reducer, as in the literature with x5 >= 7.8", problem: "speed-reducer-mezura",
        coordinates: REDUCER, constraints: 11, seconds: None,
        columns: &[
            column("{5}",
                &["3.500000", "0.700000", "17.000000", "7.300000", "7.800000", "3.350215", "5.286683"],
                &["-0.073915", "-0.197996", "-0.499172", "-0.901471", "-2.22E-16", "-3.331E-16", "-0.702500",
                  "0.000000", "-0.583333", "-0.051326", "-0.010852"], "N/A", "2996.348165"),
            column("{6}",
                &["3.500000", "0.700000", "17.000000", "7.300000", "7.800000", "3.350214", "5.286683"],
                &["-0.073915", "-0.197998", "-0.499172", "-0.901471", "0.000000", "-5.00E-13", "-0.702500",
                  "-1.00E-16", "-0.583333", "-0.051325", "-0.010852"], "N/A", "2996.348165"),
        ],
        notes: &[
            "{5} is Brajevic et al., 2010, {6} Cagnina et al. {5}'s G2 should be -0.197999.",
        ],
    },
    Form {
        table: 4, name: "speed reducer, as in the literature with x5 >= 7.3", problem: "speed-reducer",
        coordinates: REDUCER, constraints: 11, seconds: None, columns: &[],
        notes: &["Golinski's own bounds, of which the paper has no point."],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_whole() {
        for form in &FORMS {
            for column in form.columns {
                assert_eq!(column.x.len(), form.coordinates.len(), "{}", form.name);
                assert_eq!(column.g.len(), form.constraints, "{}", form.name);
                let printed = column.x.iter().chain(column.g).chain([&column.fitness]);
                assert!(printed.into_iter().all(|text| text.parse::<f64>().is_ok()));
            }
        }
    }
}
