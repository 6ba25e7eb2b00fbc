//! `kenaz pkg`: packages that a program uses.

use crate::program::mistake;
use crate::{Outcome, output};
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_driver::native::cache::user_folder;
use kenaz_package::project::{Change, name_of_folder};
use kenaz_package::{Error, PackagePath, Progress, Project, Registry, SyncOptions, Version};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Get and update the packages that a program uses, or make one
///
/// The file futhark.pkg says which packages are required. `add`, `remove` and `upgrade` change it; `sync` puts the
/// packages, and what they require, into the folder lib, where `import "lib/github.com/user/name/file"` finds them.
/// What was installed is written to futhark.lock. Packages are git repositories, which are kept in the cache of the
/// user. See docs/packages.md.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Add(Add),
    Check(Check),
    Init(Init),
    Remove(Remove),
    Replace(Replace),
    Sync(Sync),
    Upgrade(Upgrade),
    Versions(Versions),
}

/// Require a package, or another version of it
#[derive(clap::Args)]
struct Add {
    /// The package, such as github.com/diku-dk/sorts; may be left out for a folder
    #[arg(value_name = "PACKAGE", required_unless_present = "path")]
    package: Option<String>,

    /// The least version that will do, such as 1.2.3; the newest if not given
    #[arg(value_name = "VERSION")]
    version: Option<String>,

    /// Take the package from here: a folder, a git repository or an address. This is written to futhark.local, which is
    /// not for version control
    #[arg(long, value_name = "FROM")]
    path: Option<String>,

    /// The package may have another name for itself, since it is a copy or has moved
    #[arg(long)]
    renamed: bool,

    #[command(flatten)]
    network: Network,
}

/// See whether all that is required exists and is what is in lib
///
/// Every repository is asked, so that tags that were moved are found.
#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    network: Network,
}

/// Begin a package: a futhark.pkg, and a folder for its files
#[derive(clap::Args)]
struct Init {
    /// What it is called: where its repository will be, such as github.com/user/name
    #[arg(value_name = "PACKAGE")]
    package: String,
}

/// Require a package no more
#[derive(clap::Args)]
struct Remove {
    #[arg(value_name = "PACKAGE")]
    package: String,
}

/// Say where a package comes from, for whoever requires it
///
/// This is written to futhark.local, which is not for version control.
#[derive(clap::Args)]
struct Replace {
    #[arg(value_name = "PACKAGE")]
    package: String,

    /// A folder, a git repository or an address; from where its name says if not given
    #[arg(value_name = "FROM")]
    from: Option<String>,
}

/// Put the packages that are required into lib
///
/// Nothing changes unless everything could be fetched. Files in lib that are of no package stay.
#[derive(clap::Args)]
struct Sync {
    /// Replace folders of packages even if somebody has changed something in them
    #[arg(long)]
    force: bool,

    /// Fail if futhark.lock is not up to date, for continuous integration
    #[arg(long)]
    locked: bool,

    #[command(flatten)]
    network: Network,
}

/// Require the newest version of every package
///
/// Major versions stay: another one is another package, and not compatible.
#[derive(clap::Args)]
struct Upgrade {
    /// Only of these
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,

    #[command(flatten)]
    network: Network,
}

/// List the versions of a package
#[derive(clap::Args)]
struct Versions {
    #[arg(value_name = "PACKAGE")]
    package: String,

    #[command(flatten)]
    network: Network,
}

#[derive(clap::Args)]
struct Network {
    /// Fetch nothing, and use what is in the cache
    #[arg(long)]
    offline: bool,
}

pub fn run(args: &Args) -> Outcome {
    match answer(&args.command) {
        Ok(text) => output::to_stdout(&text).map_or_else(|failure| failure, |()| Outcome::Right),
        Err(error) => {
            let outcome = mistake(&error.to_string());
            if error.is_failure() { Outcome::Failure } else { outcome }
        }
    }
}

