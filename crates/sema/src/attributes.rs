//! Warnings about attributes that the compiler does not know, or not with these arguments.
//!
//! Only those in front of expressions and declarations: in front of patterns and specifications none means anything to
//! a compiler, and the language has them for other tools.

use kenaz_base::attr::Problem;
use kenaz_base::{Code, Diagnostic, Diagnostics, SourceMap, similar};
use kenaz_syntax::ast::{Ast, Attr, AttrKind, ExprKind};

pub(crate) fn check(ast: &Ast, sources: &SourceMap, diagnostics: &mut Diagnostics) {
    let on_exprs = ast.exprs.iter().filter_map(|(_, expr)| match &expr.kind {
        ExprKind::Attr(attr, _) => Some(attr),
        // No others have attributes.
        _ => None,
    });
    let on_decs = ast.decs.iter().flat_map(|(_, dec)| &dec.attrs);
    for attr in on_exprs.chain(on_decs) {
        if let Err(problem) = attr.meaning {
            diagnostics.push(warning(attr, problem, sources));
        }
    }
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
