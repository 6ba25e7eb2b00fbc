//! `kenaz literate`: Markdown from a program with directives.

use crate::backend::{Backend, ThreadArgs};
use crate::executor::{Choice, Compiler};
use crate::program::mistake;
use crate::{Outcome, output};
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_base::fs::load;
use kenaz_base::{Diagnostics, FileId, RealFileSystem, SourceMap, UnfinishedFile};
use kenaz_driver::native::cache::user_folder;
use kenaz_literate::{Block, Options, Page, differences, functions, parse, render};
use kenaz_runtime::Fingerprint;
use kenaz_syntax::ast::{Ast, DecKind};
use kenaz_syntax::parse_file;
use kenaz_testing::CompileError;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Make a Markdown page from a program that shows its results
///
/// Comments that begin in the first column become text, the rest of the program code. A directive is a comment after an
/// empty line whose result becomes part of the page:
///
///   -- > f 3                          the value of an expression
///   -- > :img picture 400 300         a picture: an array of colours, greys or booleans
///   -- > :plot2d (xs, ys)             curves, also of a record with one for each name
///   -- > :video (step, start, 60i64)  a GIF, also of an array of pictures
///   -- > :audio samples               a sound
///   -- > :text name                   the bytes of a value as they are
///   -- > :gnuplot {a = (xs, ys)}      whatever a script for gnuplot draws
///
/// `:brief` in front of one leaves out its parameters, `:covert` shows its result alone. Pictures are written to a
/// folder beside the page, `a-img` for `a.md`. Results are kept in the cache of the user, so that only those are
/// computed whose program, script or data files have changed. See docs/literate.md.
///
/// A program can read and write files this way, and run gnuplot: look at those of others before.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The page; by default that of `a.fut` is `a.md`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write nothing, but compare with what is there: fail and say what differs if the page is another one
    #[arg(long)]
    check: bool,

    /// What runs the program
    #[arg(long, value_parser = Backend::parser(), default_value = "c")]
    backend: Backend,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Compile with this command, which takes the arguments of `kenaz` or `futhark`, instead of this compiler
    #[arg(long, value_name = "COMMAND")]
    futhark: Option<PathBuf>,

    /// Do not compile: the program is there as a server, called as the file without its extension
    #[arg(long, conflicts_with = "futhark")]
    skip_compilation: bool,

    /// Write no page if a directive fails; otherwise the page says so at its place
    #[arg(long)]
    stop_on_error: bool,

    /// Start the program with this option; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass_option: Vec<String>,

    /// Compile the program with this option; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass_compiler_option: Vec<String>,

    /// Compute everything, whatever is in the cache
    #[arg(long)]
    no_cache: bool,

    /// How many seconds a call of the program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,

    /// Say on standard error which directives are run
    #[arg(short, long)]
    verbose: bool,
}

pub fn run(args: &Args) -> Outcome {
    page(args).unwrap_or_else(|outcome| outcome)
}

