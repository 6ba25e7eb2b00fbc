//! What could stand at a place: names in scope, fields, members of modules, attributes, files to import.

use crate::analysis::{Analysis, Instead};
use crate::outline::matches;
use crate::resolve::{DefId, Env, Kind, Module, Names, Seen, Term, Wanted};
use crate::state::{Answer, State};
use crate::text::Text;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, CompletionList, CompletionParams, Documentation,
    MarkupContent, MarkupKind, Range, TextEdit,
};
use kenaz_base::source::first_file;
use kenaz_base::{Attr, Diagnostics, Prim, Symbol, fs};
use kenaz_sema::scope as checked_scope;
use kenaz_sema::types::{Ty, TyKind};
use kenaz_syntax::ast::ExprKind;
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::{Tok, Token};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// The words that can stand where an expression can, or go on after one.
const WORDS: &[&str] = &[
    "assert", "case", "do", "else", "false", "for", "if", "in", "let", "loop", "match", "then", "true", "while", "with",
];
/// The words that start declarations.
const DECLARATIONS: &[&str] = &["def", "entry", "import", "include", "local", "module", "open", "type", "val"];

/// The name in a program that is looked at for its scope.
const STAND_IN: &str = "kz_here";
/// The module, behind the end of a program, that is looked at for its members.
const PROBE: &str = "kz_members";

/// What is wanted at a place; `lo` is where the name starts that is being written.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Context {
    Nothing,
    Attribute {
        lo: u32,
    },
    Import {
        lo: u32,
    },
    /// Behind a dot.
    Member {
        dot: u32,
        lo: u32,
    },
    Declaration {
        lo: u32,
    },
    Name {
        lo: u32,
    },
}

pub(crate) fn complete(state: &mut State, params: &CompletionParams) -> Answer<CompletionList> {
    let at = &params.text_document_position_params;
    let path = crate::uri::path(&at.text_document.uri);
    let Some(text) = state.documents.text(&path) else { return Ok(CompletionList::default()) };
    let offset = text.offset(at.position, state.encoding);
    let (lo, mut items) = match context(&text, offset) {
        Context::Nothing => (offset, Vec::new()),
        Context::Attribute { lo } => (lo, attributes()),
        Context::Import { lo } => (lo, files(state, &path, &text.as_str()[lo as usize..offset as usize])),
        Context::Declaration { lo } => (lo, words(DECLARATIONS)),
        Context::Member { dot, lo } => (lo, members(state, &path, &text, dot, offset)),
        Context::Name { lo } => (lo, names(state, &path, &text, lo, offset)),
    };
    let typed = &text.as_str()[lo as usize..offset as usize];
    items.retain(|item| matches(typed, &item.label));
    let range = text.range(lo, offset, state.encoding);
    for item in &mut items {
        item.text_edit = Some(edit(range, &item.label));
    }
    Ok(CompletionList { is_incomplete: false, items, ..CompletionList::default() })
}

