//! Finding what a name means.

use crate::checker::Checker;
use crate::scope::{Env, ModType, Module, Term, TypeEntry, nearest};
use crate::types::VarId;
use kenaz_base::{Code, Diagnostic, Symbol};
use kenaz_syntax::ast::{Ident, QualName};
use std::sync::Arc;

impl Checker<'_> {
    /// The variable that a path starts with, and how many of its last components are record fields.
    pub fn resolve_value(&mut self, path: &QualName) -> Option<(VarId, usize)> {
        let mut parts = path.quals.iter().chain(std::iter::once(&path.name)).copied().enumerate();
        let total = path.quals.len() + 1;
        let (_, first) = parts.next()?;
        let mut term = self.scope.term(first.name).cloned();
        if term.is_none() {
            self.unknown_term(first, None, total > 1);
            return None;
        }
        let mut previous = first;
        for (i, part) in parts {
            match term {
                Some(Term::Value(v)) => {
                    self.check_usable(previous);
                    return Some((v, total - i));
                }
                Some(Term::Module(Module::Error)) => return None,
                Some(Term::Module(Module::Fun(_))) => {
                    self.parametric(previous);
                    return None;
                }
                Some(Term::Module(Module::Env(env))) => {
                    term = env.terms.get(&part.name).cloned();
                    if term.is_none() {
                        self.unknown_term(part, Some((previous, &env)), i + 1 < total);
                        return None;
                    }
                }
                None => return None,
            }
            previous = part;
        }
        match term {
            Some(Term::Value(v)) => {
                self.check_usable(previous);
                Some((v, 0))
            }
            Some(Term::Module(Module::Error)) | None => None,
            Some(Term::Module(_)) => {
                let name = previous.name;
                self.error(
                    Diagnostic::error(Code::NotAValue, path.span(), format!("`{name}` is a module, not a value"))
                        .label("a value is needed here")
                        .hint(format!("name something in the module: `{name}.…`")),
                );
                None
            }
        }
    }

    fn check_usable(&mut self, ident: Ident) {
        if ident.name.as_str().starts_with('_') && !self.builtin {
            let name = ident.name;
            self.error(
                Diagnostic::error(
                    Code::UnderscoreUse,
                    ident.span,
                    format!("`{name}` starts with an underscore, so it must not be used"),
                )
                .label("used here")
                .hint(format!("call it `{}` if it is needed", name.as_str().trim_start_matches('_'))),
            );
        }
    }

    fn unknown_term(&mut self, ident: Ident, inside: Option<(Ident, &Arc<Env>)>, wants_module: bool) {
        let name = ident.name;
        let (code, what) =
            if wants_module { (Code::UnknownModule, "value or module") } else { (Code::UnknownName, "value") };
        let (message, guess) = match inside {
            Some((module, env)) => (
                format!("module `{}` has no {what} called `{name}`", module.name),
                nearest(name, env.terms.keys().copied()).map(|n| format!("{}.{n}", module.name)),
            ),
            None => (
                format!("no {what} called `{name}` is in scope"),
                nearest(name, self.scope.term_names()).map(|n| n.to_string()),
            ),
        };
        // A path whose first part is unknown is most often a misspelt variable.
        let code = if wants_module && inside.is_none() { Code::UnknownName } else { code };
        let mut diagnostic = Diagnostic::error(code, ident.span, message).label("not found");
        if let Some(guess) = guess {
            diagnostic = diagnostic.hint(format!("did you mean `{guess}`?"));
        } else if inside.is_none()
            && let Some(module) = self.module_with(name)
        {
            diagnostic = diagnostic.hint(format!("there is `{module}.{name}`"));
        }
        self.error(diagnostic);
    }

    /// A module in scope that has a value of this name.
    fn module_with(&self, name: Symbol) -> Option<Symbol> {
        let mut found: Vec<&str> = self
            .scope
            .term_names()
            .filter(|m| match self.scope.term(*m) {
                Some(Term::Module(Module::Env(env))) => !env.is_intrinsics && env.terms.contains_key(&name),
                _ => false,
            })
            .map(Symbol::as_str)
            .collect();
        found.sort_unstable();
        // The numeric modules share most names: one of them is as good as the other.
        found.first().map(|m| Symbol::intern(m))
    }

    fn parametric(&mut self, ident: Ident) {
        self.error(
            Diagnostic::error(
                Code::ParametricModule,
                ident.span,
                format!("`{}` is a parametric module and must be applied first", ident.name),
            )
            .label("this takes a module as its argument")
            .hint(format!("bind its instance: `module m = {} …`", ident.name)),
        );
    }

    /// The module environments that the qualifiers of a name lead to; `None` for no qualifiers.
    fn resolve_quals(&mut self, quals: &[Ident]) -> Result<Option<Arc<Env>>, ()> {
        let mut env: Option<(Ident, Arc<Env>)> = None;
        for qual in quals {
            let term = match &env {
                None => self.scope.term(qual.name).cloned(),
                Some((_, env)) => env.terms.get(&qual.name).cloned(),
            };
            match term {
                Some(Term::Module(Module::Env(inner))) => env = Some((*qual, inner)),
                Some(Term::Module(Module::Error)) => return Err(()),
                Some(Term::Module(Module::Fun(_))) => {
                    self.parametric(*qual);
                    return Err(());
                }
                Some(Term::Value(_)) | None => {
                    self.unknown_module(*qual, env.as_ref().map(|(m, e)| (*m, e.clone())));
                    return Err(());
                }
            }
        }
        Ok(env.map(|(_, env)| env))
    }

    fn unknown_module(&mut self, ident: Ident, inside: Option<(Ident, Arc<Env>)>) {
        let name = ident.name;
        let modules = |terms: Vec<(Symbol, bool)>| terms.into_iter().filter(|(_, m)| *m).map(|(n, _)| n);
        let (message, guess) = match &inside {
            Some((m, env)) => (
                format!("module `{}` has no module called `{name}`", m.name),
                nearest(name, modules(env.terms.iter().map(|(n, t)| (*n, matches!(t, Term::Module(_)))).collect())),
            ),
            None => (
                format!("no module called `{name}` is in scope"),
                nearest(
                    name,
                    modules(
                        self.scope
                            .term_names()
                            .map(|n| (n, matches!(self.scope.term(n), Some(Term::Module(_)))))
                            .collect(),
                    ),
                ),
            ),
        };
        let mut diagnostic = Diagnostic::error(Code::UnknownModule, ident.span, message).label("not found");
        if let Some(guess) = guess {
            diagnostic = diagnostic.hint(format!("did you mean `{guess}`?"));
        }
        self.error(diagnostic);
    }

    pub fn resolve_module(&mut self, path: &QualName) -> Module {
        let Ok(env) = self.resolve_quals(&path.quals) else { return Module::Error };
        let term = match &env {
            None => self.scope.term(path.name.name).cloned(),
            Some(env) => env.terms.get(&path.name.name).cloned(),
        };
        match term {
            Some(Term::Module(module)) => module,
            Some(Term::Value(_)) | None => {
                let inside = path.quals.last().copied().zip(env);
                self.unknown_module(path.name, inside);
                Module::Error
            }
        }
    }

    pub fn resolve_type(&mut self, path: &QualName) -> Option<TypeEntry> {
        let env = self.resolve_quals(&path.quals).ok()?;
        let name = path.name.name;
        let entry = match &env {
            None => self.scope.ty(name).cloned(),
            Some(env) => env.types.get(&name).cloned(),
        };
        if entry.is_none() {
            let (message, guess) = match (&env, path.quals.last()) {
                (Some(env), Some(m)) => (
                    format!("module `{}` has no type called `{name}`", m.name),
                    nearest(name, env.types.keys().copied()).map(|n| format!("{}.{n}", m.name)),
                ),
                _ => (
                    format!("no type called `{name}` is in scope"),
                    nearest(name, self.scope.type_names()).map(|n| n.to_string()),
                ),
            };
            let mut diagnostic = Diagnostic::error(Code::UnknownType, path.span(), message).label("not found");
            if let Some(guess) = guess {
                diagnostic = diagnostic.hint(format!("did you mean `{guess}`?"));
            } else if let Some(prim) = foreign_type(name.as_str()) {
                diagnostic = diagnostic.hint(format!("the type is called `{prim}` here"));
            }
            self.error(diagnostic);
        }
        entry
    }

    pub fn resolve_mod_type(&mut self, path: &QualName) -> Option<Arc<ModType>> {
        let env = self.resolve_quals(&path.quals).ok()?;
        let name = path.name.name;
        let found = match &env {
            None => self.scope.mod_type(name).cloned(),
            Some(env) => env.mod_types.get(&name).cloned(),
        };
        if found.is_none() {
            let guess = match &env {
                None => nearest(name, self.scope.mod_type_names()),
                Some(env) => nearest(name, env.mod_types.keys().copied()),
            };
            let mut diagnostic = Diagnostic::error(
                Code::UnknownModuleType,
                path.span(),
                format!("no module type called `{path}` is in scope"),
            )
            .label("not found");
            if let Some(guess) = guess {
                diagnostic = diagnostic.hint(format!("did you mean `{guess}`?"));
            }
            self.error(diagnostic);
        }
        found
    }
}

/// What a type of another language is called here.
fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" | "Int" | "int32" | "i32_t" => "i32",
        "long" | "int64" | "Integer" | "usize" | "isize" => "i64",
        "float" | "Float" | "float32" | "real" => "f32",
        "double" | "Double" | "float64" => "f64",
        "char" | "byte" | "uint8" => "u8",
        "Bool" | "boolean" => "bool",
        "string" | "String" | "str" => "[]u8",
        _ => return None,
    })
}
