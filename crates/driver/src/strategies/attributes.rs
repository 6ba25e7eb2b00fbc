//! How the operators of a program run, and the attributes that say so.
//!
//! Attributes are only shown where the compiler does with them what it does without: the program with all of them is
//! compiled as well, and if that makes a difference, with half of them, and so on. So they can be pasted into the
//! program, and say what is to be done when the compiler would choose otherwise one day.
//!
//! | attribute | |
//! |---|---|
//! | `#[sequential]` | the loop and all in it run in sequence |
//! | `#[sequential_outer]` | the loop runs in sequence, and something in it on the cores |
//! | `#[sequential_inner]` | the loop runs on the cores, and all in it in sequence |
//!
//! A loop that several expressions became is where the last of them was, and its attribute is at that place. It is also
//! at the places of those that make something which others need, since they are only joined if their attributes are
//! alike.

use super::edit::{Edits, Files, Source};
use super::{Choice, Loop, loops};
use crate::{CompileError, Compiler};
use kenaz_base::{SourceMap, Span};
use kenaz_ir::{Attr, Join, Level, LocId, Prog, Stage, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How often a program is compiled to see which attributes make no difference.
const MOST_TRIALS: usize = 24;

/// How the operators of a program run.
pub struct Strategies {
    compiled: Compiled,
    /// The attribute that says what was chosen for all loops that come from a place.
    wishes: BTreeMap<Place, Attr>,
    edits: Edits,
}

/// What is said about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// `a.fut:3:8-34`
    pub place: String,
    /// `#[sequential]`, or empty.
    pub attribute: String,
    pub text: String,
}

/// A part of a file; places are sorted as they are in the files, what contains others first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub path: PathBuf,
    pub lo: u32,
    /// How far it is from the end of any file.
    pub from_end: u32,
}

impl Place {
    fn new(path: &Path, span: Span) -> Place {
        Place { path: path.to_path_buf(), lo: span.lo, from_end: u32::MAX - span.hi }
    }

    pub(super) fn hi(&self) -> u32 {
        u32::MAX - self.from_end
    }
}

/// A program in the parallel stage.
pub(super) struct Compiled {
    pub(super) sources: SourceMap,
    prog: Prog,
    target: &'static Target,
    loops: Vec<Loop>,
    /// Where each loop is in the program text, if it is.
    places: Vec<Option<Place>>,
    /// The attribute that says how each loop runs.
    attributes: Vec<Option<Attr>>,
    joins: Vec<Join>,
}

impl Strategies {
    /// The strategies of the program in a file, with attributes in all its files or only in this one.
    pub fn of(compiler: &Compiler, path: &Path, only_this_file: bool) -> Result<Strategies, CompileError> {
        let compiled = Compiled::new(compiler, path)?;
        let wishes = compiled.wishes();
        let files = Files::new(&compiled.sources);
        let mut all = Edits::default();
        for (place, attribute) in wishes.iter().filter(|(place, _)| !only_this_file || place.path == path) {
            all.add(&files, place, *attribute);
        }
        let expected = compiled.summary(&Edits::default());
        let makes_no_difference = |edits: &Edits| {
            let edited = Source { files: &files, edits, rest: compiler.fs };
            let again = Compiled::new(&Compiler { fs: &edited, ..compiler.clone() }, path)?;
            Ok::<_, CompileError>(again.summary(edits) == expected)
        };
        let mut edits = all.only(&[]);
        let mut parts = vec![compiled.groups()];
        for _ in 0..MOST_TRIALS {
            let Some(mut part) = parts.pop() else { break };
            let more = edits.and(all.only(&part.concat()));
            if more.len() == edits.len() {
                continue;
            }
            if makes_no_difference(&more)? {
                edits = more;
            } else if part.len() > 1 {
                let rest = part.split_off(part.len() / 2);
                parts.extend([rest, part]);
            }
        }
        Ok(Strategies { compiled, wishes, edits })
    }

    /// The text of a file with the attributes in it.
    pub fn annotated(&self, path: &Path) -> Option<String> {
        let files = Files::new(&self.compiled.sources);
        Some(self.edits.apply(path, files.text(path)?))
    }