/// Does what is asked for, and says what was done.
fn answer(command: &Command) -> Result<String, Error> {
    let here = Path::new("");
    let progress = Spinner::default();
    let registry = |project: &Project, network: &Network| {
        let registry = Registry::new(user_folder().map(|folder| folder.join("packages")), &progress)?;
        let mut registry = registry.offline(network.offline);
        registry.use_local(project.local.clone(), here);
        Ok::<_, Error>(registry)
    };
    match command {
        Command::Init(args) => {
            let sources = Project::init(here, &PackagePath::parse(&args.package)?)?;
            Ok(format!("Wrote futhark.pkg; the files of the package go to {}\n", sources.display()))
        }
        Command::Add(args) => add(args, &registry),
        Command::Remove(args) => {
            let mut project = Project::open(here)?;
            let change = project.remove(&PackagePath::parse(&args.package)?)?;
            Ok(format!("{}{SYNC}", line(&change)))
        }
        Command::Replace(args) => {
            let mut project = Project::open(here)?;
            let path = PackagePath::parse(&args.package)?;
            project.replace(&path, args.from.as_deref())?;
            let from = args.from.clone().unwrap_or_else(|| path.url());
            Ok(format!("{path} comes from {from}\n{SYNC}"))
        }
        Command::Sync(args) => {
            let mut project = Project::open(here)?;
            let registry = registry(&project, &args.network)?;
            let options = SyncOptions { force: args.force, locked: args.locked };
            let synced = project.sync(&registry, options)?;
            for (path, own) in &synced.renamed {
                // There is nobody left to tell if this fails.
                let _ = output::to_stderr(&format!("note: `{path}` calls itself `{own}`; it is in lib/{path}\n"));
            }
            let mut text: String = synced.changes.iter().map(line).collect();
            let verb = if synced.packages.len() == 1 { ("is", "was") } else { ("are", "were") };
            let state = if synced.is_new { [verb.0, "in lib now"] } else { [verb.1, "in lib already"] };
            let _ = writeln!(text, "{} {}", count(synced.packages.len()), state.join(" "));
            Ok(text)
        }
        Command::Upgrade(args) => {
            let mut project = Project::open(here)?;
            let paths = args.packages.iter().map(|path| PackagePath::parse(path)).collect::<Result<Vec<_>, _>>()?;
            let changes = project.upgrade(&registry(&project, &args.network)?, &paths)?;
            if changes.is_empty() {
                return Ok("Everything is the newest already\n".to_string());
            }
            Ok(changes.iter().map(line).chain([SYNC.to_string()]).collect())
        }
        Command::Check(args) => {
            let project = Project::open(here)?;
            let versions = project.check(&registry(&project, &args.network)?.fresh())?;
            Ok(list(&versions))
        }
        Command::Versions(args) => {
            let project = Project::open(here)?;
            let versions = registry(&project, &args.network)?.versions(&PackagePath::parse(&args.package)?)?;
            Ok(versions.iter().map(|version| format!("{version}\n")).collect())
        }
    }
}

const SYNC: &str = "`kenaz pkg sync` puts this into lib\n";

fn add<'a>(args: &Add, registry: &impl Fn(&Project, &Network) -> Result<Registry<'a>, Error>) -> Result<String, Error> {
    let here = Path::new("");
    let mut project = Project::open(here)?;
    // Of a folder only the version may be given.
    let (package, version) = match (&args.package, &args.version) {
        (Some(version), None) if args.path.is_some() && Version::parse(version).is_ok() => (None, Some(version)),
        (package, version) => (package.as_ref(), version.as_ref()),
    };
    let path = match (package, &args.path) {
        (Some(package), _) => PackagePath::parse(package)?,
        (None, from) => name_of_folder(&PathBuf::from(from.as_deref().unwrap_or(".")))?,
    };
    let version = version.map(|version| Version::parse(version)).transpose()?;
    let Some(from) = &args.path else {
        let registry = registry(&project, &args.network)?;
        let change = project.add(&registry, &path, version, args.renamed)?;
        return Ok(format!("{}{SYNC}", line(&change)));
    };
    // It is written when it was found to be one.
    let mut registry = registry(&project, &args.network)?;
    let mut local = project.local.clone();
    local.set(&path, Some(from)).map_err(|error| Error::Text { file: "futhark.local", error })?;
    registry.use_local(local, here);
    let change = project.add(&registry, &path, version, args.renamed)?;
    project.replace(&path, Some(from))?;
    Ok(format!("{}{SYNC}", line(&change)))
}

/// What has happened to a package.
fn line(Change { path, old, new }: &Change) -> String {
    match (old, new) {
        (None, Some(new)) => format!("+ {path} {new}\n"),
        (Some(old), None) => format!("- {path} {old}\n"),
        (Some(old), Some(new)) if old == new => format!("= {path} {new}\n"),
        (Some(old), Some(new)) => format!("~ {path} {old} => {new}\n"),
        (None, None) => String::new(),
    }
}

fn list(versions: &BTreeMap<PackagePath, Version>) -> String {
    versions.iter().map(|(path, version)| format!("{path} {version}\n")).collect()
}

fn count(packages: usize) -> String {
    if packages == 1 { "1 package".to_string() } else { format!("{packages} packages") }
}

/// Shows at a terminal that something is fetched.
#[derive(Default)]
struct Spinner {
    bar: std::cell::RefCell<Option<ProgressBar>>,
}

impl Progress for Spinner {
    fn fetching(&self, url: &str) {
        let style =
            ProgressStyle::with_template("{spinner} fetching {msg}").unwrap_or(ProgressStyle::default_spinner());
        let bar = ProgressBar::new_spinner().with_style(style).with_message(url.to_string());
        bar.enable_steady_tick(Duration::from_millis(100));
        *self.bar.borrow_mut() = Some(bar);
    }

    fn fetched(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }
}
