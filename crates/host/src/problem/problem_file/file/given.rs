//! A number, an expression, or many of these, as a file contains them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value that stands for one or more numbers.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Given {
    Number(f64),
    /// An expression, or a name.
    Text(String),
    List(Vec<Given>),
    /// Numbers with names, in order.
    Table(Vec<(String, Given)>),
}

impl Given {
    /// A list of numbers.
    pub(crate) fn list(numbers: impl IntoIterator<Item = f64>) -> Self {
        Given::List(numbers.into_iter().map(Given::Number).collect())
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Given;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, an expression in quotes, or a list of those")
            }
            fn visit_f64<E>(self, number: f64) -> Result<Given, E> {
                Ok(Given::Number(number))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Given, E> {
                Ok(Given::Number(number as f64))
            }
            fn visit_str<E>(self, text: &str) -> Result<Given, E> {
                Ok(Given::Text(text.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Given, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = from.next_element()? {
                    all.push(one);
                }
                Ok(Given::List(all))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Given, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = from.next_entry()? {
                    all.push(one);
                }
                Ok(Given::Table(all))
            }
        }
        from.deserialize_any(Any)
    }
}
