//! The data of test blocks.

use crate::spec::join;
use crate::{Case, EntryPoint, EntryType, Expected, Generated, Group, Input, Output, Program, Spec, Subject, script};
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_runtime::{Generator, ParamType, Reader, Value};
use std::io;
use std::path::{Path, PathBuf};

/// The seed of random inputs.
const SEED: u64 = 1;

/// The text of a file that people write, without a byte-order mark.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8_lossy(&RealFileSystem.read(path)?).into_owned();
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

/// All cases, each with its entry point and its number among the cases of its block.
pub(crate) fn cases(groups: &[Group]) -> Vec<(&str, usize, &Case)> {
    groups
        .iter()
        .flat_map(|group| group.entries.iter().map(move |entry| (entry, &group.cases)))
        .flat_map(|(entry, cases)| cases.iter().enumerate().map(move |(i, case)| (entry.as_str(), i, case)))
        .collect()
}

pub(crate) fn dataset_name(case: &Case, index: usize) -> String {
    match (&case.name, &case.input) {
        (Some(name), _) => format!("\"{name}\""),
        (None, Input::File(file) | Input::ScriptFile(file)) => file.clone(),
        (None, input) => format!("#{index} ({input})"),
    }
}

/// Arguments for an entry point, and what must come out if that is known.
#[derive(Clone, Debug)]
pub struct DataSet {
    pub entry: String,
    pub name: String,
    pub arguments: Vec<Value>,
    pub expected: Option<Vec<Value>>,
}

/// A case of a test block for one of its entry points, without its data, which may be large.
#[derive(Clone, Debug)]
pub struct DataCase {
    pub entry: String,
    /// As messages have it.
    pub name: String,
    /// As Futhark has it in files of measurements: also the type or the file of the input.
    pub measured_name: String,
    /// Those of the program and of the case.
    pub tags: Vec<String>,
    case: Case,
}

impl DataCase {
    /// Its data, given where the program is and the program itself, whose functions scripts call.
    pub fn load(&self, path: &Path, program: &dyn Program) -> Result<DataSet, String> {
        let (arguments, expected) = Data { path, program }.of(&self.entry, &self.case)?;
        Ok(DataSet { entry: self.entry.clone(), name: self.name.clone(), arguments, expected })
    }
}

/// The cases of the test blocks of a program that must succeed. The blocks may be in another file, where they stand in
/// no comment.
pub fn data_cases(path: &Path, blocks: Option<&Path>) -> Result<Vec<DataCase>, String> {
    let file = blocks.unwrap_or(path);
    let mut source = text(file).map_err(|error| format!("{}: {error}", file.display()))?;
    if blocks.is_some() {
        source = source.lines().map(|line| format!("-- {line}\n")).collect();
    }
    let spec = Spec::parse(&source).map_err(|error| format!("{}:{error}", file.display()))?;
    let Some(Spec { subject: Subject::Accepted { groups, .. }, tags, .. }) = spec else { return Ok(Vec::new()) };
    let case = |(entry, index, case): (&str, usize, &Case)| DataCase {
        entry: entry.to_string(),
        name: dataset_name(case, index),
        measured_name: measured_name(case, index),
        tags: tags.iter().chain(&case.tags).cloned().collect(),
        case: case.clone(),
    };
    let succeeds = |(_, _, case): &(&str, usize, &Case)| !matches!(case.expected, Expected::Error(_));
    Ok(cases(&groups).into_iter().filter(succeeds).map(case).collect())
}

fn measured_name(case: &Case, index: usize) -> String {
    const MOST: usize = 50;
    match (&case.name, &case.input) {
        (Some(name), _) => name.clone(),
        (None, Input::File(file) | Input::ScriptFile(file)) => file.clone(),
        (None, Input::Random(parts)) => join(parts),
        (None, Input::Script(exp)) => exp.to_string(),
        (None, Input::Values(values)) => {
            let text = join(values);
            let cut = text.char_indices().nth(MOST).map(|(cut, _)| &text[..cut]);
            cut.map_or_else(|| format!("#{index} (\"{text}\")"), |cut| format!("#{index} (\"{cut}...\")"))
        }
    }
}

/// The data with which the test blocks of a program say that its speed is measured: what succeeds, and is not tagged
/// `nobench` unless all is. The blocks may be in another file.
pub fn data_sets(path: &Path, blocks: Option<&Path>, program: &dyn Program) -> Result<Vec<DataSet>, String> {
    let mut cases = data_cases(path, blocks)?;
    let is_measured = |case: &DataCase| !case.case.tags.iter().any(|tag| tag == "nobench");
    if cases.iter().any(is_measured) {
        cases.retain(is_measured);
    }
    cases.iter().map(|case| case.load(path, program)).collect()
}

/// What test blocks name, given where the program is and the program itself, whose functions scripts call.
pub(crate) struct Data<'a> {
    pub path: &'a Path,
    pub program: &'a dyn Program,
}

