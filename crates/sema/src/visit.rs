//! All nodes below a definition, in no particular order of evaluation.
//!
//! The walk keeps its own stack, so it does not mind how deeply a program is nested.

use kenaz_syntax::ast::{
    Ast, DimIndex, ExprId, ExprKind, LoopForm, PatId, PatKind, Slice, TypeArg, TypeExpId, TypeExpKind, ValBind,
};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    Expr(ExprId),
    Pat(PatId),
    Type(TypeExpId),
}

/// Calls `f` on every expression, pattern and type of a definition, each before its parts.
pub(crate) fn for_each_node(ast: &Ast, bind: &ValBind, mut f: impl FnMut(Node)) {
    let mut todo: Vec<Node> = bind.params.iter().map(|p| Node::Pat(*p)).collect();
    todo.extend(bind.ret.map(Node::Type));
    todo.push(Node::Expr(bind.body));
    while let Some(node) = todo.pop() {
        f(node);
        match node {
            Node::Expr(e) => expr_parts(&ast[e].kind, &mut todo),
            Node::Pat(p) => pat_parts(&ast[p].kind, &mut todo),
            Node::Type(t) => type_parts(&ast[t].kind, &mut todo),
        }
    }
}

fn expr_parts(kind: &ExprKind, out: &mut Vec<Node>) {
    match kind {
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::String(_)
        | ExprKind::Hole
        | ExprKind::Var(_)
        | ExprKind::OpSection(_)
        | ExprKind::ProjectSection(_) => {}
        ExprKind::Paren(e)
        | ExprKind::Project(e, _)
        | ExprKind::LocalOpen(_, e)
        | ExprKind::Not(e)
        | ExprKind::Neg(e)
        | ExprKind::Attr(_, e)
        | ExprKind::LeftSection(e, _)
        | ExprKind::RightSection(_, e) => out.push(Node::Expr(*e)),
        ExprKind::Tuple(es) | ExprKind::Array(es) | ExprKind::Constr(_, es) => {
            out.extend(es.iter().map(|e| Node::Expr(*e)));
        }
        ExprKind::Record(fields) => out.extend(fields.iter().filter_map(|f| f.value).map(Node::Expr)),
        ExprKind::Index(e, slice) => {
            out.push(Node::Expr(*e));
            slice_parts(slice, out);
        }
        ExprKind::Apply(f, args) => {
            out.push(Node::Expr(*f));
            out.extend(args.iter().map(|e| Node::Expr(*e)));
        }
        ExprKind::BinOp(_, a, b) | ExprKind::Assert(a, b) | ExprKind::UpdateField(a, _, b) => {
            out.extend([Node::Expr(*a), Node::Expr(*b)]);
        }
        ExprKind::Ascript(e, t) | ExprKind::Coerce(e, t) => out.extend([Node::Expr(*e), Node::Type(*t)]),
        ExprKind::Range(range) => {
            out.extend([Node::Expr(range.first), Node::Expr(range.last)]);
            out.extend(range.second.map(Node::Expr));
        }
        ExprKind::If { cond, then, otherwise } => {
            out.extend([Node::Expr(*cond), Node::Expr(*then), Node::Expr(*otherwise)]);
        }
        ExprKind::LetPat { sizes: _, pat, init, body } => {
            out.extend([Node::Pat(*pat), Node::Expr(*init), Node::Expr(*body)]);
        }
        ExprKind::LetFun { fun, body } => {
            out.extend(fun.params.iter().map(|p| Node::Pat(*p)));
            out.extend(fun.ret.map(Node::Type));
            out.extend([Node::Expr(fun.body), Node::Expr(*body)]);
        }
        ExprKind::LetWith { dest: _, slice, value, body } => {
            slice_parts(slice, out);
            out.extend([Node::Expr(*value), Node::Expr(*body)]);
        }
        ExprKind::Lambda { params, ret, body } => {
            out.extend(params.iter().map(|p| Node::Pat(*p)));
            out.extend(ret.map(Node::Type));
            out.push(Node::Expr(*body));
        }
        ExprKind::Loop { pat, init, form, body } => {
            out.push(Node::Pat(*pat));
            out.extend(init.map(Node::Expr));
            match form {
                LoopForm::ForLess(_, e) | LoopForm::While(e) => out.push(Node::Expr(*e)),
                LoopForm::ForIn(p, e) => out.extend([Node::Pat(*p), Node::Expr(*e)]),
            }
            out.push(Node::Expr(*body));
        }
        ExprKind::UpdateIndex(e, slice, value) => {
            slice_parts(slice, out);
            out.extend([Node::Expr(*e), Node::Expr(*value)]);
        }
        ExprKind::Match(e, cases) => {
            out.push(Node::Expr(*e));
            out.extend(cases.iter().flat_map(|case| [Node::Pat(case.pat), Node::Expr(case.body)]));
        }
        ExprKind::IndexSection(slice) => slice_parts(slice, out),
    }
}

fn slice_parts(slice: &Slice, out: &mut Vec<Node>) {
    for dim in &slice.dims {
        match dim {
            DimIndex::Fix(e) => out.push(Node::Expr(*e)),
            DimIndex::Slice { start, end, step, span: _ } => {
                out.extend([start, end, step].into_iter().filter_map(|e| *e).map(Node::Expr));
            }
        }
    }
}

fn pat_parts(kind: &PatKind, out: &mut Vec<Node>) {
    match kind {
        PatKind::Error | PatKind::Name(_) | PatKind::Wild | PatKind::Lit(_) => {}
        PatKind::Paren(p) | PatKind::Attr(_, p) => out.push(Node::Pat(*p)),
        PatKind::Tuple(ps) | PatKind::Constr(_, ps) => out.extend(ps.iter().map(|p| Node::Pat(*p))),
        PatKind::Record(fields) => out.extend(fields.iter().filter_map(|(_, p)| *p).map(Node::Pat)),
        PatKind::Ascript(p, t) => out.extend([Node::Pat(*p), Node::Type(*t)]),
    }
}

fn type_parts(kind: &TypeExpKind, out: &mut Vec<Node>) {
    match kind {
        TypeExpKind::Error | TypeExpKind::Name(_) => {}
        TypeExpKind::Paren(t) | TypeExpKind::Unique(t) | TypeExpKind::Exists(_, t) => out.push(Node::Type(*t)),
        TypeExpKind::Tuple(ts) => out.extend(ts.iter().map(|t| Node::Type(*t))),
        TypeExpKind::Record(fields) => out.extend(fields.iter().map(|(_, t)| Node::Type(*t))),
        TypeExpKind::Sum(constrs) => out.extend(constrs.iter().flat_map(|(_, ts)| ts).map(|t| Node::Type(*t))),
        TypeExpKind::Array(size, t) => {
            out.extend(size.expr.map(Node::Expr));
            out.push(Node::Type(*t));
        }
        TypeExpKind::Arrow { param: _, arg, ret } => out.extend([Node::Type(*arg), Node::Type(*ret)]),
        TypeExpKind::Apply(head, args) => {
            out.push(Node::Type(*head));
            out.extend(args.iter().filter_map(|arg| match arg {
                TypeArg::Size(size) => size.expr.map(Node::Expr),
                TypeArg::Type(t) => Some(Node::Type(*t)),
            }));
        }
    }
}
