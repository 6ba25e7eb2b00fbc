//! `kenaz lsp` as an editor uses it: the process, over pipes.

mod client;
mod conversation;
mod edits;
mod features;
