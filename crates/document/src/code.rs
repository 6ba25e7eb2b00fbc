//! Program text as HTML: colours, and links from names to where they are defined.

use crate::links::{Links, Use};
use kenaz_base::html::escape;
use kenaz_base::{Diagnostics, Span};
use kenaz_sema::Checked;
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::Tok;

/// Shows a part of a file. `target` says where a name that is used leads, and `bound` which attributes the name at a
/// position gets, if it is bound there.
pub(crate) fn show(
    checked: &Checked,
    links: &Links,
    span: Span,
    target: &dyn Fn(Span) -> Option<String>,
    bound: &dyn Fn(u32) -> Option<String>,
) -> String {
    let text = checked.sources.text(span);
    let mut ignored = Diagnostics::new();
    let lexed = lex(span.file, text, &mut ignored);
    let tokens = lexed.tokens.iter().filter(|token| token.kind != Tok::Eof);
    let mut pieces: Vec<(u32, u32, &str)> = tokens.map(|token| (token.lo, token.hi, class(token.kind))).collect();
    pieces.extend(lexed.comments.iter().map(|comment| (comment.span.lo, comment.span.hi, "c")));
    pieces.sort_unstable();
    let uses: Vec<(u32, &Use)> = links.within(span).collect();
    let mut out = String::new();
    let mut done = 0;
    for (lo, hi, class) in pieces {
        let (lo, hi) = (lo.max(done), hi.max(done));
        out.push_str(&escape(&text[done as usize..lo as usize]));
        // A name with qualifiers may be one token.
        let mut at = lo;
        let first = uses.partition_point(|(start, _)| *start < lo + span.lo);
        for (start, used) in uses[first..].iter().take_while(|(start, _)| *start < hi + span.lo) {
            let (start, end) = (start - span.lo, (used.end - span.lo).min(hi));
            if start < at || !text.is_char_boundary(end as usize) {
                continue;
            }
            out.push_str(&plain(&text[at as usize..start as usize], class, None));
            let word = &text[start as usize..end as usize];
            out.push_str(&match target(used.defined) {
                None => plain(word, class, None),
                Some(href) => {
                    let scheme = used.ty.and_then(|var| checked.names.vars[var].scheme.as_ref());
                    let title = scheme.map_or(String::new(), |scheme| {
                        format!(" title=\"{}: {}\"", escape(word), escape(&checked.names.show_scheme(scheme)))
                    });
                    format!("<a href=\"{}\"{title}>{}</a>", escape(&href), escape(word))
                }
            });
            at = end;
        }
        out.push_str(&plain(&text[at as usize..hi as usize], class, if at == lo { bound(lo + span.lo) } else { None }));
        done = hi;
    }
    out.push_str(&escape(&text[done as usize..]));
    out
}

fn plain(text: &str, class: &str, attributes: Option<String>) -> String {
    match (text, class, attributes.as_deref().unwrap_or_default()) {
        ("", ..) => String::new(),
        (_, "", "") => escape(text),
        (_, "", attributes) => format!("<span {attributes}>{}</span>", escape(text)),
        (_, class, _) => format!("<span class=\"{class}\">{}</span>", escape(text)),
    }
}

/// Keyword, literal, or nothing special.
fn class(kind: Tok) -> &'static str {
    match kind {
        Tok::True | Tok::False | Tok::Int | Tok::Nat | Tok::Float | Tok::Char => "l",
        Tok::String => "s",
        Tok::Constructor => "k",
        kind if kind.is_keyword() => "w",
        _ => "",
    }
}
