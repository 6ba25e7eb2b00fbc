//! The syntax tree. All nodes of a program, of all its files, live in the arenas of one [`Ast`], so an id is unique in
//! the program and what later passes learn is kept in side tables keyed by id.
//!
//! The tree is what was written: parentheses and attributes are nodes, nothing is desugared or resolved. The one thing
//! the parser settles is the shape of operator expressions, since fixity depends only on an operator's spelling.

use kenaz_base::attr::{Arg, Problem};
use kenaz_base::{Arena, FileId, Prim, Span, Symbol, define_ids};
use std::ops::Index;

define_ids! {
    ExprId "e";
    PatId "p";
    TypeExpId "t";
    DecId "d";
    SpecId "s";
    ModExpId "m";
    ModTypeExpId "mt";
}

#[derive(Default)]
pub struct Ast {
    pub exprs: Arena<ExprId, Expr>,
    pub pats: Arena<PatId, Pat>,
    pub types: Arena<TypeExpId, TypeExp>,
    pub decs: Arena<DecId, Dec>,
    pub specs: Arena<SpecId, Spec>,
    pub mod_exps: Arena<ModExpId, ModExp>,
    pub mod_types: Arena<ModTypeExpId, ModTypeExp>,
}

/// What a file contains.
#[derive(Clone, Debug)]
pub struct File {
    pub file: FileId,
    /// A documentation comment at the very top that belongs to no declaration.
    pub doc: Option<Doc>,
    pub decs: Vec<DecId>,
    /// All comments in order, documentation included.
    pub comments: Vec<Comment>,
}

/// One line comment; the span starts at `--` and ends before the line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    pub span: Span,
    pub is_doc: bool,
}

/// A documentation comment: its lines without `-- |` and `--`, joined by line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc {
    pub span: Span,
    pub text: String,
}

/// A name where it is bound or mentioned. Operators are names too; a tuple field is a name of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Symbol,
    pub span: Span,
}

/// `a.b.c`. For a path in an expression it is open how much of it is modules and how much is record fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualName {
    pub quals: Vec<Ident>,
    pub name: Ident,
}

impl QualName {
    pub fn span(&self) -> Span {
        self.quals.first().map_or(self.name.span, |q| q.span.to(self.name.span))
    }
}

impl std::fmt::Display for QualName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for qual in &self.quals {
            write!(f, "{}.", qual.name)?;
        }
        write!(f, "{}", self.name.name)
    }
}

/// The absolute value of an integer literal, reduced modulo 2^128, and whether that lost something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLit {
    pub value: u128,
    pub overflow: bool,
    /// A literal with an integer's spelling may be given a float type: `2f32`.
    pub suffix: Option<Prim>,
}

/// The text of a float literal (decimal or hexadecimal, without `_` and suffix) and its nearest `f64`.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatLit {
    pub text: String,
    pub value: f64,
    pub suffix: Option<Prim>,
}

/// What stands between `#[` and `]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr {
    pub span: Span,
    /// As it was written.
    pub kind: AttrKind,
    /// All that later passes look at; what means nothing is a warning and ignored.
    pub meaning: Result<kenaz_base::Attr, Problem>,
}

/// `name`, `12`, `name(attr, …)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrKind {
    Name(Symbol),
    Number(u128),
    Compound(Symbol, Vec<AttrKind>),
}

impl AttrKind {
    pub fn meaning(&self) -> Result<kenaz_base::Attr, Problem> {
        let arg = |arg: &AttrKind| match arg {
            AttrKind::Name(name) => Arg::Name(*name),
            AttrKind::Number(n) => Arg::Number(*n),
            AttrKind::Compound(..) => Arg::Compound(kenaz_base::with_stack(|| arg.meaning().ok())),
        };
        match self {
            AttrKind::Name(name) => kenaz_base::Attr::parse(name.as_str(), None),
            AttrKind::Number(_) => Err(Problem::Unknown),
            AttrKind::Compound(name, args) => {
                let args: Vec<Arg> = args.iter().map(arg).collect();
                kenaz_base::Attr::parse(name.as_str(), Some(&args))
            }
        }
    }
}

pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// What the parser could not read.
    Error,
    Int(IntLit),
    Float(FloatLit),
    Bool(bool),
    /// A character literal: a code point, typed like an integer literal.
    Char(u32),
    /// A string literal, as UTF-8.
    String(Vec<u8>),
    /// `???`
    Hole,
    Paren(ExprId),
    /// `()` or two and more elements.
    Tuple(Vec<ExprId>),
    Record(Vec<FieldInit>),
    Array(Vec<ExprId>),
    /// `x`, `m.x`, `r.f`, `m.r.f.g`; also `(+)` as [`ExprKind::OpSection`] is kept apart.
    Var(QualName),
    /// `e.f` where `e` is no path, or `f` is a number.
    Project(ExprId, Ident),
    /// `a[i, j:k]`
    Index(ExprId, Slice),
    /// `m.(e)`
    LocalOpen(QualName, ExprId),
    /// `f a b c`, with at least one argument; `f` is not itself an application.
    Apply(ExprId, Vec<ExprId>),
    /// `#c a b`
    Constr(Ident, Vec<ExprId>),
    /// `!e`
    Not(ExprId),
    /// `-e`
    Neg(ExprId),
    /// `a + b`, ``a `m.f` b``, `a && b`
    BinOp(BinOp, ExprId, ExprId),
    /// `e : t`
    Ascript(ExprId, TypeExpId),
    /// `e :> t`
    Coerce(ExprId, TypeExpId),
    Range(Range),
    If {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `let [n] p = e in body`
    LetPat {
        sizes: Vec<Ident>,
        pat: PatId,
        init: ExprId,
        body: ExprId,
    },
    /// `let f [n] 't p q : t = e in body`
    LetFun {
        fun: LocalFun,
        body: ExprId,
    },
    /// `let a[i] = v in body`
    LetWith {
        dest: Ident,
        slice: Slice,
        value: ExprId,
        body: ExprId,
    },
    Lambda {
        params: Vec<PatId>,
        ret: Option<TypeExpId>,
        body: ExprId,
    },
    /// `loop p = e for i < n do body`
    Loop {
        pat: PatId,
        init: Option<ExprId>,
        form: LoopForm,
        body: ExprId,
    },
    /// `#[a] e`
    Attr(Attr, ExprId),
    Assert(ExprId, ExprId),
    /// `a with [i] = v`
    UpdateIndex(ExprId, Slice, ExprId),
    /// `r with f.g = v`
    UpdateField(ExprId, Vec<Ident>, ExprId),
    Match(ExprId, Vec<Case>),
    /// `(+)`, `(m.+)`
    OpSection(BinOp),
    /// `(e +)`
    LeftSection(ExprId, BinOp),
    /// `(+ e)`
    RightSection(BinOp, ExprId),
    /// `(.f.g)`
    ProjectSection(Vec<Ident>),
    /// `(.[i, j])`
    IndexSection(Slice),
}

/// An infix operator where it is used: a symbol, or a name in backticks (the span includes them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinOp {
    pub name: QualName,
    pub span: Span,
    pub backtick: bool,
}

#[derive(Clone, Debug)]
pub struct FieldInit {
    pub name: Ident,
    /// `None` for the short form `{x}`.
    pub value: Option<ExprId>,
}

#[derive(Clone, Debug)]
pub struct Slice {
    /// With the brackets.
    pub span: Span,
    pub dims: Vec<DimIndex>,
}

