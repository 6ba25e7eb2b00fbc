//! From the typed syntax tree to the core: modules are expanded, definitions made monomorphic, patterns taken apart.
//!
//! A definition is translated once for each combination of type arguments and modules it is used with, when it is first
//! used. Sizes are explicit in the core: an instance takes one argument for each size parameter and for each size
//! inside a type argument, in front of its own. So the shape of everything is known where it is needed, even of
//! elements that are not there.

mod entry;
mod env;
mod expr;
pub(crate) mod outside;
mod pat;
mod sizes;
mod terms;
mod types;
mod vars;

use crate::core::{CoreProg, Def, DefId, Dim, Exp, Kind, Lam, Path, Ty};
use crate::resolve::{Ctx, Modules};
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_ir::{LocId, Locs, Name};
use kenaz_sema::Checked;
use kenaz_sema::names::VarKind;
use kenaz_sema::types::{SchemeParam, Size, TypeId, VarId};
use kenaz_syntax::ast::{self, Ast, DecKind, ExprId, LocalFun};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What could not be translated.
pub type Failed = Box<Diagnostic>;
pub type Result<T> = std::result::Result<T, Failed>;

pub struct Translate<'a> {
    pub checked: &'a Checked,
    pub prog: CoreProg,
    modules: Modules,
    instances: FxHashMap<Key, DefId>,
    scope: Scope,
    /// The blocks around, innermost last.
    blocks: Vec<Block>,
    lams: u32,
    instance_count: usize,
    /// The definitions being translated, innermost last.
    in_progress: Vec<VarId>,
    /// The sizes that come into being in the definitions of constants, and where in which constants they are.
    constant_sizes: Option<FxHashMap<Size, Vec<(VarId, Path)>>>,
    outside: outside::Outside,
}

/// An instance: the definition, its context, and its type arguments, with a constant for every size that is passed.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    var: VarId,
    ctx: Ctx,
    types: Vec<Ty>,
}

/// What names mean inside the definition being translated.
#[derive(Default)]
struct Scope {
    ctx: Ctx,
    vars: FxHashMap<VarId, Binding>,
    types: FxHashMap<TypeId, Ty>,
    /// Compound sizes that can only be read off a value, since they mention something without a name.
    sizes: FxHashMap<Size, Name>,
}

#[derive(Clone)]
enum Binding {
    Value(Name, Ty),
    /// A local function that is polymorphic; its instances are made where it is defined.
    Local(Arc<LocalPoly>),
}

/// A block of bindings in the making.
#[derive(Default)]
struct Block {
    bindings: Vec<(Name, Exp)>,
    /// The compound sizes whose values are bound in it: large ones, and arguments of functions.
    sizes: FxHashMap<Size, KnownSize>,
}

/// The value of a size, or of a part of one, that is bound in a block.
#[derive(Clone)]
struct KnownSize {
    name: Name,
    ty: Ty,
    /// The modules in which the names in the size are to be understood.
    ctx: Ctx,
}

/// A local polymorphic function.
struct LocalPoly {
    fun: LocalFun,
    params: Vec<SchemeParam>,
    /// The block that its instances are bound in.
    block: usize,
    instances: std::sync::Mutex<FxHashMap<Vec<Ty>, (Name, Ty)>>,
}

impl<'a> Translate<'a> {
    pub fn new(checked: &'a Checked) -> Translate<'a> {
        Translate {
            checked,
            prog: CoreProg::default(),
            modules: Modules::default(),
            instances: FxHashMap::default(),
            scope: Scope::default(),
            blocks: Vec::new(),
            lams: 0,
            instance_count: 0,
            in_progress: Vec::new(),
            constant_sizes: None,
            outside: outside::Outside::default(),
        }
    }

    fn ast(&self) -> &'a Ast {
        &self.checked.ast
    }

    /// Translates the entry points of a program and what they need.
    pub fn entry_points(&mut self) -> Result<()> {
        let Some(file) = self.checked.files.iter().find(|f| f.file == self.checked.main) else { return Ok(()) };
        for dec in &file.decs {
            let (mut dec, mut is_local) = (*dec, false);
            while let DecKind::Local(inner) = &self.ast()[dec].kind {
                (dec, is_local) = (*inner, true);
            }
            if let DecKind::Val(bind) = &self.ast()[dec].kind
                && (bind.keyword == ast::ValKeyword::Entry || bind.name.name.as_str() == "main" && !is_local)
                && let Some(v) = self.checked.info.val_var.get(dec)
            {
                self.entry_point(*v, bind, dec)?;
            }
        }
        Ok(())
    }

    pub fn loc(&mut self, span: Span) -> LocId {
        let sources = &self.checked.sources;
        match sources.file(span.file).builtin {
            true => Locs::NOWHERE(),
            false => self.prog.locs.written(span, &sources.position(span)),
        }
    }

    pub fn fresh(&mut self, base: &str) -> Name {
        self.prog.fresh.named(base)
    }

    pub fn fresh_symbol(&mut self, base: Symbol) -> Name {
        self.prog.fresh.name(base)
    }

    fn bug(&self, span: Span, message: impl Into<String>) -> Failed {
        Box::new(
            Diagnostic::error(Code::Bug, span, format!("elaborate: {}", message.into()))
                .label("while translating this")
                .hint("this is a fault of the compiler; please report it with the program"),
        )
    }

    /// Binds a value in the current block, and returns the variable.
    fn bind(&mut self, base: &str, value: Exp) -> Exp {
        if let Kind::Var(_) | Kind::Lit(_) = value.kind {
            return value;
        }
        let name = self.fresh(base);
        let (ty, loc) = (value.ty.clone(), value.loc);
        self.push(name, value);
        Exp::var(name, ty, loc)
    }

