//! Packages from git repositories and folders that the tests make.
