//! From uses to definitions and back.

use crate::analysis::{Analysis, Place};
use crate::resolve::{DefId, Kind, Occurrence};
use crate::state::{Answer, Spot, State};
use gen_lsp_types::{
    DefinitionParams, DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams, Uri,
};
use kenaz_base::FileId;
use kenaz_syntax::ast::{DecKind, ModExpKind, StringLit};
use std::collections::BTreeSet;
use std::path::PathBuf;

pub(crate) fn definition(state: &mut State, params: &DefinitionParams) -> Answer<Vec<Location>> {
    let Spot { analysis, file, offset } = state.spot(&params.text_document_position_params);
    if let Some(uri) = import(state, &analysis, file, offset) {
        return Ok(vec![Location { uri, range: gen_lsp_types::Range::default() }]);
    }
    let Some(name) = analysis.names.at(file, offset) else { return Ok(Vec::new()) };
    let found = definitions(&analysis, name).into_iter();
    Ok(found.filter_map(|def| state.location(&analysis, analysis.def(def).span)).collect())
}

/// The definition of a name; where it stands itself, the descriptions of it in module types.
fn definitions(analysis: &Analysis, name: &Occurrence) -> Vec<DefId> {
    if !name.binds {
        return vec![name.def];
    }
    let others = analysis.names.members(name.def).into_iter().filter(|def| *def != name.def);
    let others: Vec<DefId> = others.collect();
    if others.is_empty() || others.len() > 50 { vec![name.def] } else { others }
}

/// The file that an `import` at a place names.
fn import(state: &State, analysis: &Analysis, file: FileId, offset: u32) -> Option<Uri> {
    let ast = &analysis.checked.ast;
    let is_here = |path: &&StringLit| path.span.file == file && path.span.lo <= offset && offset <= path.span.hi;
    let decs = ast.decs.iter().filter_map(|(_, dec)| match &dec.kind {
        DecKind::Import(path) => Some(path),
        _ => None,
    });
    let mods = ast.mod_exps.iter().filter_map(|(_, exp)| match &exp.kind {
        ModExpKind::Import(path) => Some(path),
        _ => None,
    });
    let path = decs.chain(mods).find(is_here)?;
    let target = analysis.path(file).parent()?.join(format!("{}.fut", path.text));
    let target = kenaz_base::fs::normalise(&target);
    let id = analysis.checked.sources.ids().find(|id| analysis.path(*id) == target)?;
    Some(state.documents.uri(analysis.path(id)))
}

pub(crate) fn references(state: &mut State, params: &ReferenceParams) -> Answer<Vec<Location>> {
    let Spot { analysis, file, offset } = state.spot(&params.text_document_position_params);
    let Some(name) = analysis.names.at(file, offset) else { return Ok(Vec::new()) };
    let def = analysis.def(name.def);
    let wanted = analysis.place(def.span);
    let mut found = BTreeSet::new();
    for path in programs(state, &analysis, name.def) {
        let other = state.analysis(&path);
        let Some(def) = defined_at(&other, &wanted) else { continue };
        for occurrence in other.names.all().filter(|occurrence| other.names.means(occurrence, def)) {
            if params.context.include_declaration || !occurrence.binds {
                found.insert(other.place(occurrence.span));
            }
        }
    }
    let location =
        |place: &Place| Some(Location { uri: state.documents.uri(&place.path), range: state.place_range(place)? });
    Ok(found.iter().filter_map(location).collect())
}

/// The programs in which something that is defined may be named: that at hand and, if it can be named from outside, all
/// others in the folders that have its name and import anything.
pub(crate) fn programs(state: &State, analysis: &Analysis, def: DefId) -> BTreeSet<PathBuf> {
    let own = analysis.path(analysis.main()).to_path_buf();
    let found = analysis.def(def);
    let defined = analysis.path(found.span.file);
    let may_name = |path: &PathBuf| {
        let text = state.documents.text(path);
        let imports = text.is_some_and(|text| text.as_str().contains("import"));
        !state.library.owns(path) && (imports || path == defined)
    };
    let mut paths = BTreeSet::new();
    // A name inside a definition is nobody else's business.
    let is_inside =
        matches!(found.kind, Kind::Parameter | Kind::Local | Kind::Size | Kind::TypeParameter | Kind::Function);
    if !is_inside {
        let files = state.workspace.files_with(&state.documents, found.name.as_str());
        paths.extend(files.into_iter().filter(may_name));
    }
    paths.insert(own);
    paths
}

/// The definition at a place that another analysis knows.
pub(crate) fn defined_at(analysis: &Analysis, place: &Place) -> Option<DefId> {
    analysis.names.defs.ids().find(|def| {
        let span = analysis.def(*def).span;
        analysis.written(span).start == place.lo && analysis.path(span.file) == place.path
    })
}

pub(crate) fn highlight(state: &mut State, params: &DocumentHighlightParams) -> Answer<Vec<DocumentHighlight>> {
    let Spot { analysis, file, offset } = state.spot(&params.text_document_position_params);
    let Some(name) = analysis.names.at(file, offset) else { return Ok(Vec::new()) };
    let same = analysis.names.in_file(file).filter(|other| analysis.names.means(other, name.def));
    let highlight = |other: &Occurrence| DocumentHighlight {
        range: state.range(&analysis, other.span),
        kind: Some(if other.binds { DocumentHighlightKind::Write } else { DocumentHighlightKind::Read }),
    };
    Ok(same.map(highlight).collect())
}
