//! Module expressions.

use crate::checker::{Checker, Current};
use crate::info::App;
use crate::matching::Matching;
use crate::names::{Names, Origin, VarKind};
use crate::scope::{Env, ModFun, ModType, Module, Term};
use crate::types::{AppId, FunctorId, Size, TypeId, VarId};
use crate::walk::TyVisit;
use kenaz_base::{Code, Diagnostic, Id, with_stack};
use kenaz_syntax::ast::{ModBind, ModExpId, ModExpKind, ModParam, ModTypeExpId};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Checker<'_> {
    pub(crate) fn check_mod_bind(&mut self, bind: &ModBind) -> Module {
        self.module_path.push(bind.name.name);
        let module = self.mod_fun(&bind.params, bind.mod_type, bind.body);
        self.module_path.pop();
        module
    }

    /// A module with parameters, an ascription and a body.
    fn mod_fun(&mut self, params: &[ModParam], mod_type: Option<ModTypeExpId>, body: ModExpId) -> Module {
        let Some((param, rest)) = params.split_first() else {
            let result = self.eval_mod(body);
            return match mod_type {
                Some(t) => self.ascribe(&result, t, body),
                None => result,
            };
        };
        self.current = Current::new(&mut self.names);
        let param_type = self.eval_mod_type(param.mod_type);
        self.module_depth += 1;
        let id = self.new_functor(&param_type);
        self.functors.push(id);
        let (first_type, first_var) = (self.names.types.len(), self.names.vars.len());
        let module = self.scoped(|this| {
            this.scope.bind_term(param.name.name, Term::Module(param_type.module.clone()));
            with_stack(|| this.mod_fun(rest, mod_type, body))
        });
        self.functors.pop();
        self.module_depth -= 1;
        let mut made =
            Made { names: &self.names, first_type, first_var, types: BTreeSet::new(), sizes: BTreeSet::new() };
        made.in_module(&module);
        let sizes = made.sizes.into_iter().collect();
        let result = ModType { abstract_types: made.types.into_iter().collect(), module };
        Module::Fun(Arc::new(ModFun { id, param: param_type, result, sizes }))
    }

    /// A module expression.
    pub(crate) fn eval_mod(&mut self, exp: ModExpId) -> Module {
        with_stack(|| self.eval_mod_(exp))
    }

    fn eval_mod_(&mut self, exp: ModExpId) -> Module {
        let ast = self.ast;
        let span = ast[exp].span;
        match &ast[exp].kind {
            ModExpKind::Error => Module::Error,
            ModExpKind::Paren(inner) => self.eval_mod(*inner),
            ModExpKind::Name(path) => {
                let module = self.resolve_module(path);
                if let Module::Env(env) = &module
                    && env.is_intrinsics
                    && !self.builtin
                {
                    self.error(
                        Diagnostic::error(
                            Code::IntrinsicsModule,
                            span,
                            "the module `intrinsics` cannot be used in module expressions",
                        )
                        .label("its members can only be named one by one"),
                    );
                    return Module::Error;
                }
                module
            }
            ModExpKind::Import(path) => self.import(path),
            ModExpKind::Decs(decs) => {
                self.module_depth += 1;
                let env = self.scoped(|this| this.check_decs(decs));
                self.module_depth -= 1;
                Module::Env(Arc::new(env))
            }
            ModExpKind::Ascript(inner, mod_type) => {
                let module = self.eval_mod(*inner);
                self.ascribe(&module, *mod_type, *inner)
            }
            ModExpKind::Lambda { param, mod_type, body } => self.mod_fun(std::slice::from_ref(param), *mod_type, *body),
            ModExpKind::Apply(fun, arg) => self.apply_mod(*fun, *arg),
        }
    }

    /// `module : mod_type`
    fn ascribe(&mut self, module: &Module, mod_type: ModTypeExpId, body: ModExpId) -> Module {
        self.current = Current::new(&mut self.names);
        let wanted = self.eval_mod_type(mod_type);
        if matches!(module, Module::Error) || matches!(wanted.module, Module::Error) {
            return wanted.module;
        }
        let span = self.ast[body].span;
        match self.match_module(module, &wanted, span, "") {
            Ok(matching) => self.seal(wanted, &matching),
            Err(diagnostic) => {
                let at = self.ast[mod_type].span;
                self.error((*diagnostic).cause(at, "the module type"));
                wanted.module
            }
        }
    }

    fn apply_mod(&mut self, fun: ModExpId, arg: ModExpId) -> Module {
        let fun_span = self.ast[fun].span;
        let fun_mod = self.eval_mod(fun);
        let arg_mod = self.eval_mod(arg);
        let fun_mod = match fun_mod {
            Module::Fun(fun) => fun,
            Module::Error => return Module::Error,
            Module::Env(_) => {
                self.error(
                    Diagnostic::error(Code::NotParametric, fun_span, "this module takes no parameter")
                        .label("cannot be applied")
                        .cause(self.ast[arg].span, "applied to this module"),
                );
                return Module::Error;
            }
        };
        if matches!(arg_mod, Module::Error) {
            return Module::Error;
        }
        self.current = Current::new(&mut self.names);
        match self.match_module(&arg_mod, &fun_mod.param, self.ast[arg].span, "") {
            Ok(matching) => self.instance_of(&fun_mod, matching).0,
            Err(diagnostic) => {
                self.error((*diagnostic).cause(fun_span, "the parametric module"));
                Module::Error
            }
        }
    }

    /// What a parametric module makes of what was matched with its parameter: values, types and unknown sizes of its
    /// own, each of which remembers the one in the body that it is an instance of.
    pub(crate) fn instance_of(&mut self, fun: &ModFun, matching: Matching) -> (Module, AppId) {
        let app = self.new_app(fun, &matching);
        let mut subst = matching.subst;
        self.refresh_types(&fun.result.abstract_types, &mut subst, Some(app));
        for size in &fun.sizes {
            let new = self.names.vars[*size].clone();
            subst.sizes.insert(*size, self.names.vars.push(new).into());
        }
        let module = self.copy_module(&fun.result.module, &mut subst, &|v| Some(Origin::Instance(v, app)));
        (module, app)
    }

    /// A new parametric module with a parameter of this type.
    pub(crate) fn new_functor(&mut self, param: &ModType) -> FunctorId {
        let functors = &mut self.info.functors;
        let id = FunctorId::from_index(functors.count);
        functors.count += 1;
        functors.param_types.extend(param.abstract_types.iter().map(|t| (*t, id)));
        self.note_params(&param.module, id);
        id
    }

    fn note_params(&mut self, module: &Module, id: FunctorId) {
        match module {
            Module::Error => {}
            Module::Env(env) => {
                for term in env.terms.values() {
                    match term {
                        Term::Value(v) => {
                            self.info.functors.param_values.insert(*v, id);
                        }
                        Term::Module(m) => self.note_params(m, id),
                    }
                }
            }
            // The results of a parameter that is itself parametric come from the argument, its parameters do not.
            Module::Fun(fun) => {
                self.info.functors.param_types.extend(fun.result.abstract_types.iter().map(|t| (*t, id)));
                self.note_params(&fun.result.module, id);
            }
        }
    }

    /// An application of a parametric module to what was matched with its parameter.
    fn new_app(&mut self, fun: &ModFun, matching: &Matching) -> AppId {
        let mut app = App { functor: Some(fun.id), inside: self.functors.clone(), ..App::default() };
        for (param, arg) in &matching.values {
            app.values.insert(*param, *arg);
            // The body may know the parameter under the name it had before the parametric module was copied.
            let mut root = *param;
            while let Some(Origin::Instance(v, _)) = self.names.vars[root].origin {
                app.values.insert(v, *arg);
                root = v;
            }
        }
        app.types.extend(matching.subst.types.iter().map(|(t, abbr)| (*t, abbr.clone())));
        self.info.functors.apps.push(app)
    }

    /// The contents of a file.
    pub(crate) fn check_file_decs(&mut self, decs: &[kenaz_syntax::ast::DecId]) -> Env {
        let mark = self.scope.mark();
        let env = self.check_decs(decs);
        self.scope.leave(mark);
        env
    }
}

