//! Module expressions.

use super::definitions::Definition;
use super::meaning::{Meaning, Means, Table, at, key, opened, shown, with};
use super::signatures::Written;
use super::{Gen, Id, Known, Module, Parametric};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A module as it is written.
pub(super) struct Expr {
    pub text: String,
    pub module: Module,
    pub means: Means<Meaning>,
}

/// What is asked of a module: components and modules, and which of their types can be anything.
struct Wanted<'a> {
    known: &'a Known,
    open: &'a BTreeSet<Id>,
    /// What became of the types that could be anything.
    solved: BTreeMap<Id, Id>,
}

impl Gen {
    /// Some module.
    pub(super) fn module(&mut self, depth: usize) -> Expr {
        let start = self.choices.open();
        let expr = match self.choices.weighted(&[4, 6, 2, 1]) {
            1 => self.application(depth),
            2 if depth > 0 => {
                let signature = self.signature(0);
                self.sealed(&signature, depth - 1)
            }
            3 => self.existing(),
            _ => None,
        };
        let expr = match expr {
            Some(expr) => expr,
            None => self.body(None, depth).unwrap_or_else(|| unreachable!("nothing is asked for")),
        };
        self.choices.close(start, "module");
        expr
    }

    /// A module with a module type around it.
    fn sealed(&mut self, signature: &Written, depth: usize) -> Option<Expr> {
        let inner = self.module_for(&signature.known, &signature.open, depth)?;
        let (means, known) = (inner.means, Module::Plain(signature.known.clone()));
        let shown = known.clone();
        Some(Expr {
            text: format!("({} : {})", inner.text, signature.text),
            module: known,
            means: Rc::new(move |table| means(table).shown_as(&shown)),
        })
    }

    /// A module that was defined before.
    fn existing(&mut self) -> Option<Expr> {
        let mut found = Vec::new();
        self.scope.modules_at("", &mut found);
        found.retain(|(_, _, module)| matches!(module, Module::Plain(_)));
        if found.is_empty() {
            return None;
        }
        let (prefix, name, module) = self.choices.pick(&found);
        Some(named(prefix, name, module))
    }

    /// A parametric module applied to modules.
    fn application(&mut self, depth: usize) -> Option<Expr> {
        let mut found = Vec::new();
        self.scope.modules_at("", &mut found);
        found.retain(|(_, _, module)| matches!(module, Module::Parametric(_)));
        if found.is_empty() {
            return None;
        }
        let (prefix, name, module) = self.choices.pick(&found);
        let mut expr = named(prefix, name, module);
        while let Module::Parametric(fun) = &expr.module {
            let fun = fun.clone();
            let arg = self.module_for(&fun.param, &fun.open, depth.saturating_sub(1))?;
            let Module::Plain(arg_known) = &arg.module else { return None };
            let mut ids = BTreeMap::new();
            solve(&fun.param, arg_known, &fun.open, &mut ids);
            for made in &fun.makes {
                ids.insert(*made, self.id());
            }
            let module = fun.result.renamed(&mut |id| ids.get(&id).copied().unwrap_or(id));
            let (f, x) = (expr.means, arg.means);
            expr = Expr {
                text: format!("({} {})", expr.text, arg.text),
                module,
                means: Rc::new(move |table| f(table).apply(&x(table).table())),
            };
            // Some are applied to their first arguments only.
            if self.choices.chance(6) {
                break;
            }
        }
        Some(expr)
    }

    /// A module that has what is asked for, and perhaps more.
    pub(super) fn module_for(&mut self, known: &Known, open: &BTreeSet<Id>, depth: usize) -> Option<Expr> {
        if self.choices.chance(3) {
            let mut found = Vec::new();
            self.scope.modules_at("", &mut found);
            found.retain(|(_, _, module)| matches!(module, Module::Plain(have) if fits(known, have, open)));
            if !found.is_empty() {
                let (prefix, name, module) = self.choices.pick(&found);
                return Some(named(prefix, name, module));
            }
        }
        self.body(Some(&mut Wanted { known, open, solved: BTreeMap::new() }), depth)
    }

    /// `{ declarations }`
    fn body(&mut self, wanted: Option<&mut Wanted<'_>>, depth: usize) -> Option<Expr> {
        let start = self.choices.open();
        let result = self.nested(|g| g.body_(wanted, depth));
        self.choices.close(start, "body");
        let (text, known, means) = result?;
        let means: Means<Meaning> = Rc::new(move |table| Meaning::Module(means(table)));
        Some(Expr { text: format!("{{\n{text}}}"), module: Module::Plain(known), means })
    }