fn edit(range: Range, text: &str) -> CompletionItemTextEdit {
    CompletionItemTextEdit::TextEdit(TextEdit { range, new_text: text.to_string() })
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// What is wanted, as far as the text before the place tells.
fn context(text: &Text, offset: u32) -> Context {
    let all = text.as_str();
    let before = &all[..offset as usize];
    let lo = before.trim_end_matches(is_letter).len();
    let (partial, before_name) = (&before[lo..], &before[..lo]);
    let lo = lo as u32;
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    if let Some(typed) = line.rfind("import \"").map(|at| &line[at + 8..])
        && !typed.contains('"')
    {
        return Context::Import { lo: offset - typed.len() as u32 };
    }
    let lexed = lex(first_file(), all, &mut Diagnostics::new());
    let is_inside = |lo: u32, hi: u32| lo < offset && offset < hi;
    let in_comment = lexed.comments.iter().any(|comment| comment.span.lo < offset && offset <= comment.span.hi);
    let in_text = |token: &Token| matches!(token.kind, Tok::String | Tok::Char) && is_inside(token.lo, token.hi);
    if in_comment || lexed.tokens.iter().any(in_text) || partial.starts_with(|c: char| c.is_ascii_digit() || c == '\'')
    {
        return Context::Nothing;
    }
    let earlier: Vec<&Token> = lexed.tokens.iter().filter(|token| token.kind != Tok::Eof && token.hi <= lo).collect();
    let last = earlier.last().map(|token| token.kind);
    // An attribute that is open.
    let opened = earlier.iter().rposition(|token| token.kind == Tok::AttrOpen);
    let is_open = opened.is_some_and(|at| !earlier[at..].iter().any(|token| token.kind == Tok::RBracket));
    if is_open {
        let starts = matches!(last, Some(Tok::AttrOpen | Tok::LParen | Tok::Comma));
        return if starts { Context::Attribute { lo } } else { Context::Nothing };
    }
    if before_name.ends_with('.') {
        let receiver = earlier.iter().rev().find(|token| token.hi < lo).map(|token| (token.kind, token.hi));
        return match receiver {
            Some((Tok::Name | Tok::RParen | Tok::RBracket | Tok::RBrace, hi)) if hi + 1 == lo => {
                Context::Member { dot: lo - 1, lo }
            }
            // `a.0.b`
            Some((Tok::Nat, hi)) if hi + 1 == lo && all[..hi as usize].contains('.') => {
                Context::Member { dot: lo - 1, lo }
            }
            _ => Context::Nothing,
        };
    }
    match last {
        // A name is bound here.
        Some(Tok::Def | Tok::Let | Tok::Entry | Tok::Type | Tok::Module | Tok::Val | Tok::For | Tok::Backslash) => {
            Context::Nothing
        }
        Some(Tok::Local) => Context::Declaration { lo },
        _ if line.trim_end_matches(is_letter).is_empty() => Context::Declaration { lo },
        _ => Context::Name { lo },
    }
}

fn item(label: &str, kind: CompletionItemKind) -> CompletionItem {
    CompletionItem { label: label.to_string(), kind: Some(kind), ..CompletionItem::default() }
}

fn words(words: &[&str]) -> Vec<CompletionItem> {
    let sorted =
        |word: &&str| CompletionItem { sort_text: Some(format!("4{word}")), ..item(word, CompletionItemKind::Keyword) };
    words.iter().map(sorted).collect()
}

fn attributes() -> Vec<CompletionItem> {
    let one = |name: &str| {
        let (usage, about) = Attr::about(name).unwrap_or_default();
        CompletionItem {
            detail: Some(usage.replace('`', "")),
            documentation: Some(Documentation::String(about.to_string())),
            ..item(name, CompletionItemKind::Property)
        }
    };
    Attr::names().map(one).collect()
}

/// The files that an import could name, with the folder that is already written.
fn files(state: &State, path: &Path, typed: &str) -> Vec<CompletionItem> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let written = typed.rfind('/').map_or("", |at| &typed[..=at]);
    let target = fs::normalise(&folder.join(written));
    let mut found = BTreeMap::new();
    for file in state.workspace.files(&state.documents).iter().filter(|file| *file != path) {
        let Ok(rest) = file.strip_prefix(&target) else { continue };
        let mut parts = rest.components();
        let first = parts.next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        match (first, parts.next()) {
            (Some(name), None) => {
                if let Some(name) = name.strip_suffix(".fut") {
                    found.insert(format!("{written}{name}"), CompletionItemKind::File);
                }
            }
            (Some(name), Some(_)) => {
                found.insert(format!("{written}{name}/"), CompletionItemKind::Folder);
            }
            (None, _) => {}
        }
    }
    found.into_iter().map(|(name, kind)| item(&name, kind)).collect()
}