    /// What is said about each place, in the order of the files.
    pub fn rows(&self) -> Vec<Row> {
        // What is said about each place, and from where that was called.
        let mut said: BTreeMap<Place, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        let compiled = &self.compiled;
        for i in compiled.heads() {
            let Some(place) = &compiled.places[i] else { continue };
            let mut text = compiled.describe(i);
            if compiled.attributes[i].is_some() && self.attribute(place).is_none() {
                text.push_str("; no attribute at this place says so");
            }
            let texts = said.entry(place.clone()).or_default().entry(text).or_default();
            texts.extend(compiled.prog.locs.chain(compiled.loops[i].loc).get(1).map(|caller| caller.to_string()));
        }
        for (place, wholes) in compiled.parts() {
            said.entry(place).or_insert_with(|| {
                let wholes: Vec<String> = wholes.iter().map(|whole| compiled.position(whole)).collect();
                let loops = if wholes.len() == 1 { "loop" } else { "loops" };
                let text = format!("is part of the {loops} at {}", wholes.join(" and "));
                BTreeMap::from([(text, BTreeSet::new())])
            });
        }
        let mut rows = Vec::new();
        for (place, texts) in &said {
            let attribute = self.attribute(place).unwrap_or_default();
            let differ = texts.values().collect::<BTreeSet<_>>().len() > 1;
            for (text, callers) in texts {
                let from = match callers.first() {
                    Some(caller) if differ && callers.len() == 1 => format!(", called from {caller}"),
                    Some(caller) if differ => format!(", called from {caller} and {} more", callers.len() - 1),
                    _ => String::new(),
                };
                let (place, attribute) = (compiled.position(place), attribute.clone());
                rows.push(Row { place, attribute, text: format!("{text}{from}") });
            }
        }
        rows
    }

    /// The attribute at a place: one that is there or could be.
    fn attribute(&self, place: &Place) -> Option<String> {
        let attribute = self.wishes.get(place).filter(|attribute| self.edits.says(place, **attribute))?;
        Some(format!("#[{attribute}]"))
    }
}

impl Compiled {
    pub(super) fn new(compiler: &Compiler, path: &Path) -> Result<Compiled, CompileError> {
        let compilation = compiler.to(path, Stage::Parallel)?;
        let loops = loops(&compilation.prog, &compilation.report.log);
        let joins = compilation.report.log.joins().to_vec();
        let (sources, prog, target) = (compilation.sources, compilation.prog, compiler.target);
        let (places, attributes) = (Vec::new(), Vec::new());
        let mut compiled = Compiled { sources, prog, target, loops, places, attributes, joins };
        compiled.places = compiled.loops.iter().map(|l| compiled.place(l.loc)).collect();
        for i in 0..compiled.loops.len() {
            let attribute = if compiled.is_covered(i) { None } else { compiled.attribute(i) };
            compiled.attributes.push(attribute);
        }
        Ok(compiled)
    }

    /// The place that the user wrote.
    fn place(&self, loc: LocId) -> Option<Place> {
        let span = self.prog.locs.span(loc)?;
        let file = self.sources.file(span.file);
        (!file.builtin).then(|| Place::new(&file.path, span))
    }

    pub(super) fn position(&self, place: &Place) -> String {
        let file = self.sources.ids().find(|id| self.sources.file(*id).path == place.path);
        file.map(|file| self.sources.position(Span::new(file, place.lo, place.hi()))).unwrap_or_default()
    }

    /// The places of all operators, of those too that became part of others.
    pub(super) fn operators(&self) -> BTreeSet<Place> {
        let joined = self.joins.iter().flat_map(|join| [join.first, join.second]);
        self.places.iter().flatten().cloned().chain(joined.filter_map(|loc| self.place(loc))).collect()
    }

    /// The loops that are in no other one of the same place.
    fn heads(&self) -> impl Iterator<Item = usize> {
        let is_head = |i: &usize| {
            let mut around = std::iter::successors(self.loops[*i].around, |j| self.loops[*j].around);
            !around.any(|j| self.places[j] == self.places[*i])
        };
        (0..self.loops.len()).filter(is_head)
    }

    /// Whether a loop runs in sequence because of where it is, or would with the attributes of the loops around it:
    /// then it does so whatever is said of it.
    fn is_covered(&self, i: usize) -> bool {
        let mut around = std::iter::successors(self.loops[i].around, |j| self.loops[*j].around);
        self.loops[i].choice == Choice::Closed
            || around.any(|j| matches!(self.attributes[j], Some(Attr::Sequential | Attr::SequentialInner)))
    }

    /// The attribute that says what was chosen for a loop, if that is not what is done everywhere.
    fn attribute(&self, i: usize) -> Option<Attr> {
        let one = &self.loops[i];
        if !self.target.runs(Level::Core) || one.choice != Choice::Own {
            return None;
        }
        let is_inside =
            |j: &usize| std::iter::successors(self.loops[*j].around, |k| self.loops[*k].around).any(|k| k == i);
        let mut inside = (i + 1..self.loops.len()).take_while(is_inside).peekable();
        let is_empty = inside.peek().is_none();
        let on_cores = inside.any(|j| self.loops[j].level == Some(Level::Core));
        match one.level {
            Some(Level::Core) => (!is_empty && !on_cores).then_some(Attr::SequentialInner),
            Some(_) => None,
            None if on_cores => Some(Attr::SequentialOuter),
            // `#[sequential]` says more: that values are combined in order.
            None if is_empty && one.what.contains("reduction") && one.reason != "`#[sequential]`" => {
                Some(Attr::SequentialOuter)
            }
            None => Some(Attr::Sequential),
        }
    }

