//! The language server: what editors ask about programs, over the Language Server Protocol.
//!
//! [`serve`] talks with one editor. Messages are read by one thread and answered by another ([`worker`]), which has the
//! only state of the compiler ([`state`]): the texts that are open ([`documents`]) and what is known about programs
//! ([`analysis`]). A program is checked anew when a file that it consists of has changed, which takes some tens of
//! milliseconds for a thousand lines, and otherwise never.
//!
//! | module | what it answers |
//! |---|---|
//! | `diagnostics`, `actions` | what is wrong, and the changes that diagnostics propose |
//! | `hover`, `signature`, `hints`, `tokens` | types, sizes, documentation, classes of names |
//! | `navigate`, `rename` | definitions, uses, other names |
//! | `complete` | what could stand at a place |
//! | `outline`, `layout`, `lenses`, `commands` | symbols, folds, formatting, tests and benchmarks |
//!
//! A program with errors in its syntax is looked at as well: [`repair`] changes its text so that it can be parsed, and
//! remembers how. All places are translated where they leave [`analysis`].

mod actions;
mod analysis;
mod commands;
mod complete;
mod diagnostics;
mod documents;
mod hints;
mod hover;
mod layout;
mod lenses;
mod library;
mod navigate;
mod outline;
mod queue;
mod rename;
mod repair;
mod resolve;
mod server;
mod show;
mod signature;
mod state;
mod text;
mod tokens;
mod uri;
mod worker;
mod workspace;

pub use library::Pages;
pub use server::{Options, serve};
