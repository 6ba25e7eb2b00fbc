//! `kenaz lsp`: the language server for editors.

use crate::{Outcome, explain_error};
use kenaz_driver::native::cache;

/// Serve an editor that speaks the Language Server Protocol
///
/// The editor starts the server and talks with it over standard input and output; docs/editor.md says how to set up
/// editors. Exit codes: 0 if the editor has said goodbye, 1 if it has gone without.
#[derive(clap::Args)]
pub struct Args {
    /// Talk over standard input and output, as without it: some editors say so
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run(_: &Args) -> Outcome {
    let options = kenaz_lsp::Options { cache: cache::user_folder(), pages: explain_error::page };
    if kenaz_lsp::serve(options) { Outcome::Right } else { Outcome::Failure }
}