/// The program with another text.
fn with_text(state: &State, path: &Path, text: String, asked: u32) -> Rc<Analysis> {
    let texts = BTreeMap::from([(path.to_path_buf(), text)]);
    Rc::new(Analysis::new(&state.documents, path, Instead { texts, asked: Some(asked) }))
}

/// All that is in scope.
fn names(state: &mut State, path: &Path, text: &Text, lo: u32, offset: u32) -> Vec<CompletionItem> {
    let (mut analysis, mut seen) = (None, None);
    if lo < offset {
        let current = state.analysis(path);
        let at = current.to_changed(current.main(), offset);
        let names = Names::of(&current.checked, Some((current.main(), at)));
        if names.at(current.main(), at).is_some_and(|name| name.binds && name.span.hi == at) && names.seen.is_none() {
            return Vec::new();
        }
        seen = names.seen;
        analysis = Some(current);
    }
    // What is written may have been in the way, or there may be nothing yet.
    for broken in [false, true] {
        if seen.is_none() {
            let all = text.as_str();
            let (start, end) = all.split_at(lo as usize);
            let rest = end.trim_start_matches(is_letter);
            let (changed, asked) = if broken {
                // At least what the file defines.
                let changed = format!("{start}{rest}\ndef kz_last = {STAND_IN}\n");
                let asked = changed.len() as u32 - 1;
                (changed, asked)
            } else {
                (format!("{start}{STAND_IN}{rest}"), lo + STAND_IN.len() as u32)
            };
            let mut other = with_text(state, path, changed, asked);
            seen = Rc::get_mut(&mut other).and_then(|other| other.names.seen.take());
            analysis = Some(other);
        }
    }
    let (Some(analysis), Some(seen)) = (analysis, seen) else { return words(WORDS) };
    state.completed = Some(analysis.clone());
    scope(&analysis, &seen)
}

fn scope(analysis: &Analysis, seen: &Seen) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    let modules = || seen.terms.iter().filter(|(_, term)| matches!(term, Term::Module(..)));
    match seen.wanted {
        Wanted::Values => {
            items.extend(seen.terms.iter().filter_map(|(name, term)| of_term(analysis, name, term)));
            items.extend(words(WORDS));
        }
        Wanted::Modules => items.extend(modules().filter_map(|(name, term)| of_term(analysis, name, term))),
        Wanted::Types => {
            items.extend(seen.types.iter().map(|(name, known)| of_def(analysis, name, known.def, known.described)));
            // The modules of primitive types have the names of these.
            let others = modules().filter(|(name, _)| Prim::from_name(name).is_none());
            items.extend(others.filter_map(|(name, term)| of_term(analysis, name, term)));
            items.extend(Prim::ALL.iter().map(|prim| CompletionItem {
                sort_text: Some(format!("3{}", prim.name())),
                ..item(prim.name(), CompletionItemKind::Struct)
            }));
        }
        Wanted::ModTypes => {
            items.extend(seen.mod_types.iter().map(|(name, (def, _))| of_def(analysis, name, *def, None)));
            items.extend(modules().filter_map(|(name, term)| of_term(analysis, name, term)));
        }
    }
    items
}

/// A value or module; operators are not completed.
fn of_term(analysis: &Analysis, name: &str, term: &Term) -> Option<CompletionItem> {
    let is_name =
        name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.starts_with("kz_") && name != "intrinsics";
    let known = term.known();
    is_name.then(|| of_def(analysis, name, known.def, known.described))
}

