//! Writes random programs with inputs.

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use kenaz_generate::{generate, generate_modules};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Parser)]
#[command(about = "Writes random programs with inputs", args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    many: Option<Many>,
    /// How long programs are
    #[arg(long, value_enum, default_value = "medium", global = true)]
    size: Size,
}

#[derive(Subcommand)]
enum Command {
    /// Print the program of a seed
    Show { seed: u64 },
    /// Print the program about modules of a seed
    ShowModules { seed: u64 },
    /// Write programs about modules, with what they compute
    Modules {
        #[command(flatten)]
        many: Many,
        /// How many programs are in a file
        #[arg(long, default_value_t = 50)]
        per_file: u64,
    },
}

#[derive(Args)]
struct Many {
    /// The seed of the first program; the next ones have the next seeds
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many programs to write
    #[arg(long, default_value_t = 1)]
    count: u64,
    /// The folder for the programs, which are named after their seeds
    #[arg(long)]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Size {
    Small,
    Medium,
    Large,
}

impl From<Size> for kenaz_generate::Size {
    fn from(size: Size) -> kenaz_generate::Size {
        match size {
            Size::Small => kenaz_generate::Size::Small,
            Size::Medium => kenaz_generate::Size::Medium,
            Size::Large => kenaz_generate::Size::Large,
        }
    }
}

fn main() -> Result<()> {
    let options = Options::parse();
    let program = |seed| generate(seed, options.size.into()).with_tests();
    match &options.command {
        None => {}
        Some(Command::Show { seed }) => io::stdout().write_all(program(*seed).as_bytes())?,
        Some(Command::ShowModules { seed }) => {
            io::stdout().write_all(generate_modules(*seed).with_tests().as_bytes())?;
        }
        Some(Command::Modules { many: Many { seed, count, out }, per_file }) => {
            fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
            let end = seed.wrapping_add(*count);
            let mut next = *seed;
            while next < end {
                let seeds = next..end.min(next.wrapping_add((*per_file).max(1)));
                let path = out.join(format!("{next}.fut"));
                next = seeds.end;
                let texts: Vec<String> =
                    seeds.map(|seed| generate_modules(seed).in_module(&format!("p{seed}"))).collect();
                fs::write(&path, texts.concat()).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    if let Some(Many { seed, count, out }) = &options.many {
        fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
        for seed in (0..*count).map(|i| seed.wrapping_add(i)) {
            let path = out.join(format!("{seed}.fut"));
            fs::write(&path, program(seed)).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}
