//! Finds, reads and parses the files of a program.

use crate::prelude;
use kenaz_base::{Code, Diagnostic, Diagnostics, FileId, FileSystem, Id, SourceMap, Span, Symbol, fs, with_stack};
use kenaz_syntax::ast::{Ast, DecId, DecKind, File, ModExpId, ModExpKind, StringLit};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

pub(crate) struct Loaded {
    pub sources: SourceMap,
    pub ast: Ast,
    /// Each file behind those it imports.
    pub files: Vec<File>,
    pub main: FileId,
    /// The file that an import in a file names.
    pub imports: FxHashMap<(FileId, Symbol), FileId>,
    pub diagnostics: Diagnostics,
}

struct Loader<'a> {
    fs: &'a dyn FileSystem,
    loaded: Loaded,
    /// By normalised path.
    known: FxHashMap<PathBuf, FileId>,
    /// The files being loaded, each imported by the one before it.
    open: Vec<FileId>,
}

/// Reads the file and everything it imports. Files that import each other are reported and read once.
pub(crate) fn load(path: &Path, fs: &dyn FileSystem) -> Loaded {
    let loaded = Loaded {
        sources: SourceMap::new(),
        ast: Ast::default(),
        files: Vec::new(),
        main: FileId::from_index(0),
        imports: FxHashMap::default(),
        diagnostics: Diagnostics::new(),
    };
    let mut loader = Loader { fs, loaded, known: FxHashMap::default(), open: Vec::new() };
    let file = loader.loaded.sources.add_builtin("prelude/intrinsics.fut", prelude::specs_text());
    loader.parse(file, true);
    loader.load_prelude(Path::new(prelude::TOP));
    let (file, failure) = fs::load(&mut loader.loaded.sources, path, None, fs);
    loader.loaded.main = file;
    match failure {
        Some(diagnostic) => loader.loaded.diagnostics.push(diagnostic),
        None => {
            loader.known.insert(fs::normalise(path), file);
            loader.parse(file, false);
        }
    }
    loader.loaded
}

impl Loader<'_> {
    fn parse(&mut self, file: FileId, builtin: bool) {
        let loaded = &mut self.loaded;
        let (decs, mods) = (loaded.ast.decs.len(), loaded.ast.mod_exps.len());
        let text = &loaded.sources.file(file).text;
        let parsed = kenaz_syntax::parse_file(&mut loaded.ast, file, text, &mut loaded.diagnostics);
        // The nodes that were just made are the last ones of their arenas.
        let mut imports: Vec<StringLit> = Vec::new();
        for i in decs..loaded.ast.decs.len() {
            if let DecKind::Import(path) = &loaded.ast[DecId::from_index(i)].kind {
                imports.push(path.clone());
            }
        }
        for i in mods..loaded.ast.mod_exps.len() {
            if let ModExpKind::Import(path) = &loaded.ast[ModExpId::from_index(i)].kind {
                imports.push(path.clone());
            }
        }
        imports.sort_by_key(|path| path.span);
        self.open.push(file);
        for path in imports {
            with_stack(|| self.import(file, &path, builtin));
        }
        self.open.pop();
        self.loaded.files.push(parsed);
    }

    fn import(&mut self, from: FileId, path: &StringLit, builtin: bool) {
        let key = (from, Symbol::intern(&path.text));
        if self.loaded.imports.contains_key(&key) {
            return;
        }
        let target = fs::normalise(&self.target(from, &path.text, builtin));
        if let Some(file) = self.known.get(&target).copied() {
            if let Some(start) = self.open.iter().position(|f| *f == file) {
                self.cycle(start, path.span);
            } else {
                self.loaded.imports.insert(key, file);
            }
            return;
        }
        if builtin {
            if let Some(file) = self.load_prelude(&target) {
                self.loaded.imports.insert(key, file);
            }
            return;
        }
        if let Some(file) = self.load_library(&target, &path.text) {
            self.loaded.imports.insert(key, file);
            return;
        }
        let (file, failure) = fs::load(&mut self.loaded.sources, &target, Some(path.span), self.fs);
        match failure {
            Some(diagnostic) => {
                let diagnostic = self.import_remedy(from, path, diagnostic);
                self.loaded.diagnostics.push(diagnostic);
            }
            None => {
                self.known.insert(target, file);
                self.loaded.imports.insert(key, file);
                self.parse(file, builtin);
            }
        }
    }

    /// Adds what to do about a file that is not found.
    fn import_remedy(&self, from: FileId, path: &StringLit, diagnostic: Diagnostic) -> Diagnostic {
        if let Some(name) = path.text.strip_suffix(".fut") {
            let right = format!("\"{name}\"");
            let diagnostic = diagnostic.hint(format!("the name of a file stands without its ending: `import {right}`"));
            let exists = self.fs.read(&fs::normalise(&self.target(from, name, false))).is_ok();
            return if exists { diagnostic.fix(path.span, right) } else { diagnostic };
        }
        if path.text.starts_with("lib/github.com/") {
            return diagnostic.hint("the files of a package belong into the folder `lib` next to the program");
        }
        diagnostic
    }

    /// A library that comes with the compiler, unless there is a file of that name.
    fn load_library(&mut self, target: &Path, name: &str) -> Option<FileId> {
        let (name, text) = prelude::LIBRARIES.iter().find(|(known, _)| *known == name)?;
        if self.fs.exists(target) {
            return None;
        }
        let file = self.loaded.sources.add_builtin(format!("{name}.fut"), (*text).to_string());
        self.known.insert(target.to_path_buf(), file);
        self.parse(file, true);
        Some(file)
    }

    /// A file of the prelude.
    fn load_prelude(&mut self, path: &Path) -> Option<FileId> {
        let (name, text) = prelude::FILES.iter().find(|(name, _)| Path::new(name) == path)?;
        let file = self.loaded.sources.add_builtin(*name, (*text).to_string());
        self.known.insert(path.to_path_buf(), file);
        self.parse(file, true);
        Some(file)
    }

    /// The path of an import: relative to the file it stands in, without its ending.
    fn target(&self, from: FileId, text: &str, builtin: bool) -> PathBuf {
        let mut name = text.to_string();
        name.push_str(".fut");
        if builtin {
            return PathBuf::from(format!("{}{name}", prelude::FOLDER));
        }
        let from = &self.loaded.sources.file(from).path;
        match from.parent() {
            Some(folder) => folder.join(name),
            None => PathBuf::from(name),
        }
    }

    fn cycle(&mut self, start: usize, span: Span) {
        let path = |f: &FileId| format!("`{}`", self.loaded.sources.file(*f).path.display());
        let mut chain: Vec<String> = self.open[start..].iter().map(path).collect();
        chain.push(path(&self.open[start]));
        let message = match &chain[..] {
            [one, _] => format!("file {one} imports itself"),
            _ => format!("these files import each other: {}", chain.join(" imports ")),
        };
        self.loaded.diagnostics.push(
            Diagnostic::error(Code::ImportCycle, span, message)
                .label("this import closes the circle")
                .hint("move what both files need into a third one"),
        );
    }
}
