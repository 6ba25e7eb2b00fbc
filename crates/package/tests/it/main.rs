//! Packages from git repositories and folders that the tests make.

mod cache;
mod hostile;
mod lib_folder;
mod sync;
mod world;
