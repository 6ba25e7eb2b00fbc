//! Does a compiled program read damaged data as the compiler itself does? And is what the compiler reads the same
//! when it is written and read again?

use anyhow::{Context, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kenaz_base::{MemoryFileSystem, Prim};
use kenaz_driver::native::CCompiler;
use kenaz_driver::{Artefact, Compiler};
use kenaz_ir::{Ownership, Stage, Target};
use kenaz_mutate::data::{Damaged, check, damaged};
use kenaz_mutate::workers;
use kenaz_runtime::{Format, ParamType, Reader, Tolerance, Value, compare};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The most seconds that reading may take
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// The most memory that the compiled program may take, in KiB
    #[arg(long, default_value_t = 2 << 20)]
    memory: u64,
    /// Damage data in this format; may be repeated. All formats if it is not given, of which compiled programs read
    /// text and binary
    #[arg(long = "format", value_parser = format())]
    formats: Vec<Format>,
    /// Do not compare with a compiled program, which takes most of the time
    #[arg(long)]
    uncompiled: bool,
    /// Where the program goes, and the data about which they differ
    #[arg(long)]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    fs::create_dir_all(&args.out)?;
    let formats = if args.formats.is_empty() { &Format::ALL[..] } else { &args.formats[..] };
    let program = args.out.join("same");
    let is_compiled = |format| matches!(format, Format::Text | Format::Binary) && !args.uncompiled;
    if formats.iter().any(|format| is_compiled(*format)) {
        build(&program)?;
    }
    let bar = super::progress(args.count);
    // The numbers of those read, those refused and those about which they differ.
    let totals = Mutex::new([0_u64; 3]);
    workers::for_each(args.count, args.jobs, Duration::from_secs(args.limit), |index, announce| {
        let data = damaged(args.seed, index, formats);
        announce(format!("seed {} data {index}: {:?}", args.seed, String::from_utf8_lossy(&data.bytes)));
        let verdict = match check(&data) {
            Err(difference) => Err(difference),
            Ok(is_right) if is_compiled(data.format) => compare_compiled(&program, args.memory, &data, is_right),
            Ok(is_right) => Ok(is_right),
        };
        if let Err(difference) = &verdict {
            let name = args.out.join(format!("{}-{index}.in", args.seed));
            let written = fs::write(&name, &data.bytes).map_or_else(|e| e.to_string(), |()| name.display().to_string());
            bar.suspend(|| println!("{written}: as {} `{:?}`: {difference}", data.format, data.ty.parts));
        }
        let verdict = verdict.map_or(2, |is_right| usize::from(!is_right));
        totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[verdict] += 1;
        bar.inc(1);
    });
    bar.finish_and_clear();
    let [read, refused, differ] = totals.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    println!("{} damaged data files: {read} read, {refused} refused, {differ} differ", args.count);
    Ok(differ == 0)
}

/// Reads the name of a format.
fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .try_map(|name| Format::from_name(&name).ok_or("there is no such format"))
}

/// Whether both read the same; what the compiler makes of the data is known to be right or not.
fn compare_compiled(program: &Path, memory: u64, data: &Damaged, is_right: bool) -> Result<bool, String> {
    let ty = data.ty.parts[0];
    let ours = read(&data.bytes, ty);
    let theirs = read_compiled(program, memory, &data.bytes, ty);
    match (&ours, &theirs) {
        (Ok(ours), Ok(Some(theirs))) if compare(ours, theirs, &Tolerance::EXACT).is_ok() => Ok(true),
        (Err(_), Ok(None)) if !is_right => Ok(false),
        _ => Err(format!("{ours:?}, compiled {theirs:?}")),
    }
}

fn entry(ty: ParamType) -> String {
    format!("same_{}_{}", ty.prim.name(), ty.rank)
}

/// Compiles a program with an entry point for each type, which yields what it gets.
fn build(out: &Path) -> Result<()> {
    let mut text = String::new();
    for (prim, rank) in Prim::ALL.iter().flat_map(|prim| (0..4).map(move |rank| (*prim, rank))) {
        let ty = ParamType { rank, prim };
        writeln!(text, "entry {} (x: {}{}) = x", entry(ty), "[]".repeat(rank), prim.name())?;
    }
    let (path, target) = (Path::new("same.fut"), Target::from_name("c").context("there is no target `c`")?);
    let files = MemoryFileSystem::new().with("same.fut", text);
    let compilation = Compiler::new(&files, target).to(path, Stage::Memory(Ownership::Settled))?;
    compilation.build(Artefact::Executable, &CCompiler::from_env(target)?, out)?;
    Ok(())
}

fn read(bytes: &[u8], ty: ParamType) -> Result<Value, String> {
    let mut reader = Reader::new(bytes);
    let value = reader.next_of(ty).map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())?;
    Ok(value)
}

/// What the compiled program reads, or nothing if it refuses the data; an error if it ends in another way.
fn read_compiled(program: &Path, memory: u64, bytes: &[u8], ty: ParamType) -> Result<Option<Value>, String> {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v $0; exec \"$@\"", &memory.to_string()])
        .arg(program)
        .args(["-e", &entry(ty)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        // It need not read to the end.
        let _ = input.write_all(bytes);
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0) => {
            Reader::new(&output.stdout[..]).next_of(ty).map(Some).map_err(|error| format!("its output: {error}"))
        }
        Some(1 | 2) if !output.stderr.is_empty() => Ok(None),
        _ => Err(format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}
