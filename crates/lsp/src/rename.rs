//! Another name for something, wherever it occurs.
//!
//! Whether the new name is free is not computed: the names are changed in copies of the files, and everything that was
//! known about the programs must hold as before. Every name means what it meant, and there is no new error. So whatever
//! the reason is for which a name cannot be had, it is refused.

use crate::analysis::{Analysis, Instead, Place};
use crate::navigate::{defined_at, programs};
use crate::resolve::{DefId, Form, Occurrence};
use crate::state::{Answer, Failure, Spot, State};
use gen_lsp_types::{PrepareRenameParams, PrepareRenamePlaceholder, RenameParams, TextEdit, Uri, WorkspaceEdit};
use kenaz_base::source::first_file;
use kenaz_base::{Diagnostics, Severity};
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::{Tok, fixity};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

fn refused<T>(why: impl Into<String>) -> Answer<T> {
    Err(Failure::Refused(why.into()))
}

pub(crate) fn prepare(state: &mut State, params: &PrepareRenameParams) -> Answer<Option<PrepareRenamePlaceholder>> {
    let spot = state.spot(&params.text_document_position_params);
    let Some(name) = spot.analysis.names.at(spot.file, spot.offset) else { return Ok(None) };
    may_rename(&spot.analysis, name.def)?;
    let placeholder = spot.analysis.source(name.span).to_string();
    Ok(Some(PrepareRenamePlaceholder { range: state.range(&spot.analysis, name.span), placeholder }))
}

fn may_rename(analysis: &Analysis, def: DefId) -> Answer<()> {
    let name = analysis.def(def).name;
    if analysis.names.members(def).iter().any(|member| analysis.is_builtin(analysis.def(*member).span.file)) {
        return refused(format!("`{name}` is a name of the prelude, which cannot be changed"));
    }
    Ok(())
}

/// The changes of each file: the place, and the new text.
type Edits = BTreeMap<PathBuf, BTreeMap<(u32, u32), String>>;

