//! The places of a program where attributes can be put, for those who try which ones are best.

use super::attributes::{Compiled, Place};
use super::edit::{Edits, Files, is_decided};
use crate::{CompileError, Compiler};
use kenaz_base::SourceMap;
use kenaz_ir::Attr;
use std::path::{Path, PathBuf};

/// The operators of one file about which its author has decided nothing.
pub struct Sites {
    path: PathBuf,
    sources: SourceMap,
    sites: Vec<Site>,
}

/// An operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// `a.fut:3:8-34`
    pub position: String,
    /// The expression, in one line.
    pub text: String,
    place: Place,
}

impl Sites {
    /// Those of the program in a file; operators of other files that it imports are not among them.
    pub fn of(compiler: &Compiler, path: &Path) -> Result<Sites, CompileError> {
        let compiled = Compiled::new(compiler, path)?;
        let files = Files::new(&compiled.sources);
        let text = files.text(path).unwrap_or_default();
        let is_free = |place: &Place| place.path == path && !is_decided(text, (place.lo, place.hi()));
        let site = |place: Place| Site {
            position: compiled.position(&place),
            text: in_one_line(text.get(place.lo as usize..place.hi() as usize).unwrap_or_default()),
            place,
        };
        let sites = compiled.operators().into_iter().filter(is_free).map(site).collect();
        Ok(Sites { path: path.to_path_buf(), sources: compiled.sources, sites })
    }

    pub fn all(&self) -> &[Site] {
        &self.sites
    }

    /// The text of the file with attributes at sites, if they can be written there.
    pub fn annotated(&self, choices: &[(usize, Attr)]) -> Option<String> {
        let files = Files::new(&self.sources);
        let mut edits = Edits::default();
        for (site, attribute) in choices {
            edits.add(&files, &self.sites.get(*site)?.place, *attribute);
        }
        (edits.len() == choices.len()).then(|| edits.apply(&self.path, files.text(&self.path).unwrap_or_default()))
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
