//! Semantic tokens: the text in classes, with names by what they mean.

use crate::analysis::Analysis;
use crate::resolve::Kind;
use crate::show::arrows;
use crate::state::{Answer, State};
use gen_lsp_types::{Range, SemanticToken, SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams, Uri};
use kenaz_base::source::first_file;
use kenaz_base::{Diagnostics, Prim};
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::Tok;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The classes, by number.
const TYPES: &[&str] = &[
    "namespace",
    "type",
    "typeParameter",
    "parameter",
    "variable",
    "function",
    "enumMember",
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "decorator",
    "interface",
];
const MODIFIERS: &[&str] = &["declaration", "defaultLibrary"];

const DECLARATION: u32 = 1;
const LIBRARY: u32 = 2;

fn class(name: &str) -> u32 {
    TYPES.iter().position(|known| *known == name).unwrap_or(0) as u32
}

pub(crate) fn legend() -> Value {
    json!({ "tokenTypes": TYPES, "tokenModifiers": MODIFIERS })
}

pub(crate) fn full(state: &mut State, params: &SemanticTokensParams) -> Answer<SemanticTokens> {
    Ok(tokens(state, &params.text_document.uri, None))
}

pub(crate) fn range(state: &mut State, params: &SemanticTokensRangeParams) -> Answer<SemanticTokens> {
    Ok(tokens(state, &params.text_document.uri, Some(params.range)))
}

fn tokens(state: &mut State, uri: &Uri, range: Option<Range>) -> SemanticTokens {
    let analysis = state.analysis(&crate::uri::path(uri));
    let file = analysis.main();
    let text = analysis.text(file);
    let (from, to) = range.map_or((0, u32::MAX), |range| {
        (text.offset(range.start, state.encoding), text.offset(range.end, state.encoding))
    });
    let names = names(&analysis);
    let lexed = lex(first_file(), text.as_str(), &mut Diagnostics::new());
    let mut found: Vec<(u32, u32, u32, u32)> =
        lexed.comments.iter().map(|comment| (comment.span.lo, comment.span.hi, class("comment"), 0)).collect();
    // How many brackets of an attribute are open.
    let mut attribute = 0usize;
    for token in &lexed.tokens {
        if attribute > 0 || token.kind == Tok::AttrOpen {
            attribute += usize::from(token.kind.is_opener());
            attribute -= usize::from(token.kind.is_closer());
            found.push((token.lo, token.hi, class("decorator"), 0));
            continue;
        }
        let named = names.get(&token.lo).copied();
        let plain = match token.kind {
            Tok::Name if Prim::from_name(&text.as_str()[token.lo as usize..token.hi as usize]).is_some() => {
                Some(("type", LIBRARY))
            }
            kind if kind.is_keyword() => Some(("keyword", 0)),
            kind if kind.is_operator() => Some(("operator", 0)),
            Tok::Equals | Tok::Arrow | Tok::Backslash | Tok::DotDot | Tok::Ellipsis | Tok::UpTo | Tok::DownTo => {
                Some(("operator", 0))
            }
            Tok::Int | Tok::Nat | Tok::Float => Some(("number", 0)),
            Tok::String | Tok::Char => Some(("string", 0)),
            Tok::Constructor => Some(("enumMember", 0)),
            _ => None,
        };
        if let Some((class, modifiers)) = named.or(plain.map(|(name, modifiers)| (class(name), modifiers))) {
            found.push((token.lo, token.hi, class, modifiers));
        }
    }
    found.retain(|(lo, hi, ..)| *lo < to && from < *hi);
    found.sort_unstable();
    let mut data = Vec::with_capacity(found.len());
    let (mut line, mut column) = (0, 0);
    for (lo, hi, token_type, token_modifiers_bitset) in found {
        let at = text.position(lo, state.encoding);
        if text.line(lo) != text.line(hi.saturating_sub(1).max(lo)) {
            continue;
        }
        data.push(SemanticToken {
            delta_line: at.line - line,
            delta_start: if at.line == line { at.character - column } else { at.character },
            length: state.encoding.length(&text.as_str()[lo as usize..hi as usize]),
            token_type,
            token_modifiers_bitset,
        });
        (line, column) = (at.line, at.character);
    }
    SemanticTokens { result_id: None, data }
}

/// The classes of names by where they start in what is written.
fn names(analysis: &Analysis) -> BTreeMap<u32, (u32, u32)> {
    let mut found = BTreeMap::new();
    for name in analysis.names.in_file(analysis.main()) {
        let def = analysis.def(name.def);
        let is_function = || analysis.scheme(name.def).is_some_and(|scheme| !arrows(&scheme.ty).0.is_empty());
        let is_operator = !def.name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
        let kind = match def.kind {
            Kind::Value if is_operator => "operator",
            Kind::Value | Kind::Function if is_function() => "function",
            Kind::Parameter => "parameter",
            Kind::Value | Kind::Function | Kind::Local | Kind::Size => "variable",
            Kind::Type => "type",
            Kind::TypeParameter => "typeParameter",
            Kind::Module => "namespace",
            Kind::ModuleType => "interface",
        };
        let library = if analysis.is_builtin(def.span.file) { LIBRARY } else { 0 };
        let declaration = if name.binds { DECLARATION } else { 0 };
        found.insert(analysis.written(name.span).start, (class(kind), library | declaration));
    }
    found
}
