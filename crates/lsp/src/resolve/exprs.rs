//! Expressions, patterns and types.

use super::scope::{Known, Term, Wanted};
use super::{Form, Kind, Node, Resolver};
use kenaz_base::with_stack;
use kenaz_syntax::ast::{
    BinOp, DimIndex, ExprId, ExprKind, Ident, LoopForm, PatId, PatKind, QualName, SizeExp, Slice, TypeArg, TypeExpId,
    TypeExpKind, TypeParam, TypeParamKind,
};

impl Resolver<'_> {
    pub(super) fn mention(&mut self, name: Ident, known: Known) {
        self.note(name, known.def, known.described, Form::Plain, false);
    }

    /// Binds a name of a value, and returns nothing: its definition is nothing but the name.
    fn bind(&mut self, name: Ident, kind: Kind) {
        let def = self.define(name, kind, Node::Name);
        self.scope.bind_term(name.name, Term::Value(def.into()));
    }

    pub(super) fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            match param.kind {
                TypeParamKind::Size => self.bind(param.name, Kind::Size),
                TypeParamKind::Type(_) => {
                    let def = self.define(param.name, Kind::TypeParameter, Node::Name);
                    self.scope.bind_type(param.name.name, def.into());
                }
            }
        }
    }

    /// A function, or a value without parameters.
    pub(super) fn function(
        &mut self,
        type_params: &[TypeParam],
        params: &[PatId],
        ret: Option<TypeExpId>,
        body: ExprId,
    ) {
        let mark = self.scope.mark();
        self.type_params(type_params);
        for param in params {
            self.pat(*param, Kind::Parameter);
        }
        if let Some(ret) = ret {
            self.type_exp(ret);
        }
        self.expr(body);
        self.scope.leave(mark);
    }

    fn exprs(&mut self, all: &[ExprId]) {
        for e in all {
            self.expr(*e);
        }
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        with_stack(|| self.expr_(id));
    }

    fn expr_(&mut self, id: ExprId) {
        let ast = self.ast;
        match &ast[id].kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Hole
            | ExprKind::ProjectSection(_) => {}
            ExprKind::Paren(e)
            | ExprKind::Project(e, _)
            | ExprKind::Not(e)
            | ExprKind::Neg(e)
            | ExprKind::Attr(_, e) => self.expr(*e),
            ExprKind::Tuple(all) | ExprKind::Array(all) | ExprKind::Constr(_, all) => self.exprs(all),
            ExprKind::Record(fields) => {
                for field in fields {
                    match field.value {
                        Some(value) => self.expr(value),
                        None => self.use_of(field.name, Form::Field),
                    }
                }
            }
            ExprKind::Var(path) => self.value_path(path),
            ExprKind::Index(e, slice) => {
                self.expr(*e);
                self.slice(slice);
            }
            ExprKind::LocalOpen(path, e) => {
                let mark = self.scope.mark();
                if let Some(env) = self.opened(path) {
                    self.scope.open(&env);
                }
                self.expr(*e);
                self.scope.leave(mark);
            }
            ExprKind::Apply(fun, args) => {
                self.expr(*fun);
                self.exprs(args);
            }
            ExprKind::BinOp(op, a, b) => {
                self.expr(*a);
                self.operator(op);
                self.expr(*b);
            }
            ExprKind::Ascript(e, t) | ExprKind::Coerce(e, t) => {
                self.expr(*e);
                self.type_exp(*t);
            }
            ExprKind::Range(range) => {
                self.expr(range.first);
                range.second.into_iter().for_each(|e| self.expr(e));
                self.expr(range.last);
            }
            ExprKind::If { cond, then, otherwise } => self.exprs(&[*cond, *then, *otherwise]),
            ExprKind::LetPat { sizes, pat, init, body } => {
                self.expr(*init);
                let mark = self.scope.mark();
                for size in sizes {
                    self.bind(*size, Kind::Size);
                }
                self.pat(*pat, Kind::Local);
                self.expr(*body);
                self.scope.leave(mark);
            }
            ExprKind::LetFun { fun, body } => {
                self.function(&fun.type_params, &fun.params, fun.ret, fun.body);
                let mark = self.scope.mark();
                let def = self.define(fun.name, Kind::Function, Node::LocalFun(id));
                self.scope.bind_term(fun.name.name, Term::Value(def.into()));
                self.expr(*body);
                self.scope.leave(mark);
            }
            ExprKind::LetWith { dest, slice, value, body } => {
                let outer = self.scope.term(dest.name);
                self.slice(slice);
                self.expr(*value);
                let mark = self.scope.mark();
                self.bind_again(*dest, Kind::Local, outer, Form::Plain);
                self.expr(*body);
                self.scope.leave(mark);
            }
            ExprKind::Lambda { params, ret, body } => self.function(&[], params, *ret, *body),
            ExprKind::Loop { pat, init, form, body } => self.loop_(*pat, *init, form, *body),
            ExprKind::Assert(a, b) => self.exprs(&[*a, *b]),
            ExprKind::UpdateIndex(e, slice, value) => {
                self.expr(*e);
                self.slice(slice);
                self.expr(*value);
            }
            ExprKind::UpdateField(e, _, value) => self.exprs(&[*e, *value]),
            ExprKind::Match(e, cases) => {
                self.expr(*e);
                for case in cases {
                    let mark = self.scope.mark();
                    self.pat(case.pat, Kind::Local);
                    self.expr(case.body);
                    self.scope.leave(mark);
                }
            }
            ExprKind::OpSection(op) => self.operator(op),
            ExprKind::LeftSection(e, op) => {
                self.expr(*e);
                self.operator(op);
            }
            ExprKind::RightSection(op, e) => {
                self.operator(op);
                self.expr(*e);
            }
            ExprKind::IndexSection(slice) => self.slice(slice),
        }
    }

    fn loop_(&mut self, pat: PatId, init: Option<ExprId>, form: &LoopForm, body: ExprId) {
        match form {
            LoopForm::ForLess(_, bound) => self.expr(*bound),
            LoopForm::ForIn(_, array) => self.expr(*array),
            LoopForm::While(_) => {}
        }
        let mark = self.scope.mark();
        match init {
            Some(init) => {
                self.expr(init);
                self.pat(pat, Kind::Local);
            }
            // The names of the pattern are also those of its initial values.
            None => self.again(pat),
        }
        match form {
            LoopForm::ForLess(counter, _) => self.bind(*counter, Kind::Local),
            LoopForm::ForIn(p, _) => self.pat(*p, Kind::Local),
            LoopForm::While(cond) => self.expr(*cond),
        }
        self.expr(body);
        self.scope.leave(mark);
    }

    /// A use of a value that is no path.
    fn use_of(&mut self, name: Ident, form: Form) {
        if self.is_asked(name) {
            self.see(Wanted::Values);
        }
        if let Some(term) = self.scope.term(name.name) {
            let known = term.known();
            self.note(name, known.def, known.described, form, false);
        }
    }

    /// A name that is bound and whose value comes from the name outside: they are one and the same to those who rename.
    fn bind_again(&mut self, name: Ident, kind: Kind, outer: Option<Term>, form: Form) {
        let def = self.define_as(name, kind, Node::Name, form);
        if let Some(outer) = outer {
            let outer = outer.known().def;
            self.names.classes.unite(def, outer);
            self.names.same.unite(def, outer);
        }
        self.scope.bind_term(name.name, Term::Value(def.into()));
    }

    /// The pattern of a loop without initial value.
    fn again(&mut self, id: PatId) {
        let ast = self.ast;
        with_stack(|| match &ast[id].kind {
            PatKind::Name(name) => {
                let outer = self.scope.term(name.name);
                self.bind_again(*name, Kind::Local, outer, Form::Plain);
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.again(*p),
            PatKind::Ascript(p, t) => {
                self.type_exp(*t);
                self.again(*p);
            }
            PatKind::Tuple(all) | PatKind::Constr(_, all) => all.iter().for_each(|p| self.again(*p)),
            PatKind::Record(fields) => {
                for (name, inner) in fields {
                    match inner {
                        Some(p) => self.again(*p),
                        None => {
                            let outer = self.scope.term(name.name);
                            self.bind_again(*name, Kind::Local, outer, Form::Field);
                        }
                    }
                }
            }
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
        });
    }

    pub(super) fn pat(&mut self, id: PatId, kind: Kind) {
        let ast = self.ast;
        with_stack(|| match &ast[id].kind {
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
            PatKind::Name(name) => self.bind(*name, kind),
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.pat(*p, kind),
            PatKind::Tuple(all) | PatKind::Constr(_, all) => all.iter().for_each(|p| self.pat(*p, kind)),
            PatKind::Record(fields) => {
                for (name, inner) in fields {
                    match inner {
                        Some(p) => self.pat(*p, kind),
                        None => {
                            let def = self.define_as(*name, kind, Node::Name, Form::Field);
                            self.scope.bind_term(name.name, Term::Value(def.into()));
                        }
                    }
                }
            }
            PatKind::Ascript(p, t) => {
                self.type_exp(*t);
                self.pat(*p, kind);
            }
        });
    }

    fn slice(&mut self, slice: &Slice) {
        for dim in &slice.dims {
            match dim {
                DimIndex::Fix(e) => self.expr(*e),
                DimIndex::Slice { start, end, step, .. } => {
                    [start, end, step].into_iter().flatten().for_each(|e| self.expr(*e));
                }
            }
        }
    }

    /// A path of modules, a value, and fields of it.
    fn value_path(&mut self, path: &QualName) {
        if self.is_asked(path.name) {
            self.see(Wanted::Values);
        }
        let mut parts = path.quals.iter().chain([&path.name]);
        let Some(first) = parts.next() else { return };
        let Some(mut term) = self.scope.term(first.name) else { return };
        self.mention(*first, term.known());
        for part in parts {
            let Term::Module(_, super::Module::Env(env)) = &term else { return };
            let Some(next) = env.terms.get(&part.name).cloned() else { return };
            self.mention(*part, next.known());
            term = next;
        }
    }

    fn operator(&mut self, op: &BinOp) {
        if !op.name.quals.is_empty() || self.is_bound(op.name.name.name) {
            self.value_path(&op.name);
        }
    }

    fn size(&mut self, size: SizeExp) {
        size.expr.into_iter().for_each(|e| self.expr(e));
    }

    pub(super) fn type_exp(&mut self, id: TypeExpId) {
        let ast = self.ast;
        with_stack(|| match &ast[id].kind {
            TypeExpKind::Error => {}
            TypeExpKind::Name(path) => self.type_path(path),
            TypeExpKind::Paren(t) | TypeExpKind::Unique(t) => self.type_exp(*t),
            TypeExpKind::Tuple(all) => all.iter().for_each(|t| self.type_exp(*t)),
            TypeExpKind::Record(fields) => fields.iter().for_each(|(_, t)| self.type_exp(*t)),
            TypeExpKind::Array(size, t) => {
                self.size(*size);
                self.type_exp(*t);
            }
            TypeExpKind::Sum(constrs) => constrs.iter().flat_map(|(_, all)| all).for_each(|t| self.type_exp(*t)),
            TypeExpKind::Arrow { param, arg, ret } => {
                self.type_exp(*arg);
                let mark = self.scope.mark();
                if let Some(param) = param {
                    self.bind(*param, Kind::Parameter);
                }
                self.type_exp(*ret);
                self.scope.leave(mark);
            }
            TypeExpKind::Apply(head, args) => {
                self.type_exp(*head);
                for arg in args {
                    match arg {
                        TypeArg::Size(size) => self.size(*size),
                        TypeArg::Type(t) => self.type_exp(*t),
                    }
                }
            }
            TypeExpKind::Exists(sizes, t) => {
                let mark = self.scope.mark();
                sizes.iter().for_each(|size| self.bind(*size, Kind::Size));
                self.type_exp(*t);
                self.scope.leave(mark);
            }
        });
    }
}
