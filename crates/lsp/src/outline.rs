//! Symbols of documents and folders, and what can be folded.

use crate::analysis::Analysis;
use crate::state::{Answer, State};
use crate::text::Text;
use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, DocumentSymbolParams, FoldingRange, FoldingRangeKind, FoldingRangeParams,
    Location, SymbolKind, WorkspaceSymbol, WorkspaceSymbolLocation, WorkspaceSymbolParams,
};
use kenaz_base::source::first_file;
use kenaz_base::{Diagnostics, Span};
use kenaz_syntax::ast::{
    Ast, DecId, DecKind, ModExpId, ModExpKind, ModTypeExpId, ModTypeExpKind, SpecId, SpecKind, ValBind,
};
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::Tok;

/// A symbol of a file, by its spans.
struct Symbol {
    name: String,
    detail: Option<String>,
    kind: SymbolKind,
    whole: Span,
    own: Span,
    inside: Vec<Symbol>,
}

/// The most symbols that a search finds.
const MOST_FOUND: usize = 500;

pub(crate) fn symbols(state: &mut State, params: &DocumentSymbolParams) -> Answer<Vec<DocumentSymbol>> {
    let analysis = state.analysis(&crate::uri::path(&params.text_document.uri));
    let file = analysis.checked.files.iter().find(|file| file.file == analysis.main());
    let finder = Finder { ast: &analysis.checked.ast, analysis: Some(&analysis) };
    let found = file.map_or(Vec::new(), |file| finder.decs(&file.decs));
    Ok(found.into_iter().map(|symbol| symbol_of(state, &analysis, symbol)).collect())
}

#[expect(deprecated, reason = "the field must be named to make the structure")]
fn symbol_of(state: &State, analysis: &Analysis, symbol: Symbol) -> DocumentSymbol {
    let inside: Vec<_> = symbol.inside.into_iter().map(|inner| symbol_of(state, analysis, inner)).collect();
    DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        range: state.range(analysis, symbol.whole),
        selection_range: state.range(analysis, symbol.own),
        children: (!inside.is_empty()).then_some(inside),
    }
}

/// Symbols of all files whose names have the letters of a query in order.
pub(crate) fn search(state: &mut State, params: &WorkspaceSymbolParams) -> Answer<Vec<WorkspaceSymbol>> {
    let mut found = Vec::new();
    for path in state.workspace.files(&state.documents) {
        let Some(text) = state.documents.text(&path).filter(|_| !state.library.owns(&path)) else { continue };
        let mut ast = Ast::default();
        let file = kenaz_syntax::parse_file(&mut ast, first_file(), text.as_str(), &mut Diagnostics::new());
        let mut left = Finder { ast: &ast, analysis: None }.decs(&file.decs);
        left.reverse();
        let mut containers: Vec<(usize, String)> = Vec::new();
        while let Some(symbol) = left.pop() {
            while containers.last().is_some_and(|(size, _)| left.len() < *size) {
                containers.pop();
            }
            let container = containers.last().map(|(_, name)| name.clone());
            if !symbol.inside.is_empty() {
                containers.push((left.len(), symbol.name.clone()));
            }
            if found.len() < MOST_FOUND && matches(&params.query, &symbol.name) {
                let range = text.range(symbol.own.lo, symbol.own.hi, state.encoding);
                let location = Location { uri: state.documents.uri(&path), range };
                let base = BaseSymbolInformation {
                    name: symbol.name,
                    kind: symbol.kind,
                    tags: None,
                    container_name: container,
                };
                found.push(WorkspaceSymbol {
                    location: WorkspaceSymbolLocation::Location(location),
                    data: None,
                    base_symbol_information: base,
                });
            }
            left.extend(symbol.inside.into_iter().rev());
        }
    }
    Ok(found)
}

/// Whether the letters of a query occur in a name in their order, whatever their case.
pub(crate) fn matches(query: &str, name: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

struct Finder<'a> {
    ast: &'a Ast,
    analysis: Option<&'a Analysis>,
}