    fn push(&mut self, name: Name, value: Exp) {
        if let Some(block) = self.blocks.last_mut() {
            block.bindings.push((name, value));
        }
    }

    /// What `f` yields, with the bindings it makes around it.
    fn block(&mut self, f: impl FnOnce(&mut Self) -> Result<Exp>) -> Result<Exp> {
        self.blocks.push(Block::default());
        let result = f(self);
        let Block { bindings, .. } = self.blocks.pop().unwrap_or_default();
        let result = result?;
        if bindings.is_empty() {
            return Ok(result);
        }
        let (ty, loc) = (result.ty.clone(), result.loc);
        Ok(Exp::new(Kind::Block(bindings, Box::new(result)), ty, loc))
    }

    /// A function with these parameters.
    fn lambda(&mut self, params: Vec<(Name, Ty)>, body: Exp, loc: LocId) -> Exp {
        if params.is_empty() {
            return body;
        }
        let ty = params.iter().rev().fold(body.ty.clone(), |ret, (_, t)| Ty::arrow(t.clone(), ret));
        let id = self.lams;
        self.lams += 1;
        let free = crate::free::free_vars(&body, params.iter().map(|(n, _)| *n));
        Exp::new(Kind::Lam(Arc::new(Lam { id, params, body, free })), ty, loc)
    }

    /// The instance of a definition for these type arguments.
    fn instance(&mut self, v: VarId, ctx: Ctx, types: &[Ty], span: Span) -> Result<DefId> {
        let mark = |d: Dim| if d == Dim::Any { Dim::Any } else { Dim::Const(0) };
        let types: Vec<Ty> = types.iter().map(|t| t.map_dims(&mut |d| mark(d))).collect();
        let key = Key { var: v, ctx: ctx.clone(), types: types.clone() };
        if let Some(id) = self.instances.get(&key) {
            return Ok(*id);
        }
        let Some((dec, _)) = self.checked.info.functors.definitions.get(&v) else {
            return Err(self.bug(span, format!("`{}` has no definition", self.checked.names.vars[v].name)));
        };
        let dec = *dec;
        let DecKind::Val(bind) = &self.ast()[dec].kind else {
            return Err(self.bug(span, "a definition that is no value"));
        };
        self.instance_count += 1;
        if self.instance_count > 200_000 {
            return Err(Box::new(
                Diagnostic::error(Code::Limitation, span, "the program needs too many instances of its functions")
                    .label("gave up here"),
            ));
        }
        let builtin = self.checked.sources.file(bind.name.span.file).builtin;
        let scope = Scope { ctx, ..Scope::default() };
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        let outer_blocks = std::mem::take(&mut self.blocks);
        let Some(scheme) = self.checked.names.vars[v].scheme.clone() else {
            return Err(self.bug(span, "a definition without a type"));
        };
        let loc = self.loc(bind.name.span);
        self.in_progress.push(v);
        let body = with_stack(|| {
            let sizes = self.bind_scheme_params(&scheme.params, &types);
            self.function(sizes, &bind.params, bind.body, loc)
        });
        self.in_progress.pop();
        self.scope = outer_scope;
        self.blocks = outer_blocks;
        let attrs = self.ast()[dec].attrs.iter().filter_map(|attr| attr.meaning.ok()).collect();
        let def = Def { name: bind.name.name, body: body?, entry: None, attrs, loc, builtin };
        let id = self.prog.defs.push(def);
        self.instances.insert(key, id);
        Ok(id)
    }

    /// Brings the parameters of a scheme into scope and returns the sizes among them, as parameters of the instance.
    fn bind_scheme_params(&mut self, params: &[SchemeParam], types: &[Ty]) -> Vec<(Name, Ty)> {
        let mut sizes = Vec::new();
        let mut types = types.iter();
        for param in params {
            match param {
                SchemeParam::Size(v) => {
                    let name = self.fresh_symbol(self.checked.names.vars[*v].name);
                    self.scope.vars.insert(*v, Binding::Value(name, Ty::I64));
                    sizes.push((name, Ty::I64));
                }
                SchemeParam::Type(id, _) => {
                    let Some(ty) = types.next() else { continue };
                    let ty = ty.map_dims(&mut |d| match d {
                        Dim::Any => Dim::Any,
                        Dim::Const(_) | Dim::Var(_) => {
                            let name = self.prog.fresh.named("d");
                            sizes.push((name, Ty::I64));
                            Dim::Var(name)
                        }
                    });
                    self.scope.types.insert(*id, ty);
                }
            }
        }
        sizes
    }

    /// A function with parameters that are patterns, behind `first`.
    fn function(&mut self, first: Vec<(Name, Ty)>, params: &[ast::PatId], body: ExprId, loc: LocId) -> Result<Exp> {
        let mut all = first;
        let body = self.block(|this| {
            for p in params {
                let ty = this.pat_type(*p)?;
                let name = this.pat_name(*p);
                all.push((name, ty.clone()));
                let value = Exp::var(name, ty, loc);
                this.bind_pat(*p, value)?;
            }
            this.expr(body)
        })?;
        Ok(self.lambda(all, body, loc))
    }

    /// Whether a variable is a definition at the level of modules.
    fn is_global(&self, v: VarId) -> bool {
        matches!(self.checked.names.vars[v].kind, VarKind::Global | VarKind::Intrinsic(_))
    }
}
