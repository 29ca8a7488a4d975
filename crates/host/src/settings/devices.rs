//! Which devices carry out runs.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The largest number of devices that can be named.
const MOST: usize = 256;

/// Which GPUs carry out the runs of a batch, for the backends GPU and emulator. The results do not depend on it.
///
/// The runs are divided into parts, which wait in a queue for the devices. A host thread serves each device: see
/// `docs/how-to/use-gpus.md`. A single run uses the first device, unless it is [split](crate::Settings::split).
///
/// ```
/// use warpswarm::{Algorithm, Backend, Bounds, Devices, Settings, Stop, minimise, problems::Rastrigin};
/// let bounds = Bounds::uniform(3, -5.12, 5.12)?;
/// let settings = Settings { runs: 7, individuals: 32, stop: Stop::iterations(10), ..Settings::default() };
/// # #[cfg(feature = "emulator")] {
/// let two = Settings { backend: Backend::Emulator, devices: Devices::of(&[0, 1]), ..settings.clone() };
/// let run = |settings| minimise::<f32, _>(&Rastrigin, &bounds, &Algorithm::default(), settings);
/// assert_eq!(run(&two)?.runs, run(&settings)?.runs);
/// # }
/// assert_eq!("0,2".parse(), Ok(Devices::of(&[0, 2])));
/// # Ok::<(), warpswarm::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Devices {
    /// All devices.
    All,
    /// Devices with these numbers, counted from 0 as by the driver: at least one, each at most once.
    Of(Vec<u32>),
}

impl Default for Devices {
    /// The first device.
    fn default() -> Self {
        Devices::Of(vec![0])
    }
}

impl Devices {
    /// Devices with these numbers.
    ///
    /// ```
    /// use warpswarm::Devices;
    /// assert_eq!(Devices::of(&[0]), Devices::default());
    /// assert_eq!(Devices::of(&[1, 3]).to_string(), "1,3");
    /// ```
    pub fn of(numbers: &[u32]) -> Self {
        Devices::Of(numbers.to_vec())
    }

    /// Checks that at least one is named, and none twice.
    pub(crate) fn check(&self) -> Result<()> {
        let Devices::Of(numbers) = self else { return Ok(()) };
        let twice = numbers.iter().enumerate().any(|(i, number)| numbers[..i].contains(number));
        if numbers.is_empty() || numbers.len() > MOST || twice {
            return Err(self.refused("at least one number, each once".into()));
        }
        Ok(())
    }

    /// The numbers of the devices, if `there` devices exist; at least one.
    pub(crate) fn numbers(&self, there: u32) -> Result<Vec<u32>> {
        match self {
            Devices::All => Ok((0..there).collect()),
            Devices::Of(numbers) if numbers.iter().all(|&number| number < there) => {
                Ok(numbers.clone())
            }
            Devices::Of(_) => Err(self.refused(match there {
                1 => "0, the only device that there is".into(),
                _ => format!("0 to {}, the devices that there are", there - 1),
            })),
        }
    }

    fn refused(&self, allowed: String) -> Error {
        Error::Setting { field: "devices", value: self.to_string(), allowed }
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Devices::All => f.pad("all"),
            Devices::Of(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
                f.pad(&numbers.join(","))
            }
        }
    }
}

impl FromStr for Devices {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "all" {
            return Ok(Devices::All);
        }
        let numbers = text.split(',').map(str::parse).collect::<Result<_, _>>().map(Devices::Of);
        let devices = numbers.map_err(|_| Error::Setting {
            field: "devices",
            value: text.into(),
            allowed: "all, or numbers such as 0,2".into(),
        })?;
        devices.check().map(|()| devices)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Devices {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Devices {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_all_or_numbers() {
        for text in ["all", "0", "2,0,1"] {
            assert_eq!(text.parse::<Devices>().unwrap().to_string(), text);
        }
        for wrong in ["", "one", "0,", "-1", "0,0", "0, 1", "4294967296"] {
            let error = wrong.parse::<Devices>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("devices is {wrong}; allowed: ")), "{error}");
        }
        assert!(Devices::Of(Vec::new()).check().is_err());
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        assert_eq!(Devices::All.numbers(3), Ok(vec![0, 1, 2]));
        assert_eq!(Devices::of(&[2, 0]).numbers(3), Ok(vec![2, 0]));
        let error = Devices::of(&[0, 3]).numbers(3).unwrap_err().to_string();
        assert_eq!(error, "devices is 0,3; allowed: 0 to 2, the devices that there are");
        let error = Devices::of(&[1]).numbers(1).unwrap_err().to_string();
        assert_eq!(error, "devices is 1; allowed: 0, the only device that there is");
    }
}
