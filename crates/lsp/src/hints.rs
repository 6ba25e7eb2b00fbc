//! Inferred types and sizes, shown where they could be written.

use crate::analysis::Analysis;
use crate::show::arrows;
use crate::state::{Answer, State};
use gen_lsp_types::{InlayHint, InlayHintKind, InlayHintParams, Label, Tooltip};
use kenaz_base::Span;
use kenaz_sema::types::Ty;
use kenaz_syntax::ast::{DecKind, ExprKind, LoopForm, PatId, PatKind, TypeExpId};

/// The longest hint, in characters.
const LONGEST: usize = 48;

struct Finder<'a> {
    analysis: &'a Analysis,
    /// The end of a name, and its type.
    found: Vec<(Span, Ty)>,
}

pub(crate) fn hints(state: &mut State, params: &InlayHintParams) -> Answer<Vec<InlayHint>> {
    let analysis = state.analysis(&crate::uri::path(&params.text_document.uri));
    let file = analysis.main();
    let text = analysis.text(file);
    let (lo, hi) = (text.offset(params.range.start, state.encoding), text.offset(params.range.end, state.encoding));
    let mut finder = Finder { analysis: &analysis, found: Vec::new() };
    let ast = &analysis.checked.ast;
    for (_, expr) in ast.exprs.iter().filter(|(_, e)| e.span.file == file) {
        match &expr.kind {
            ExprKind::LetPat { pat, .. } => finder.pat(*pat),
            ExprKind::Lambda { params, .. } => params.iter().for_each(|pat| finder.pat(*pat)),
            ExprKind::Loop { pat, form, .. } => {
                finder.pat(*pat);
                if let LoopForm::ForIn(pat, _) = form {
                    finder.pat(*pat);
                }
            }
            ExprKind::LetFun { fun, .. } => {
                finder.function(fun.name.span, &fun.params, fun.ret);
            }
            ExprKind::Match(_, cases) => cases.iter().for_each(|case| finder.pat(case.pat)),
            _ => {}
        }
    }
    for (_, dec) in ast.decs.iter().filter(|(_, dec)| dec.span.file == file) {
        if let DecKind::Val(bind) = &dec.kind {
            finder.function(bind.name.span, &bind.params, bind.ret);
        }
    }
    let mut found: Vec<(u32, Ty)> =
        finder.found.into_iter().map(|(span, ty)| (analysis.written(span.end()).start, ty)).collect();
    found.retain(|(at, ty)| (lo..=hi).contains(at) && !ty.is_error());
    found.sort_by_key(|(at, _)| *at);
    found.dedup_by_key(|(at, _)| *at);
    let hint = |(at, ty): &(u32, Ty)| {
        let whole = format!(": {}", analysis.show(ty));
        let is_long = whole.chars().count() > LONGEST;
        let label = if is_long { whole.chars().take(LONGEST).chain(['…']).collect() } else { whole.clone() };
        InlayHint {
            position: text.position(*at, state.encoding),
            label: Label::String(label),
            kind: Some(InlayHintKind::Type),
            text_edits: None,
            tooltip: is_long.then_some(Tooltip::String(whole)),
            padding_left: Some(false),
            padding_right: Some(false),
            data: None,
        }
    };
    Ok(found.iter().map(hint).collect())
}

impl Finder<'_> {
    /// The names in a pattern whose types are not written.
    fn pat(&mut self, id: PatId) {
        let info = &self.analysis.checked.info;
        match &self.analysis.checked.ast[id].kind {
            PatKind::Name(name) => {
                if let Some(ty) = info.pat_ty.get(id) {
                    self.found.push((name.span, ty.clone()));
                }
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.pat(*p),
            PatKind::Tuple(all) | PatKind::Constr(_, all) => all.iter().for_each(|p| self.pat(*p)),
            PatKind::Record(fields) => fields.iter().filter_map(|(_, p)| *p).for_each(|p| self.pat(p)),
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) | PatKind::Ascript(..) => {}
        }
    }

    /// Parameters, and the result behind the last of them.
    fn function(&mut self, name: Span, params: &[PatId], ret: Option<TypeExpId>) {
        params.iter().for_each(|pat| self.pat(*pat));
        let scheme = self.analysis.variable(name).and_then(|v| self.analysis.checked.names.vars[v].scheme.as_ref());
        let Some(scheme) = scheme.filter(|_| ret.is_none()) else { return };
        let (arrows, mut result) = arrows(&scheme.ty);
        // A function may yield functions.
        for (param, arg) in arrows.into_iter().skip(params.len()).rev() {
            result = Ty::arrow(param, false, arg, result);
        }
        let ends_in_name =
            params.last().is_some_and(|pat| matches!(self.analysis.checked.ast[*pat].kind, PatKind::Name(_)));
        // Behind a parameter without parentheses its own type is shown, and two hints in a row would be read as one.
        if !ends_in_name {
            let last = params.last().map_or(name, |pat| self.analysis.checked.ast[*pat].span);
            self.found.push((last, result));
        }
    }
}