    /// The places that should say how a loop runs, for each loop of which that should be said.
    fn groups(&self) -> Vec<Vec<Place>> {
        let is_said = |i: &usize| self.attributes[*i].is_some();
        self.heads().filter(is_said).map(|i| self.said_at(i).collect()).collect()
    }

    /// The places of an operator that became a loop and of those that are part of it and make something which others
    /// need.
    fn said_at(&self, i: usize) -> impl Iterator<Item = Place> {
        let mut all = vec![self.loops[i].loc];
        for join in self.joins.iter().rev() {
            if join.shared && all.contains(&join.second) && !all.contains(&join.first) {
                all.push(join.first);
            }
        }
        all.into_iter().filter_map(|loc| self.place(loc))
    }

    /// What each place should say; nothing where loops that come from it do not run alike.
    fn wishes(&self) -> BTreeMap<Place, Attr> {
        let mut found: BTreeMap<Place, BTreeSet<Option<Attr>>> = BTreeMap::new();
        for i in self.heads() {
            if self.is_covered(i) {
                continue;
            }
            for place in self.said_at(i) {
                found.entry(place).or_default().insert(self.attributes[i]);
            }
        }
        let wish = |(place, attributes): (Place, BTreeSet<Option<Attr>>)| {
            let attribute = attributes.first().copied().flatten()?;
            (attributes.len() == 1).then_some((place, attribute))
        };
        found.into_iter().filter_map(wish).collect()
    }

    /// The places of operators that became part of other loops, and where these are.
    fn parts(&self) -> BTreeMap<Place, BTreeSet<Place>> {
        let mut out: BTreeMap<Place, BTreeSet<Place>> = BTreeMap::new();
        for (i, join) in self.joins.iter().enumerate() {
            let later = self.joins[i + 1..].iter();
            let end = later.fold(join.second, |at, next| if next.first == at { next.second } else { at });
            let is_left = self.loops.iter().any(|l| l.loc == end);
            if let (true, Some(place), Some(whole)) = (is_left, self.place(join.first), self.place(end)) {
                out.entry(place).or_default().insert(whole);
            }
        }
        out
    }

    fn describe(&self, i: usize) -> String {
        let one = &self.loops[i];
        let is_inner = || {
            let mut around = std::iter::successors(one.around, |j| self.loops[*j].around);
            around.any(|j| self.loops[j].level == Some(Level::Core))
        };
        let mut text = format!("the {}", one.what);
        if !one.sizes.is_empty() && one.sizes.iter().all(|size| self.is_known(size)) {
            let _ = write!(text, " over `{}`", one.sizes.join("` and `"));
        }
        text.push_str(" runs ");
        match one.level {
            Some(Level::Core) => text.push_str("on the cores"),
            Some(level) => {
                let _ = write!(text, "at the level `{level}`");
            }
            None => text.push_str("in sequence"),
        }
        match one.level {
            Some(Level::Core) if is_inner() => text.push_str(" where the one around it has too few iterations"),
            None if !one.reason.is_empty() => {
                let _ = write!(text, ": {}", one.reason);
            }
            _ => {}
        }
        if self.attributes[i] == Some(Attr::SequentialInner) {
            text.push_str("; what is in it in sequence");
        }
        text
    }

    /// Whether the user wrote a size; others have names that the compiler made up.
    fn is_known(&self, size: &str) -> bool {
        let files = self.sources.ids().map(|id| self.sources.file(id)).filter(|file| !file.builtin);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let has = |text: &str| text.split(|c| !is_part(c)).any(|word| word == size);
        size.parse::<i64>().is_ok() || files.into_iter().any(|file| has(&file.text))
    }

    /// How all loops run, at places of the program without edits.
    fn summary(&self, edits: &Edits) -> Vec<Summary> {
        let summary = |(l, place): (&Loop, &Option<Place>)| Summary {
            place: place.as_ref().map(|place| edits.original(place)),
            what: (l.what.clone(), l.sizes.clone()),
            level: l.level,
            around: l.around,
        };
        self.loops.iter().zip(&self.places).map(summary).collect()
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Summary {
    place: Option<Place>,
    what: (String, Vec<String>),
    level: Option<Level>,
    around: Option<usize>,
}
