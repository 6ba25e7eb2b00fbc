//! The arguments of an entry point, from files and from standard input.

use crate::data::{NamedFile, Source, format, is_standard, named_file};
use crate::output;
use kenaz_driver::function;
use kenaz_ir::Prog;
use kenaz_runtime::{EntryPoint, EntryType, Format, Value};
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::path::Path;

#[derive(clap::Args, Default)]
pub struct InputArgs {
    /// Read arguments from this file, `-` for standard input; with a name, that of a parameter or, behind a point, of
    /// one of its fields. Files without a name have the arguments that others do not, in their order, and without
    /// such files standard input has them
    #[arg(short, long = "input", value_name = "[NAME=]FILE", value_parser = named_file())]
    inputs: Vec<NamedFile>,

    /// The format of the input. By default its first bytes tell, or else the name of the file
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    input_format: Option<Format>,
}

impl InputArgs {
    /// Whether the command line says where arguments are.
    pub fn is_given(&self) -> bool {
        !self.inputs.is_empty()
    }
}

/// A parameter, and what is known of its value.
struct Argument<'p> {
    number: usize,
    name: String,
    ty: &'p EntryType,
    /// A place for each part.
    parts: Vec<Option<Value>>,
}

/// Reads the values of an entry point's parameters. A terminal is not asked for none.
pub fn read(prog: &Prog, entry: &EntryPoint, from: &InputArgs) -> Result<Vec<Value>, String> {
    let described = prog.funs.iter().find(|fun| fun.name.as_str() == function(&entry.name));
    let described = described.and_then(|fun| fun.entry.as_ref()).map_or(&[][..], |described| &described.params);
    let mut arguments: Vec<Argument<'_>> = (1..)
        .zip(entry.parameters.iter().zip(described))
        .map(|(number, (ty, described))| Argument {
            number,
            name: described.name.to_string(),
            ty,
            parts: vec![None; ty.parts.len()],
        })
        .collect();
    let stdin = || Source::stdin(None, io::stdin().lock(), from.input_format);
    let open = |path: &Path| if is_standard(path) { Ok(stdin()) } else { Source::open(path, from.input_format) };
    for NamedFile { name, path } in &from.inputs {
        if let Some(name) = name {
            let mut source = open(path)?;
            named(&mut arguments, entry, name, &mut source)?;
        }
    }
    let files: Vec<&NamedFile> = from.inputs.iter().filter(|input| input.name.is_none()).collect();
    let is_open = |argument: &Argument<'_>| argument.parts.iter().all(Option::is_none);
    let mut sources = VecDeque::new();
    if files.is_empty() {
        let wanted: Vec<String> = arguments.iter().filter(|argument| is_open(argument)).map(Argument::shown).collect();
        let needs_none = wanted.is_empty() && (!from.inputs.is_empty() || io::stdin().is_terminal());
        if !needs_none {
            output::ask(&wanted.join(", "));
            sources.push_back(stdin());
        }
    }
    for file in files {
        sources.push_back(open(&file.path)?);
    }
    for argument in arguments.iter_mut().filter(|argument| is_open(argument)) {
        if !argument.ty.parts.is_empty() {
            next(argument, &mut sources)?;
        }
    }
    while let Some(mut source) = sources.pop_front() {
        source.reader.finish().map_err(|e| source.about(&format!("after the last argument: {e}")))?;
    }
    let mut values = Vec::new();
    for argument in arguments {
        for (part, index) in argument.parts.into_iter().zip(0..) {
            values.push(part.ok_or_else(|| {
                format!(
                    "there is no value for `{}.{}`; the other fields have some",
                    argument.name, argument.ty.names[index]
                )
            })?);
        }
    }
    Ok(values)
}

impl Argument<'_> {
    fn shown(&self) -> String {
        format!("{}: {}", self.name, self.ty.name)
    }

    /// How messages about its value begin.
    fn title(&self) -> String {
        format!("argument {} (`{}`: {})", self.number, self.name, self.ty.name)
    }
}

/// Reads an argument from the first of the sources that has something left.
fn next(argument: &mut Argument<'_>, sources: &mut VecDeque<Source>) -> Result<(), String> {
    let title = argument.title();
    loop {
        let is_last = sources.len() <= 1;
        let Some(source) = sources.front_mut() else { return Err(format!("{title}: there is no input for it")) };
        let values = match source.reader.is_at_end() {
            Ok(true) if !is_last => None,
            Ok(_) => Some(source.reader.next_entry(argument.ty)),
            Err(error) => Some(Err(error)),
        };
        if let Some(values) = values {
            let values = values.map_err(|error| source.about(&format!("{title}: {error}")))?;
            argument.parts = values.into_iter().map(Some).collect();
            return Ok(());
        }
        sources.pop_front();
    }
}

/// Reads an argument that is named, or a field of one.
fn named(arguments: &mut [Argument<'_>], entry: &EntryPoint, path: &str, source: &mut Source) -> Result<(), String> {
    let (name, field) = path.split_once('.').unwrap_or((path, ""));
    let names: Vec<String> = arguments.iter().map(|argument| format!("`{}`", argument.name)).collect();
    let Some(argument) = arguments.iter_mut().find(|argument| argument.name == name) else {
        let there = if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
        return Err(format!(
            "`{}` has no parameter `{name}`, {there}; write `./{path}=…` for a file of that name",
            entry.name
        ));
    };
    let (ty, range) = part_of(argument.ty, field).ok_or_else(|| {
        format!("`{name}` of type `{}` has no field `{field}`{}", argument.ty.name, fields(argument.ty))
    })?;
    if argument.parts[range.clone()].iter().any(Option::is_some) {
        return Err(format!("there are two files for `{path}`"));
    }
    let title = argument.title();
    let values = source.reader.next_entry(&ty).map_err(|e| source.about(&format!("{title}: {e}")))?;
    source.reader.finish().map_err(|e| source.about(&format!("after `{path}`: {e}")))?;
    argument.parts[range].iter_mut().zip(values).for_each(|(part, value)| *part = Some(value));
    Ok(())
}

/// The type of a field, and which parts it has; the whole if there is no name.
pub(super) fn part_of(ty: &EntryType, field: &str) -> Option<(EntryType, Range<usize>)> {
    if field.is_empty() {
        return Some((ty.clone(), 0..ty.parts.len()));
    }
    let range = ty.field(field)?;
    let parts = ty.parts[range.clone()].to_vec();
    let inner = |name: &String| name[field.len()..].trim_start_matches('.').to_string();
    let names: Vec<String> = ty.names[range.clone()].iter().map(inner).collect();
    let part = match (&parts[..], &names[..]) {
        ([part], [name]) if name.is_empty() => EntryType::plain(*part),
        _ => EntryType { name: format!("{}.{field}", ty.name), parts, names, transparent: false },
    };
    Some((part, range))
}

/// Which fields there are, for the end of a message.
pub(super) fn fields(ty: &EntryType) -> String {
    let mut names: Vec<&str> = ty.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    names.dedup();
    if names.is_empty() { String::new() } else { format!(", it has `{}`", names.join("`, `")) }
}
