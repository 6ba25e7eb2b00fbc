//! The programs to time and their data, as their test blocks say.

use crate::exactness::{self, Exactness};
use crate::work::{self, Work};
use anyhow::{Context, Result, bail};
use kenaz_runtime::Value;
use kenaz_runtime::{Generator, write_binary};
use kenaz_testing::script::{Exp, Fun};
use kenaz_testing::{Generated, Input, Spec, Subject};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Program {
    pub name: String,
    pub path: PathBuf,
    /// The same in C++, if there is one.
    pub cpp: Option<PathBuf>,
    pub sets: Vec<DataSet>,
}

pub(crate) struct DataSet {
    pub name: String,
    /// The entry point whose arguments they are.
    pub entry: String,
    /// How exactly results must agree.
    pub exactness: Exactness,
    /// How much there is to do, if the program says so.
    pub work: Option<Work>,
    input: Input,
}

/// The programs of a folder, or those with the given names; the path of each is a full one.
pub(crate) fn list(folder: &Path, names: &[String]) -> Result<Vec<Program>> {
    let all = kenaz_testing::find_programs(folder).with_context(|| folder.display().to_string())?;
    let programs = all.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    if let Some(unknown) = names.iter().find(|name| programs.iter().all(|program| program.name != **name)) {
        bail!("there is no program `{unknown}` in {}", folder.display());
    }
    Ok(programs.into_iter().filter(|program| names.is_empty() || names.contains(&program.name)).collect())
}

fn read(path: &Path) -> Result<Program> {
    let shown = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(shown)?;
    let spec = Spec::parse(&text).with_context(shown)?.with_context(|| format!("{} has no test block", shown()))?;
    let Subject::Accepted { groups, .. } = spec.subject else {
        bail!("{} is to be rejected", shown());
    };
    let stated = exactness::read(&text).with_context(shown)?;
    let works = work::read(&text).with_context(shown)?;
    let cases = groups.into_iter().flat_map(|group| {
        let pairs = |entry: &String| group.cases.iter().map(|case| (entry.clone(), case.clone())).collect::<Vec<_>>();
        group.entries.iter().flat_map(pairs).collect::<Vec<_>>()
    });
    let timed = cases.filter(|(_, case)| !case.tags.iter().any(|tag| tag == "nobench"));
    let sets = timed.map(|(entry, case)| {
        let name = case.name.with_context(|| format!("{}:{}: a data set without a name", shown(), case.line))?;
        let exactness = stated.iter().find(|(set, _)| *set == name).map_or(Exactness::STRICT, |(_, stated)| *stated);
        let work = works.iter().find(|(set, _)| *set == name).map(|(_, work)| *work);
        Ok(DataSet { name, entry, exactness, work, input: case.input })
    });
    let sets = sets.collect::<Result<Vec<_>>>()?;
    let is_unknown = |name: &&String| sets.iter().all(|set| set.name != **name);
    if let Some(unknown) = stated.iter().map(|(name, _)| name).find(is_unknown) {
        bail!("{} says how to compare `{unknown}`, which is no data set of it", shown());
    }
    if let Some(unknown) = works.iter().map(|(name, _)| name).find(is_unknown) {
        bail!("{} says how much work `{unknown}` is, which is no data set of it", shown());
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let cpp = path.with_file_name("cpp").join(&name).with_extension("cpp");
    Ok(Program { name, path: fs::canonicalize(path).with_context(shown)?, cpp: cpp.exists().then_some(cpp), sets })
}

impl Program {
    /// What a data set is called among those of all entry points.
    pub(crate) fn name_of(&self, set: &DataSet) -> String {
        let is_only = self.sets.iter().all(|other| other.entry == set.entry);
        if is_only { set.name.clone() } else { format!("{}, {}", set.entry, set.name) }
    }

    /// A data set by its entry point and its name.
    pub(crate) fn set(&self, entry: &str, name: &str) -> Result<&DataSet> {
        let set = self.sets.iter().find(|set| set.entry == entry && set.name == name);
        set.with_context(|| format!("{} has no data set \"{name}\" for {entry}", self.name))
    }
}

impl DataSet {
    /// Data that no test block mentions.
    pub(crate) fn random(name: &str, entry: &str, parts: Vec<Generated>) -> DataSet {
        let input = Input::Random(parts);
        DataSet { name: name.to_string(), entry: entry.to_string(), exactness: Exactness::STRICT, work: None, input }
    }

    /// The shapes of the arguments.
    pub(crate) fn shapes(&self) -> Vec<&[usize]> {
        match &self.input {
            Input::Values(values) => values.iter().map(|value| value.shape()).collect(),
            Input::Random(parts) => parts
                .iter()
                .map(|part| match part {
                    Generated::Random(ty) => ty.shape.as_slice(),
                    Generated::Value(value) => value.shape(),
                })
                .collect(),
            Input::File(_) | Input::Script(_) | Input::ScriptFile(_) => Vec::new(),
        }
    }

    /// The entry point that makes the arguments, if one does.
    pub(crate) fn maker(&self) -> Option<&str> {
        match &self.input {
            Input::Script(Exp::Call(Fun::Named(name), _)) => Some(name),
            _ => None,
        }
    }

    /// Writes the arguments, or those of their maker, to a file in the binary data format.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut file = BufWriter::new(File::create(path).with_context(|| path.display().to_string())?);
        match &self.input {
            Input::Values(values) => {
                for value in values {
                    write_binary(&mut file, value)?;
                }
            }
            Input::Random(parts) => {
                let mut generator = Generator::new(1);
                for part in parts {
                    match part {
                        Generated::Value(value) => write_binary(&mut file, value)?,
                        Generated::Random(ty) => {
                            let value = generator.value(ty).with_context(|| format!("no memory for a {ty}"))?;
                            write_binary(&mut file, &value)?;
                        }
                    }
                }
            }
            Input::Script(Exp::Call(Fun::Named(_), parts)) => {
                for part in parts {
                    write_binary(&mut file, constant(part)?)?;
                }
            }
            Input::File(_) | Input::Script(_) | Input::ScriptFile(_) => {
                bail!("data are values, random, or what one entry point makes of constants");
            }
        }
        file.flush()?;
        Ok(())
    }
}