    fn body_(&mut self, wanted: Option<&mut Wanted<'_>>, depth: usize) -> Option<(String, Known, Means<Table>)> {
        let mut decs = Declarations::default();
        let is_free = wanted.is_none();
        while decs.count < 3 && depth > 0 && self.choices.chance(2) {
            self.extra(&mut decs, depth - 1, false);
        }
        if is_free && (decs.known.components.is_empty() || self.choices.chance(2)) {
            self.component(&mut decs);
        }
        if let Some(wanted) = wanted {
            for (name, component) in &wanted.known.components {
                let id = wanted.solved.get(&component.id).copied();
                let definition = match id {
                    None if wanted.open.contains(&component.id) => self.definition(name, component.kind),
                    _ => {
                        let same = super::Component { id: id.unwrap_or(component.id), ..*component };
                        let other = self.named(&same)?;
                        self.alias(name, &other)
                    }
                };
                wanted.solved.insert(component.id, definition.component.id);
                decs.component(self, name, definition);
            }
            for (name, module) in &wanted.known.modules {
                let solved = wanted.solved.clone();
                let module = module.renamed(&mut |id| solved.get(&id).copied().unwrap_or(id));
                match &module {
                    Module::Plain(known) => {
                        let expr = self.module_for(known, wanted.open, depth.saturating_sub(1))?;
                        if let Module::Plain(have) = &expr.module {
                            solve(known, have, wanted.open, &mut wanted.solved);
                        }
                        decs.module(self, name.clone(), expr);
                    }
                    Module::Parametric(fun) => {
                        let param = self.spelled(&fun.param, &fun.open)?;
                        let Module::Plain(result) = &fun.result else { return None };
                        let param = Written { text: param, known: fun.param.clone(), open: fun.open.clone() };
                        let (makes, given) = (fun.makes.clone(), fun.open.clone());
                        let expr = self.parametric(&[("X".to_string(), param)], &mut |g| {
                            let mut open = makes.clone();
                            open.extend(result.ids_from(0).intersection(wanted.open).filter(|id| !given.contains(id)));
                            g.module_for(result, &open, 0)
                        })?;
                        decs.module(self, name.clone(), expr);
                    }
                }
            }
        }
        let Declarations { text, known, means, .. } = decs;
        let means: Means<Table> = Rc::new(move |table| {
            let (mut scope, mut made) = (table.clone(), Table::default());
            for (is_local, dec) in &means {
                let more = dec(&scope);
                scope = opened(&scope, &more);
                if !is_local {
                    made = opened(&made, &more);
                }
            }
            made
        });
        Some((text, known, means))
    }

    fn component(&mut self, decs: &mut Declarations) {
        let (name, kind) = self.name_and_kind();
        if decs.defined.insert(name.to_string()) {
            let definition = self.definition(name, kind);
            decs.component(self, name, definition);
        }
    }

    /// A declaration that nobody asked for.
    pub(super) fn extra(&mut self, decs: &mut Declarations, depth: usize, at_top: bool) {
        let start = self.choices.open();
        match self.choices.weighted(&[3, 4, 4, 2, 1 + usize::from(at_top) * 3]) {
            0 if at_top => self.component(decs),
            0 => {
                // What is local may be defined again by what is asked for.
                let (name, kind) = self.name_and_kind();
                let definition = self.definition(name, kind);
                decs.local(self, name, definition);
            }
            1 => {
                let name = self.module_name();
                let expr = self.module(depth);
                if decs.defined.insert(name.clone()) {
                    decs.module(self, name, expr);
                }
            }
            2 => {
                let name = self.module_name();
                if let Some(expr) = self.some_parametric(depth)
                    && decs.defined.insert(name.clone())
                {
                    decs.module(self, name, expr);
                }
            }
            3 => {
                let expr = self.module(depth);
                if let Module::Plain(known) = expr.module {
                    decs.open(self, &expr.text, &known, expr.means);
                }
            }
            _ => {
                let first = self.next + 1;
                let written = self.signature(depth.min(1));
                let name = format!("S{}", self.id());
                decs.text.push_str(&format!("module type {name} = {}\n", written.text));
                let open = written.known.ids_from(first);
                self.signatures.push(super::Signature { name, known: written.known, open });
            }
        }
        self.choices.close(start, "declaration");
    }

    /// A parametric module.
    fn some_parametric(&mut self, depth: usize) -> Option<Expr> {
        self.nested(|g| {
            let mut params: Vec<(String, Written)> = Vec::new();
            while params.is_empty() || (params.len() < 3 && g.choices.chance(2)) {
                let name = ["X", "Y", "Z"][params.len()].to_string();
                let param = g.signature(depth.min(1));
                g.scope.modules.insert(name.clone(), Module::Plain(param.known.clone()));
                params.push((name, param));
            }
            g.parametric(&params, &mut |g| {
                if g.choices.chance(2) {
                    let signature = g.signature(0);
                    if let Some(expr) = g.sealed(&signature, depth) {
                        return Some(expr);
                    }
                }
                Some(g.module(depth))
            })
        })
    }

