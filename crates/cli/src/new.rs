//! `kenaz new`: a project to begin with.

use crate::program::mistake;
use crate::{Outcome, output};
use kenaz_package::{Manifest, PackagePath};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Make a project: a program or library with tests, a benchmark, documentation and checks for continuous integration
///
/// The folder must not be there, or be empty. Everything in it works at once: its README says which commands there are.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of the project, whose last part names the program; for a library, the package: where its repository
    /// will be, such as github.com/user/name
    #[arg(value_name = "NAME")]
    name: PathBuf,

    /// Make a library that others use as a package, instead of a program
    #[arg(long)]
    lib: bool,
}

const GITIGNORE: &str = "\
# What commands make
*.c
/{name}
/{name}.h
/{name}.json
/pages
# Packages of others, from elsewhere on this machine
futhark.local
";

pub fn run(args: &Args) -> Outcome {
    make(args).unwrap_or_else(|outcome| outcome)
}

fn make(args: &Args) -> Result<Outcome, Outcome> {
    let (folder, files) = project(args).map_err(|message| mistake(&message))?;
    let cannot = |error: io::Error| mistake(&format!("`{}` cannot be made: {error}", folder.display()));
    let was_there = fs::symlink_metadata(&folder).is_ok();
    if was_there {
        let mut entries = fs::read_dir(&folder).map_err(cannot)?;
        if entries.next().is_some() {
            let message = format!("`{}` is there already, and not empty; choose another name", folder.display());
            return Err(mistake(&message));
        }
    }
    if let Err(error) = write(&folder, &files) {
        // Nothing else was in it.
        let _ = fs::remove_dir_all(&folder);
        if was_there {
            let _ = fs::create_dir(&folder);
        }
        return Err(cannot(error));
    }
    let mut said = format!("{} has\n", folder.display());
    for (path, _) in &files {
        said.push_str(&format!("  {path}\n"));
    }
    said.push_str(&format!("\ncd {} && kenaz test .\n", folder.display()));
    output::to_stdout(&said)?;
    Ok(Outcome::Right)
}

fn write(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}

/// The folder of a project and the files in it; or what is wrong with its name.
fn project(args: &Args) -> Result<(PathBuf, Vec<(String, String)>), String> {
    let text = args.name.to_str().ok_or("the name has characters that are no text")?;
    let name = args.name.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_letter) || name.len() > 60 {
        return Err(format!(
            "`{text}` is no name for a project: it begins with a letter, and consists of letters, digits, `_` and `-`"
        ));
    }
    let manifest = if args.lib {
        if !text.contains('/') {
            return Err(format!(
                "a library is named after where its repository will be, such as github.com/user/{name}"
            ));
        }
        let package = PackagePath::parse(text).map_err(|error| error.to_string())?;
        Manifest::of_package(&package)
    } else {
        Manifest::parse("require {\n}\n").map_err(|error| error.to_string())?
    };
    let folder = format!("lib/{text}");
    let fill =
        |template: &str| template.replace("{name}", name).replace("{package}", text).replace("{folder}", &folder);
    let steps = |commands: &[&str]| {
        commands.iter().map(|command| format!("      - run: {}\n", fill(command))).collect::<String>()
    };
    let mut files = Vec::new();
    let mut add = |path: &str, text: String| files.push((fill(path), text));
    add("README.md", fill(if args.lib { include_str!("new/library.md") } else { include_str!("new/program.md") }));
    add("futhark.pkg", manifest.text().to_string());
    let steps = if args.lib {
        add("{folder}/{name}.fut", fill(include_str!("new/library.fut")));
        add("{folder}/{name}_test.fut", fill(include_str!("new/library_test.fut")));
        steps(&[
            "kenaz pkg check",
            "kenaz check {folder}/{name}.fut",
            "kenaz fmt --check {folder}/{name}.fut {folder}/{name}_test.fut",
            "kenaz test .",
            "kenaz test --backend c .",
            "kenaz test --doc .",
        ])
    } else {
        add("{name}.fut", fill(include_str!("new/program.fut")));
        steps(&[
            "kenaz check {name}.fut",
            "kenaz fmt --check {name}.fut",
            "kenaz test .",
            "kenaz test --backend c .",
            "kenaz test --doc .",
        ])
    };
    add(".github/workflows/tests.yml", include_str!("new/ci.yml").replace("{steps}\n", &steps));
    add(".gitignore", fill(GITIGNORE));
    let last = if args.lib { PathBuf::from(name) } else { args.name.clone() };
    Ok((last, files))
}
