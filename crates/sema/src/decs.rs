//! Declarations: values, types, modules, `open`, `import`.

use crate::checker::{Checker, Current};
use crate::function::Function;
use crate::names::VarKind;
use crate::scope::{Env, ModType, Module, Term, TypeEntry};
use crate::type_exp::Evaluated;
use crate::types::{Scheme, SchemeParam, Ty, TypeAbbr, VarId};
use crate::walk::{close, free_vars, witnesses};
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_syntax::ast::{DecId, DecKind, Ident, Liftedness, StringLit, TypeBind, ValBind, ValKeyword};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The names defined so far in a list of declarations or specifications.
#[derive(Default)]
pub(crate) struct Defined {
    terms: FxHashMap<Symbol, Span>,
    types: FxHashMap<Symbol, Span>,
    mod_types: FxHashMap<Symbol, Span>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Terms,
    Types,
    ModTypes,
}

impl Checker<'_> {
    /// Checks declarations in order, binds their names and returns what is visible to others.
    pub(crate) fn check_decs(&mut self, decs: &[DecId]) -> Env {
        let mut env = Env::default();
        let mut defined = Defined::default();
        self.declarations.push(decs.to_vec());
        for dec in decs {
            self.check_dec(*dec, &mut env, &mut defined);
            self.report_large(self.ast[*dec].span);
        }
        self.declarations.pop();
        env
    }

    fn check_dec(&mut self, dec: DecId, env: &mut Env, defined: &mut Defined) {
        let ast = self.ast;
        match &ast[dec].kind {
            DecKind::Error => {}
            DecKind::Val(bind) => {
                self.define(bind.name, Space::Terms, defined);
                let v = self.check_val(dec, bind);
                self.scope.bind_value(bind.name.name, v);
                env.terms.insert(bind.name.name, Term::Value(v));
            }
            DecKind::Type(bind) => {
                self.define(bind.name, Space::Types, defined);
                self.current = Current::new(&mut self.names);
                let entry = self.check_type_bind(bind);
                self.scope.bind_type(bind.name.name, entry.clone());
                env.types.insert(bind.name.name, entry);
            }
            DecKind::Module(bind) => {
                self.define(bind.name, Space::Terms, defined);
                let module = self.check_mod_bind(bind);
                self.scope.bind_term(bind.name.name, Term::Module(module.clone()));
                env.terms.insert(bind.name.name, Term::Module(module));
            }
            DecKind::ModType(bind) => {
                self.define(bind.name, Space::ModTypes, defined);
                self.current = Current::new(&mut self.names);
                let mod_type: Arc<ModType> = Arc::new(self.eval_mod_type(bind.body));
                self.scope.bind_mod_type(bind.name.name, mod_type.clone());
                env.mod_types.insert(bind.name.name, mod_type);
            }
            DecKind::Open(exp) => {
                let opened = self.eval_mod(*exp);
                self.open_into(&opened, ast[dec].span, Some(env));
            }
            DecKind::Import(path) => {
                let opened = self.import(path);
                self.open_into(&opened, ast[dec].span, None);
            }
            // A local name may be defined again, and is no entry point.
            DecKind::Local(inner) => {
                let outer = std::mem::replace(&mut self.is_local, true);
                with_stack(|| self.check_dec(*inner, &mut Env::default(), &mut Defined::default()));
                self.is_local = outer;
            }
        }
    }

    /// Brings the names of a module into scope, and into `env` if they are to be visible outside.
    fn open_into(&mut self, module: &Module, span: Span, env: Option<&mut Env>) {
        match module {
            Module::Env(opened) => {
                self.scope.open(opened);
                if let Some(env) = env {
                    env.terms.extend(opened.terms.iter().map(|(n, t)| (*n, t.clone())));
                    env.types.extend(opened.types.iter().map(|(n, t)| (*n, t.clone())));
                    env.mod_types.extend(opened.mod_types.iter().map(|(n, t)| (*n, t.clone())));
                }
            }
            Module::Fun(_) => {
                self.error(
                    Diagnostic::error(Code::ParametricModule, span, "a parametric module cannot be opened")
                        .label("this module takes a parameter")
                        .hint("apply it to a module first"),
                );
            }
            Module::Error => self.poisoned = true,
        }
    }

    /// Reports a name that the same list of declarations defines twice.
    pub(crate) fn define(&mut self, ident: Ident, space: Space, defined: &mut Defined) {
        let (table, what) = match space {
            Space::Terms => (&mut defined.terms, "value or module"),
            Space::Types => (&mut defined.types, "type"),
            Space::ModTypes => (&mut defined.mod_types, "module type"),
        };
        if let Some(first) = table.insert(ident.name, ident.span) {
            let name = ident.name;
            self.error(
                Diagnostic::error(
                    Code::DuplicateDefinition,
                    ident.span,
                    format!("the {what} `{name}` is defined twice"),
                )
                .label("defined again here")
                .cause(first, "first defined here")
                .hint("rename one of them"),
            );
        }
    }

    pub(crate) fn import(&mut self, path: &StringLit) -> Module {
        let file = self.imports.get(&(self.file, Symbol::intern(&path.text))).copied();
        // A file that could not be loaded was reported when it was looked for.
        file.and_then(|f| self.files.get(&f).cloned()).unwrap_or(Module::Error)
    }

    fn check_val(&mut self, dec: DecId, bind: &ValBind) -> VarId {
        self.current = Current::new(&mut self.names);
        let name = bind.name;
        let is_entry = bind.keyword == ValKeyword::Entry;
        if matches!(name.name.as_str(), "&&" | "||") && !self.builtin {
            self.error(
                Diagnostic::error(
                    Code::OperatorRedefined,
                    name.span,
                    format!("the operator `{}` cannot be redefined", name.name),
                )
                .label("it evaluates its right operand only when needed, which no function can do")
                .hint(format!("give it another name, such as `{}.`", name.name)),
            );
        }
        if is_entry && self.module_depth > 0 {
            self.error(
                Diagnostic::error(
                    Code::NestedEntry,
                    name.span,
                    format!("entry point `{}` is declared inside a module", name.name),
                )
                .label("entry points must be at the top level of the file")
                .hint(format!(
                    "use `def` here, and `entry {0} = {1}.{0}` at the top level",
                    name.name,
                    self.module_path.iter().map(|m| m.as_str()).collect::<Vec<_>>().join(".")
                )),
            );
        }
        let errors = self.current.errors;
        let typed = self.function(&Function {
            name: Some(name),
            type_params: &bind.type_params,
            params: &bind.params,
            ret: bind.ret,
            body: bind.body,
        });
        let well_typed = self.current.errors == errors;
        let mut scheme = self.finish_definition(typed);
        if well_typed && self.current.errors == errors {
            self.check_definition(bind, &mut scheme);
        }
        if bind.params.is_empty() && self.current.errors == errors {
            self.check_value_sizes(bind, &scheme);
            self.check_constant_type(bind);
        }
        let v = self.names.var(name.name, name.span, 0, VarKind::Global);
        self.names.vars[v].scheme = Some(scheme);
        self.info.val_var.insert(dec, v);
        self.info.functors.definitions.insert(v, (dec, self.functors.clone()));
        let exposed = is_entry || (name.name.as_str() == "main" && self.module_depth == 0 && !self.is_local);
        if exposed && self.is_main_file() && self.current.errors == 0 {
            self.check_entry(v, bind);
        }
        v
    }

    /// A constant is shared by all who use it, so nobody may consume it.
    fn check_constant_type(&mut self, bind: &ValBind) {
        let Some(exp) = bind.ret else { return };
        if self.info.type_exp.get(exp).is_some_and(Ty::mentions_unique) {
            self.error(
                Diagnostic::error(
                    Code::NotConsumable,
                    self.ast[exp].span,
                    format!("the constant `{}` cannot have a unique type", bind.name.name),
                )
                .label("a constant is shared by all who use it, so it cannot be consumed")
                .hint("remove the `*`; whoever needs to change it can `copy` it"),
            );
        }
    }

    /// A value that is no function is computed once, so its unknown sizes cannot depend on size parameters.
    fn check_value_sizes(&mut self, bind: &ValBind, scheme: &Scheme) {
        let unknown = free_vars(&scheme.ty).into_iter().any(|v| matches!(self.names.vars[v].kind, VarKind::Unknown(_)));
        let param = scheme.params.iter().find_map(|p| match p {
            SchemeParam::Size(v) => Some(*v),
            SchemeParam::Type(..) => None,
        });
        if let Some(v) = param.filter(|_| unknown) {
            let (name, size, shown) = (bind.name.name, self.names.vars[v].name, self.names.show(&scheme.ty));
            self.error(
                Diagnostic::error(
                    Code::ExistentialSize,
                    bind.name.span,
                    format!("`{name}` is a size-polymorphic value of unknown size"),
                )
                .label(format!("its type is `{shown}`, for any size `{size}`"))
                .hint(format!("make it a function: `def {name} ({size}: i64) = …`")),
            );
        }
    }

    pub(crate) fn check_type_bind(&mut self, bind: &TypeBind) -> TypeEntry {
        self.inside("type", bind.name.name, |this| this.check_type_bind_(bind))
    }

    fn check_type_bind_(&mut self, bind: &TypeBind) -> TypeEntry {
        let mark = self.scope.mark();
        let params = self.bind_type_params(&bind.params);
        let errors = self.current.errors;
        let Evaluated { ty, dims } = self.eval_type(bind.body);
        let liftedness = self.type_exp_liftedness(bind.body);
        self.scope.leave(mark);
        let span = self.ast[bind.body].span;
        if self.current.errors == errors {
            let seen = witnesses(&ty);
            if dims.iter().any(|d| !seen.contains(d)) {
                self.error(
                    Diagnostic::error(
                        Code::AnonymousSize,
                        span,
                        format!("type `{}` leaves a size open that no array in it has", bind.name.name),
                    )
                    .label("an anonymous size in the parameter or result of a function only")
                    .hint("give the type a size parameter, or add an array of that size"),
                );
            }
            let used = free_vars(&ty);
            for param in &params {
                if let SchemeParam::Size(v) = param
                    && !used.contains(v)
                {
                    let (name, span) = (self.names.vars[*v].name, self.names.vars[*v].span);
                    self.error(
                        Diagnostic::error(
                            Code::UnusedSize,
                            span,
                            format!("size parameter `[{name}]` of type `{}` is not used", bind.name.name),
                        )
                        .label("nothing in the type has this size"),
                    );
                }
            }
            let liftedness = if dims.is_empty() { liftedness } else { liftedness.max(Liftedness::SizeLifted) };
            if liftedness > bind.liftedness {
                let (what, keyword) = match liftedness {
                    Liftedness::Lifted => ("contains or may contain a function", "type^"),
                    _ => ("contains arrays of existential size", "type~"),
                };
                self.error(
                    Diagnostic::error(
                        Code::LiftedType,
                        span,
                        format!("type `{}` {what}, so it must be declared as lifted", bind.name.name),
                    )
                    .label("this is what makes it lifted")
                    .hint(match (liftedness, self.with_named_sizes(bind)) {
                        (Liftedness::SizeLifted, Some(named)) => {
                            format!("name the sizes: `{named}`; or write `type~` if each value may have its own")
                        }
                        _ => format!("write `{keyword} {} …`", bind.name.name),
                    }),
                );
            }
        }
        let abbr = TypeAbbr { params, liftedness: bind.liftedness, body: close(dims, ty.without_unique()) };
        TypeEntry { abbr: Arc::new(abbr), span: Some(bind.name.span) }
    }

    /// A type with a size parameter for each `[]` in it, as one would write it.
    fn with_named_sizes(&self, bind: &TypeBind) -> Option<String> {
        let text = self.text(self.ast[bind.body].span);
        let mut names = ["n", "m", "k", "l"].into_iter();
        let mut parts = text.split("[]");
        let mut body = parts.next()?.to_string();
        let mut params = String::new();
        for part in parts {
            let name = names.next()?;
            params.push_str(&format!(" [{name}]"));
            body.push_str(&format!("[{name}]{part}"));
        }
        let is_simple = bind.params.is_empty() && !params.is_empty() && !body.contains('…');
        is_simple.then(|| format!("type {}{params} = {body}", bind.name.name))
    }
}
