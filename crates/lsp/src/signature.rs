//! The parameters of the function that is being applied.

use crate::analysis::Analysis;
use crate::resolve::Node;
use crate::show::arrows;
use crate::state::{Answer, State};
use gen_lsp_types::{
    ActiveParameter, Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterInformationLabel,
    SignatureHelp, SignatureHelpParams, SignatureInformation,
};
use kenaz_base::source::first_file;
use kenaz_base::{Diagnostics, FileId, Span};
use kenaz_sema::types::{Ty, VarId};
use kenaz_syntax::ast::{DecKind, ExprId, ExprKind, PatId, PatKind};
use kenaz_syntax::lexer::lex;

pub(crate) fn signature(state: &mut State, params: &SignatureHelpParams) -> Answer<Option<SignatureHelp>> {
    let at = &params.text_document_position_params;
    let analysis = state.analysis(&crate::uri::path(&at.text_document.uri));
    let file = analysis.main();
    let offset = analysis.text(file).offset(at.position, state.encoding);
    let Some((fun, active)) = applied(&analysis, file, offset) else { return Ok(None) };
    let Some(signature) = of_function(state, &analysis, fun, active) else { return Ok(None) };
    Ok(Some(SignatureHelp {
        signatures: vec![signature],
        active_signature: Some(0),
        active_parameter: Some(ActiveParameter::Int(active as u32)),
    }))
}

/// The innermost function that is applied at a place, and the number of the argument there.
fn applied(analysis: &Analysis, file: FileId, offset: u32) -> Option<(ExprId, usize)> {
    let ast = &analysis.checked.ast;
    let text = analysis.text(file).as_str();
    // Between an expression and the place there may be blanks, and nothing else.
    let reaches = |span: Span| {
        let written = analysis.written(span);
        written.start < offset
            && text
                .get(written.end.min(offset) as usize..offset as usize)
                .is_some_and(|between| between.bytes().all(|b| b == b' ' || b == b'\t'))
    };
    let inside = |span: Span| {
        let written = analysis.written(span);
        written.start < offset && offset <= written.end
    };
    let mut best: Option<(u32, ExprId, usize)> = None;
    for (id, expr) in ast.exprs.iter().filter(|(_, e)| e.span.file == file) {
        let found = match &expr.kind {
            ExprKind::Apply(fun, args) if reaches(expr.span) => {
                let behind_fun = analysis.written(ast[*fun].span).end < offset;
                let done = args.iter().filter(|arg| analysis.written(ast[**arg].span).end < offset).count();
                // Where a bracket is open, the place is inside the last argument, although that seems to end before it.
                let from = analysis.written(ast[*fun].span).end;
                let is_open = text.get(from as usize..offset as usize).is_some_and(has_open_bracket);
                behind_fun.then_some((*fun, done.saturating_sub(usize::from(is_open))))
            }
            // Nothing is applied yet: there must be a blank.
            ExprKind::Var(_) if reaches(expr.span) && !inside(expr.span) => Some((id, 0)),
            _ => None,
        };
        if let Some((fun, active)) = found
            && matches!(ast[fun].kind, ExprKind::Var(_))
            && best.is_none_or(|(lo, ..)| ast[fun].span.lo >= lo)
            && active < parameters(analysis, fun)
        {
            best = Some((ast[fun].span.lo, fun, active));
        }
    }
    best.map(|(_, fun, active)| (fun, active))
}

/// Whether a text opens more brackets than it closes.
fn has_open_bracket(text: &str) -> bool {
    let tokens = lex(first_file(), text, &mut Diagnostics::new()).tokens;
    let opened = tokens.iter().filter(|token| token.kind.is_opener()).count();
    opened > tokens.iter().filter(|token| token.kind.is_closer()).count()
}

fn parameters(analysis: &Analysis, fun: ExprId) -> usize {
    analysis.checked.info.resolved.get(fun).map_or(0, |resolved| arrows(&resolved.ty).0.len())
}

fn of_function(state: &State, analysis: &Analysis, fun: ExprId, active: usize) -> Option<SignatureInformation> {
    let ExprKind::Var(path) = &analysis.checked.ast[fun].kind else { return None };
    let resolved = analysis.checked.info.resolved.get(fun)?;
    let (params, result) = arrows(&resolved.ty);
    let name = analysis.names.at(path.name.span.file, path.name.span.lo);
    let patterns = name.map_or(&[][..], |name| patterns(analysis, name.def));
    let mut label = path.to_string();
    let mut shown = Vec::new();
    for (at, (variable, ty)) in params.iter().enumerate() {
        label.push(' ');
        let start = state.encoding.length(&label);
        label.push_str(&parameter(analysis, patterns.get(at).copied(), *variable, ty));
        shown.push(ParameterInformation {
            label: ParameterInformationLabel::Tuple((start, state.encoding.length(&label))),
            documentation: None,
        });
    }
    label.push_str(&format!(" : {}", analysis.show(&result)));
    let doc = name.and_then(|name| analysis.doc(name.def, name.described));
    let markup = |doc: &str| MarkupContent { kind: MarkupKind::Markdown, value: doc.trim().to_string() };
    Some(SignatureInformation {
        label,
        documentation: doc.map(|doc| Documentation::MarkupContent(markup(doc))),
        parameters: Some(shown),
        active_parameter: Some(ActiveParameter::Int(active as u32)),
    })
}

/// The patterns of the parameters, where the definition has some.
fn patterns(analysis: &Analysis, def: crate::resolve::DefId) -> &[PatId] {
    match analysis.def(def).node {
        Node::Dec(id) => match &analysis.checked.ast[id].kind {
            DecKind::Val(bind) => &bind.params,
            _ => &[],
        },
        Node::LocalFun(id) => match &analysis.checked.ast[id].kind {
            ExprKind::LetFun { fun, .. } => &fun.params,
            _ => &[],
        },
        Node::Spec(_) | Node::Name => &[],
    }
}

/// `(x: i32)`, or the type alone.
fn parameter(analysis: &Analysis, pattern: Option<PatId>, variable: Option<VarId>, ty: &Ty) -> String {
    let named = pattern.and_then(|pattern| name_of(analysis, pattern));
    let bound = || variable.map(|v| analysis.checked.names.vars[v].name.to_string());
    match named.or_else(bound) {
        Some(name) => format!("({name}: {})", analysis.show(ty)),
        None => format!("({})", analysis.show(ty)),
    }
}

fn name_of(analysis: &Analysis, pattern: PatId) -> Option<String> {
    match &analysis.checked.ast[pattern].kind {
        PatKind::Name(name) => Some(name.name.to_string()),
        PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => name_of(analysis, *p),
        _ => None,
    }
}
