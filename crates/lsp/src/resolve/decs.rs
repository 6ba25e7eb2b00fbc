//! Declarations, module expressions and module types.

use super::scope::{Env, Known, Module, Term, Wanted};
use super::{Kind, Node, Resolver};
use kenaz_base::{FileId, Symbol, fs, with_stack};
use kenaz_syntax::ast::{
    DecId, DecKind, ModExpId, ModExpKind, ModParam, ModTypeExpId, ModTypeExpKind, QualName, SpecId, SpecKind,
    StringLit, TypeExpId, TypeParam,
};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The module type that describes the module `intrinsics`.
const INTRINSICS: &str = "intrinsics_";

impl Resolver<'_> {
    /// All files, each after those that it imports.
    pub(super) fn program(&mut self) {
        for file in &self.checked.files {
            self.file = file.file;
            let source = self.checked.sources.file(file.file);
            self.is_own = !source.builtin;
            let mark = self.scope.mark();
            let env = self.decs(&file.decs);
            self.scope.leave(mark);
            if let Some((def, module)) = env.mod_types.get(&Symbol::intern(INTRINSICS)).filter(|_| source.builtin) {
                let term = Term::Module((*def).into(), module.clone());
                self.scope.bind_term(Symbol::intern(INTRINSICS.trim_end_matches('_')), term);
            }
            if source.builtin && source.path() == Path::new("prelude/prelude.fut") {
                self.scope.open(&env);
            }
            self.files.insert(file.file, Module::Env(Rc::new(env)));
        }
    }

    fn decs(&mut self, decs: &[DecId]) -> Env {
        let mut env = Env::default();
        for dec in decs {
            self.dec(*dec, &mut env);
        }
        env
    }

    fn dec(&mut self, id: DecId, env: &mut Env) {
        let ast = self.ast;
        let node = Node::Dec(id);
        match &ast[id].kind {
            DecKind::Error => {}
            DecKind::Val(bind) => {
                self.function(&bind.type_params, &bind.params, bind.ret, bind.body);
                let term = Term::Value(self.define(bind.name, Kind::Value, node).into());
                self.scope.bind_term(bind.name.name, term.clone());
                env.terms.insert(bind.name.name, term);
            }
            DecKind::Type(bind) => {
                self.type_binding(&bind.params, bind.body);
                let known: Known = self.define(bind.name, Kind::Type, node).into();
                self.scope.bind_type(bind.name.name, known);
                env.types.insert(bind.name.name, known);
            }
            DecKind::Module(bind) => {
                let module = self.functor(&bind.params, bind.mod_type, bind.body);
                let term = Term::Module(self.define(bind.name, Kind::Module, node).into(), module);
                self.scope.bind_term(bind.name.name, term.clone());
                env.terms.insert(bind.name.name, term);
            }
            DecKind::ModType(bind) => {
                let module = self.mod_type(bind.body);
                let def = self.define(bind.name, Kind::ModuleType, node);
                self.scope.bind_mod_type(bind.name.name, def, module.clone());
                env.mod_types.insert(bind.name.name, (def, module));
            }
            DecKind::Open(exp) => {
                if let Module::Env(opened) = self.module(*exp) {
                    self.scope.open(&opened);
                    env.extend(&opened);
                }
            }
            DecKind::Import(path) => {
                if let Module::Env(opened) = self.import(path) {
                    self.scope.open(&opened);
                }
            }
            DecKind::Local(inner) => with_stack(|| self.dec(*inner, &mut Env::default())),
        }
    }

    pub(super) fn type_binding(&mut self, params: &[TypeParam], body: TypeExpId) {
        let mark = self.scope.mark();
        self.type_params(params);
        self.type_exp(body);
        self.scope.leave(mark);
    }

    /// The file that an import names, as the loader finds it.
    fn imported(&self, path: &str) -> Option<FileId> {
        let from = self.checked.sources.file(self.file);
        let name = format!("{path}.fut");
        let target = if from.builtin {
            PathBuf::from(format!("prelude/{name}"))
        } else {
            from.path().parent().map_or(PathBuf::from(&name), |folder| folder.join(&name))
        };
        let found = self.by_path.get(&fs::normalise(&target)).or_else(|| {
            let library = self.by_path.get(Path::new(&name))?;
            self.checked.sources.file(*library).builtin.then_some(library)
        });
        found.copied()
    }

    fn import(&mut self, path: &StringLit) -> Module {
        self.imported(&path.text).and_then(|file| self.files.get(&file).cloned()).unwrap_or(Module::Unknown)
    }

    /// A module with parameters, an ascription and a body.
    fn functor(&mut self, params: &[ModParam], mod_type: Option<ModTypeExpId>, body: ModExpId) -> Module {
        let Some((param, rest)) = params.split_first() else {
            let module = self.module(body);
            return match mod_type {
                None => module,
                Some(mod_type) => {
                    let described = self.mod_type(mod_type);
                    self.sealed(&module, &described)
                }
            };
        };
        let given = self.mod_type(param.mod_type);
        let mark = self.scope.mark();
        let known = self.define(param.name, Kind::Module, Node::Name).into();
        self.scope.bind_term(param.name.name, Term::Module(known, given.clone()));
        let result = with_stack(|| self.functor(rest, mod_type, body));
        self.scope.leave(mark);
        Module::Fun(Rc::new((given, result)))
    }

    fn module(&mut self, exp: ModExpId) -> Module {
        with_stack(|| match &self.ast[exp].kind {
            ModExpKind::Error => Module::Unknown,
            ModExpKind::Paren(inner) => self.module(*inner),
            ModExpKind::Name(path) => match self.term_path(path) {
                Some(Term::Module(_, module)) => module,
                _ => Module::Unknown,
            },
            ModExpKind::Import(path) => self.import(path),
            ModExpKind::Decs(decs) => {
                let mark = self.scope.mark();
                let env = self.decs(decs);
                self.scope.leave(mark);
                Module::Env(Rc::new(env))
            }
            ModExpKind::Ascript(inner, mod_type) => {
                let module = self.module(*inner);
                let described = self.mod_type(*mod_type);
                self.sealed(&module, &described)
            }
            ModExpKind::Lambda { param, mod_type, body } => self.functor(std::slice::from_ref(param), *mod_type, *body),
            ModExpKind::Apply(fun, arg) => {
                let fun = self.module(*fun);
                let arg = self.module(*arg);
                let Module::Fun(fun) = fun else { return Module::Unknown };
                // The argument is seen through the type of the parameter: their names are the same.
                self.sealed(&arg, &fun.0);
                fun.1.clone()
            }
        })
    }

    /// A module seen through a module type: what this does not mention is gone.
    fn sealed(&mut self, module: &Module, described: &Module) -> Module {
        let (Module::Env(inside), Module::Env(outside)) = (module, described) else {
            return match (module, described) {
                (Module::Fun(inside), Module::Fun(outside)) => {
                    with_stack(|| {
                        self.sealed(&outside.0, &inside.0);
                        self.sealed(&inside.1, &outside.1)
                    });
                    described.clone()
                }
                _ => described.clone(),
            };
        };
        let mut env = Env { mod_types: outside.mod_types.clone(), ..Env::default() };
        for (name, description) in &outside.terms {
            let term = match (inside.terms.get(name), description) {
                (Some(Term::Value(body)), Term::Value(spec)) => Term::Value(self.described(*body, *spec)),
                (Some(Term::Module(body, inner)), Term::Module(spec, outer)) => {
                    let known = self.described(*body, *spec);
                    Term::Module(known, with_stack(|| self.sealed(inner, outer)))
                }
                _ => description.clone(),
            };
            env.terms.insert(*name, term);
        }
        for (name, spec) in &outside.types {
            let known = inside.types.get(name).map_or(*spec, |body| self.described(*body, *spec));
            env.types.insert(*name, known);
        }
        Module::Env(Rc::new(env))
    }

    fn described(&mut self, body: Known, spec: Known) -> Known {
        // A module type may name a type that the program knows from elsewhere.
        self.names.classes.unite(body.def, spec.def);
        Known { def: body.def, described: Some(spec.def) }
    }

    pub(super) fn mod_type(&mut self, exp: ModTypeExpId) -> Module {
        with_stack(|| match &self.ast[exp].kind {
            ModTypeExpKind::Error => Module::Unknown,
            ModTypeExpKind::Paren(inner) => self.mod_type(*inner),
            ModTypeExpKind::Name(path) => self.mod_type_path(path),
            ModTypeExpKind::Specs(specs) => {
                let mark = self.scope.mark();
                let mut env = Env::default();
                for spec in specs {
                    self.spec(*spec, &mut env);
                }
                self.scope.leave(mark);
                Module::Env(Rc::new(env))
            }
            ModTypeExpKind::With { base, name, params, body } => {
                let base = self.mod_type(*base);
                self.refined(&base, name);
                self.type_binding(params, *body);
                base
            }
            ModTypeExpKind::Arrow { param, arg, ret } => {
                let given = self.mod_type(*arg);
                let mark = self.scope.mark();
                if let Some(param) = param {
                    let known = self.define(*param, Kind::Module, Node::Name).into();
                    self.scope.bind_term(param.name, Term::Module(known, given.clone()));
                }
                let result = self.mod_type(*ret);
                self.scope.leave(mark);
                Module::Fun(Rc::new((given, result)))
            }
        })
    }

    /// `mt with m.t = …`: the path is one inside the module type.
    fn refined(&mut self, base: &Module, path: &QualName) {
        let mut at = base.clone();
        for part in &path.quals {
            let Module::Env(env) = &at else { return };
            let Some(Term::Module(known, inner)) = env.terms.get(&part.name).cloned() else { return };
            self.mention(*part, known);
            at = inner;
        }
        if let Module::Env(env) = &at
            && let Some(known) = env.types.get(&path.name.name)
        {
            self.mention(path.name, *known);
        }
    }

    fn spec(&mut self, id: SpecId, env: &mut Env) {
        let ast = self.ast;
        let node = Node::Spec(id);
        match &ast[id].kind {
            SpecKind::Error => {}
            SpecKind::Val { name, type_params, ty } => {
                self.type_binding(type_params, *ty);
                let term = Term::Value(self.define(*name, Kind::Value, node).into());
                self.scope.bind_term(name.name, term.clone());
                env.terms.insert(name.name, term);
            }
            SpecKind::TypeAbbr(bind) => {
                self.type_binding(&bind.params, bind.body);
                let known: Known = self.define(bind.name, Kind::Type, node).into();
                self.scope.bind_type(bind.name.name, known);
                env.types.insert(bind.name.name, known);
            }
            SpecKind::Type { name, params, .. } => {
                let mark = self.scope.mark();
                self.type_params(params);
                self.scope.leave(mark);
                let known: Known = self.define(*name, Kind::Type, node).into();
                self.scope.bind_type(name.name, known);
                env.types.insert(name.name, known);
            }
            SpecKind::Module { name, mod_type } => {
                let module = self.mod_type(*mod_type);
                let term = Term::Module(self.define(*name, Kind::Module, node).into(), module);
                self.scope.bind_term(name.name, term.clone());
                env.terms.insert(name.name, term);
            }
            SpecKind::Include(mod_type) => {
                if let Module::Env(included) = self.mod_type(*mod_type) {
                    self.scope.open(&included);
                    env.extend(&included);
                }
            }
        }
    }

    fn mod_type_path(&mut self, path: &QualName) -> Module {
        if self.is_asked(path.name) {
            self.see(Wanted::ModTypes);
        }
        let found = match self.qualifier(path) {
            None => return Module::Unknown,
            Some(None) => self.scope.mod_type(path.name.name),
            Some(Some(env)) => env.mod_types.get(&path.name.name).cloned(),
        };
        match found {
            Some((def, module)) => {
                self.mention(path.name, def.into());
                module
            }
            None => Module::Unknown,
        }
    }

    /// The module that the first names of a path lead to; nothing inside for a path without any, and nothing at all
    /// for one that leads nowhere.
    pub(super) fn qualifier(&mut self, path: &QualName) -> Option<Option<Rc<Env>>> {
        let mut at: Option<Rc<Env>> = None;
        for part in &path.quals {
            let found = match &at {
                None => self.scope.term(part.name),
                Some(env) => env.terms.get(&part.name).cloned(),
            };
            let Some(Term::Module(known, module)) = found else { return None };
            self.mention(*part, known);
            let Module::Env(env) = module else { return None };
            at = Some(env);
        }
        Some(at)
    }

    /// A path that is all modules but perhaps for its last name.
    fn term_path(&mut self, path: &QualName) -> Option<Term> {
        if self.is_asked(path.name) {
            self.see(Wanted::Modules);
        }
        let term = match self.qualifier(path)? {
            None => self.scope.term(path.name.name),
            Some(env) => env.terms.get(&path.name.name).cloned(),
        }?;
        self.mention(path.name, term.known());
        Some(term)
    }

    /// The module of `m.(e)`.
    pub(super) fn opened(&mut self, path: &QualName) -> Option<Rc<Env>> {
        match self.term_path(path)? {
            Term::Module(_, Module::Env(env)) => Some(env),
            _ => None,
        }
    }

    /// A type of this name.
    pub(super) fn type_path(&mut self, path: &QualName) {
        if self.is_asked(path.name) {
            self.see(Wanted::Types);
        }
        let found = match self.qualifier(path) {
            None => None,
            Some(None) => self.scope.ty(path.name.name),
            Some(Some(env)) => env.types.get(&path.name.name).copied(),
        };
        if let Some(known) = found {
            self.mention(path.name, known);
        }
    }

    pub(super) fn is_bound(&self, name: Symbol) -> bool {
        self.scope.term(name).is_some()
    }
}
