//! Warnings about expressions that are allowed, but hardly ever what is wanted.

mod neutral;

use crate::checker::Checker;
use crate::names::VarKind;
use crate::types::TyKind;
use crate::visit::{Node, for_each_node};
use kenaz_base::{Code, Diagnostic, Symbol};
use kenaz_syntax::ast::{BinOp, ExprId, ExprKind, QualName, Range, RangeKind, ValBind};

impl Checker<'_> {
    pub(crate) fn warn_dubious(&mut self, bind: &ValBind) {
        let ast = self.ast;
        let mut found = Vec::new();
        for_each_node(ast, bind, |node| {
            let Node::Expr(expr) = node else { return };
            found.extend(match &ast[expr].kind {
                ExprKind::BinOp(op, left, _) => self.array_equality(expr, op, *left),
                ExprKind::Hole => Some(self.hole(expr)),
                ExprKind::Range(range) => self.empty_range(expr, range),
                ExprKind::Var(path) => self.intrinsic_use(expr, path),
                ExprKind::Apply(f, args) => self.start_of_reduction(*f, args),
                // Nothing is dubious about anything else.
                _ => None,
            });
        });
        for diagnostic in found {
            self.warn(diagnostic);
        }
    }

    /// `xs == ys` of arrays. Records and sums that contain arrays are not meant, and neither is `!=`.
    fn array_equality(&self, expr: ExprId, op: &BinOp, left: ExprId) -> Option<Diagnostic> {
        let equals = self.operators.get(&Symbol::intern("=="));
        if self.info.resolved.get(expr).map(|r| r.var).as_ref() != equals {
            return None;
        }
        let ty = self.info.expr_ty.get(left).filter(|ty| matches!(ty.kind(), TyKind::Array(..)))?;
        Some(
            Diagnostic::warning(Code::DeprecatedEquality, op.span, "comparing arrays with `==` is deprecated")
                .label(format!("the operands have type `{}`", self.names.show(ty)))
                .note("later versions of the language will reject it, since the arrays might differ in size")
                .hint("compare the elements: `and (map2 (==) xs ys)`"),
        )
    }

    fn hole(&self, expr: ExprId) -> Diagnostic {
        let shown =
            self.info.expr_ty.get(expr).map_or(String::new(), |ty| format!(" of type `{}`", self.names.show(ty)));
        Diagnostic::warning(Code::UnfilledHole, self.ast[expr].span, format!("hole{shown}"))
            .label("a program that gets here stops with an error")
            .hint("put an expression of this type in its place")
    }

    /// `x..x..<y`
    fn empty_range(&self, expr: ExprId, range: &Range) -> Option<Diagnostic> {
        let second = range.second?;
        let same = match (&self.ast[range.first].kind, &self.ast[second].kind) {
            (ExprKind::Var(_), ExprKind::Var(_)) => {
                let (a, b) = (self.info.resolved.get(range.first)?, self.info.resolved.get(second)?);
                a.var == b.var && a.fields == 0 && b.fields == 0
            }
            (ExprKind::Int(a), ExprKind::Int(b)) => a.value == b.value,
            _ => false,
        };
        same.then(|| {
            let x = self.text(self.ast[range.first].span);
            let step = if range.kind == RangeKind::DownTo { '-' } else { '+' };
            Diagnostic::warning(
                Code::EmptyRange,
                self.ast[expr].span,
                format!("the range does not get anywhere: it steps from `{x}` to `{x}`"),
            )
            .label("the array is empty")
            .hint(format!("behind `..` stands the second element, such as `{x} {step} 1`"))
        })
    }

    fn intrinsic_use(&self, expr: ExprId, path: &QualName) -> Option<Diagnostic> {
        let var = self.info.resolved.get(expr)?.var;
        let is_direct = path.quals.first().is_some_and(|q| q.name.as_str() == "intrinsics")
            && matches!(self.names.vars[var].kind, VarKind::Intrinsic(_));
        is_direct.then(|| {
            Diagnostic::warning(Code::IntrinsicUse, path.span(), format!("`{path}` is not meant for programs"))
                .label("nothing checks that it is used as the compiler expects")
                .hint("use a function of the prelude")
        })
    }
}
