//! What was measured, kept from one search to the next.
//!
//! A file has one trial per line, as JSON; a later line about a candidate replaces an earlier one. Its name is the
//! fingerprint of all that times depend on: the C of the untuned program, the C compiler and its flags, the processor,
//! the number of threads and the data. So a search on another machine, or after a change, begins anew.

use crate::bench::median;
use kenaz_driver::native::CCompiler;
use kenaz_runtime::write_binary;
use kenaz_testing::DataSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A candidate that was tried.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// `#[source] at a.fut:3:8-34`
    pub choices: Vec<String>,
    pub verdict: Verdict,
    /// How often it touches memory, by the model.
    pub model: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// The times of rounds over those of the untuned program.
    Ratios(Vec<f64>),
    /// The compiler does not obey these attributes together.
    Refused,
    /// It did not end.
    Slow,
    /// It computes something else.
    Wrong(String),
}

impl Trial {
    pub fn ratios(&self) -> &[f64] {
        match &self.verdict {
            Verdict::Ratios(ratios) => ratios,
            Verdict::Refused | Verdict::Slow | Verdict::Wrong(_) => &[],
        }
    }

    pub fn is_usable(&self) -> bool {
        matches!(self.verdict, Verdict::Ratios(_))
    }

    /// The median of its rounds.
    pub fn ratio(&self) -> Option<f64> {
        median(self.ratios().to_vec())
    }

    pub(crate) fn add(&mut self, ratio: f64) {
        if let Verdict::Ratios(ratios) = &mut self.verdict {
            ratios.push(ratio);
        }
    }
}

/// The trials of earlier searches.
pub struct Record {
    /// Without a file nothing is kept.
    file: Option<PathBuf>,
    known: BTreeMap<Vec<String>, Trial>,
}

impl Record {
    /// That of a program, compiler and data, in a folder. A file that is damaged is as good as none.
    pub fn open(
        folder: Option<&Path>,
        untuned: &str,
        compiler: &CCompiler,
        threads: Option<u32>,
        data: &[DataSet],
    ) -> Record {
        let mut key = compiler.fingerprint();
        key.add(untuned.as_bytes());
        key.add(format!("{threads:?}").as_bytes());
        for set in data {
            key.add(set.entry.as_bytes());
            // Nothing fails here: a fingerprint takes everything.
            let _ = set.arguments.iter().try_for_each(|value| write_binary(&mut key, value));
        }
        let file = folder.map(|folder| folder.join(format!("{key}.jsonl")));
        let text = file.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        let trials = text.lines().filter_map(|line| serde_json::from_str::<Trial>(line).ok());
        Record { file, known: trials.map(|trial| (trial.choices.clone(), trial)).collect() }
    }

    pub fn find(&self, choices: &[String]) -> Option<Trial> {
        self.known.get(choices).cloned()
    }

    /// Adds a trial. A disk that is full costs the next search time, nothing else.
    pub fn add(&mut self, trial: &Trial) {
        if self.known.get(&trial.choices) == Some(trial) {
            return;
        }
        self.known.insert(trial.choices.clone(), trial.clone());
        let (Some(file), Ok(mut line)) = (&self.file, serde_json::to_string(trial)) else { return };
        line.push('\n');
        let _ = file.parent().map(fs::create_dir_all);
        let _ = OpenOptions::new().create(true).append(true).open(file).map(|mut file| file.write_all(line.as_bytes()));
    }
}