fn constant(part: &Exp) -> Result<&Value> {
    match part {
        Exp::Value(value) => Ok(value),
        _ => bail!("`{part}` is no constant with a type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are how versus and this program find the same data set.
    #[test]
    fn programs_have_data_sets_with_different_names() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/c");
        let programs = list(&folder, &[]).expect("the programs can be read");
        assert!(programs.len() >= 27, "only {} programs", programs.len());
        assert_eq!(programs.iter().filter(|program| program.cpp.is_some()).count(), 11);
        for program in programs {
            assert!(!program.sets.is_empty(), "{} has no data sets", program.name);
            for (i, set) in program.sets.iter().enumerate() {
                assert!(program.sets[..i].iter().all(|other| other.name != set.name), "{} {}", program.name, set.name);
                assert!(matches!(set.input, Input::Values(_) | Input::Random(_)), "{} {}", program.name, set.name);
            }
        }
    }

    /// A data set is timed once for each entry point that takes it.
    #[test]
    fn whole_programs_have_three_data_sets_that_can_be_written() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/apps");
        let programs = list(&folder, &[]).expect("the programs can be read");
        assert!(programs.len() >= 24, "only {} programs", programs.len());
        for program in programs {
            assert!(program.sets.len() >= 3, "{} has {} data sets", program.name, program.sets.len());
            let mut names: Vec<String> = program.sets.iter().map(|set| program.name_of(set)).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), program.sets.len(), "{}", program.name);
            for set in &program.sets {
                let is_constant = |parts: &[Exp]| parts.iter().all(|part| constant(part).is_ok());
                let can_be_written = match &set.input {
                    Input::Values(_) | Input::Random(_) => true,
                    Input::Script(Exp::Call(Fun::Named(_), parts)) => is_constant(parts),
                    _ => false,
                };
                assert!(can_be_written, "{} {}", program.name, set.name);
            }
        }
    }

    #[test]
    fn an_unknown_program_is_an_error() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/c");
        assert!(list(&folder, &["no-such-program".to_string()]).is_err());
    }
}
