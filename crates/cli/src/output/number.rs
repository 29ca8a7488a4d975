//! Numbers in JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use warpswarm::Precise;
use warpswarm::algorithms::Value;

/// A number that may be NaN or infinite. JSON has no such numbers, so they are written as strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number<R>(pub(crate) R);

impl<R: Precise + Serialize> Serialize for Number<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let x = self.0;
        if x.is_finite() {
            x.serialize(serializer)
        } else if x > R::ZERO {
            serializer.serialize_str("Infinity")
        } else if x < R::ZERO {
            serializer.serialize_str("-Infinity")
        } else {
            serializer.serialize_str("NaN")
        }
    }
}

impl<'de> Deserialize<'de> for Number<f64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Text(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Number(x) => Ok(Number(x)),
            Either::Text(text) => match text.as_str() {
                "NaN" => Ok(Number(f64::NAN)),
                "Infinity" => Ok(Number(f64::INFINITY)),
                "-Infinity" => Ok(Number(f64::NEG_INFINITY)),
                _ => Err(serde::de::Error::custom(format!("`{text}` is not a number"))),
            },
        }
    }
}

/// The value of a parameter; null if it is not set.
pub(crate) fn parameter(value: Value) -> Json {
    match value {
        Value::Number(x) => serde_json::to_value(Number(x)).unwrap_or(Json::Null),
        Value::Name(name) => name.into(),
        _ => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<R: Precise + Serialize>(x: R) -> String {
        serde_json::to_string(&Number(x)).unwrap()
    }

    #[test]
    fn single_precision_is_written_as_such() {
        assert_eq!(text(0.1_f32), "0.1");
        assert_eq!(text(0.1_f64), "0.1");
        assert_eq!(text(f64::from(0.1_f32)), "0.10000000149011612");
        assert_eq!(text(-0.0_f32), "-0.0");
    }

    #[test]
    fn what_is_not_finite_is_a_string() {
        assert_eq!(text(f32::NAN), r#""NaN""#);
        assert_eq!(text(f64::INFINITY), r#""Infinity""#);
        assert_eq!(text(f32::NEG_INFINITY), r#""-Infinity""#);
    }

    /// Tests every power of two and its neighbours, and numbers spread over all bit patterns. Also tests a reader that
    /// parses in double precision, as most do.
    #[test]
    fn single_precision_reads_back_to_the_same_bits() {
        let powers = (0..255_u32).map(|exponent| exponent << 23);
        let edges = powers.flat_map(|bits| [bits.wrapping_sub(1), bits, bits + 1, bits | 1 << 31]);
        let spread = (0..200_000_u32).map(|i| i.wrapping_mul(2_654_435_761));
        for x in edges.chain(spread).map(f32::from_bits).filter(|x| x.is_finite()) {
            let read: f32 = serde_json::from_str(&text(x)).unwrap();
            assert_eq!(read.to_bits(), x.to_bits(), "{x:?}");
            let read: f64 = serde_json::from_str(&text(x)).unwrap();
            assert_eq!((read as f32).to_bits(), x.to_bits(), "{x:?}");
        }
    }

    #[test]
    fn double_precision_reads_back_to_the_same_bits() {
        let spread = (0..200_000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let edges = [f64::MIN_POSITIVE, f64::MAX, f64::EPSILON, 5e-324, -0.0].map(f64::to_bits);
        for x in spread.chain(edges).map(f64::from_bits).filter(|x| x.is_finite()) {
            let read: f64 = serde_json::from_str(&text(x)).unwrap();
            assert_eq!(read.to_bits(), x.to_bits(), "{x:?}");
        }
    }
}