fn of_def(analysis: &Analysis, name: &str, def: DefId, described: Option<DefId>) -> CompletionItem {
    let found = analysis.def(def);
    let detail = analysis.detail(def);
    let is_function = detail.as_ref().is_some_and(|detail| detail.contains("->"));
    let kind = match found.kind {
        Kind::Value | Kind::Function | Kind::Parameter if is_function => CompletionItemKind::Function,
        Kind::Value => CompletionItemKind::Constant,
        Kind::Function | Kind::Parameter | Kind::Local | Kind::Size => CompletionItemKind::Variable,
        Kind::Type => CompletionItemKind::Struct,
        Kind::TypeParameter => CompletionItemKind::TypeParameter,
        Kind::Module => CompletionItemKind::Module,
        Kind::ModuleType => CompletionItemKind::Interface,
    };
    // The nearest first: local names, those of the file, of imports, of the prelude.
    let distance = match found.kind {
        Kind::Value | Kind::Type | Kind::Module | Kind::ModuleType if analysis.is_builtin(found.span.file) => 3,
        Kind::Value | Kind::Type | Kind::Module | Kind::ModuleType if found.span.file == analysis.main() => 1,
        Kind::Value | Kind::Type | Kind::Module | Kind::ModuleType => 2,
        _ => 0,
    };
    CompletionItem {
        detail,
        sort_text: Some(format!("{distance}{name}")),
        data: Some(json!([number(def), described.map(number)])),
        ..item(name, kind)
    }
}

fn number(def: DefId) -> usize {
    kenaz_base::Id::index(def)
}

/// The members of a module, or the fields of a record.
fn members(state: &mut State, path: &Path, text: &Text, dot: u32, offset: u32) -> Vec<CompletionItem> {
    let all = text.as_str();
    let receiver = {
        let before = &all[..dot as usize];
        &before[before.trim_end_matches(|c| is_letter(c) || c == '.').len()..]
    };
    let is_path = receiver.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let rest = all[offset as usize..].trim_start_matches(is_letter);
    let probe = if is_path { format!("\nmodule {PROBE} = {receiver}\n") } else { String::new() };
    let mut analysis = with_text(state, path, format!("{} {rest}{probe}", &all[..dot as usize]), dot);
    let seen = Rc::get_mut(&mut analysis).and_then(|analysis| analysis.names.seen.take());
    state.completed = Some(analysis.clone());
    if let Some(seen) = seen.as_ref().filter(|_| is_path)
        && let Some(env) = module(seen, receiver)
    {
        return of_module(&analysis, &env, seen.wanted);
    }
    let file = analysis.main();
    let at = analysis.to_changed(file, dot);
    let ast = &analysis.checked.ast;
    let wanted = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Var(_) | ExprKind::Project(..) | ExprKind::Index(..) | ExprKind::Paren(_) | ExprKind::Record(_)
        )
    };
    let ending = ast.exprs.iter().filter(|(_, e)| e.span.file == file && e.span.hi == at && wanted(&e.kind));
    // The whole of `a[i].b`, not only its last part.
    let receiver = ending.max_by_key(|(_, e)| e.span.hi - e.span.lo).map(|(id, _)| id);
    let ty = receiver.and_then(|id| analysis.checked.info.expr_ty.get(id));
    ty.map_or(Vec::new(), |ty| fields(&analysis, ty))
}

fn fields(analysis: &Analysis, ty: &Ty) -> Vec<CompletionItem> {
    let ty = analysis.checked.names.shallow(ty).without_unique();
    let TyKind::Record(fields) = ty.kind() else { return Vec::new() };
    let one = |(index, (name, ty)): (usize, &(Symbol, Ty))| CompletionItem {
        detail: Some(analysis.show(ty)),
        sort_text: Some(format!("{index:04}")),
        ..item(name.as_str(), CompletionItemKind::Field)
    };
    fields.iter().enumerate().map(one).collect()
}

/// The contents of the module that a path leads to.
fn module(seen: &Seen, path: &str) -> Option<Rc<Env>> {
    let mut at: Option<Rc<Env>> = None;
    for part in path.split('.') {
        let term = match &at {
            None => seen.terms.get(part)?.clone(),
            Some(env) => env.terms.get(&Symbol::intern(part))?.clone(),
        };
        let Term::Module(_, Module::Env(env)) = term else { return None };
        at = Some(env);
    }
    at
}

