//! What can be chosen: attributes at operators that the compiler obeys, each of which makes another program.

use crate::Edited;
use kenaz_base::Attr;
use kenaz_base::attr::Versions;
use kenaz_driver::strategies::Sites;
use kenaz_imp::{Exp, Prog, Region, Stm};
use kenaz_ir::{Level, Target};
use kenaz_testing::CompileError;
use kenaz_testing::executors::{CompiledByC, Translated};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// An attribute at an operator.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    pub site: usize,
    pub attribute: Attr,
    /// `a.fut:3:8-34`
    pub position: String,
    /// The operator, in one line.
    pub text: String,
    /// How often memory is touched with it, by the model.
    pub model: f64,
}

/// Some choices at different operators, as indices of [`Space::choices`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Candidate(pub BTreeSet<usize>);

/// All that can be chosen.
pub struct Space {
    path: PathBuf,
    sites: Sites,
    /// The least work first, by the model.
    pub choices: Vec<Choice>,
    pub refused: usize,
    pub same: usize,
}

impl Space {
    /// What can be chosen in the program in a file, whose C is this text if nothing is.
    pub fn new(path: &Path, executor: &CompiledByC, sites: Sites, untuned: &str) -> Space {
        let mut space = Space { path: path.to_path_buf(), sites, choices: Vec::new(), refused: 0, same: 0 };
        let mut known = BTreeSet::from([without_positions(untuned)]);
        for (site, operator) in space.sites.all().iter().enumerate() {
            for attribute in attributes(executor.tools.compiler.target) {
                let Some(text) = space.sites.annotated(&[(site, attribute)]) else { continue };
                let Ok(translated) = translated(executor, path, &text) else {
                    space.refused += 1;
                    continue;
                };
                if !known.insert(without_positions(&translated.file.text)) {
                    space.same += 1;
                    continue;
                }
                let (position, text) = (operator.position.clone(), operator.text.clone());
                let model = accesses(&translated.loops);
                space.choices.push(Choice { site, attribute, position, text, model });
            }
        }
        space.choices.sort_by(|a, b| a.model.total_cmp(&b.model));
        space
    }

    /// The program with the attributes of a candidate, if all of them can be written.
    pub fn annotated(&self, candidate: &Candidate) -> Option<String> {
        let choices: Vec<(usize, Attr)> =
            candidate.0.iter().map(|i| (self.choices[*i].site, self.choices[*i].attribute)).collect();
        self.sites.annotated(&choices)
    }

    /// The C of a candidate, if the compiler obeys all its attributes together.
    pub fn translate(&self, executor: &CompiledByC, candidate: &Candidate) -> Option<Result<Translated, CompileError>> {
        Some(translated(executor, &self.path, &self.annotated(candidate)?))
    }
}

fn translated(executor: &CompiledByC, path: &Path, text: &str) -> Result<Translated, CompileError> {
    executor.translate(&Edited { path, text }, path)
}

/// The attributes that may be worth trying on a target.
fn attributes(target: &Target) -> Vec<Attr> {
    let mut all = vec![Attr::Source, Attr::Materialize, Attr::Dest, Attr::Window, Attr::Sequential];
    if target.runs(Level::Core) {
        all.extend([Attr::SequentialInner, Attr::SequentialOuter, Attr::Core]);
    }
    if target.runs(Level::Grid) {
        let versions = [Versions::OnlyInner, Versions::OnlyOuter, Versions::NoIntra, Versions::OnlyIntra];
        all.extend(versions.map(Attr::IncrementalFlattening));
        all.extend([Attr::Grid, Attr::Block, Attr::Lane, Attr::SequentialInner]);
    } else {
        all.extend([4, 8, 16, 32].map(Attr::Simd));
        all.extend([(2, 16), (4, 16), (4, 32), (6, 16), (8, 16), (8, 32)].map(Attr::Tile));
        all.extend([16, 64, 256, 1024].map(Attr::Strip));
        all.extend([2, 4, 8, 16].map(Attr::Vector));
    }
    all
}

/// The C without positions in the program text, which attributes shift.
fn without_positions(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(".fut:") {
        let (before, after) = rest.split_at(at + ".fut:".len());
        out.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':' || c == '-');
    }
    out.push_str(rest);
    out
}

/// The model: how often memory is touched if every loop has so many iterations. It knows nothing of caches, vectors and
/// cores, and so only says what is tried first.
pub fn accesses(prog: &Prog) -> f64 {
    let regions = prog.regions.iter().map(|region| (region.name.as_str(), region)).collect();
    prog.funs.iter().map(|fun| accesses_of(&fun.body, &regions)).sum()
}

fn accesses_of(stms: &[Stm], regions: &BTreeMap<&str, &Region>) -> f64 {
    const ITERATIONS: f64 = 32.0;
    kenaz_base::with_stack(|| {
        let mut sum = 0.0;
        for stm in stms {
            stm.for_each_exp(|exp| {
                exp.walk(&mut |part| sum += f64::from(u8::from(matches!(part, Exp::Load { .. }))));
            });
            sum += f64::from(u8::from(matches!(stm, Stm::Store { .. })));
            let times = match stm {
                Stm::For { .. } | Stm::While { .. } | Stm::Parallel { .. } | Stm::Lanes { .. } => ITERATIONS,
                _ => 1.0,
            };
            stm.for_each_body(|body| sum += times * accesses_of(body, regions));
            if let Stm::Launch { region, .. } = stm
                && let Some(region) = regions.get(region.as_str())
            {
                sum += accesses_of(&region.body, regions);
            }
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_make_no_difference() {
        let (a, b) = ("f(\"a.fut:3:8-34\"); g(2)", "f(\"a.fut:13:8-14:2\"); g(2)");
        assert_eq!(without_positions(a), without_positions(b));
        assert_ne!(without_positions(a), without_positions("f(\"a.fut:3:8-34\"); g(3)"));
        assert_ne!(without_positions("a.fut:3"), without_positions("b.fut:3"));
    }
}
