//! `kenaz dataset`: random data, and data from one format to the other.
//!
//! Options work in the order in which they stand: a format, seed or bound is for the data after it.

use crate::{Outcome, output};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use kenaz_base::Prim;
use kenaz_runtime::{BadType, Bounds, Generator, ParamType, Reader, Value, ValueType, write_binary, write_text};
use std::io::{self, BufWriter, ErrorKind, Read, Write};

/// Generate random data, or convert the data on standard input
pub struct Args {
    steps: Vec<Step>,
}

/// An option.
#[derive(Clone, Debug)]
enum Step {
    Format(Format),
    Seed(u64),
    Bounds(Prim, Bounds),
    Generate(Subject),
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Text,
    Binary,
    Type,
}

/// What to generate.
#[derive(Clone, Debug)]
enum Subject {
    Random(ValueType),
    Value(Value),
}

const FLAGS: [(&str, Format); 3] = [("text", Format::Text), ("binary", Format::Binary), ("type", Format::Type)];

const AFTER_HELP: &str = "\
Options work in the order in which they stand: a format, seed or bound is for the data after it.

Examples:
  kenaz dataset -g [4][2]i32                              a random matrix of integers
  kenaz dataset -g [10]f32 --i64-bounds=0:9 -g [100]i64   numbers, and indices of them
  kenaz dataset -b < data.txt > data.bin                  the same data in binary format
  kenaz dataset -t < data.bin                             the types of the values in a file";

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
        let mut command = command
            .about("Generate random data, or convert the data on standard input")
            .after_help(AFTER_HELP)
            .arg(
                option("generate", "TYPE", ValueParser::new(subject))
                    .short('g')
                    .help("Generate a random value of a type like `i32` or `[10]f32`, or this very value"),
            )
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
        for (id, format) in FLAGS {
            steps.extend(at::<String>(matches, id).map(|(place, _)| (place, Step::Format(format))));
        }
        steps.extend(at::<u64>(matches, "seed").map(|(place, seed)| (place, Step::Seed(*seed))));
        steps.extend(at(matches, "generate").map(|(place, subject)| (place, Step::Generate(Subject::clone(subject)))));
        for prim in Prim::ALL.into_iter().filter(|prim| prim.is_numeric()) {
            steps.extend(at(matches, bounds_id(prim)).map(|(place, bounds)| (place, Step::Bounds(prim, *bounds))));
        }
        steps.sort_by_key(|(place, _)| *place);
        Ok(Args { steps: steps.into_iter().map(|(_, step)| step).collect() })
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

pub fn run(args: &Args) -> Outcome {
    let mut out = BufWriter::new(io::stdout().lock());
    let result = write(args, io::stdin().lock(), &mut out);
    match result.and_then(|()| out.flush().map_err(Failure::Write)) {
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

#[derive(Debug)]
enum Failure {
    Input(kenaz_runtime::DataError),
    Write(io::Error),
    Memory(ValueType),
}

impl Failure {
    fn outcome(&self) -> Outcome {
        match self {
            Failure::Input(_) => Outcome::Mistake,
            // Data of which a part is missing is of no use, so that a reader who went away is a failure too.
            Failure::Write(_) | Failure::Memory(_) => Outcome::Failure,
        }
    }

    fn message(&self) -> Option<String> {
        match self {
            Failure::Input(error) => Some(format!("standard input: {error}")),
            Failure::Write(error) if error.kind() == ErrorKind::BrokenPipe => None,
            Failure::Write(error) => Some(output::unwritable(error)),
            Failure::Memory(ty) => Some(format!("there is not enough memory for a value of type `{ty}`")),
        }
    }
}

fn write(args: &Args, stdin: impl Read, out: &mut dyn Write) -> Result<(), Failure> {
    let mut format = Format::Text;
    let mut generator = Generator::new(1);
    let mut generated = false;
    for step in &args.steps {
        match step {
            Step::Format(next) => format = *next,
            Step::Seed(seed) => generator.reseed(*seed),
            Step::Bounds(prim, bounds) => generator.set_bounds(*prim, *bounds),
            Step::Generate(subject) => {
                generated = true;
                match (subject, format) {
                    (Subject::Random(ty), Format::Type) => writeln!(out, "{ty}").map_err(Failure::Write)?,
                    (Subject::Random(ty), _) => {
                        let value = generator.value(ty).ok_or_else(|| Failure::Memory(ty.clone()))?;
                        write_value(format, &value, out)?;
                    }
                    (Subject::Value(value), _) => write_value(format, value, out)?,
                }
            }
        }
    }
    if !generated {
        output::ask("values");
        let mut reader = Reader::new(stdin);
        while let Some(value) = reader.next_value().map_err(Failure::Input)? {
            write_value(format, &value, out)?;
        }
    }
    Ok(())
}

fn write_value(format: Format, value: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    match format {
        Format::Text => write_text(out, value).and_then(|()| writeln!(out)),
        Format::Binary => write_binary(out, value),
        Format::Type => writeln!(out, "{}", value.value_type()),
    }
    .map_err(Failure::Write)
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
        match write(&cli.args, stdin.as_bytes(), &mut out) {
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
