//! Warnings about attributes that the compiler does not know, or not with these arguments.
//!
//! Only those in front of expressions and declarations: in front of patterns and specifications none means anything to
//! a compiler, and the language has them for other tools. Attributes that are obeyed or refused are refused there.

use kenaz_base::attr::Problem;
use kenaz_base::{Code, Diagnostic, Diagnostics, SourceMap, Span, similar};
use kenaz_syntax::ast::{Ast, Attr, AttrKind, ExprKind, PatKind};

pub(crate) fn check(ast: &Ast, sources: &SourceMap, diagnostics: &mut Diagnostics) {
    let on_exprs = ast.exprs.iter().filter_map(|(_, expr)| match &expr.kind {
        ExprKind::Attr(attr, _) => Some(attr),
        // No others have attributes.
        _ => None,
    });
    let on_decs = || ast.decs.iter().flat_map(|(_, dec)| &dec.attrs);
    let on_pats = ast.pats.iter().filter_map(|(_, pat)| match &pat.kind {
        PatKind::Attr(attr, _) => Some(attr),
        // No others have attributes.
        _ => None,
    });
    let on_specs = ast.specs.iter().flat_map(|(_, spec)| &spec.attrs);
    for attr in on_decs().chain(on_pats).chain(on_specs) {
        if let Ok(meaning) = attr.meaning
            && meaning.is_binding()
        {
            diagnostics.push(misplaced(attr.span, meaning));
        }
    }
    for attr in on_exprs.chain(on_decs()) {
        if let Err(problem) = attr.meaning {
            diagnostics.push(warning(attr, problem, sources));
        }
    }
}

/// An attribute about an expression that stands elsewhere, where nobody would obey it.
fn misplaced(span: Span, attr: kenaz_base::Attr) -> Diagnostic {
    let message = format!("`#[{attr}]` stands in front of an expression, and nowhere else");
    let misplaced = Diagnostic::error(Code::MisplacedAttribute, span, message);
    let misplaced = misplaced.label("there is nothing here that it could be about");
    misplaced.hint("write it in front of the operator, inside of the definition")
}

fn warning(attr: &Attr, problem: Problem, sources: &SourceMap) -> Diagnostic {
    let name = match &attr.kind {
        AttrKind::Name(name) | AttrKind::Compound(name, _) => name.as_str(),
        AttrKind::Number(_) => sources.text(attr.span),
    };
    match problem {
        Problem::Unknown => {
            let warning =
                Diagnostic::warning(Code::UnknownAttribute, attr.span, format!("no attribute is called `{name}`"));
            match similar(name, kenaz_base::Attr::names()).first() {
                Some(meant) => warning.label("it is ignored").hint(format!("did you mean `{meant}`?")),
                None => warning.label("it is ignored"),
            }
        }
        Problem::Arguments(usage) => {
            let message = format!("the attribute `{name}` does not have such arguments");
            Diagnostic::warning(Code::AttributeArguments, attr.span, message)
                .label("it is ignored")
                .hint(format!("it is written {usage}"))
        }
    }
}
