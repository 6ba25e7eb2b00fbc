//! Reductions and the like that start with a number that is not neutral: `reduce (+) 10 xs`.

use crate::checker::Checker;
use kenaz_base::{Code, Diagnostic, Prim};
use kenaz_syntax::ast::{ExprId, ExprKind};

/// An operator of the language or of the prelude whose neutral element is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plus,
    Times,
    And,
    Or,
    Min,
    Max,
}

/// A literal as far as it matters here.
enum Literal {
    Number(f64),
    Bool(bool),
}

impl Checker<'_> {
    /// A warning about a call of `reduce` and others of the prelude.
    pub(super) fn start_of_reduction(&self, f: ExprId, args: &[ExprId]) -> Option<Diagnostic> {
        let ExprKind::Var(path) = &self.ast[f].kind else { return None };
        let at = match path.name.name.as_str() {
            "reduce" | "reduce_comm" | "scan" | "hist" => 0,
            "reduce_by_index" | "reduce_by_index_2d" | "reduce_by_index_3d" => 1,
            _ => return None,
        };
        let (op, start) = (*args.get(at)?, *args.get(at + 1)?);
        if !self.is_of_prelude(f) {
            return None;
        }
        let (operator, literal) = (self.operator_of(op)?, self.literal(start)?);
        let prim = self.info.expr_ty.get(start).and_then(|ty| self.prim(ty));
        let right = neutral(operator, &literal, prim)?;
        let (shown, op) = (self.text(self.ast[start].span), self.text(self.ast[op].span));
        Some(
            Diagnostic::warning(
                Code::NotNeutral,
                self.ast[start].span,
                format!("`{shown}` is not the neutral element of `{op}`"),
            )
            .label(format!("`{path}` may use it any number of times"))
            .hint(match at {
                0 if path.name.name.as_str() != "hist" => {
                    format!("start with `{right}`, and apply `{op}` to `{shown}` and the result")
                }
                _ => format!("start with `{right}`"),
            }),
        )
    }

    fn is_of_prelude(&self, f: ExprId) -> bool {
        let Some(resolved) = self.info.resolved.get(f) else { return false };
        self.sources.file(self.names.vars[resolved.var].span.file).builtin
    }

    fn operator_of(&self, op: ExprId) -> Option<Operator> {
        match &self.ast[op].kind {
            ExprKind::Paren(e) => self.operator_of(*e),
            ExprKind::OpSection(binop) if !binop.backtick && binop.name.quals.is_empty() => {
                let name = binop.name.name.name;
                let operator = match name.as_str() {
                    "&&" => return Some(Operator::And),
                    "||" => return Some(Operator::Or),
                    "+" => Operator::Plus,
                    "*" => Operator::Times,
                    _ => return None,
                };
                let var = self.info.resolved.get(op)?.var;
                (self.builtin_operator(name.as_str()) == Some(var)).then_some(operator)
            }
            ExprKind::Var(path) if !path.quals.is_empty() && self.is_of_prelude(op) => match path.name.name.as_str() {
                "min" => Some(Operator::Min),
                "max" => Some(Operator::Max),
                _ => None,
            },
            _ => None,
        }
    }

    fn literal(&self, expr: ExprId) -> Option<Literal> {
        match &self.ast[expr].kind {
            ExprKind::Paren(e) => self.literal(*e),
            ExprKind::Int(int) => Some(Literal::Number(int.value as f64)),
            ExprKind::Float(float) => Some(Literal::Number(float.value)),
            ExprKind::Bool(b) => Some(Literal::Bool(*b)),
            ExprKind::Neg(e) => match self.literal(*e)? {
                Literal::Number(x) => Some(Literal::Number(-x)),
                Literal::Bool(_) => None,
            },
            _ => None,
        }
    }
}

/// What the neutral element is, unless it is the literal.
fn neutral(operator: Operator, literal: &Literal, prim: Option<Prim>) -> Option<String> {
    let is = |x: f64| matches!(literal, Literal::Number(y) if *y == x);
    let bound = |name: &str| prim.map_or(name.to_string(), |prim| format!("{}.{name}", prim.name()));
    let bits = prim.map_or(0, |prim| prim.bytes() * 8);
    let is_signed = prim.is_some_and(Prim::is_signed);
    let (is_neutral, right) = match operator {
        Operator::Plus => (is(0.0), "0".to_string()),
        Operator::Times => (is(1.0), "1".to_string()),
        Operator::And => (matches!(literal, Literal::Bool(true)), "true".to_string()),
        Operator::Or => (matches!(literal, Literal::Bool(false)), "false".to_string()),
        // The largest `i64` and `u64` are no numbers of type `f64`, but what is next to them is close enough.
        Operator::Min if is_signed => (is(2f64.powi(bits as i32 - 1) - 1.0), bound("highest")),
        Operator::Min => (is(2f64.powi(bits as i32) - 1.0), bound("highest")),
        Operator::Max if is_signed => (is(-(2f64.powi(bits as i32 - 1))), bound("lowest")),
        Operator::Max => (prim.is_some_and(Prim::is_unsigned) && is(0.0), bound("lowest")),
    };
    (!is_neutral).then_some(right)
}