impl Data<'_> {
    /// The arguments of a case, and its results as far as the test block has them.
    pub(crate) fn of(&self, entry: &str, case: &Case) -> Result<(Vec<Value>, Option<Vec<Value>>), String> {
        let (point, wanted) = parameters(self.program, entry)?;
        let arguments = self.arguments(&case.input, &wanted, &point.parameters)?;
        check_arguments(point, &arguments, &wanted)?;
        let expected = match &case.expected {
            Expected::Output(Output::Values(values)) => Some(values.clone()),
            Expected::Output(Output::File(file)) => Some(self.read_file(file, &point.results)?),
            Expected::Output(Output::Auto) | Expected::Success | Expected::Error(_) => None,
        };
        Ok((arguments, expected))
    }

    fn arguments(&self, input: &Input, wanted: &[ParamType], types: &[EntryType]) -> Result<Vec<Value>, String> {
        let evaluate = |exp: &script::Exp| {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            script::evaluate(exp, self.program, folder, wanted).map_err(|error| format!("the script failed: {error}"))
        };
        match input {
            Input::Values(values) => Ok(values.clone()),
            Input::File(file) => self.read_file(file, types),
            Input::Random(parts) => {
                let mut generator = Generator::new(SEED);
                let part = |part: &Generated| match part {
                    Generated::Value(value) => Ok(value.clone()),
                    Generated::Random(ty) => generator
                        .value(ty)
                        .ok_or_else(|| format!("there is not enough memory for a value of type {ty}")),
                };
                parts.iter().map(part).collect()
            }
            Input::Script(exp) => evaluate(exp),
            Input::ScriptFile(file) => {
                let path = self.beside(file);
                let text = text(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                evaluate(&script::parse(&text).map_err(|error| format!("{}:{error}", path.display()))?)
            }
        }
    }

    /// A file that the program names.
    fn beside(&self, file: &str) -> PathBuf {
        self.path.parent().map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
    }

    /// The values in a file; a table or a picture is read as the first of the types.
    fn read_file(&self, file: &str, types: &[EntryType]) -> Result<Vec<Value>, String> {
        let path = self.beside(file);
        let mut reader = Reader::open(&path, None).map_err(|error| format!("{}: {error}", path.display()))?;
        reader.rest_as(types).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Whether a program has an entry point for these arguments; or what is wrong.
pub fn must_fit(program: &dyn Program, entry: &str, arguments: &[Value]) -> Result<(), String> {
    let (point, wanted) = parameters(program, entry)?;
    check_arguments(point, arguments, &wanted)
}

/// An entry point, and the arrays and scalars that it takes.
fn parameters<'a>(program: &'a dyn Program, entry: &str) -> Result<(&'a EntryPoint, Vec<ParamType>), String> {
    let Some(point) = program.entry_points().iter().find(|point| point.name == entry) else {
        return Err(format!("the program has no entry point `{entry}`"));
    };
    Ok((point, point.parameters.iter().flat_map(|ty| ty.parts.iter().copied()).collect()))
}

fn check_arguments(point: &EntryPoint, arguments: &[Value], wanted: &[ParamType]) -> Result<(), String> {
    if arguments.len() != wanted.len() {
        let (given, wanted, entry) = (arguments.len(), wanted.len(), &point.name);
        return Err(format!("the dataset has {given} values, the entry point `{entry}` takes {wanted}"));
    }
    for ((argument, wanted), i) in arguments.iter().zip(wanted).zip(1..) {
        if !wanted.accepts(argument) {
            let found = ParamType::of(argument);
            return Err(format!("value {i} of the dataset has type {found}, the entry point takes {wanted}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::TemporaryFolder;
    use std::fs;

    #[test]
    fn measurements_are_named_as_by_the_peer() {
        let long = (1..20).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
        let source = format!(
            "-- ==\n-- tags {{ slow }}\n-- entry: f g\n-- nobench input {{ 1 true }}\n-- \"a b\" input {{ 2 }}\n\
             -- random input {{ 3i64 [10]i32 }}\n-- input @ x.in\n-- input {{ 3i64 [{long}] }}\n-- input {{}} error: no\n"
        );
        let folder = TemporaryFolder::new().unwrap();
        let program = folder.path.join("p.fut");
        fs::write(&program, source).unwrap();
        let cases = data_cases(&program, None).unwrap();
        let names: Vec<_> = cases.iter().map(|case| (&*case.entry, &*case.measured_name)).collect();
        let of_f = [
            "#0 (\"1i32 true\")",
            "a b",
            "3i64 [10]i32",
            "x.in",
            "#4 (\"3i64 [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i...\")",
        ];
        assert_eq!(names, [of_f.map(|name| ("f", name)), of_f.map(|name| ("g", name))].concat());
        assert_eq!(cases[0].tags, ["slow", "nobench"]);
        let blocks = folder.path.join("blocks");
        fs::write(&blocks, "==\ninput { 7 }\n").unwrap();
        let cases = data_cases(&program, Some(&blocks)).unwrap();
        assert_eq!((cases.len(), &*cases[0].measured_name), (1, "#0 (\"7i32\")"));
        assert!(data_cases(&folder.path.join("none"), None).unwrap_err().contains("none"));
    }
}