/// What the body of a parametric module makes and its result mentions, which each application therefore makes anew:
/// abstract types, whether a module type hides them or they come from an application, and the sizes without a name of
/// constants.
struct Made<'a> {
    names: &'a Names,
    /// How many types and variables there were in front of the body.
    first_type: usize,
    first_var: usize,
    types: BTreeSet<TypeId>,
    sizes: BTreeSet<VarId>,
}

impl Made<'_> {
    fn in_module(&mut self, module: &Module) {
        with_stack(|| match module {
            Module::Error => {}
            Module::Fun(fun) => {
                self.in_module(&fun.param.module);
                self.in_module(&fun.result.module);
            }
            Module::Env(env) => {
                for term in env.terms.values() {
                    match term {
                        Term::Value(v) => {
                            if let Some(scheme) = &self.names.vars[*v].scheme {
                                self.walk(&scheme.ty, &mut Vec::new());
                            }
                        }
                        Term::Module(m) => self.in_module(m),
                    }
                }
                for entry in env.types.values() {
                    self.walk(&entry.abbr.body, &mut Vec::new());
                }
                for mod_type in env.mod_types.values() {
                    self.in_module(&mod_type.module);
                }
            }
        });
    }
}

impl TyVisit for Made<'_> {
    /// A size that a type binds is no constant's, and must keep the name under which it is bound.
    fn size(&mut self, size: &Size, bound: &[VarId]) {
        size.for_each_var(&mut |v| {
            let is_new = v.index() >= self.first_var && !bound.contains(&v);
            if is_new && matches!(self.names.vars[v].kind, VarKind::Unknown(_)) {
                self.sizes.insert(v);
            }
        });
    }

    fn con(&mut self, id: TypeId) {
        if id.index() >= self.first_type && self.names.types[id].origin.is_some() {
            self.types.insert(id);
        }
    }
}
