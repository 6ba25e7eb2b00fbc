//! The command as users run it, the programs of tests/run in every stage and back end, and the rules of the repository.
//!
//! Tests may run at the same time in one process: none changes the current directory or environment variables, which
//! are given to the commands that are started.

mod api;
mod bench;
mod by_heap;
mod cli;
mod commands;
mod compiled;
mod coverage;
mod data;
mod dataset;
mod depth;
mod derivatives;
mod device;
mod doc;
mod explain;
mod fmt;
mod generated;
mod guide;
mod hostile;
mod hygiene;
mod kernels;
mod layout;
mod library;
mod literate;
mod lsp;
mod multicore;
mod new;
mod optimised;
mod pkg;
mod placed;
mod shell;
mod strategies;
