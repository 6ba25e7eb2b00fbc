//! Packages: what a program uses of other people's code, where that is fetched from, and how it comes into `lib/`.
//!
//! A package is a repository with a file `futhark.pkg` (`manifest`) and its sources in `lib/PACKAGE-PATH`. A program
//! says the least version that it needs of each package; `select` finds the versions to use, `registry` brings their
//! files from git repositories (`git`), folders or the cache, `contents` refuses what has no place in a package, and
//! `install` puts it into `lib/` at once or not at all. `project` has the commands, made of these. Nothing here prints.
//!
//! What comes from elsewhere is not trusted: paths are made of known characters and never leave their folder, links and
//! submodules are refused, and everything has a limit. No text is ever given to a shell.

pub mod contents;
pub mod error;
pub mod git;
pub mod install;
pub mod local;
pub mod lock;
pub mod manifest;
pub mod path;
pub mod project;
pub mod registry;
pub mod select;
pub mod text;
pub mod version;

pub use error::Error;
pub use git::Progress;
pub use local::Local;
pub use manifest::{Manifest, Require};
pub use path::PackagePath;
pub use project::{Project, SyncOptions};
pub use registry::Registry;
pub use version::Version;
