//! Where data are: in files of columns, or in the problem file itself.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::given::Given;

/// All tables of data: `[data]`, or each `[[data]]`.
#[derive(Clone, Debug, Default)]
pub(in crate::problem::problem_file) struct Tables(pub(in crate::problem::problem_file) Vec<Data>);

/// The columns of a data file, and the other entries of `[data]`.
#[derive(Clone, Debug, Default)]
pub(in crate::problem::problem_file) struct Data {
    pub(in crate::problem::problem_file) file: Option<String>,
    pub(in crate::problem::problem_file) columns: Vec<Column>,
    pub(in crate::problem::problem_file) format: Format,
    /// Names with their numbers.
    pub(in crate::problem::problem_file) here: Vec<(String, Given)>,
}

/// A name, and the heading of its column; for a matrix all headings.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::problem::problem_file) struct Column {
    pub(in crate::problem::problem_file) name: String,
    pub(in crate::problem::problem_file) headings: Vec<String>,
    pub(in crate::problem::problem_file) is_matrix: bool,
}

/// The format of a file of columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::problem::problem_file) struct Format {
    /// Detected if it is not given.
    pub(in crate::problem::problem_file) separator: Option<u8>,
    /// Lines that begin with it are skipped; `#` by default.
    pub(in crate::problem::problem_file) comment: Option<u8>,
    /// Whether `3,5` means 3.5.
    pub(in crate::problem::problem_file) has_decimal_commas: bool,
    /// Whether rows with a missing number are skipped.
    pub(in crate::problem::problem_file) skips_missing: bool,
}

/// The keys of a table of data besides names with numbers.
const KEYS: [&str; 6] = ["file", "columns", "separator", "comment", "decimal", "missing"];

impl<'de> Deserialize<'de> for Tables {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Tables;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of data, or several, each below [[data]]")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Tables, A::Error> {
                Ok(Tables(vec![Data::deserialize(MapAccessDeserializer::new(map))?]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Tables, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = from.next_element()? {
                    all.push(one);
                }
                Ok(Tables(all))
            }
        }
        from.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Data;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of data")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Data, A::Error> {
                let mut data = Data::default();
                while let Some(key) = map.next_key::<String>()? {
                    data.take(&key, map.next_value()?).map_err(A::Error::custom)?;
                }
                Ok(data)
            }
        }
        from.deserialize_map(Table)
    }
}

impl Data {
    fn take(&mut self, key: &str, value: Given) -> Result<(), String> {
        let format = &mut self.format;
        match (key, value) {
            ("file", Given::Text(file)) => self.file = Some(file),
            ("columns", value) => self.columns = columns(value)?,
            ("separator", Given::Text(text)) => format.separator = Some(separator(&text)?),
            ("comment", Given::Text(text)) => match text.as_bytes() {
                [sign] => format.comment = Some(*sign),
                _ => return Err(format!("comment is {text:?}; allowed: one sign, such as \"#\"")),
            },
            ("decimal", Given::Text(text)) => match &*text {
                "." => format.has_decimal_commas = false,
                "," => format.has_decimal_commas = true,
                _ => return Err(format!("decimal is {text:?}; allowed: \".\" or \",\"")),
            },
            ("missing", Given::Text(text)) => match &*text {
                "error" => format.skips_missing = false,
                "skip row" => format.skips_missing = true,
                _ => {
                    return Err(format!("missing is {text:?}; allowed: \"error\" or \"skip row\""));
                }
            },
            (key, value) if !KEYS.contains(&key) => match value {
                Given::List(_) => self.here.push((key.into(), value)),
                _ => {
                    return Err(format!(
                        "[data] has `{key}`; allowed: {}, and names with lists of numbers, such as `t = [0, 1, 2]`",
                        KEYS.join(", ")
                    ));
                }
            },
            _ => return Err(format!("{key} is not a text; allowed: a text in quotes")),
        }
        Ok(())
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\t" => Ok(b'\t'),
        "space" | " " => Ok(b' '),
        "," | ";" | "|" | ":" => Ok(text.as_bytes()[0]),
        _ => Err(format!(
            "separator is {text:?}; allowed: \",\", \";\", \"tab\", \"space\", \"|\" or \":\""
        )),
    }
}

/// `["t", "y"]`, or `{ t = "t [s]", s = ["s1", "s2"] }`.
fn columns(given: Given) -> Result<Vec<Column>, String> {
    let wrong = || {
        "columns: allowed: headings, as in [\"t\", \"y\"], or names with their headings, as in \
         { t = \"t [s]\", y = \"signal\" }"
            .to_string()
    };
    let text = |given: Given| match given {
        Given::Text(text) => Ok(text),
        _ => Err(wrong()),
    };
    match given {
        Given::List(all) => all
            .into_iter()
            .map(|heading| {
                let name = text(heading)?;
                Ok(Column { headings: vec![name.clone()], name, is_matrix: false })
            })
            .collect(),
        Given::Table(all) => all
            .into_iter()
            .map(|(name, heading)| match heading {
                Given::List(all) => {
                    let headings = all.into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
                    Ok(Column { name, headings, is_matrix: true })
                }
                heading => Ok(Column { name, headings: vec![text(heading)?], is_matrix: false }),
            })
            .collect(),
        _ => Err(wrong()),
    }
}
