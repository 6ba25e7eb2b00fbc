//! Finding what a name means.

use crate::checker::Checker;
use crate::decs::Space;
use crate::scope::{Env, ModType, Module, Term, TypeEntry, nearest};
use crate::types::VarId;
use kenaz_base::{Code, Diagnostic, Span, Symbol};
use kenaz_syntax::ast::{DecId, DecKind, Ident, QualName};
use kenaz_syntax::foreign;
use std::sync::Arc;

impl Checker<'_> {
    /// The variable that a path starts with, and how many of its last components are record fields.
    pub(crate) fn resolve_value(&mut self, path: &QualName) -> Option<(VarId, usize)> {
        let mut parts = path.quals.iter().chain(std::iter::once(&path.name)).copied().enumerate();
        let total = path.quals.len() + 1;
        let (_, first) = parts.next()?;
        let mut term = self.scope.term(first.name).cloned();
        if term.is_none() {
            self.unknown_term(first, None, total > 1, path);
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
                        self.unknown_term(part, Some((previous, &env)), i + 1 < total, path);
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
                self.error(module_as_value(path).hint(format!("name something in the module: `{path}.…`")));
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

    fn unknown_term(&mut self, ident: Ident, inside: Option<(Ident, &Arc<Env>)>, wants_module: bool, path: &QualName) {
        let name = ident.name;
        let pending = self.pending.take();
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
        let diagnostic = Diagnostic::error(code, ident.span, message).label("not found");
        // One message for a comment.
        if let (None, Some(line)) = (&pending, self.comment_line(ident))
            && !self.current.unknown.insert(format!("comment {line}"))
        {
            self.current.errors += 1;
            return;
        }
        let remedy = match inside {
            None if self.is_own(ident, Space::Terms) => None,
            None if guess.as_deref().is_some_and(|guess| self.is_defined_here(guess, ident)) => None,
            None => pending
                .or_else(|| self.name_remedy(ident, path))
                .or_else(|| self.modified_let(ident))
                .or_else(|| self.barred(ident))
                .or_else(|| self.in_comment(ident)),
            Some(_) => pending,
        };
        let diagnostic = match (inside, guess, remedy) {
            (_, _, Some(remedy)) => remedy.add_to(diagnostic),
            (None, guess, None) => self.suggest(diagnostic, ident, Space::Terms, guess),
            (Some(_), Some(guess), None) => diagnostic.hint(format!("did you mean `{guess}`?")),
            (Some(_), None, None) => diagnostic,
        };
        self.error(diagnostic);
    }

    /// Adds what can be said about a name that is not in scope: why it is not, or what may be meant.
    fn suggest(&self, diagnostic: Diagnostic, ident: Ident, space: Space, guess: Option<String>) -> Diagnostic {
        let name = ident.name;
        if let Some(diagnostic) = self.suggest_recursion(diagnostic.clone(), name, space) {
            return diagnostic;
        }
        if let Some(later) = self.defined_later(ident, space) {
            return diagnostic
                .cause(later, "defined here, after its use")
                .hint(format!("move the definition of `{name}` before this one"));
        }
        // The same name in a module is nearer than another name.
        let module = self.module_with(name, space).map(|module| format!("{module}.{name}"));
        let guess = if space == Space::Terms && name.as_str().len() > 2 { module.or(guess) } else { guess.or(module) };
        if let Some(guess) = guess {
            return diagnostic.hint(format!("did you mean `{guess}`?"));
        }
        let is_size = space == Space::Terms && self.in_size;
        // A type of so short a name is a parameter.
        let is_type_param = space == Space::Types && name.as_str().len() <= 2;
        let binder = match (is_size, is_type_param) {
            (true, _) => format!("[{name}]"),
            (_, true) => format!("'{name}"),
            // Names of values start with a small letter, as a rule.
            (false, false) if space == Space::Terms && name.as_str().starts_with(|c: char| c.is_ascii_uppercase()) => {
                let (first, rest) = name.as_str().split_at(1);
                return diagnostic
                    .hint(format!("a constructor starts with `#`: `#{}{rest}`", first.to_ascii_lowercase()));
            }
            (false, false) => return diagnostic,
        };
        match self.defining.last() {
            Some(d) => diagnostic.hint(format!("bind it: `{} {} {binder} …`", d.keyword, d.name)),
            None => diagnostic,
        }
    }

    fn suggest_recursion(&self, diagnostic: Diagnostic, name: Symbol, space: Space) -> Option<Diagnostic> {
        let definition = self.defining.iter().find(|d| d.name == name)?;
        match (space, definition.keyword) {
            (Space::Types, "type") => Some(
                diagnostic
                    .label("not in scope in its own definition")
                    .note("types cannot be recursive")
                    .hint("put the elements in an array, and refer to them by their index"),
            ),
            (Space::Terms, "def" | "entry" | "let") => Some(
                diagnostic
                    .label("not in scope in its own definition")
                    .note("functions cannot be recursive")
                    .hint("use `loop` instead"),
            ),
            _ => None,
        }
    }

    /// Whether a guess is a definition of the same file, which is nearer than anything of another language. Short names
    /// are near to many others.
    fn is_defined_here(&self, guess: &str, ident: Ident) -> bool {
        let Some(Term::Value(v)) = self.scope.term(Symbol::intern(guess)) else { return false };
        ident.name.as_str().len() >= 5 && self.names.vars[*v].span.file == ident.span.file
    }

    /// What to say about a value where a type should stand, as in `1 : xs` and `0:n`.
    fn value_as_type(&self, ident: Ident) -> Option<String> {
        let name = ident.name;
        let is_value = matches!(self.scope.term(name), Some(Term::Value(_))) && !self.is_own(ident, Space::Types);
        let before = self.sources.file(ident.span.file).text.get(..ident.span.lo as usize)?;
        let before = before.trim_end().strip_suffix(':').map(str::trim_end)?;
        let behind_number = before.ends_with(|c: char| c.is_ascii_digit());
        let others = if behind_number { "; a range is written `a..<b`, arrays are joined by `++`" } else { "" };
        is_value.then(|| format!("`{name}` is a value, but a type stands after `:`{others}"))
    }

    /// Whether a name that is not in scope is that of a definition around it or behind it.
    fn is_own(&self, ident: Ident, space: Space) -> bool {
        self.defining.iter().any(|d| d.name == ident.name) || self.defined_later(ident, space).is_some()
    }

    /// Where a name is defined behind its use, in this file.
    fn defined_later(&self, ident: Ident, space: Space) -> Option<Span> {
        let later = |dec: &DecId| self.defined_by(*dec, space).filter(|d| d.name == ident.name);
        let mut found = self.declarations.iter().rev().flatten().filter_map(later);
        found.find(|d| d.span.file == ident.span.file && d.span.lo > ident.span.lo).map(|d| d.span)
    }

    fn defined_by(&self, dec: DecId, space: Space) -> Option<Ident> {
        match (&self.ast[dec].kind, space) {
            (DecKind::Val(bind), Space::Terms) => Some(bind.name),
            (DecKind::Module(bind), Space::Terms) => Some(bind.name),
            (DecKind::Type(bind), Space::Types) => Some(bind.name),
            (DecKind::ModType(bind), Space::ModTypes) => Some(bind.name),
            (DecKind::Local(inner), _) => self.defined_by(*inner, space),
            _ => None,
        }
    }

    /// A module in scope that has something of this name.
    fn module_with(&self, name: Symbol, space: Space) -> Option<Symbol> {
        let has = |env: &Env| match space {
            Space::Terms => env.terms.contains_key(&name),
            Space::Types => env.types.contains_key(&name),
            Space::ModTypes => env.mod_types.contains_key(&name),
        };
        let mut found: Vec<&str> = self
            .scope
            .term_names()
            .filter(|m| match self.scope.term(*m) {
                Some(Term::Module(Module::Env(env))) => !env.is_intrinsics && has(env),
                _ => false,
            })
            .map(Symbol::as_str)
            .collect();
        found.sort_unstable();
        // Every numeric module has a type `t`, and most of their values have the same names.
        if found.len() > 1 && space == Space::Types {
            return None;
        }
        let usual = ["f64", "i64"].into_iter().find(|m| found.contains(m));
        usual.or(found.first().copied()).map(Symbol::intern)
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
        let diagnostic = Diagnostic::error(Code::UnknownModule, ident.span, message).label("not found");
        let later = if inside.is_none() { self.defined_later(ident, Space::Terms) } else { None };
        let diagnostic = match (later, guess) {
            (Some(later), _) => diagnostic
                .cause(later, "defined here, after its use")
                .hint(format!("move the definition of `{name}` before this one")),
            (None, Some(guess)) => diagnostic.hint(format!("did you mean `{guess}`?")),
            (None, None) => diagnostic,
        };
        self.error(diagnostic);
    }

    pub(crate) fn resolve_module(&mut self, path: &QualName) -> Module {
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

    pub(crate) fn resolve_type(&mut self, path: &QualName) -> Option<TypeEntry> {
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
            let diagnostic = Diagnostic::error(Code::UnknownType, path.span(), message).label("not found");
            let diagnostic = match (&env, guess) {
                (None, None) if let Some(prim) = foreign::type_name(name.as_str()) => {
                    diagnostic.hint(format!("the type is called `{prim}` here")).fix(path.span(), prim)
                }
                (None, _) if foreign::is_array_type(name.as_str()) && !self.is_own(path.name, Space::Types) => {
                    diagnostic.hint("a type of arrays is written with brackets: `[]f64`, or `[n]f64` with a size")
                }
                (None, None) if let Some(hint) = self.value_as_type(path.name) => diagnostic.hint(hint),
                (None, guess) => self.suggest(diagnostic, path.name, Space::Types, guess),
                (Some(_), Some(guess)) => diagnostic.hint(format!("did you mean `{guess}`?")),
                (Some(_), None) => diagnostic,
            };
            self.error(diagnostic);
        }
        entry
    }

    pub(crate) fn resolve_mod_type(&mut self, path: &QualName) -> Option<Arc<ModType>> {
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
            let diagnostic = Diagnostic::error(
                Code::UnknownModuleType,
                path.span(),
                format!("no module type called `{path}` is in scope"),
            )
            .label("not found");
            let guess = guess.map(|n| n.to_string());
            let diagnostic = match env {
                None => self.suggest(diagnostic, path.name, Space::ModTypes, guess),
                Some(_) => match guess {
                    Some(guess) => diagnostic.hint(format!("did you mean `{guess}`?")),
                    None => diagnostic,
                },
            };
            self.error(diagnostic);
        }
        found
    }
}

/// The message about a module where a value is needed, without a hint.
pub(crate) fn module_as_value(path: &QualName) -> Diagnostic {
    Diagnostic::error(Code::NotAValue, path.span(), format!("`{path}` is a module, not a value"))
        .label("a value is needed here")
}
