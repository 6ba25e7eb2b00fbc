//! What was measured, and the files of it, whose format is that of Futhark: an object with a member `FILE:ENTRY` for
//! each entry point, in it `datasets`, and in that for each data set either a text that says what went wrong or an
//! object with the times of all `runtimes`, in whole microseconds, and the most `bytes` in each memory. Other members
//! of the last two are ours, and optional.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// The measurements of entry points, by names like `a.fut:main`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Results {
    pub benchmarks: Ordered<Benchmark>,
}

/// An entry point with its data sets.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Benchmark {
    pub datasets: Ordered<Outcome>,
}

/// What became of a data set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Outcome {
    Measured(Measurement),
    /// What went wrong.
    Failed(String),
}

impl Outcome {
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Outcome::Measured(measurement) => Some(measurement),
            Outcome::Failed(_) => None,
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// Microseconds, in the order of the runs.
    #[serde(rename = "runtimes", serialize_with = "whole")]
    pub times: Vec<f64>,
    /// The most that was in use at a time, by memories.
    pub bytes: BTreeMap<String, u64>,
    /// The arguments and results, if their size is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
    /// Whether the mean is known as well as it should be, if anybody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
}

impl Measurement {
    /// What must be read and written at least.
    pub fn touched_bytes(&self) -> Option<u64> {
        Some(self.input_bytes? + self.output_bytes?)
    }

    /// The most memory that was in use, all of them together.
    pub fn peak(&self) -> u64 {
        self.bytes.values().sum()
    }
}

/// Others read whole numbers only.
fn whole<S: Serializer>(times: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(times.iter().map(|time| time.round().max(0.0) as u64))
}

impl Results {
    /// Reads a file; or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Results, String> {
        serde_json::from_str(text).map_err(|error| format!("it is no file of measurements: {error}"))
    }

    pub fn to_json(&self) -> String {
        // Texts and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What is said of a data set.
    pub fn find(&self, benchmark: &str, dataset: &str) -> Option<&Outcome> {
        self.benchmarks.get(benchmark)?.datasets.get(dataset)
    }

    pub fn add(&mut self, benchmark: &str, dataset: &str, outcome: Outcome) {
        self.benchmarks.entry(benchmark).datasets.set(dataset, outcome);
    }

    /// All data sets, each with the name of its entry point and its own.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Outcome)> {
        self.benchmarks.0.iter().flat_map(|(name, benchmark)| {
            benchmark.datasets.0.iter().map(move |(set, outcome)| (name.as_str(), set.as_str(), outcome))
        })
    }
}

/// The members of an object, in their order.
#[derive(Clone, PartialEq, Debug)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Ordered<T> {
        Ordered(Vec::new())
    }
}

impl<T> Ordered<T> {
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The last one of a name counts.
    pub fn set(&mut self, name: &str, value: T) {
        match self.0.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_string(), value)),
        }
    }
}

impl<T: Default> Ordered<T> {
    /// The member of a name, which is there from now on.
    pub fn entry(&mut self, name: &str) -> &mut T {
        let at = self.0.iter().position(|(other, _)| other == name).unwrap_or_else(|| {
            self.0.push((name.to_string(), T::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<T>, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut members = Ordered::default();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    members.set(&name, value);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(times: &[f64]) -> Measurement {
        Measurement {
            times: times.to_vec(),
            bytes: BTreeMap::from([("default space".to_string(), 800)]),
            input_bytes: None,
            output_bytes: None,
            converged: None,
        }
    }

    #[test]
    fn files_are_read_as_they_were_written_in_their_order() {
        let mut results = Results::default();
        results.add("b.fut:main", "z", Outcome::Measured(measured(&[1.0, 2.0])));
        results.add("b.fut:main", "a \"x\"", Outcome::Failed("no\nluck".to_string()));
        let with_sizes = Measurement { input_bytes: Some(3), output_bytes: Some(4), ..measured(&[5.0]) };
        results.add("a.fut:main", "z", Outcome::Measured(with_sizes));
        let text = results.to_json();
        assert_eq!(Results::parse(&text), Ok(results.clone()));
        assert_eq!(results.iter().map(|(_, set, _)| set).collect::<Vec<_>>(), ["z", "a \"x\"", "z"]);
        assert_eq!(results.find("a.fut:main", "z").unwrap().measurement().unwrap().touched_bytes(), Some(7));
        assert_eq!(results.find("a.fut:main", "y"), None);
    }

    #[test]
    fn the_format_is_that_of_futhark() {
        let mut results = Results::default();
        results.add("a.fut:f", "d", Outcome::Measured(measured(&[1.6, 2.0])));
        results.add("a.fut:f", "e", Outcome::Failed("no".to_string()));
        let expected = r#"{"a.fut:f":{"datasets":{"d":{"runtimes":[2,2],"bytes":{"default space":800}},"e":"no"}}}"#;
        assert_eq!(results.to_json(), expected);
        let other = r#"{"a.fut:f": {"datasets": {"d": {"bytes": {}, "runtimes": [7], "stderr": null}}, "more": 1}}"#;
        let read = Results::parse(other).unwrap();
        assert_eq!(read.find("a.fut:f", "d").unwrap().measurement().unwrap().times, [7.0]);
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "[]", "{\"a\": 1}", "{\"a\": {\"datasets\": {\"d\": {\"bytes\": {}}}}}", "{\"a\": {}}", "{} x"]
        {
            assert!(Results::parse(text).unwrap_err().contains("no file of measurements"), "{text}");
        }
    }
}