fn of_module(analysis: &Analysis, env: &Env, wanted: Wanted) -> Vec<CompletionItem> {
    let mut items = Vec::new();
    for (name, term) in &env.terms {
        if wanted == Wanted::Values || matches!(term, Term::Module(..)) {
            items.extend(of_term(analysis, name.as_str(), term));
        }
    }
    match wanted {
        Wanted::Values | Wanted::Modules => {}
        Wanted::Types => {
            let types = env.types.iter();
            items.extend(types.map(|(name, known)| of_def(analysis, name.as_str(), known.def, known.described)));
        }
        Wanted::ModTypes => {
            items.extend(env.mod_types.iter().map(|(name, (def, _))| of_def(analysis, name.as_str(), *def, None)));
        }
    }
    // The types of values as this module has them, where it can be named at the end of the program.
    let known = match &analysis.checked.module {
        checked_scope::Module::Env(main) => match main.terms.get(&Symbol::intern(PROBE)) {
            Some(checked_scope::Term::Module(checked_scope::Module::Env(env))) => Some(env.clone()),
            _ => None,
        },
        _ => None,
    };
    for item in &mut items {
        let name = Symbol::intern(&item.label);
        let variable = match known.as_ref().and_then(|env| env.terms.get(&name)) {
            Some(checked_scope::Term::Value(variable)) => *variable,
            _ => continue,
        };
        if let Some(scheme) = &analysis.checked.names.vars[variable].scheme {
            item.detail = Some(analysis.checked.names.show_scheme(scheme));
        }
    }
    items
}

/// Adds the documentation to an item of the last completion.
pub(crate) fn resolve(state: &State, mut item: CompletionItem) -> Answer<CompletionItem> {
    let number = |at: usize| item.data.as_ref()?.get(at)?.as_u64().and_then(|number| usize::try_from(number).ok());
    if let Some(analysis) = &state.completed {
        let def = |number: usize| analysis.names.defs.ids().nth(number);
        if let Some(def_id) = number(0).and_then(def)
            && analysis.def(def_id).name.as_str() == item.label
            && let Some(doc) = analysis.doc(def_id, number(1).and_then(def))
        {
            let value = doc.trim().to_string();
            let markup = MarkupContent { kind: MarkupKind::Markdown, value };
            item.documentation = Some(Documentation::MarkupContent(markup));
        }
    }
    item.data = item.data.filter(|data| *data != Value::Null);
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The context at `|`.
    fn at(text: &str) -> Context {
        let offset = text.find('|').expect("a place");
        context(&Text::new(text.replacen('|', "", 1)), offset as u32)
    }

    #[test]
    fn contexts() {
        assert_eq!(at("def f = fo|"), Context::Name { lo: 8 });
        assert_eq!(at("def f = |"), Context::Name { lo: 8 });
        assert_eq!(at("def f = x.|"), Context::Member { dot: 9, lo: 10 });
        assert_eq!(at("def f = (x).ab|"), Context::Member { dot: 11, lo: 12 });
        assert_eq!(at("def f = 1.|"), Context::Nothing);
        assert_eq!(at("def f = x.0.|"), Context::Member { dot: 11, lo: 12 });
        assert_eq!(at("def f = #[in|"), Context::Attribute { lo: 10 });
        assert_eq!(at("def f = #[try(|"), Context::Attribute { lo: 14 });
        assert_eq!(at("import \"li/b|\"\n"), Context::Import { lo: 8 });
        assert_eq!(at("de|"), Context::Declaration { lo: 0 });
        assert_eq!(at("def f|"), Context::Nothing);
        assert_eq!(at("def f = 1 -- no|"), Context::Nothing);
        assert_eq!(at("def f = \"no|pe\""), Context::Nothing);
        assert_eq!(at("def f = 12|"), Context::Nothing);
    }
}