    /// `\(X: S) -> body`
    fn parametric(
        &mut self,
        params: &[(String, Written)],
        body: &mut dyn FnMut(&mut Gen) -> Option<Expr>,
    ) -> Option<Expr> {
        let Some(((name, param), rest)) = params.split_first() else { return body(self) };
        let first = self.next + 1;
        let inner = self.nested(|g| {
            g.scope.modules.insert(name.clone(), Module::Plain(param.known.clone()));
            g.parametric(rest, body)
        })?;
        let mut makes = BTreeSet::new();
        inner.module.ids(&mut makes);
        let mut makes = makes.split_off(&first);
        for (_, other) in rest {
            makes.extend(&other.open);
        }
        let (means, known, key) = (inner.means, param.known.clone(), name.clone());
        let fun = Parametric { param: param.known.clone(), open: param.open.clone(), result: inner.module, makes };
        Some(Expr {
            text: format!("\\({name}: {}) -> {}", param.text, inner.text),
            module: Module::Parametric(Box::new(fun)),
            means: Rc::new(move |table| {
                let (table, means, known, key) = (table.clone(), means.clone(), known.clone(), key.clone());
                Meaning::Parametric(Rc::new(move |arg| {
                    means(&with(&table, key.clone(), Meaning::Module(shown(arg, &known))))
                }))
            }),
        })
    }
}

/// Declarations, one after the other.
#[derive(Default)]
pub(super) struct Declarations {
    pub text: String,
    pub known: Known,
    /// Whether a declaration is local, and what it adds to the scope.
    pub means: Vec<(bool, Means<Table>)>,
    pub defined: BTreeSet<String>,
    count: usize,
}

impl Declarations {
    fn component(&mut self, g: &mut Gen, name: &'static str, definition: Definition) {
        self.known.components.insert(name, definition.component);
        self.defined.insert(name.to_string());
        self.add_component(g, name, definition, false);
    }

    /// A component that is seen by what follows it, but is no part of the module.
    fn local(&mut self, g: &mut Gen, name: &'static str, definition: Definition) {
        self.add_component(g, name, definition, true);
    }

    fn add_component(&mut self, g: &mut Gen, name: &'static str, definition: Definition, is_local: bool) {
        let prefix = if is_local { "local " } else { "" };
        for line in definition.text.lines() {
            self.text.push_str(&format!("{prefix}{line}\n"));
        }
        self.count += 1;
        let (key, means) = (key(name, definition.component.kind), definition.means);
        self.means.push((is_local, Rc::new(move |table| with(&Table::default(), key.clone(), means(table)))));
        g.scope.components.insert(name, definition.component);
    }

    fn module(&mut self, g: &mut Gen, name: String, expr: Expr) {
        // Of the parameters, some stand in front of the equals sign and the others after it.
        let (mut params, mut body) = (String::new(), expr.text.as_str());
        while let Some((param, rest)) = param_and_body(body).filter(|_| g.choices.more(3)) {
            params.push_str(&format!(" {param}"));
            body = rest;
        }
        self.text.push_str(&format!("module {name}{params} = {body}\n"));
        self.count += 1;
        self.known.modules.insert(name.clone(), expr.module.clone());
        g.scope.modules.insert(name.clone(), expr.module);
        let means = expr.means;
        self.means.push((false, Rc::new(move |table| with(&Table::default(), name.clone(), means(table)))));
    }

    fn open(&mut self, g: &mut Gen, text: &str, known: &Known, means: Means<Meaning>) {
        self.text.push_str(&format!("open {text}\n"));
        self.count += 1;
        self.known.open(known);
        g.scope.open(known);
        self.means.push((false, Rc::new(move |table| means(table).table())));
    }
}

impl Known {
    /// The modules that can be named, with what stands in front of their names.
    fn modules_at(&self, prefix: &str, found: &mut Vec<(String, String, Module)>) {
        for (name, module) in &self.modules {
            found.push((prefix.to_string(), name.clone(), module.clone()));
            if let Module::Plain(known) = module {
                known.modules_at(&format!("{prefix}{name}."), found);
            }
        }
    }
}

/// The parts of `\\(X: S) -> body`.
fn param_and_body(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\\')?;
    let mut depth = 0;
    let end = text.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some((&text[..=end], text[end + 1..].strip_prefix(" -> ")?))
}

fn named(prefix: String, name: String, module: Module) -> Expr {
    let text = format!("{prefix}{name}");
    Expr { text, module, means: Rc::new(move |table| at(table, &prefix, &name)) }
}

/// Finds out what the types are that could be anything.
fn solve(wanted: &Known, have: &Known, open: &BTreeSet<Id>, ids: &mut BTreeMap<Id, Id>) {
    for (name, component) in &wanted.components {
        if let Some(found) = have.components.get(name).filter(|_| open.contains(&component.id)) {
            ids.entry(component.id).or_insert(found.id);
        }
    }
    for (name, module) in &wanted.modules {
        if let (Module::Plain(wanted), Some(Module::Plain(have))) = (module, have.modules.get(name)) {
            solve(wanted, have, open, ids);
        }
    }
}

/// Whether a module has what is asked for.
fn fits(wanted: &Known, have: &Known, open: &BTreeSet<Id>) -> bool {
    let mut ids = BTreeMap::new();
    let component = |(name, c): (&&'static str, &super::Component)| {
        have.components.get(*name).is_some_and(|found| {
            let id = if open.contains(&c.id) { *ids.entry(c.id).or_insert(found.id) } else { c.id };
            found.kind == c.kind && (found.id == id || c.kind == super::Kind::Number)
        })
    };
    wanted.modules.is_empty() && wanted.components.iter().all(component)
}
