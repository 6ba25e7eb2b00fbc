//! What there is to say about a place: types, sizes, documentation.

use crate::analysis::Analysis;
use crate::resolve::{Kind, Occurrence};
use crate::show::code;
use crate::state::{Answer, Spot, State};
use gen_lsp_types::{Contents, Hover, HoverParams, MarkupContent, MarkupKind};
use kenaz_base::{Attr, FileId, Span};
use kenaz_syntax::ast::{ExprKind, PatKind};

pub(crate) fn hover(state: &mut State, params: &HoverParams) -> Answer<Option<Hover>> {
    let Spot { analysis, file, offset } = state.spot(&params.text_document_position_params);
    let found = attribute(&analysis, file, offset)
        .or_else(|| analysis.names.at(file, offset).map(|name| (about(&analysis, name), name.span)))
        .or_else(|| expression(&analysis, file, offset));
    Ok(found.map(|(value, span)| Hover {
        contents: Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(state.range(&analysis, span)),
    }))
}

/// A definition with its type and documentation.
pub(crate) fn about(analysis: &Analysis, name: &Occurrence) -> String {
    let def = analysis.def(name.def);
    let mut parts = vec![code(&analysis.signature(name.def))];
    // What a polymorphic function is here.
    let is_polymorphic = analysis.scheme(name.def).is_some_and(|scheme| !scheme.params.is_empty());
    if let Some((_, ty)) = analysis.mention(name.span).filter(|_| is_polymorphic) {
        parts.push(format!("Here:\n{}", code(&format!("{} : {}", def.name, analysis.show(ty)))));
    }
    if let Some(doc) = analysis.doc(name.def, name.described) {
        parts.push(doc.trim().to_string());
    }
    let what = match def.kind {
        Kind::Size => Some("size".to_string()),
        Kind::TypeParameter => Some("type parameter".to_string()),
        Kind::Parameter => Some("parameter".to_string()),
        _ => analysis.origin(name.def),
    };
    parts.extend(what.map(|what| format!("*{what}*")));
    parts.join("\n\n")
}

/// The type of the smallest expression, or of a pattern, at a place.
fn expression(analysis: &Analysis, file: FileId, offset: u32) -> Option<(String, Span)> {
    let ast = &analysis.checked.ast;
    let pats = ast.pats.iter().filter(|(_, pat)| {
        pat.span.file == file && pat.span.lo <= offset && offset < pat.span.hi && !matches!(pat.kind, PatKind::Paren(_))
    });
    let pat = pats.min_by_key(|(_, pat)| pat.span.hi - pat.span.lo);
    let expr = analysis.expression(file, offset, |id| {
        offset < ast[id].span.hi && !matches!(ast[id].kind, ExprKind::Paren(_) | ExprKind::Attr(..) | ExprKind::Error)
    });
    let length = |span: Span| span.hi - span.lo;
    if let Some((id, pat)) = pat
        && expr.is_none_or(|expr| length(pat.span) < length(ast[expr].span))
    {
        let ty = analysis.checked.info.pat_ty.get(id).filter(|ty| !ty.is_error())?;
        return Some((code(&format!("_ : {}", analysis.show(ty))), pat.span));
    }
    let expr = expr?;
    let ty = analysis.checked.info.expr_ty.get(expr).filter(|ty| !ty.is_error())?;
    let span = ast[expr].span;
    let text = analysis.source(span);
    let text = if text.contains('\n') || text.len() > 60 { "…" } else { text };
    Some((code(&format!("{text} : {}", analysis.show(ty))), span))
}

/// What an attribute asks of the compiler.
fn attribute(analysis: &Analysis, file: FileId, offset: u32) -> Option<(String, Span)> {
    let ast = &analysis.checked.ast;
    let of_exprs = ast.exprs.iter().filter_map(|(_, e)| match &e.kind {
        ExprKind::Attr(attr, _) => Some(attr),
        _ => None,
    });
    let of_pats = ast.pats.iter().filter_map(|(_, p)| match &p.kind {
        PatKind::Attr(attr, _) => Some(attr),
        _ => None,
    });
    let of_decs = ast.decs.iter().flat_map(|(_, dec)| &dec.attrs);
    let mut all = of_exprs.chain(of_pats).chain(of_decs);
    let attr = all.find(|attr| attr.span.file == file && attr.span.lo <= offset && offset <= attr.span.hi)?;
    let name = attr.meaning.ok()?.name();
    let (usage, about) = Attr::about(name)?;
    Some((format!("{usage}: {about}"), attr.span))
}
