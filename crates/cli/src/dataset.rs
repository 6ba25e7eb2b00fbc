//! `kenaz dataset`: random data, and data from one format to the other.
//!
//! Options work in the order in which they stand: a format, seed or bound is for the data after it.

use crate::data::{Destination, Source, format, is_standard};
use crate::{Outcome, output};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use kenaz_base::Prim;
use kenaz_runtime::{
    BadType, Bounds, EntryType, Format, Generator, ParamType, Reader, Value, ValueType, WriteError, write as write_data,
};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Generate random data, or convert data from one format to the other
pub struct Args {
    steps: Vec<Step>,
    /// Files that are converted, instead of standard input.
    inputs: Vec<PathBuf>,
    input_format: Option<Format>,
    /// The types that the data has where its format does not say it.
    types: Vec<EntryType>,
    output: Option<PathBuf>,
}

/// An option.
#[derive(Clone, Debug)]
enum Step {
    Shape(Shape),
    Seed(u64),
    Bounds(Prim, Bounds),
    Generate(Subject),
}

/// What is written of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Data(Format),
    Type,
}

/// What to generate.
#[derive(Clone, Debug)]
enum Subject {
    Random(ValueType),
    Value(Value),
}

const FLAGS: [(&str, Shape); 3] =
    [("text", Shape::Data(Format::Text)), ("binary", Shape::Data(Format::Binary)), ("type", Shape::Type)];

const AFTER_HELP: &str = "\
Options work in the order in which they stand: a format, seed or bound is for the data after it.

Examples:
  kenaz dataset -g [4][2]i32                              a random matrix of integers
  kenaz dataset -g [10]f32 --i64-bounds=0:9 -g [100]i64   numbers, and indices of them
  kenaz dataset -b < data.txt > data.bin                  the same data in binary format
  kenaz dataset -t < data.bin                             the types of the values in a file
  kenaz dataset -i a.npy -o a.csv                         an array of NumPy as a table
  kenaz dataset -i a.csv --as '[]{id: i32, x: f64}'       a table of records; each field becomes an array";

