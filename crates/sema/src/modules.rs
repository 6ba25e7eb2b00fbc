//! Module expressions.

use crate::checker::{Checker, Current};
use crate::info::App;
use crate::matching::Matching;
use crate::names::Origin;
use crate::scope::{Env, ModFun, ModType, Module, Term};
use crate::types::{AppId, FunctorId};
use kenaz_base::{Code, Diagnostic, Id, with_stack};
use kenaz_syntax::ast::{ModBind, ModExpId, ModExpKind, ModParam, ModTypeExpId};
use std::sync::Arc;

impl Checker<'_> {
    pub(crate) fn check_mod_bind(&mut self, bind: &ModBind) -> Module {
        self.module_path.push(bind.name.name);
        let module = self.mod_fun(&bind.params, bind.mod_type, bind.body).module;
        self.module_path.pop();
        module
    }

    /// A module with parameters, an ascription and a body.
    fn mod_fun(&mut self, params: &[ModParam], mod_type: Option<ModTypeExpId>, body: ModExpId) -> ModType {
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
        let result = self.scoped(|this| {
            this.scope.bind_term(param.name.name, Term::Module(param_type.module.clone()));
            with_stack(|| this.mod_fun(rest, mod_type, body))
        });
        self.functors.pop();
        self.module_depth -= 1;
        let module = Module::Fun(Arc::new(ModFun { id, param: param_type, result }));
        ModType { abstract_types: Vec::new(), module }
    }

    /// A module expression, with the abstract types it makes.
    pub(crate) fn eval_mod(&mut self, exp: ModExpId) -> ModType {
        with_stack(|| self.eval_mod_(exp))
    }

    fn eval_mod_(&mut self, exp: ModExpId) -> ModType {
        let ast = self.ast;
        let span = ast[exp].span;
        let plain = |module: Module| ModType { abstract_types: Vec::new(), module };
        match &ast[exp].kind {
            ModExpKind::Error => plain(Module::Error),
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
                    return plain(Module::Error);
                }
                plain(module)
            }
            ModExpKind::Import(path) => plain(self.import(path)),
            ModExpKind::Decs(decs) => {
                self.module_depth += 1;
                let env = self.scoped(|this| this.check_decs(decs));
                self.module_depth -= 1;
                plain(Module::Env(Arc::new(env)))
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
    fn ascribe(&mut self, module: &ModType, mod_type: ModTypeExpId, body: ModExpId) -> ModType {
        self.current = Current::new(&mut self.names);
        let wanted = self.eval_mod_type(mod_type);
        if matches!(module.module, Module::Error) || matches!(wanted.module, Module::Error) {
            return wanted;
        }
        let span = self.ast[body].span;
        match self.match_module(&module.module, &wanted, span, "") {
            Ok(matching) => self.seal(&wanted, &matching),
            Err(diagnostic) => {
                let at = self.ast[mod_type].span;
                self.error((*diagnostic).cause(at, "the module type"));
                wanted
            }
        }
    }

    fn apply_mod(&mut self, fun: ModExpId, arg: ModExpId) -> ModType {
        let fun_span = self.ast[fun].span;
        let fun_mod = self.eval_mod(fun);
        let arg_mod = self.eval_mod(arg);
        let error = ModType { abstract_types: Vec::new(), module: Module::Error };
        let fun_mod = match fun_mod.module {
            Module::Fun(fun) => fun,
            Module::Error => return error,
            Module::Env(_) => {
                self.error(
                    Diagnostic::error(Code::NotParametric, fun_span, "this module takes no parameter")
                        .label("cannot be applied")
                        .cause(self.ast[arg].span, "applied to this module"),
                );
                return error;
            }
        };
        if matches!(arg_mod.module, Module::Error) {
            return error;
        }
        self.current = Current::new(&mut self.names);
        match self.match_module(&arg_mod.module, &fun_mod.param, self.ast[arg].span, "") {
            Ok(matching) => {
                let app = self.new_app(&fun_mod, &matching);
                let mut subst = matching.subst;
                let result = self.refresh_types(&fun_mod.result, &mut subst, Some(app));
                let origin = |v| Some(Origin::Instance(v, app));
                let module = self.copy_module(&fun_mod.result.module, &mut subst, &origin);
                ModType { abstract_types: result, module }
            }
            Err(diagnostic) => {
                self.error((*diagnostic).cause(fun_span, "the parametric module"));
                error
            }
        }
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
    pub(crate) fn new_app(&mut self, fun: &ModFun, matching: &Matching) -> AppId {
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
        for t in &fun.param.abstract_types {
            if let Some(abbr) = matching.subst.types.get(t) {
                app.types.insert(*t, abbr.clone());
            }
        }
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
