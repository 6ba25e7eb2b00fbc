//! What is in scope before a program says anything: primitive types, the module of intrinsics, the prelude.

use crate::checker::{Checker, Current};
use crate::intrinsics::{self, Intrinsic};
use crate::names::{Names, VarKind};
use crate::scope::{Env, Module, Scope, Term, TypeEntry};
use crate::types::{Scheme, Ty, TypeAbbr};
use kenaz_base::{Diagnostics, FileId, Id, Prim, SourceMap, Span, Symbol, source};
use kenaz_syntax::ast::{Ast, DecKind, File, Liftedness};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// The folder that the prelude's files pretend to be in.
pub(crate) const FOLDER: &str = "prelude/";

/// The file that is opened in every program; it imports the others.
pub(crate) const TOP: &str = "prelude/prelude.fut";

/// The files of the prelude.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("prelude/numeric.fut", include_str!("../prelude/numeric.fut")),
    ("prelude/integers.fut", include_str!("../prelude/integers.fut")),
    ("prelude/floats.fut", include_str!("../prelude/floats.fut")),
    ("prelude/math.fut", include_str!("../prelude/math.fut")),
    ("prelude/functional.fut", include_str!("../prelude/functional.fut")),
    ("prelude/soacs.fut", include_str!("../prelude/soacs.fut")),
    ("prelude/zip.fut", include_str!("../prelude/zip.fut")),
    ("prelude/array.fut", include_str!("../prelude/array.fut")),
    ("prelude/ad.fut", include_str!("../prelude/ad.fut")),
    ("prelude/prelude.fut", include_str!("../prelude/prelude.fut")),
];

/// The libraries that come with the compiler, by the text of an import. A file of the user's with that name is taken
/// instead.
pub(crate) const LIBRARIES: &[(&str, &str)] = &[
    ("strategy", include_str!("../library/strategy.fut")),
    ("derivatives", include_str!("../library/derivatives.fut")),
];

impl<'a> Checker<'a> {
    pub(crate) fn new(
        ast: &'a Ast,
        sources: &'a SourceMap,
        imports: FxHashMap<(FileId, Symbol), FileId>,
        diagnostics: Diagnostics,
    ) -> Checker<'a> {
        Checker {
            ast,
            sources,
            names: Names::default(),
            scope: Scope::default(),
            info: crate::info::Info::default(),
            diagnostics,
            level: 0,
            current: Current::default(),
            files: FxHashMap::default(),
            imports,
            file: source::first_file(),
            builtin: true,
            module_depth: 0,
            is_main: false,
            functors: Vec::new(),
            operators: FxHashMap::default(),
            is_local: false,
            poisoned: false,
            dispatch: false,
            defining: Vec::new(),
            declarations: Vec::new(),
            module_path: Vec::new(),
            in_size: false,
            matched: None,
            too_large: None,
            is_muted: false,
            pending: None,
            compared: None,
            masked: None,
        }
    }

    /// Checks all files of a program and returns the contents of the main one.
    pub(crate) fn check_program(&mut self, files: &[File], main: FileId) -> Module {
        self.bind_primitives();
        for file in files {
            self.file = file.file;
            self.builtin = self.sources.file(file.file).builtin;
            self.is_main = file.file == main;
            self.poisoned = false;
            let is_prelude = self.builtin && self.sources.file(file.file).path == Path::new(TOP);
            let env = self.check_file_decs(&file.decs);
            let module = Module::Env(Arc::new(env));
            if is_prelude && let Module::Env(env) = &module {
                self.scope.open(env);
            }
            self.files.insert(file.file, module);
        }
        self.files.get(&main).cloned().unwrap_or(Module::Error)
    }

    fn bind_primitives(&mut self) {
        for prim in Prim::ALL {
            let abbr = TypeAbbr { params: Vec::new(), liftedness: Liftedness::Unlifted, body: Ty::prim(prim) };
            let entry = TypeEntry { abbr: Arc::new(abbr), span: None };
            self.scope.bind_type(Symbol::intern(prim.name()), entry);
        }
        let env = self.intrinsics();
        self.scope.bind_term(Symbol::intern("intrinsics"), Term::Module(Module::Env(Arc::new(env))));
    }

    /// The module of intrinsics. Those with a specification in the language's own syntax are declared by a text that is
    /// made of them, parsed and checked like a module type.
    fn intrinsics(&mut self) -> Env {
        let mut env = Env { is_intrinsics: true, ..Env::default() };
        let nowhere = Span::new(source::first_file(), 0, 0);
        for (index, def) in intrinsics::all().iter().enumerate() {
            let id = intrinsics::IntrinsicId::from_index(index);
            let name = Symbol::intern(&def.name);
            let scheme = match &def.intrinsic {
                Intrinsic::Overloaded(_) => None,
                Intrinsic::Prim { params, result, .. } => {
                    let ty =
                        params.iter().rev().fold(Ty::prim(*result), |ret, p| Ty::arrow(None, false, Ty::prim(*p), ret));
                    Some(Scheme { params: Vec::new(), ty })
                }
                Intrinsic::Type { .. } | Intrinsic::Poly { .. } => continue,
            };
            let v = self.names.var(name, nowhere, 0, VarKind::Intrinsic(id));
            self.names.vars[v].scheme = scheme;
            if let Intrinsic::Overloaded(_) = def.intrinsic {
                self.operators.insert(name, v);
                self.scope.bind_value(name, v);
            }
            env.terms.insert(name, Term::Value(v));
        }
        self.declared_intrinsics(&mut env);
        env
    }

    fn declared_intrinsics(&mut self, env: &mut Env) {
        let ast = self.ast;
        let Some(specs) = ast.decs.iter().find_map(|(_, dec)| match &dec.kind {
            DecKind::ModType(bind) if bind.name.name.as_str() == SPECS_NAME => Some(bind.body),
            _ => None,
        }) else {
            return;
        };
        let declared = self.eval_mod_type(specs);
        let Module::Env(declared) = &declared.module else { return };
        for (name, term) in &declared.terms {
            if let (Term::Value(v), Some(id)) = (term, intrinsics::lookup(name.as_str())) {
                self.names.vars[*v].kind = VarKind::Intrinsic(id);
            }
            env.terms.insert(*name, term.clone());
        }
        env.types.extend(declared.types.iter().map(|(n, t)| (*n, t.clone())));
    }
}

/// The module type that declares the intrinsics with a specification.
pub(crate) const SPECS_NAME: &str = "intrinsics_";

/// The text of that module type.
pub(crate) fn specs_text() -> String {
    let mut text = format!("module type {SPECS_NAME} = {{\n");
    for def in intrinsics::all() {
        if let Intrinsic::Type { spec, .. } | Intrinsic::Poly { spec, .. } = &def.intrinsic {
            text.push_str(spec);
            text.push('\n');
        }
    }
    text.push_str("}\n");
    text
}