#[derive(Clone, Debug)]
pub enum DimIndex {
    Fix(ExprId),
    /// `i:j:s`, each optional; the span covers the whole triple.
    Slice {
        start: Option<ExprId>,
        end: Option<ExprId>,
        step: Option<ExprId>,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Range {
    pub first: ExprId,
    /// `..y` in `x..y...z`
    pub second: Option<ExprId>,
    pub kind: RangeKind,
    pub last: ExprId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeKind {
    /// `...`
    Inclusive,
    /// `..<`
    UpTo,
    /// `..>`
    DownTo,
}

#[derive(Clone, Debug)]
pub struct LocalFun {
    pub name: Ident,
    pub type_params: Vec<TypeParam>,
    pub params: Vec<PatId>,
    pub ret: Option<TypeExpId>,
    pub body: ExprId,
}

#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `for i < n`
    ForLess(Ident, ExprId),
    /// `for p in xs`
    ForIn(PatId, ExprId),
    While(ExprId),
}

#[derive(Clone, Debug)]
pub struct Case {
    pub span: Span,
    pub pat: PatId,
    pub body: ExprId,
}

pub struct Pat {
    pub span: Span,
    pub kind: PatKind,
}

#[derive(Clone, Debug)]
pub enum PatKind {
    Error,
    Name(Ident),
    Wild,
    Lit(PatLit),
    Paren(PatId),
    Tuple(Vec<PatId>),
    /// `{f = p, g}`; `None` binds the field's own name.
    Record(Vec<(Ident, Option<PatId>)>),
    Constr(Ident, Vec<PatId>),
    Ascript(PatId, TypeExpId),
    Attr(Attr, PatId),
}

#[derive(Clone, Debug)]
pub enum PatLit {
    Int { negative: bool, lit: IntLit },
    Float { negative: bool, lit: FloatLit },
    Char(u32),
    Bool(bool),
}

/// `type`, `type~`, `type^` and `'t`, `'~t`, `'^t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Liftedness {
    Unlifted,
    SizeLifted,
    Lifted,
}

#[derive(Clone, Debug)]
pub struct TypeParam {
    pub name: Ident,
    pub kind: TypeParamKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeParamKind {
    /// `[n]`
    Size,
    /// `'t`
    Type(Liftedness),
}

pub struct TypeExp {
    pub span: Span,
    pub kind: TypeExpKind,
}

#[derive(Clone, Debug)]
pub enum TypeExpKind {
    Error,
    Name(QualName),
    Paren(TypeExpId),
    Tuple(Vec<TypeExpId>),
    Record(Vec<(Ident, TypeExpId)>),
    Array(SizeExp, TypeExpId),
    Sum(Vec<(Ident, Vec<TypeExpId>)>),
    /// `(x: t) -> u` or `t -> u`
    Arrow {
        param: Option<Ident>,
        arg: TypeExpId,
        ret: TypeExpId,
    },
    /// `t [n] u`: a name and its arguments.
    Apply(TypeExpId, Vec<TypeArg>),
    /// `*t`
    Unique(TypeExpId),
    /// `?[n][m].t`
    Exists(Vec<Ident>, TypeExpId),
}

#[derive(Clone, Debug)]
pub enum TypeArg {
    Size(SizeExp),
    Type(TypeExpId),
}

/// `[]` or `[e]`; the span includes the brackets.
#[derive(Clone, Copy, Debug)]
pub struct SizeExp {
    pub span: Span,
    pub expr: Option<ExprId>,
}

pub struct Dec {
    pub span: Span,
    pub doc: Option<Doc>,
    pub attrs: Vec<Attr>,
    pub kind: DecKind,
}

#[derive(Clone, Debug)]
pub enum DecKind {
    Error,
    Val(ValBind),
    Type(TypeBind),
    Module(ModBind),
    ModType(ModTypeBind),
    Open(ModExpId),
    /// `import "f"`; the string is as written, its span includes the quotes.
    Import(StringLit),
    Local(DecId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLit {
    pub span: Span,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValKeyword {
    Def,
    Entry,
    /// Deprecated at the top level.
    Let,
}

#[derive(Clone, Debug)]
pub struct ValBind {
    pub keyword: ValKeyword,
    /// A name or an operator symbol.
    pub name: Ident,
    pub type_params: Vec<TypeParam>,
    pub params: Vec<PatId>,
    pub ret: Option<TypeExpId>,
    pub body: ExprId,
}

#[derive(Clone, Debug)]
pub struct TypeBind {
    pub liftedness: Liftedness,
    pub name: Ident,
    pub params: Vec<TypeParam>,
    pub body: TypeExpId,
}

#[derive(Clone, Debug)]
pub struct ModParam {
    pub name: Ident,
    pub mod_type: ModTypeExpId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ModBind {
    pub name: Ident,
    pub params: Vec<ModParam>,
    pub mod_type: Option<ModTypeExpId>,
    pub body: ModExpId,
}

#[derive(Clone, Debug)]
pub struct ModTypeBind {
    pub name: Ident,
    pub body: ModTypeExpId,
}

pub struct ModExp {
    pub span: Span,
    pub kind: ModExpKind,
}

#[derive(Clone, Debug)]
pub enum ModExpKind {
    Error,
    Name(QualName),
    Paren(ModExpId),
    Import(StringLit),
    Decs(Vec<DecId>),
    Apply(ModExpId, ModExpId),
    Ascript(ModExpId, ModTypeExpId),
    Lambda { param: ModParam, mod_type: Option<ModTypeExpId>, body: ModExpId },
}

pub struct ModTypeExp {
    pub span: Span,
    pub kind: ModTypeExpKind,
}

#[derive(Clone, Debug)]
pub enum ModTypeExpKind {
    Error,
    Name(QualName),
    Paren(ModTypeExpId),
    Specs(Vec<SpecId>),
    /// `mt with m.t 'a = u`
    With {
        base: ModTypeExpId,
        name: QualName,
        params: Vec<TypeParam>,
        body: TypeExpId,
    },
    /// `(p: mt1) -> mt2`
    Arrow {
        param: Option<Ident>,
        arg: ModTypeExpId,
        ret: ModTypeExpId,
    },
}

pub struct Spec {
    pub span: Span,
    pub doc: Option<Doc>,
    pub attrs: Vec<Attr>,
    pub kind: SpecKind,
}

#[derive(Clone, Debug)]
pub enum SpecKind {
    Error,
    Val {
        name: Ident,
        type_params: Vec<TypeParam>,
        ty: TypeExpId,
    },
    /// `type t 'a = u`
    TypeAbbr(TypeBind),
    /// `type t 'a`
    Type {
        liftedness: Liftedness,
        name: Ident,
        params: Vec<TypeParam>,
    },
    Module {
        name: Ident,
        mod_type: ModTypeExpId,
    },
    Include(ModTypeExpId),
}

macro_rules! index_by {
    ($($id:ident $field:ident $node:ident;)*) => {$(
        impl Index<$id> for Ast {
            type Output = $node;
            fn index(&self, id: $id) -> &$node {
                &self.$field[id]
            }
        }
    )*};
}

index_by! {
    ExprId exprs Expr;
    PatId pats Pat;
    TypeExpId types TypeExp;
    DecId decs Dec;
    SpecId specs Spec;
    ModExpId mod_exps ModExp;
    ModTypeExpId mod_types ModTypeExp;
}