impl clap::Args for Args {
    fn augment_args(command: Command) -> Command {
        let flag =
            |id: &'static str| Arg::new(id).long(id).action(ArgAction::Append).num_args(0).default_missing_value("");
        let option = |id: &'static str, value: &'static str, parser: ValueParser| {
            Arg::new(id)
                .long(id)
                .value_name(value)
                .action(ArgAction::Append)
                .value_parser(parser)
                .allow_hyphen_values(true)
        };
        let single = |id: &'static str, value: &'static str, parser: ValueParser| {
            Arg::new(id).long(id).value_name(value).value_parser(parser)
        };
        let mut command = command
            .about("Generate random data, or convert data from one format to the other")
            .after_help(AFTER_HELP)
            .arg(
                option("generate", "TYPE", ValueParser::new(subject))
                    .short('g')
                    .help("Generate a random value of a type like `i32` or `[10]f32`, or this very value"),
            )
            .arg(
                option("input", "FILE", ValueParser::path_buf())
                    .short('i')
                    .help("Convert the data in this file, or on standard input for `-`, as is usual"),
            )
            .arg(
                single("input-format", "FORMAT", ValueParser::new(format()))
                    .help("The format of the input; by default its first bytes tell, or else the name of the file"),
            )
            .arg(option("as", "TYPE", ValueParser::new(wanted)).help(
                "The type of the next value of the input, where its format leaves that open; a record has a column \
                     for each field, as in `[]{x: f32, y: f32}`",
            ))
            .arg(
                single("output", "FILE", ValueParser::path_buf())
                    .short('o')
                    .help("Write to this file instead of standard output; its name tells the format"),
            )
            .arg(option("format", "FORMAT", ValueParser::new(format())).help("Write data in this format"))
            .arg(flag("binary").short('b').help("Write data in binary format"))
            .arg(flag("text").help("Write data in text format, as is usual"))
            .arg(flag("type").short('t').help("Write the types of values instead of the values"))
            .arg(
                option("seed", "INT", ValueParser::new(seed))
                    .short('s')
                    .help("The seed of the random numbers, 1 if not given; the same seed gives the same data"),
            );
        for prim in Prim::ALL.into_iter().filter(|prim| prim.is_numeric()) {
            let parser = ValueParser::new(move |text: &str| bounds(prim, text));
            let help = format!("The least and the greatest value of type `{}` to generate", prim.name());
            command = command.arg(option(bounds_id(prim), "MIN:MAX", parser).help(help));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Args {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Args, clap::Error> {
        let mut steps: Vec<(usize, Step)> = Vec::new();
        for (id, shape) in FLAGS {
            steps.extend(at::<String>(matches, id).map(|(place, _)| (place, Step::Shape(shape))));
        }
        steps.extend(at(matches, "format").map(|(place, format)| (place, Step::Shape(Shape::Data(*format)))));
        steps.extend(at::<u64>(matches, "seed").map(|(place, seed)| (place, Step::Seed(*seed))));
        steps.extend(at(matches, "generate").map(|(place, subject)| (place, Step::Generate(Subject::clone(subject)))));
        for prim in Prim::ALL.into_iter().filter(|prim| prim.is_numeric()) {
            steps.extend(at(matches, bounds_id(prim)).map(|(place, bounds)| (place, Step::Bounds(prim, *bounds))));
        }
        steps.sort_by_key(|(place, _)| *place);
        Ok(Args {
            steps: steps.into_iter().map(|(_, step)| step).collect(),
            inputs: at(matches, "input").map(|(_, path)| PathBuf::clone(path)).collect(),
            input_format: matches.get_one("input-format").copied(),
            types: at(matches, "as").map(|(_, ty)| EntryType::clone(ty)).collect(),
            output: matches.get_one("output").cloned(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Args::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of an option, with their places on the command line.
fn at<'m, T: Clone + Send + Sync + 'static>(
    matches: &'m ArgMatches,
    id: &'static str,
) -> impl Iterator<Item = (usize, &'m T)> {
    let places = matches.indices_of(id).into_iter().flatten();
    places.zip(matches.get_many::<T>(id).into_iter().flatten())
}

fn bounds_id(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "i8-bounds",
        Prim::I16 => "i16-bounds",
        Prim::I32 => "i32-bounds",
        Prim::I64 => "i64-bounds",
        Prim::U8 => "u8-bounds",
        Prim::U16 => "u16-bounds",
        Prim::U32 => "u32-bounds",
        Prim::U64 => "u64-bounds",
        Prim::F16 => "f16-bounds",
        Prim::F32 => "f32-bounds",
        Prim::F64 => "f64-bounds",
        Prim::Bool => "bool-bounds",
    }
}

fn seed(text: &str) -> Result<u64, String> {
    let negative = || text.parse::<i64>().map(i64::cast_unsigned);
    text.parse().or_else(|_| negative()).map_err(|_| "expected an integer of 64 bits".to_string())
}

fn bounds(prim: Prim, text: &str) -> Result<Bounds, String> {
    let ty = ParamType { rank: 0, prim };
    let scalar = |text: &str| {
        let mut reader = Reader::new(text.as_bytes());
        let value = reader.next_of(ty).and_then(|value| reader.finish().map(|()| value));
        value.map_err(|error| error.problem.to_string())?.as_scalar().ok_or_else(|| "expected a number".to_string())
    };
    let (least, greatest) = text.split_once(':').ok_or("expected MIN:MAX, as in `0:9`")?;
    let bounds = Bounds::new(scalar(least)?, scalar(greatest)?);
    bounds.ok_or_else(|| "the bounds must be finite, and the first not greater than the second".to_string())
}

fn subject(text: &str) -> Result<Subject, String> {
    match text.parse::<ValueType>() {
        Ok(ty) => Ok(Subject::Random(ty)),
        Err(bad @ (BadType::NoSize(_) | BadType::TooLarge(_) | BadType::Negative(_))) => Err(bad.to_string()),
        Err(BadType::Syntax(_)) => {
            let mut reader = Reader::new(text.as_bytes());
            match reader.next_value().and_then(|value| reader.finish().map(|()| value)) {
                Ok(Some(value)) => Ok(Subject::Value(value)),
                _ => Err("expected a type like `i32` or `[10]f32`, or a value".to_string()),
            }
        }
    }
}

/// Reads the value of `--as`: `[][]f32`, or `[]{x: f32, pos.y: i32}` for a table.
fn wanted(text: &str) -> Result<EntryType, String> {
    if let Ok(ty) = text.parse::<ParamType>() {
        return Ok(EntryType::plain(ty));
    }
    let wrong = || format!("`{text}` is not a type such as `f64`, `[][]i32` or `[]{{x: f32, y: f32}}`");
    let fields = text.trim().strip_prefix("[]").and_then(|text| text.trim().strip_prefix('{')?.strip_suffix('}'));
    let (mut names, mut parts) = (Vec::new(), Vec::new());
    for field in fields.ok_or_else(wrong)?.split(',') {
        let (name, prim) = field.split_once(':').ok_or_else(wrong)?;
        let prim = Prim::from_name(prim.trim()).ok_or_else(wrong)?;
        names.push(name.trim().to_string());
        parts.push(ParamType { rank: 1, prim });
    }
    let ty = EntryType { name: text.trim().to_string(), parts, names, transparent: false };
    if ty.columns().is_some() { Ok(ty) } else { Err(wrong()) }
}

pub fn run(args: &Args) -> Outcome {
    let result = match &args.output {
        Some(path) => write_file(args, path),
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            let shape = Shape::Data(Format::Text);
            write(args, shape, io::stdin().lock(), &mut out).and_then(|()| out.flush().map_err(Failure::Write))
        }
    };
    match result {
        Ok(()) => Outcome::Right,
        Err(failure) => {
            if let Some(message) = failure.message() {
                // There is nobody left to tell if this fails.
                let _ = output::to_stderr(&format!("error: {message}\n"));
            }
            failure.outcome()
        }
    }
}

/// Writes the data to a file, which is not there before all of it is.
fn write_file(args: &Args, path: &Path) -> Result<(), Failure> {
    let mut file = Destination::open(path).map_err(Failure::Mistake)?;
    let format = Format::of_path(path).unwrap_or(Format::Text);
    write(args, Shape::Data(format), io::stdin().lock(), file.out())?;
    file.finish().map_err(Failure::Write)
}

#[derive(Debug)]
enum Failure {
    /// What the user has done wrong, such as wrong data.
    Mistake(String),
    Write(io::Error),
    Memory(ValueType),
}

impl Failure {
    fn outcome(&self) -> Outcome {
        match self {
            Failure::Mistake(_) => Outcome::Mistake,
            // Data of which a part is missing is of no use, so that a reader who went away is a failure too.
            Failure::Write(_) | Failure::Memory(_) => Outcome::Failure,
        }
    }

    fn message(&self) -> Option<String> {
        match self {
            Failure::Mistake(message) => Some(message.clone()),
            Failure::Write(error) if error.kind() == ErrorKind::BrokenPipe => None,
            Failure::Write(error) => Some(output::unwritable(error)),
            Failure::Memory(ty) => Some(format!("there is not enough memory for a value of type `{ty}`")),
        }
    }
}

/// Writes data, in this shape unless the options say otherwise.
fn write(args: &Args, shape: Shape, stdin: impl Read + 'static, out: &mut dyn Write) -> Result<(), Failure> {
    let mut writer = Writer { shape, out, single: None };
    let mut generator = Generator::new(1);
    let mut generated = false;
    for step in &args.steps {
        match step {
            Step::Shape(next) => writer.shape = *next,
            Step::Seed(seed) => generator.reseed(*seed),
            Step::Bounds(prim, bounds) => generator.set_bounds(*prim, *bounds),
            Step::Generate(subject) => {
                generated = true;
                match (subject, writer.shape) {
                    (Subject::Random(ty), Shape::Type) => writeln!(writer.out, "{ty}").map_err(Failure::Write)?,
                    (Subject::Random(ty), _) => {
                        let value = generator.value(ty).ok_or_else(|| Failure::Memory(ty.clone()))?;
                        writer.value(&value)?;
                    }
                    (Subject::Value(value), _) => writer.value(value)?,
                }
            }
        }
    }
    if generated {
        return match args.inputs.first() {
            None => Ok(()),
            Some(_) => Err(Failure::Mistake("`--input` and `--generate` do not go together".to_string())),
        };
    }
    let mut types = args.types.iter();
    let standard = [PathBuf::from("-")];
    let mut stdin = Some(stdin);
    for path in if args.inputs.is_empty() { &standard[..] } else { &args.inputs[..] } {
        let source = if is_standard(path) {
            let Some(stdin) = stdin.take() else { continue };
            output::ask("values");
            Source::stdin(Some("standard input"), stdin, args.input_format)
        } else {
            Source::open(path, args.input_format).map_err(Failure::Mistake)?
        };
        convert(source, &mut types, &mut writer)?;
    }
    match types.next() {
        Some(ty) => Err(Failure::Mistake(format!("there is no value for `--as '{}'`", ty.name))),
        None => Ok(()),
    }
}

/// Writes the values of a source. The first ones have these types.
fn convert<'t>(
    mut source: Source,
    types: &mut impl Iterator<Item = &'t EntryType>,
    writer: &mut Writer<'_>,
) -> Result<(), Failure> {
    loop {
        let read = source.reader.is_at_end().and_then(|is_at_end| {
            if is_at_end {
                return Ok(None);
            }
            match types.next() {
                Some(ty) => source.reader.next_entry(ty).map(|parts| Some((ty.clone(), parts))),
                None => Ok(source.reader.next_value()?.map(|value| (type_of(&value), vec![value]))),
            }
        });
        match read.map_err(|error| Failure::Mistake(source.about(&error.to_string())))? {
            Some((ty, parts)) => writer.parts(&ty, &parts)?,
            None => return Ok(()),
        }
    }
}

fn type_of(value: &Value) -> EntryType {
    EntryType::plain(ParamType::of(value))
}

struct Writer<'o> {
    shape: Shape,
    out: &'o mut dyn Write,
    /// The format of what has been written, if that can hold only one value.
    single: Option<Format>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) -> Result<(), Failure> {
        self.parts(&type_of(value), std::slice::from_ref(value))
    }

    fn parts(&mut self, ty: &EntryType, parts: &[Value]) -> Result<(), Failure> {
        let Shape::Data(format) = self.shape else {
            return parts
                .iter()
                .try_for_each(|part| writeln!(self.out, "{}", part.value_type()).map_err(Failure::Write));
        };
        if let Some(single) = self.single {
            return Err(Failure::Mistake(format!("{single} data is one value, and there are more")));
        }
        self.single = (!format.is_sequence()).then_some(format);
        write_data(self.out, format, ty, parts).map_err(|error| match error {
            WriteError::Io(error) => Failure::Write(error),
            WriteError::Unfit(problem) => Failure::Mistake(problem),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn run(options: &[&str], stdin: &str) -> String {
        use clap::Parser;
        let cli = match Cli::try_parse_from([&["dataset"], options].concat()) {
            Ok(cli) => cli,
            Err(error) => return error.to_string(),
        };
        let mut out = Vec::new();
        match write(&cli.args, Shape::Data(Format::Text), io::Cursor::new(stdin.as_bytes().to_vec()), &mut out) {
            Ok(()) => String::from_utf8_lossy(&out).into_owned(),
            Err(failure) => failure.message().unwrap_or_default(),
        }
    }

    #[test]
    fn conversions() {
        assert_eq!(run(&[], "[1, 2] -- x\n 3"), "[1i32, 2i32]\n3i32\n");
        assert_eq!(run(&["-t"], "[[1, 2]] \"ab\" 3f16"), "[1][2]i32\n[2]u8\nf16\n");
        assert_eq!(run(&["--binary"], "1"), "b\u{2}\0 i32\u{1}\0\0\0");
        assert_eq!(run(&["-b"], ""), "");
        assert_eq!(run(&[], "[1"), "standard input: line 1, column 3: the data ends in the middle of a value");
    }

    #[test]
    fn generation() {
        let twice = run(&["-g", "[3]i32", "-g", "[3]i32"], "");
        let lines: Vec<&str> = twice.lines().collect();
        assert!(lines.len() == 2 && lines[0] != lines[1], "{twice}");
        assert_eq!(twice, run(&["-g[3]i32", "--generate=[3]i32"], ""));
        assert_eq!(twice, run(&["-s1", "-g", "[3]i32", "-g", "[3]i32"], ""));
        assert_ne!(twice, run(&["--seed", "-2", "-g", "[3]i32", "-g", "[3]i32"], ""));
        assert_eq!(run(&["-g", "10i64", "-g", "-1.5", "-g", "[1,2]"], ""), "10i64\n-1.5f64\n[1i32, 2i32]\n");
        assert_eq!(
            run(&["-g", "[2][0]i32", "-t", "-g", "[1000000][1000000]u8"], ""),
            "empty([2][0]i32)\n[1000000][1000000]u8\n"
        );
    }

    #[test]
    fn options_are_for_what_follows() {
        let options =
            ["-g", "u8", "--u8-bounds=7:7", "-g", "u8", "--u8-bounds", "8:8", "-t", "-g", "u8", "--text", "-g", "u8"];
        let out = run(&options, "");
        let lines: Vec<&str> = out.lines().collect();
        assert_ne!(lines[0], "7u8");
        assert_eq!(lines[1..], ["7u8", "u8", "8u8"]);
        assert_eq!(run(&["--f32-bounds=-1:-1", "-g", "f32", "--i8-bounds=-3:-3", "-g", "i8"], ""), "-1.0f32\n-3i8\n");
    }

    #[test]
    fn mistakes() {
        for (options, expected) in [
            (&["-g", "foo"][..], "expected a type like `i32` or `[10]f32`, or a value"),
            (&["-g", "[]i32"], "the type `[]i32` lacks the size of a dimension"),
            (&["-g", "(i32,i32)"], "expected a type like"),
            (&["-g", "1 2"], "expected a type like"),
            (&["-g", "[1152921504606846976]i32"], "is too large for any machine"),
            (&["--i32-bounds=7"], "expected MIN:MAX, as in `0:9`"),
            (&["--i32-bounds=7:5"], "the first not greater than the second"),
            (&["--i32-bounds=1:x"], "expected a value, found `x`"),
            (&["--u8-bounds=0:256"], "`256` is out of the range of `u8`"),
            (&["--bool-bounds=0:1"], "unexpected argument '--bool-bounds'"),
            (&["-s", "x"], "expected an integer of 64 bits"),
            (&["file"], "unexpected argument 'file'"),
        ] {
            let out = run(options, "");
            assert!(out.contains(expected), "{options:?}: {out}");
        }
    }
}
