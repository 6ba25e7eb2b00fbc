//! Which passes lead to a stage.

use crate::pipeline::{self, Pipeline};
use kenaz_ir::{Stage, Target};

/// Which passes run; by default those that a stage needs, and the optimiser in front of all but the array stage.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Optimise a program that stays in the array stage.
    pub optimise: bool,
    /// Run these passes instead of the usual ones.
    pub passes: Vec<String>,
    /// Stop after this pass; `NAME.2` is its second run.
    pub after: Option<String>,
}

/// A wish that no pipeline fulfils.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    #[error("there is no pass `{name}`{}", hint(name))]
    NoPass { name: String },
    #[error("`{text}` is not a number")]
    NotANumber { text: String },
    #[error("`{name}` does not run {number} times")]
    NotSoOften { name: String, number: usize },
}

impl Selection {
    /// The passes from the array stage to a stage.
    pub fn pipeline(&self, target: &'static Target, stage: Stage) -> Result<Pipeline, SelectionError> {
        let mut pipeline = if !self.passes.is_empty() {
            let found = self.passes.iter().map(|name| pipeline::pass(name).ok_or_else(|| no_pass(name)));
            Pipeline { target, passes: found.collect::<Result<_, _>>()? }
        } else if self.optimise || self.after.is_some() || stage > Stage::Array {
            Pipeline::to(target, stage)
        } else {
            Pipeline::new(target, &[])
        };
        if let Some(after) = &self.after {
            pipeline.passes.truncate(end(&pipeline, after)?);
        }
        Ok(pipeline)
    }
}

/// How many passes there are up to `NAME` or `NAME.NUMBER`.
fn end(pipeline: &Pipeline, after: &str) -> Result<usize, SelectionError> {
    let (name, number) = match after.split_once('.') {
        Some((name, text)) => (name, text.parse().map_err(|_| SelectionError::NotANumber { text: text.to_string() })?),
        None => (after, 1),
    };
    let mut places = (1..).zip(&pipeline.passes).filter(|(_, pass)| pass.name == name).map(|(place, _)| place);
    let place = usize::checked_sub(number, 1).and_then(|n| places.nth(n));
    place.ok_or_else(|| {
        if pipeline::pass(name).is_none() {
            no_pass(name)
        } else {
            SelectionError::NotSoOften { name: name.to_string(), number }
        }
    })
}

fn no_pass(name: &str) -> SelectionError {
    SelectionError::NoPass { name: name.to_string() }
}

fn hint(name: &str) -> String {
    let names = pipeline::all_passes().map(|pass| pass.name);
    match kenaz_base::similar(name, names.clone()).first() {
        Some(other) => format!("; did you mean `{other}`?"),
        None => format!("; there are: {}", names.collect::<Vec<&str>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelines;
    use kenaz_ir::{Ownership, target::C};

    fn names(selection: &Selection, stage: Stage) -> Result<Vec<&'static str>, String> {
        let pipeline = selection.pipeline(&C, stage).map_err(|error| error.to_string())?;
        Ok(pipeline.passes.iter().map(|pass| pass.name).collect())
    }

    #[test]
    fn a_stage_says_which_passes_it_needs() {
        let usual = Selection::default();
        assert_eq!(names(&usual, Stage::Array), Ok(Vec::new()));
        let optimised = Selection { optimise: true, ..Selection::default() };
        assert_eq!(names(&optimised, Stage::Array), Ok(pipelines::OPTIMISE.to_vec()));
        let placed = names(&usual, Stage::Memory(Ownership::Settled));
        let lists = [pipelines::OPTIMISE, pipelines::schedule(&C), pipelines::PLACE, pipelines::PLAN];
        assert_eq!(placed, Ok(lists.concat()));
    }

    #[test]
    fn passes_by_name() {
        let after = |after: &str| Selection { after: Some(after.to_string()), ..Selection::default() };
        assert_eq!(names(&after("simplify"), Stage::Array), Ok(vec!["inline", "simplify"]));
        assert_eq!(names(&after("slice.2"), Stage::Array).map(|passes| passes.len()), Ok(11));
        let wrong = |selection: &Selection| names(selection, Stage::Array).unwrap_err();
        assert_eq!(wrong(&after("slice.3")), "`slice` does not run 3 times");
        assert_eq!(wrong(&after("slice.0")), "`slice` does not run 0 times");
        assert_eq!(wrong(&after("slice.x")), "`x` is not a number");
        assert_eq!(wrong(&after("slise")), "there is no pass `slise`; did you mean `slice`?");
        let named = |passes: &[&str]| Selection {
            passes: passes.iter().map(ToString::to_string).collect(),
            ..Selection::default()
        };
        assert_eq!(names(&named(&["fuse", "inline"]), Stage::Parallel), Ok(vec!["fuse", "inline"]));
        assert!(wrong(&named(&["xyzzy"])).starts_with("there is no pass `xyzzy`; there are: blanks, "));
    }
}
