//! The state of the checker, and the small steps everything else is made of.

use crate::finish::fits;
use crate::info::Info;
use crate::limits;
use crate::names::{Constraint, Level, MetaInfo, MetaState, Names, PrimSet, SizeCause, Usage, VarKind};
use crate::remedy::Remedy;
use crate::scope::{Module, Scope};
use crate::types::{FunctorId, Scheme, SchemeParam, Size, Ty, TyArg, TyKind, VarId};
use crate::walk::Subst;
use kenaz_base::{Code, Diagnostic, Diagnostics, FileId, Prim, SourceMap, Span, Symbol};
use kenaz_syntax::ast::{Ast, DecId, ExprId, Liftedness, PatId, TypeExpId};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) struct Checker<'a> {
    pub ast: &'a Ast,
    pub sources: &'a SourceMap,
    pub names: Names,
    pub scope: Scope,
    pub info: Info,
    pub diagnostics: Diagnostics,
    /// See [`Level`]; 0 is the level of modules.
    pub level: Level,
    /// What belongs to the definition being checked.
    pub current: Current,
    /// The files that are done.
    pub files: FxHashMap<FileId, Module>,
    /// The file that an import names.
    pub imports: FxHashMap<(FileId, Symbol), FileId>,
    /// The file being checked.
    pub file: FileId,
    /// Whether the file being checked is part of the compiler.
    pub builtin: bool,
    /// Whether the declarations being checked stand inside a module.
    pub module_depth: usize,
    /// Whether the file being checked is the one whose entry points count.
    pub is_main: bool,
    /// The parametric modules around what is being checked, outermost first.
    pub functors: Vec<FunctorId>,
    /// The overloaded operators, by their spelling.
    pub operators: FxHashMap<Symbol, VarId>,
    /// Whether the declaration being checked is `local`.
    pub is_local: bool,
    /// Whether a module that was opened in this file could not be found, so that every name may be in it.
    pub poisoned: bool,
    /// Set by `#[dispatch]` for the conditional right behind it.
    pub dispatch: bool,
    /// The definitions around what is being checked, outermost first, for messages.
    pub defining: Vec<Defining>,
    /// The lists of declarations around what is being checked, outermost first.
    pub declarations: Vec<Vec<DecId>>,
    /// The modules around what is being checked, outermost first.
    pub module_path: Vec<Symbol>,
    /// Whether a size is being checked.
    pub in_size: bool,
    /// The value that the pattern to be checked next takes apart.
    pub matched: Option<ExprId>,
    /// Where a type of the declaration being checked became too large.
    pub too_large: Option<Span>,
    /// Whether what is wrong is part of a mistake that has a message.
    pub is_muted: bool,
    /// What to do if the name to be looked up next is unknown.
    pub pending: Option<Remedy>,
    /// The comparison whose left operand is being checked.
    pub compared: Option<ExprId>,
    /// The expression that takes an element of an array, and its index, which is being checked.
    pub masked: Option<(ExprId, ExprId)>,
}

/// What is being defined: `def f`, `type t`.
#[derive(Clone, Copy)]
pub(crate) struct Defining {
    pub keyword: &'static str,
    pub name: Symbol,
}

/// What inference made for one definition and must be settled at its end.
#[derive(Default)]
pub(crate) struct Current {
    pub exprs: Vec<ExprId>,
    pub pats: Vec<PatId>,
    pub type_exps: Vec<TypeExpId>,
    pub resolved: Vec<ExprId>,
    pub sizes: Vec<VarId>,
    pub fields: Vec<(ExprId, usize)>,
    pub metas: Vec<crate::types::MetaId>,
    pub values: Vec<VarId>,
    /// Integer literals with their type, to be checked for range: value, whether negated, place.
    pub literals: Vec<(Literal, Ty, Span)>,
    /// Literals that do not fit the type that their suffix states.
    pub wrapped: Vec<(Literal, Prim, Span)>,
    /// How many errors were reported for it.
    pub errors: usize,
    /// The number of names that there were before it.
    pub first_var: usize,
    /// The places of the constraints whose violation was reported.
    pub reported: Vec<Span>,
    /// The names that were reported as unknown, as the messages have it.
    pub unknown: FxHashSet<String>,
    /// Type parameters and what they were reported to differ from, as they are shown.
    pub differ: FxHashSet<(String, String)>,
    /// Whether a function was reported where none may be.
    pub misplaced_function: bool,
}

