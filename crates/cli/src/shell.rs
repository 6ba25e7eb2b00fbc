//! `kenaz completions` and `kenaz man`: the command line for shells and for `man`.

use crate::program::mistake;
use crate::{Outcome, output};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Print what a shell needs to complete commands and options
///
/// In ~/.bashrc: `source <(kenaz completions bash)`. For zsh, fish and others the documentation of the shell says where
/// the text belongs.
#[derive(clap::Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual page of a command, or write those of all commands
///
/// `kenaz man run | man -l -` shows one. `kenaz man -o ~/.local/share/man/man1` installs them all.
#[derive(clap::Args)]
pub struct ManArgs {
    /// The command, such as `run` or `pkg add`; without it, that of all of them
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write all pages to this folder: kenaz.1, kenaz-run.1 and so on
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    output: Option<PathBuf>,
}

/// What the shell needs to know of a command.
pub fn completions(args: &Completions, mut command: Command) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "kenaz", &mut text);
    output::bytes_to_stdout(&text).map_or_else(|failure| failure, |()| Outcome::Right)
}

/// Manual pages of the command and all those below it.
pub fn man(args: &ManArgs, mut command: Command) -> Outcome {
    // The names of subcommands are known from then on: `kenaz-run` for its page, `kenaz run` to call it.
    command.build();
    let mut pages = Vec::new();
    if let Err(error) = collect(&command, &mut pages) {
        return output::cannot_write(&error);
    }
    if let Some(folder) = &args.output {
        return match write(folder, &pages) {
            Ok(()) => Outcome::Right,
            Err(error) => mistake(&format!("`{}` cannot be written: {error}", folder.display())),
        };
    }
    let name: Vec<&str> = std::iter::once("kenaz").chain(args.command.iter().map(String::as_str)).collect();
    match pages.iter().find(|(page, _)| *page == name.join("-")) {
        Some((_, text)) => output::bytes_to_stdout(text).map_or_else(|failure| failure, |()| Outcome::Right),
        None => mistake(&format!("there is no command `{}`", name.join(" "))),
    }
}

fn write(folder: &Path, pages: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    pages.iter().try_for_each(|(name, text)| fs::write(folder.join(format!("{name}.1")), text))
}

/// The pages of a command and of its subcommands, under their names.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text)?;
    pages.push((command.get_display_name().unwrap_or(command.get_name()).to_string(), text));
    let subcommands = command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    subcommands.into_iter().try_for_each(|sub| collect(sub, pages))
}
