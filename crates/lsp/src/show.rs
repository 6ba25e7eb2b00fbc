//! Definitions in words and as code.

use crate::analysis::Analysis;
use crate::resolve::{Def, DefId, Kind, Node};
use kenaz_base::Span;
use kenaz_sema::types::{Ty, TyKind, VarId};
use kenaz_syntax::ast::{DecKind, PatId, PatKind, SpecKind, ValBind};

/// The longest piece of a program that is shown, in lines.
const MOST_LINES: usize = 12;

impl Analysis {
    /// The definition as it would be written, without what it is made of.
    pub(crate) fn signature(&self, def: DefId) -> String {
        let Def { name, kind, node, .. } = self.def(def);
        match node {
            Node::Dec(id) => match &self.checked.ast[*id].kind {
                DecKind::Val(bind) => self.header(bind).unwrap_or_else(|| self.typed("def ", def)),
                DecKind::Type(_) => self.excerpt(self.checked.ast[*id].span),
                DecKind::Module(_) => format!("module {name}"),
                DecKind::ModType(_) => self.excerpt(self.checked.ast[*id].span),
                _ => name.to_string(),
            },
            Node::Spec(id) => match &self.checked.ast[*id].kind {
                SpecKind::Module { .. } => format!("module {name}"),
                _ => self.excerpt(self.checked.ast[*id].span),
            },
            Node::LocalFun(_) => self.typed("let ", def),
            Node::Name => match kind {
                Kind::Size => format!("[{name}]"),
                Kind::TypeParameter => format!("'{name}"),
                Kind::Module => format!("module {name}"),
                _ => self.typed("", def),
            },
        }
    }

    /// A name with its type.
    fn typed(&self, word: &str, def: DefId) -> String {
        let name = self.def(def).name;
        match self.scheme(def) {
            None => format!("{word}{name}"),
            Some(scheme) => {
                let shown = self.checked.names.show_scheme(scheme);
                // A polymorphic one has its parameters in front of the colon.
                let colon = if scheme.params.is_empty() { " : " } else { " " };
                format!("{word}{name}{colon}{shown}")
            }
        }
    }

    /// A definition up to its `=`, if that says its whole type.
    fn header(&self, bind: &ValBind) -> Option<String> {
        bind.ret?;
        if !bind.params.iter().all(|param| self.is_typed(*param)) {
            return None;
        }
        let body = self.checked.ast[bind.body].span;
        let text = self.source(Span::new(body.file, bind.name.span.hi, body.lo)).trim_end().strip_suffix('=')?;
        if text.contains("--") {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        // The name of an operator stands in parentheses, one of which is in the text.
        let (name, rest) = (bind.name.name.as_str(), words.join(" "));
        let is_operator = !name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let name = if is_operator { format!("({name}") } else { name.to_string() };
        let space = if rest.starts_with([')', ':']) && is_operator { "" } else { " " };
        Some(format!("def {name}{space}{rest}"))
    }

    /// Whether a pattern says its type.
    fn is_typed(&self, pat: PatId) -> bool {
        match &self.checked.ast[pat].kind {
            PatKind::Ascript(..) => true,
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => self.is_typed(*inner),
            PatKind::Tuple(all) => all.iter().all(|pat| self.is_typed(*pat)),
            _ => false,
        }
    }

    /// The text of a part of the program, cut where it is long.
    fn excerpt(&self, span: Span) -> String {
        let text = self.source(span);
        let mut lines: Vec<&str> = text.lines().take(MOST_LINES).map(str::trim_end).collect();
        if text.lines().count() > MOST_LINES {
            lines.push("…");
        }
        lines.join("\n")
    }

    pub(crate) fn show(&self, ty: &Ty) -> String {
        self.checked.names.show(ty)
    }

    /// The type of a value, in short; nothing for what has none.
    pub(crate) fn detail(&self, def: DefId) -> Option<String> {
        let shown = self.checked.names.show_scheme(self.scheme(def)?);
        Some(shown.strip_prefix(": ").map_or(shown.clone(), str::to_string))
    }

    /// Where a definition is, if that is not the file at hand.
    pub(crate) fn origin(&self, def: DefId) -> Option<String> {
        let file = self.def(def).span.file;
        if file == self.main() {
            return None;
        }
        let path = self.path(file);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Some(if path.starts_with("prelude") { "from the prelude".to_string() } else { format!("from `{name}`") })
    }
}

/// The types of the parameters of a function, and that of its result.
pub(crate) fn arrows(ty: &Ty) -> (Vec<(Option<VarId>, Ty)>, Ty) {
    let mut params = Vec::new();
    let mut rest = ty.clone();
    while let TyKind::Arrow(arrow) = rest.kind() {
        params.push((arrow.param, arrow.arg.clone()));
        let next = arrow.ret.clone();
        rest = next;
    }
    (params, rest)
}

/// Code as Markdown.
pub(crate) fn code(text: &str) -> String {
    format!("```futhark\n{text}\n```")
}