impl Current {
    pub(crate) fn new(names: &mut Names) -> Current {
        names.shown_from = names.vars.len();
        Current { first_var: names.vars.len(), ..Current::default() }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Literal {
    Int { value: u128, overflow: bool, negative: bool },
    Float { value: f64, negative: bool },
}

impl Literal {
    /// The literal behind a minus.
    pub(crate) fn negated(self) -> Literal {
        match self {
            Literal::Int { value, overflow, .. } => Literal::Int { value, overflow, negative: true },
            Literal::Float { value, .. } => Literal::Float { value, negative: true },
        }
    }
}

impl<'a> Checker<'a> {
    /// The program text of an expression, for messages; cut if it is long.
    pub(crate) fn text(&self, span: Span) -> String {
        let mut text = String::new();
        for word in self.sources.text(span).split_whitespace() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
            // What is behind is cut anyway.
            if text.len() > 4 * 41 {
                break;
            }
        }
        if text.chars().count() <= 40 { text } else { format!("{}…", text.chars().take(38).collect::<String>()) }
    }

    pub(crate) fn error(&mut self, diagnostic: Diagnostic) -> Ty {
        self.current.errors += 1;
        if self.is_muted {
            return Ty::error();
        }
        let is_lookup = matches!(
            diagnostic.code,
            Code::UnknownName | Code::UnknownType | Code::UnknownModule | Code::UnknownModuleType
        );
        let is_new = !(is_lookup || diagnostic.code == Code::UnknownField)
            || self.current.unknown.insert(diagnostic.message.clone());
        if is_new && !(self.poisoned && is_lookup) {
            self.diagnostics.push(diagnostic);
        }
        Ty::error()
    }

    /// The type of a literal with a suffix.
    pub(crate) fn stated_literal(&mut self, literal: Literal, prim: Prim, span: Span) -> Ty {
        if !fits(literal, prim) && !self.is_bits(literal, prim, span) {
            self.current.wrapped.push((literal, prim, span));
        }
        Ty::prim(prim)
    }

    /// Whether a literal states the bits of a value, in hexadecimal or binary: `0xffi8` is -1.
    fn is_bits(&self, literal: Literal, prim: Prim, span: Span) -> bool {
        let Literal::Int { value, overflow: false, .. } = literal else { return false };
        let is_binary = self.sources.text(span).get(1..2).is_some_and(|c| "xXbB".contains(c));
        is_binary && prim.is_integer() && value >> (8 * prim.bytes()) == 0
    }

    /// Remembers where a type became too large; it is reported at the end of the declaration.
    pub(crate) fn note_large(&mut self, span: Span) {
        if limits::is_exceeded() && self.too_large.is_none() {
            self.too_large = Some(span);
            self.current.errors += 1;
        }
    }

    /// Reports that a type of the declaration at `span` became too large.
    pub(crate) fn report_large(&mut self, span: Span) {
        if !limits::is_exceeded() {
            return;
        }
        let span = self.too_large.take().unwrap_or(span);
        self.error(
            Diagnostic::error(Code::TypeTooLarge, span, "a type becomes too large here")
                .label(format!(
                    "more than {} parts, {} levels or {} dimensions",
                    limits::MAX_PARTS,
                    limits::MAX_LEVELS,
                    limits::MAX_RANK
                ))
                .hint("put the values in an array, or define smaller parts with types of their own"),
        );
        limits::reset();
    }

    /// Runs `f` inside the definition of a name.
    pub(crate) fn inside<R>(&mut self, keyword: &'static str, name: Symbol, f: impl FnOnce(&mut Self) -> R) -> R {
        self.defining.push(Defining { keyword, name });
        let result = f(self);
        self.defining.pop();
        result
    }

    pub(crate) fn warn(&mut self, diagnostic: Diagnostic) {
        if !self.builtin && !self.is_muted {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn usage(&self, span: Span, what: impl Into<String>) -> Usage {
        Usage { span, what: what.into(), code: Code::FunctionInstance }
    }

    /// A type to be inferred.
    pub(crate) fn fresh(&mut self, span: Span) -> Ty {
        self.fresh_with(span, Constraint::Any)
    }

    pub(crate) fn fresh_with(&mut self, span: Span, constraint: Constraint) -> Ty {
        self.fresh_lifted(span, constraint, Liftedness::Lifted, None)
    }

    fn fresh_lifted(
        &mut self,
        span: Span,
        constraint: Constraint,
        liftedness: Liftedness,
        reason: Option<Usage>,
    ) -> Ty {
        let state = MetaState::Open(constraint);
        let meta = self.names.metas.push(MetaInfo { level: self.level, span, liftedness, reason, rank: 0, state });
        self.current.metas.push(meta);
        Ty::meta(meta)
    }

    pub(crate) fn fresh_prim(&mut self, span: Span, set: PrimSet, what: &str) -> Ty {
        let usage = self.usage(span, what);
        self.fresh_with(span, Constraint::Overloaded(set, usage))
    }

    /// A size to be inferred.
    pub(crate) fn fresh_size(&mut self, span: Span, name: &str, cause: SizeCause) -> Size {
        let v = self.names.var(Symbol::intern(name), span, self.level, VarKind::Flexible(cause, None));
        self.current.sizes.push(v);
        Size::Var(v)
    }

    /// A size that exists but has no name, made by evaluating `expr`.
    pub(crate) fn unknown_size(&mut self, expr: ExprId, name: &str, cause: SizeCause) -> Size {
        let span = self.ast[expr].span;
        let v = self.names.var(Symbol::intern(name), span, self.level, VarKind::Unknown(cause));
        self.info.unknown_sizes.entry(expr).or_default().push(v);
        Size::Var(v)
    }

    /// The type of a scheme with fresh variables for its parameters, and these.
    pub(crate) fn instantiate(&mut self, scheme: &Scheme, span: Span, of: &dyn Fn() -> String) -> (Ty, Vec<TyArg>) {
        if scheme.params.is_empty() {
            return (scheme.ty.clone(), Vec::new());
        }
        let mut subst = Subst::default();
        let mut args = Vec::with_capacity(scheme.params.len());
        for param in &scheme.params {
            let arg = match param {
                SchemeParam::Size(v) => {
                    let name = self.names.vars[*v].name;
                    let cause = SizeCause::Instance { param: name, of: Some(of()) };
                    let fresh = self.names.var(name, span, self.level, VarKind::Flexible(cause, None));
                    self.current.sizes.push(fresh);
                    TyArg::Size(Size::Var(fresh))
                }
                SchemeParam::Type(id, liftedness) => {
                    let usage = (*liftedness != Liftedness::Lifted).then(|| {
                        let what = format!("the type parameter `'{}` of `{}`", self.names.types[*id].name, of());
                        Usage { span, what, code: Code::FunctionInstance }
                    });
                    TyArg::Type(self.fresh_lifted(span, Constraint::Any, *liftedness, usage))
                }
            };
            subst.bind(param, arg.clone());
            args.push(arg);
        }
        (subst.apply(&scheme.ty), args)
    }

    pub(crate) fn set_ty(&mut self, expr: ExprId, ty: Ty) -> Ty {
        self.info.expr_ty.insert(expr, ty.clone());
        self.current.exprs.push(expr);
        ty
    }

    /// Runs `f` one level further in.
    pub(crate) fn nested<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.level += 1;
        let result = f(self);
        self.level -= 1;
        result
    }

    /// Runs `f` in a scope of its own.
    pub(crate) fn scoped<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.scope.mark();
        let result = f(self);
        self.scope.leave(mark);
        result
    }

    pub(crate) fn bool_ty(&self) -> Ty {
        Ty::prim(Prim::Bool)
    }

    pub(crate) fn i64_ty(&self) -> Ty {
        Ty::prim(Prim::I64)
    }

    /// Replaces the existential sizes of an expression's type by unknown ones.
    pub(crate) fn open_result(&mut self, expr: ExprId, ty: &Ty, cause: &SizeCause) -> Ty {
        let ty = self.names.zonk(ty);
        let TyKind::Exists(dims, body) = ty.kind() else { return ty };
        let mut subst = Subst::default();
        for d in dims {
            let name = self.names.vars[*d].name;
            subst.sizes.insert(*d, self.unknown_size(expr, name.as_str(), cause.clone()));
        }
        subst.apply(body)
    }

    pub(crate) fn is_main_file(&self) -> bool {
        self.is_main && self.module_depth == 0
    }
}