fn page(args: &Args) -> Result<Outcome, Outcome> {
    let target = Target::of(args)?;
    let mut sources = SourceMap::new();
    let (file, failure) = load(&mut sources, &args.file, None, &RealFileSystem);
    if let Some(failure) = failure {
        crate::program::print(&sources, &[failure]);
        return Err(Outcome::Mistake);
    }
    let text = &sources.file(file).text;
    let blocks = parse(text).map_err(|error| mistake(&format!("{}:{error}", args.file.display())))?;
    let entry_points = defined(file, text, &functions(&blocks));
    let choice = Choice {
        compiler: if args.skip_compilation { Compiler::None } else { Compiler::of(args.futhark.as_ref()) },
        threads: args.threads,
        limit: Duration::from_secs(args.timeout.into()),
        options: &args.pass_option,
        compiler_options: &args.pass_compiler_option,
        tuning: None,
        entry_points: &entry_points,
    };
    let executor = choice.executor(args.backend)?;
    let directives = blocks.iter().filter(|block| matches!(block, Block::Directive(_))).count() as u64;
    let bar =
        if io::stderr().is_terminal() && !args.verbose { ProgressBar::new(directives) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}  {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_message("compiling");
    bar.enable_steady_tick(Duration::from_millis(200));
    let compiled = executor.compile(&args.file).map_err(|error| {
        bar.finish_and_clear();
        let (text, outcome) = match error {
            CompileError::Rejected(text) => (text, Outcome::Mistake),
            CompileError::Failed(text) => (text, Outcome::Fault),
        };
        let _ = output::to_stderr(&format!("{}\n", text.trim_end()));
        outcome
    })?;
    let cache = user_folder().filter(|_| !args.no_cache).map(|folder| folder.join("literate"));
    let mut is_first = true;
    let mut watch = |directive: &kenaz_literate::Directive| {
        let line = directive.text.lines().next().unwrap_or_default();
        if args.verbose {
            let _ = output::to_stderr(&format!("{}:{}: {line}\n", args.file.display(), directive.line));
        }
        bar.inc(u64::from(!std::mem::take(&mut is_first)));
        bar.set_message(line.to_string());
    };
    let page = render(
        &blocks,
        &*compiled.program,
        &mut Options {
            file: &args.file,
            pictures: &target.link,
            cache: cache.as_deref(),
            key: key(args),
            stop_on_error: args.stop_on_error,
            watch: &mut watch,
        },
    );
    bar.finish_and_clear();
    for failure in &page.failures {
        let (file, line, directive) = (args.file.display(), failure.line, first_line(&failure.directive));
        let _ =
            output::to_stderr(&format!("error: {file}:{line}: `{directive}` failed: {}\n", failure.message.trim_end()));
    }
    let outcome = if page.failures.is_empty() { Outcome::Right } else { Outcome::Failure };
    if args.check {
        let found = differences(&page, &target.markdown, &target.pictures);
        if found.is_empty() {
            return Ok(outcome);
        }
        output::to_stdout(&found)?;
        let _ = output::to_stderr(&format!(
            "error: `{}` is not what `kenaz literate {}` makes\n",
            target.markdown.display(),
            args.file.display()
        ));
        return Ok(Outcome::Failure);
    }
    if args.stop_on_error && outcome != Outcome::Right {
        return Ok(outcome);
    }
    target.write(&page)?;
    Ok(outcome)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The names among these that the program defines where others can see them.
fn defined(file: FileId, text: &str, names: &BTreeSet<String>) -> Vec<String> {
    let mut ast = Ast::default();
    // What is wrong with the program is said when it is compiled.
    let parsed = parse_file(&mut ast, file, text, &mut Diagnostics::new());
    let mut found = Vec::new();
    for dec in &parsed.decs {
        if let DecKind::Val(bind) = &ast.decs[*dec].kind {
            let name = bind.name.name.to_string();
            if names.contains(&name) && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// What results depend on besides the program: the options, and the compiler with all its versions.
fn key(args: &Args) -> Fingerprint {
    let mut key = Fingerprint::new();
    key.add(env!("CARGO_PKG_VERSION").as_bytes());
    key.add(args.backend.name().as_bytes());
    for option in args.pass_option.iter().chain(&args.pass_compiler_option) {
        key.add(option.as_bytes());
    }
    key.add(&args.threads.num_threads.unwrap_or_default().to_le_bytes());
    let own = std::env::current_exe().ok();
    let made = args.file.with_extension("");
    let foreign = if args.skip_compilation { Some(made) } else { args.futhark.clone() };
    for path in own.into_iter().chain(foreign) {
        key.add(path.as_os_str().as_encoded_bytes());
        if let Ok(metadata) = path.metadata() {
            let time = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            key.add(&time.map_or(0, |time| time.as_nanos()).to_le_bytes());
            key.add(&metadata.len().to_le_bytes());
        }
    }
    key
}

/// Where a page goes.
struct Target {
    markdown: PathBuf,
    pictures: PathBuf,
    /// The folder of pictures as the page names it.
    link: String,
}

impl Target {
    fn of(args: &Args) -> Result<Target, Outcome> {
        let markdown = args.output.clone().unwrap_or_else(|| args.file.with_extension("md"));
        let is_program = markdown == args.file || output::same_file(&markdown, &args.file);
        let Some(stem) = markdown.file_stem().filter(|_| markdown.file_name().is_some() && !is_program) else {
            return Err(mistake(&format!("`{}` cannot be the page of `{}`", markdown.display(), args.file.display())));
        };
        let link = format!("{}-img", stem.to_string_lossy());
        let pictures = markdown.with_file_name(&link);
        // Links of Markdown end at a blank.
        let escaped = |c: char| match c {
            ' ' | '(' | ')' | '<' | '>' | '%' => format!("%{:02X}", c as u32),
            c => c.to_string(),
        };
        Ok(Target { markdown, pictures, link: link.chars().map(escaped).collect() })
    }

    /// Writes a page and its files. Those go that only the page before had.
    fn write(&self, page: &Page) -> Result<(), Outcome> {
        let cannot = |path: &Path| {
            let path = path.display().to_string();
            move |error: io::Error| mistake(&format!("`{path}` cannot be written: {error}"))
        };
        let before = fs::read_to_string(&self.markdown).unwrap_or_default();
        if !page.files.is_empty() {
            match fs::create_dir(&self.pictures) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(cannot(&self.pictures)(error));
                }
                _ => {}
            }
        }
        for (name, contents) in &page.files {
            let path = self.pictures.join(name);
            let unfinished = UnfinishedFile::beside(&path);
            fs::write(unfinished.path(), contents).and_then(|()| unfinished.finish(&path)).map_err(cannot(&path))?;
        }
        output::to_file(&self.markdown, &page.markdown)?;
        let link = format!("{}/", self.link);
        for rest in before.split(&link).skip(1) {
            let name: String = rest.chars().take_while(|c| !matches!(c, ')' | '"' | '/' | '\n')).collect();
            let is_there = page.files.iter().any(|(file, _)| *file == name);
            // Nothing is told if it cannot be removed: it does no harm.
            if !name.is_empty() && !name.contains("..") && !is_there {
                let _ = fs::remove_file(self.pictures.join(name));
            }
        }
        // A folder that others use is not empty.
        let _ = fs::remove_dir(&self.pictures);
        Ok(())
    }
}