impl Finder<'_> {
    fn decs(&self, decs: &[DecId]) -> Vec<Symbol> {
        decs.iter().filter_map(|dec| kenaz_base::with_stack(|| self.dec(*dec))).collect()
    }

    fn dec(&self, id: DecId) -> Option<Symbol> {
        let dec = &self.ast[id];
        let (name, kind, inside) = match &dec.kind {
            DecKind::Val(bind) => (bind.name, self.kind(bind), Vec::new()),
            DecKind::Type(bind) => (bind.name, SymbolKind::Struct, Vec::new()),
            DecKind::Module(bind) => (bind.name, SymbolKind::Module, self.module(bind.body)),
            DecKind::ModType(bind) => (bind.name, SymbolKind::Interface, self.mod_type(bind.body)),
            DecKind::Local(inner) => return self.dec(*inner),
            DecKind::Error | DecKind::Open(_) | DecKind::Import(_) => return None,
        };
        let detail = self.analysis.and_then(|analysis| {
            let variable = analysis.variable(name.span)?;
            let scheme = analysis.checked.names.vars[variable].scheme.as_ref()?;
            Some(analysis.checked.names.show_scheme(scheme))
        });
        Some(Symbol { name: name.name.to_string(), detail, kind, whole: dec.span, own: name.span, inside })
    }

    fn kind(&self, bind: &ValBind) -> SymbolKind {
        let is_constant = bind.params.is_empty() && bind.type_params.is_empty();
        if is_constant { SymbolKind::Constant } else { SymbolKind::Function }
    }

    fn module(&self, body: ModExpId) -> Vec<Symbol> {
        match &self.ast[body].kind {
            ModExpKind::Decs(decs) => self.decs(decs),
            ModExpKind::Paren(body) | ModExpKind::Lambda { body, .. } | ModExpKind::Ascript(body, _) => {
                kenaz_base::with_stack(|| self.module(*body))
            }
            _ => Vec::new(),
        }
    }

    fn mod_type(&self, body: ModTypeExpId) -> Vec<Symbol> {
        match &self.ast[body].kind {
            ModTypeExpKind::Specs(specs) => specs.iter().filter_map(|spec| self.spec(*spec)).collect(),
            ModTypeExpKind::Paren(body) | ModTypeExpKind::With { base: body, .. } => {
                kenaz_base::with_stack(|| self.mod_type(*body))
            }
            _ => Vec::new(),
        }
    }

    fn spec(&self, id: SpecId) -> Option<Symbol> {
        let spec = &self.ast[id];
        let (name, kind, inside) = match &spec.kind {
            SpecKind::Val { name, .. } => (*name, SymbolKind::Function, Vec::new()),
            SpecKind::Type { name, .. } => (*name, SymbolKind::Struct, Vec::new()),
            SpecKind::TypeAbbr(bind) => (bind.name, SymbolKind::Struct, Vec::new()),
            SpecKind::Module { name, mod_type } => (*name, SymbolKind::Module, self.mod_type(*mod_type)),
            SpecKind::Error | SpecKind::Include(_) => return None,
        };
        Some(Symbol { name: name.name.to_string(), detail: None, kind, whole: spec.span, own: name.span, inside })
    }
}

/// Declarations of more than one line, brackets, comments and imports.
pub(crate) fn folds(state: &mut State, params: &FoldingRangeParams) -> Answer<Vec<FoldingRange>> {
    let path = crate::uri::path(&params.text_document.uri);
    let Some(text) = state.documents.text(&path) else { return Ok(Vec::new()) };
    let mut ast = Ast::default();
    let file = kenaz_syntax::parse_file(&mut ast, first_file(), text.as_str(), &mut Diagnostics::new());
    let mut found: Vec<(u32, u32, Option<FoldingRangeKind>)> = Vec::new();
    for (_, dec) in ast.decs.iter() {
        let lo = match &dec.kind {
            DecKind::Val(bind) => bind.name.span.lo,
            _ => dec.span.lo,
        };
        found.push((text.line(lo), text.line(dec.span.hi.saturating_sub(1)), None));
    }
    brackets(&text, &mut found);
    let comments = file.comments.iter().map(|comment| text.line(comment.span.lo));
    runs(comments, &FoldingRangeKind::Comment, &mut found);
    let imports = file.decs.iter().filter(|dec| matches!(ast[**dec].kind, DecKind::Import(_)));
    runs(imports.map(|dec| text.line(ast[*dec].span.lo)), &FoldingRangeKind::Imports, &mut found);
    found.retain(|(first, last, _)| first < last);
    found.sort_by_key(|(first, last, _)| (*first, std::cmp::Reverse(*last)));
    found.dedup_by_key(|(first, _, _)| *first);
    let fold = |(start_line, end_line, kind): (u32, u32, Option<FoldingRangeKind>)| FoldingRange {
        start_line,
        start_character: None,
        end_line,
        end_character: None,
        kind,
        collapsed_text: None,
    };
    Ok(found.into_iter().map(fold).collect())
}

fn brackets(text: &Text, found: &mut Vec<(u32, u32, Option<FoldingRangeKind>)>) {
    let mut open = Vec::new();
    for token in lex(first_file(), text.as_str(), &mut Diagnostics::new()).tokens {
        if token.kind.is_opener() && token.kind != Tok::AttrOpen {
            open.push(text.line(token.lo));
        } else if token.kind.is_closer()
            && let Some(first) = open.pop()
        {
            // The line of the closing bracket stays.
            found.push((first, text.line(token.lo).saturating_sub(1), None));
        }
    }
}

/// Lines that follow one another.
fn runs(
    lines: impl Iterator<Item = u32>,
    kind: &FoldingRangeKind,
    found: &mut Vec<(u32, u32, Option<FoldingRangeKind>)>,
) {
    let mut run: Option<(u32, u32)> = None;
    for line in lines {
        run = match run {
            Some((first, last)) if line <= last + 1 => Some((first, line)),
            before => {
                found.extend(before.map(|(first, last)| (first, last, Some(kind.clone()))));
                Some((line, line))
            }
        };
    }
    found.extend(run.map(|(first, last)| (first, last, Some(kind.clone()))));
}