pub(crate) fn rename(state: &mut State, params: &RenameParams) -> Answer<Option<WorkspaceEdit>> {
    let Spot { analysis, file, offset } = state.spot(&params.text_document_position_params);
    let Some(name) = analysis.names.at(file, offset) else {
        return refused("there is no name here that can be changed: fields and constructors are parts of types");
    };
    may_rename(&analysis, name.def)?;
    let (old, new) = (analysis.def(name.def).name.as_str(), params.new_name.as_str());
    let is_operator = !old.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_name(new, is_operator)?;
    if is_operator && fixity(old.as_bytes()) != fixity(new.as_bytes()) {
        return refused(format!("`{new}` binds its operands more or less tightly than `{old}`"));
    }
    if old == new {
        return Ok(None);
    }
    let affected = affected(state, &analysis, name.def)?;
    let edits = edits(&affected, new);
    verify(state, &affected, &edits, new)?;
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (path, edits) in &edits {
        let edit = |((lo, hi), text): (&(u32, u32), &String)| {
            let place = Place { path: path.clone(), lo: *lo, hi: *hi };
            Some(TextEdit { range: state.place_range(&place)?, new_text: text.clone() })
        };
        changes.insert(state.documents.uri(path), edits.iter().filter_map(edit).collect());
    }
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

/// Whether a text is a name, and of the kind of the one before.
fn is_name(text: &str, is_operator: bool) -> Answer<()> {
    let mut diagnostics = Diagnostics::new();
    let lexed = lex(first_file(), text, &mut diagnostics);
    let kinds: Vec<Tok> = lexed.tokens.iter().map(|token| token.kind).filter(|kind| *kind != Tok::Eof).collect();
    let whole = lexed.tokens.first().is_some_and(|token| token.hi as usize == text.len() && token.lo == 0);
    match kinds[..] {
        [kind] if whole && kind.is_keyword() => refused(format!("`{text}` is a keyword")),
        [Tok::Name] if whole && !is_operator && diagnostics.is_empty() => Ok(()),
        [kind] if whole && is_operator && kind.is_operator() && kind != Tok::QualSymbol => Ok(()),
        _ if is_operator => refused(format!("`{text}` is not an operator, as the old name is")),
        _ => refused(format!("`{text}` is not a name")),
    }
}

/// The programs in which something is renamed, and what.
struct Affected {
    programs: Vec<(PathBuf, Rc<Analysis>)>,
    /// Where the definitions are that get another name.
    defs: BTreeSet<(PathBuf, u32)>,
}

impl Affected {
    fn has(&self, analysis: &Analysis, def: DefId) -> bool {
        let place = analysis.place(analysis.def(def).span);
        self.defs.contains(&(place.path, place.lo))
    }
}

/// All programs with the name, and all definitions that have to change with it: modules and their types may connect
/// definitions in one program that another one knows nothing of.
fn affected(state: &mut State, analysis: &Analysis, def: DefId) -> Answer<Affected> {
    let mut all = Vec::new();
    for path in programs(state, analysis, def) {
        let program = state.analysis(&path);
        all.push((path, program));
    }
    let place = analysis.place(analysis.def(def).span);
    let mut left = vec![place];
    let mut affected = Affected { programs: Vec::new(), defs: BTreeSet::new() };
    while let Some(place) = left.pop() {
        if !affected.defs.insert((place.path.clone(), place.lo)) {
            continue;
        }
        for (_, program) in &all {
            let Some(def) = defined_at(program, &place) else { continue };
            may_rename(program, def)?;
            left.extend(program.names.members(def).iter().map(|def| program.place(program.def(*def).span)));
        }
    }
    all.retain(|(_, program)| program.names.all().any(|name| affected.has(program, name.def)));
    for (_, program) in &all {
        let broken = program.checked.sources.ids().find(|id| program.is_repaired(*id));
        if let Some(file) = broken {
            let file = program.path(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
            return refused(format!("`{file}` has errors in its syntax: they must be mended first"));
        }
    }
    affected.programs = all;
    Ok(affected)
}

fn edits(affected: &Affected, new: &str) -> Edits {
    let mut edits = Edits::new();
    for (_, program) in &affected.programs {
        for name in program.names.all().filter(|name| affected.has(program, name.def)) {
            let place = program.place(name.span);
            let old = program.source(name.span);
            let text = match name.form {
                Form::Plain => {
                    // An operator may stand as a name between backquotes or with a module in front.
                    let kept = old.rfind(program.def(name.def).name.as_str()).unwrap_or(0);
                    format!("{}{new}", &old[..kept])
                }
                Form::Field => format!("{old} = {new}"),
            };
            edits.entry(place.path).or_default().insert((place.lo, place.hi), text);
        }
    }
    edits
}

/// Looks at the programs as they would be.
fn verify(state: &State, affected: &Affected, edits: &Edits, new: &str) -> Answer<()> {
    let mut texts = BTreeMap::new();
    for (path, edits) in edits {
        let Some(text) = state.documents.text(path) else { continue };
        let mut text = text.as_str().to_string();
        for ((lo, hi), new) in edits.iter().rev() {
            text.replace_range(*lo as usize..*hi as usize, new);
        }
        texts.insert(path.clone(), text);
    }
    for (path, before) in &affected.programs {
        let instead = Instead { texts: texts.clone(), asked: None };
        let after = Analysis::new(&state.documents, path, instead);
        let errors = |analysis: &Analysis| {
            let all = analysis.findings().iter().filter(|finding| finding.severity == Severity::Error);
            all.map(|finding| finding.code.id()).collect::<Vec<_>>()
        };
        if errors(before) != errors(&after) {
            let first = after.findings().iter().find(|finding| finding.severity == Severity::Error);
            let why = first.map_or(String::new(), |finding| format!(": {}", finding.message));
            return refused(format!("with the name `{new}` the program would be wrong{why}"));
        }
        let meant = meanings(before, |place| moved(edits, place));
        let means = meanings(&after, |place| place);
        let other = meant.iter().find(|(place, _)| means.get(place) != meant.get(place));
        let other = other.or_else(|| means.iter().find(|(place, _)| !meant.contains_key(place)));
        if let Some(((path, lo), _)) = other {
            let text = texts.get(path).cloned().or_else(|| Some(state.documents.text(path)?.as_str().to_string()));
            let line = text.map_or(0, |text| text[..(*lo as usize).min(text.len())].matches('\n').count() + 1);
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            return refused(format!("`{new}` is taken: a name in line {line} of `{file}` would mean something else"));
        }
    }
    Ok(())
}

/// Where a place is after the changes; the name in `field = name` is what was the name.
fn moved(edits: &Edits, place: (PathBuf, u32)) -> (PathBuf, u32) {
    let (path, lo) = place;
    let Some(edits) = edits.get(&path) else { return (path, lo) };
    let mut shift = 0i64;
    for ((from, to), text) in edits {
        if *from > lo {
            break;
        }
        if *from == lo {
            // `field = name`
            shift += text.rfind("= ").map_or(0, |at| at as i64 + 2);
            break;
        }
        shift += text.len() as i64 - i64::from(to - from);
    }
    (path, u32::try_from(i64::from(lo) + shift).unwrap_or(0))
}

/// What every name means: by where it stands, where it is defined.
fn meanings(
    analysis: &Analysis,
    moved: impl Fn((PathBuf, u32)) -> (PathBuf, u32),
) -> BTreeMap<(PathBuf, u32), (PathBuf, u32)> {
    let at = |path: &Path, lo: u32| moved((path.to_path_buf(), lo));
    let one = |name: &Occurrence| {
        let def = analysis.def(name.def).span;
        let use_ = at(analysis.path(name.span.file), name.span.lo);
        (use_, at(analysis.path(def.file), def.lo))
    };
    analysis.names.all().map(one).collect()
}
