//! Calls and names of what is not in scope.

use super::Remedy;
use super::names::{CALLS, Foreign, alias, is_library, operator, word};
use crate::apply::Arg;
use crate::checker::Checker;
use crate::report::arity;
use crate::scope::{Module, Term};
use crate::types::{Ty, TyKind};
use kenaz_base::{Prim, Span, Symbol};
use kenaz_syntax::ast::{ExprId, ExprKind, Ident, QualName};
use kenaz_syntax::foreign;

impl Checker<'_> {
    /// Whether the function of a call is surely not found, so that its arguments may be looked at first.
    pub(crate) fn is_unknown(&self, f: ExprId) -> bool {
        let ExprKind::Var(path) = &self.ast[self.without_parens(f)].kind else { return false };
        let mut parts = path.quals.iter().chain([&path.name]);
        let mut term = parts.next().and_then(|part| self.scope.term(part.name));
        for part in parts {
            term = match term {
                Some(Term::Module(Module::Env(env))) => env.terms.get(&part.name),
                Some(Term::Value(_)) => return self.is_method(path),
                Some(Term::Module(_)) | None => return term.is_none(),
            };
        }
        term.is_none()
    }

    /// `xs.map` for an array
    fn is_method(&self, path: &QualName) -> bool {
        let [object] = &path.quals[..] else { return false };
        matches!(self.value_type(object.name), Some(ty) if self.rank(&ty) > 0)
    }

    fn value_type(&self, name: Symbol) -> Option<Ty> {
        match self.scope.term(name)? {
            Term::Value(v) => self.names.vars[*v].scheme.as_ref().map(|scheme| scheme.ty.clone()),
            Term::Module(_) => None,
        }
    }

    /// What to write for a call of something that is not found.
    pub(crate) fn call_remedy(&self, expr: ExprId, f: ExprId, args: &[Arg]) -> Option<Remedy> {
        let ExprKind::Var(path) = &self.ast[self.without_parens(f)].kind else { return None };
        let mut flat: Vec<Arg> = Vec::new();
        for arg in args {
            // `f(x, y)`
            match (&self.ast[self.without_parens(arg.expr)].kind, self.names.shallow(&arg.ty).kind()) {
                (ExprKind::Tuple(parts), TyKind::Record(fields)) if args.len() == 1 && parts.len() == fields.len() => {
                    flat.extend(parts.iter().zip(fields).map(|(e, (_, ty))| Arg { expr: *e, ty: ty.clone() }));
                }
                _ => flat.push(Arg { expr: arg.expr, ty: arg.ty.clone() }),
            }
        }
        let name = path.name.name.as_str();
        if self.is_method(path) {
            return self.method_remedy(expr, path, &flat);
        }
        let is_plain = path.quals.is_empty() || matches!(&path.quals[..], [m] if is_library(m.name.as_str()));
        let of_prim = matches!(&path.quals[..], [m] if Prim::from_name(m.name.as_str()).is_some());
        if !is_plain && !of_prim {
            return None;
        }
        let remedy = self.conversion_call(expr, name, &flat, is_plain).or_else(|| self.foreign_call(expr, name, &flat));
        let remedy = remedy.or_else(|| self.prim_call(expr, name, &flat).filter(|_| is_plain));
        remedy.or_else(|| self.mean(expr, name, &flat)).or_else(|| {
            let (hint, fix) = word(name)?;
            let span = self.ast[f].span;
            Some(match (name, fix) {
                ("return", _) => Remedy::new(hint).fix_if(args.len() == 1, span, ""),
                (_, Some(fix)) => Remedy::new(hint).fix(span, fix),
                (_, None) => Remedy::new(hint),
            })
        })
    }

    fn replaced(&self, expr: ExprId, text: &str, certain: bool) -> Remedy {
        let remedy = Remedy::new(format!("it is written `{text}`"));
        if certain { self.in_place(remedy, expr, text) } else { remedy }
    }

    /// `x as f64`, where `args` are those between `f` and the word.
    pub(crate) fn cast_remedy(&self, f: ExprId, args: &[ExprId], to: ExprId) -> Option<Remedy> {
        let ExprKind::Var(path) = &self.ast[to].kind else { return None };
        let name = path.name.name.as_str();
        let to_prim = Prim::from_name(name).or_else(|| Prim::from_name(foreign::type_name(name)?))?;
        let from = self.prim(self.info.expr_ty.get(f)?).filter(|_| args.is_empty());
        let Some(from) = from else {
            return Some(Remedy::new(format!("a conversion is written `{}.i32 x`, with both types", to_prim.name())));
        };
        let text = format!("{}.{} {}", to_prim.name(), from.name(), self.short_argument(f)?);
        let span = self.ast[f].span.to(self.ast[to].span);
        Some(Remedy::new(format!("a conversion is written `{text}`")).fix(span, format!("({text})")))
    }

    /// `float(x)`
    fn conversion_call(&self, expr: ExprId, name: &str, args: &[Arg], is_plain: bool) -> Option<Remedy> {
        let name = name.strip_prefix("to_").unwrap_or(name);
        let to = Prim::from_name(name).or_else(|| Prim::from_name(foreign::type_name(name)?));
        let (to, [arg]) = (to.filter(|_| is_plain)?, args) else { return None };
        let (from, rank) = self.numbers(&arg.ty)?;
        let text = self.short_argument(arg.expr)?;
        if from == to {
            return Some(Remedy::new(format!("`{text}` has the type `{}` already", to.name())));
        }
        let new = match rank {
            0 => format!("{}.{} {text}", to.name(), from.name()),
            1 => format!("map {}.{} {text}", to.name(), from.name()),
            _ => return None,
        };
        Some(self.in_place(Remedy::new(format!("a conversion is written `{new}`")), expr, &new))
    }

    fn foreign_call(&self, expr: ExprId, name: &str, args: &[Arg]) -> Option<Remedy> {
        let is_kind = |letter: char, arg: &Arg| {
            let ty = self.names.shallow(&arg.ty);
            let prim = ty.as_prim();
            let number = self.overloaded(&ty);
            match letter {
                'a' => self.rank(&ty) > 0,
                's' => prim.is_some() || number.is_some(),
                'n' => prim.is_some_and(Prim::is_integer) || number.is_some_and(|set| set.contains(Prim::I64)),
                'f' => matches!(ty.kind(), TyKind::Arrow(_)),
                _ => true,
            }
        };
        let fits = |call: &&Foreign| {
            let letters = call.args.chars();
            call.names.contains(&name)
                && call.args.len() == args.len()
                && letters.zip(args).all(|(letter, arg)| is_kind(letter, arg))
        };
        let call = CALLS.iter().find(fits)?;
        let mut text = call.template.to_string();
        let mut certain = true;
        if text.contains("{t}") {
            let prim = self.numbers(&args.first()?.ty).map(|(prim, _)| prim);
            let prim = prim.or_else(|| args.iter().find_map(|arg| self.prim(&arg.ty)));
            certain &= prim.is_some() && args.first().is_some_and(|arg| self.rank(&arg.ty) <= 1);
            text = text.replace("{t}", prim.unwrap_or(Prim::F64).name());
        }
        for (i, arg) in args.iter().enumerate() {
            let argument = self.short_argument(arg.expr)?;
            let as_size = match self.prim(&arg.ty) {
                Some(prim) if prim != Prim::I64 && prim.is_integer() => format!("(i64.{} {argument})", prim.name()),
                _ => argument.clone(),
            };
            text = text.replace(&format!("{{n{i}}}"), &as_size).replace(&format!("{{{i}}}"), &argument);
        }
        // Numbers that are put together must have the same type.
        let prims: Vec<Prim> = args.iter().filter_map(|arg| self.prim(&arg.ty)).collect();
        certain &= call.args.contains('n') || prims.windows(2).all(|pair| pair[0] == pair[1]);
        certain &= !(name == "linspace" && prims.iter().take(2).any(|p| p.is_integer() && prims.len() > 1));
        Some(self.replaced(expr, &text, certain))
    }

    /// `sqrt x` for `f64.sqrt x`
    fn prim_call(&self, expr: ExprId, name: &str, args: &[Arg]) -> Option<Remedy> {
        let name = alias(name);
        let first = args.first()?;
        let (prim, rank) = self.numbers(&first.ty).or_else(|| {
            let set = self.overloaded(&first.ty)?;
            Some((if set.contains(Prim::I64) { Prim::I64 } else { Prim::F64 }, 0))
        })?;
        let texts: Option<Vec<String>> = args.iter().map(|arg| self.short_argument(arg.expr)).collect();
        let texts = texts?;
        let takes = |prim: Prim| {
            let Some(Term::Module(Module::Env(env))) = self.scope.term(Symbol::intern(prim.name())) else {
                return None;
            };
            let Some(Term::Value(v)) = env.terms.get(&Symbol::intern(name)) else { return None };
            let ty = self.names.vars[*v].scheme.as_ref().map(|scheme| scheme.ty.clone())?;
            let TyKind::Arrow(arrow) = ty.kind() else { return None };
            (arity(&ty) == args.len()).then(|| self.rank(&arrow.arg))
        };
        let same = args.iter().all(|arg| self.prim(&arg.ty).is_none_or(|p| p == prim));
        if let Some(wanted) = takes(prim) {
            let call = format!("{}.{name}", prim.name());
            return match rank {
                rank if rank == wanted => Some(self.replaced(expr, &format!("{call} {}", texts.join(" ")), same)),
                rank if rank == wanted + 1 && args.len() == 1 => {
                    Some(self.replaced(expr, &format!("map {call} {}", texts[0]), true))
                }
                _ => None,
            };
        }
        let is_int = prim.is_integer() && rank == 0 && args.len() == 1 && takes(Prim::F64) == Some(0);
        is_int.then(|| {
            let text = match self.prim(&first.ty) {
                Some(from) => format!("f64.{name} (f64.{} {})", from.name(), texts[0]),
                None => format!("f64.{name} {}", texts[0]),
            };
            self.replaced(expr, &text, true)
        })
    }

    fn mean(&self, expr: ExprId, name: &str, args: &[Arg]) -> Option<Remedy> {
        let (true, [arg]) = (matches!(name, "mean" | "average" | "avg"), args) else { return None };
        let (prim, 1) = self.numbers(&arg.ty)? else { return None };
        let (text, p) = (self.short_argument(arg.expr)?, prim.name());
        let new = match prim.is_float() {
            true => format!("{p}.sum {text} / {p}.i64 (length {text})"),
            false => format!("f64.{p} ({p}.sum {text}) / f64.i64 (length {text})"),
        };
        prim.is_numeric().then(|| self.replaced(expr, &new, true))
    }

    /// `xs.map(f)`
    fn method_remedy(&self, expr: ExprId, path: &QualName, args: &[Arg]) -> Option<Remedy> {
        let object = path.quals.first()?.name;
        let name = path.name.name;
        let texts: Option<Vec<String>> = args
            .iter()
            .filter(|arg| !matches!(&self.ast[arg.expr].kind, ExprKind::Tuple(parts) if parts.is_empty()))
            .map(|arg| self.atom(arg.expr))
            .collect();
        let texts = texts?.into_iter().chain([object.to_string()]).collect::<Vec<_>>().join(" ");
        let (prim, rank) = self.numbers(&self.value_type(object)?)?;
        let function = match name.as_str() {
            "size" | "len" | "count" => "length".to_string(),
            "T" => "transpose".to_string(),
            "max" | "min" if rank == 1 => format!("{}.{name}imum", prim.name()),
            name if matches!(self.scope.term(Symbol::intern(name)), Some(Term::Value(_))) => name.to_string(),
            name if self.has(prim, alias(name)) && rank == 1 => format!("{}.{}", prim.name(), alias(name)),
            _ => return None,
        };
        let text = format!("{function} {texts}");
        Some(self.in_place(Remedy::new(format!("a function stands in front of its arguments: `{text}`")), expr, &text))
    }

    fn atom(&self, expr: ExprId) -> Option<String> {
        let text = self.short_text(expr)?;
        Some(if matches!(self.ast[expr].kind, ExprKind::Lambda { .. }) { format!("({text})") } else { text })
    }

    fn has(&self, prim: Prim, name: &str) -> bool {
        match self.scope.term(Symbol::intern(prim.name())) {
            Some(Term::Module(Module::Env(env))) => env.terms.contains_key(&Symbol::intern(name)),
            _ => false,
        }
    }

    /// What to write for a name that is not in scope, wherever it stands. `path` is all of it.
    pub(crate) fn name_remedy(&self, ident: Ident, path: &QualName) -> Option<Remedy> {
        let name = ident.name.as_str();
        if crate::display::is_operator(name) {
            let (hint, fix) = operator(name)?;
            return Some(match fix {
                Some(fix) => Remedy::new(hint).fix(ident.span, fix),
                None => Remedy::new(hint),
            });
        }
        if is_library(name) && !path.quals.is_empty() {
            let last = alias(path.name.name.as_str());
            if let Some((hint, _)) = word(last) {
                return Some(Remedy::new(hint));
            }
            let span = path.span();
            return Some(if matches!(self.scope.term(Symbol::intern(last)), Some(Term::Value(_))) {
                Remedy::new(format!("it is called `{last}` here")).fix(span, last)
            } else if self.has(Prim::F64, last) {
                Remedy::new(format!("it is called `f64.{last}` here")).fix(span, format!("f64.{last}"))
            } else {
                Remedy::new(format!("there is no library `{name}`; functions of numbers are in modules such as `f64`"))
            });
        }
        let Some((hint, fix)) = word(name) else {
            return Self::word_operator(name)
                .map(|op| Remedy::new(format!("it is written `{op}` between its operands")));
        };
        Some(match fix {
            Some(fix) => Remedy::new(hint).fix(ident.span, fix),
            None => Remedy::new(hint),
        })
    }

    /// The parameter of a function that is written as in Rust or Ruby: `(|x| …)`.
    pub(crate) fn barred(&self, ident: Ident) -> Option<Remedy> {
        let file = &self.sources.file(ident.span.file).text;
        let before = file.get(..ident.span.lo as usize)?.trim_end();
        let behind = file.get(ident.span.hi as usize..)?.trim_start();
        let is_param = before.ends_with("(|") && behind.starts_with('|') && !behind.starts_with("||");
        is_param.then(|| Remedy::new(format!("a function is written `\\{} -> …`", ident.name)))
    }

    /// An array of indices, or a mask, where one index is needed.
    pub(crate) fn index_remedy(&self, array: Option<(ExprId, Span)>, index: ExprId, ty: &Ty) -> Option<Remedy> {
        let (whole, array) = array?;
        let ExprKind::Index(_, slice) = &self.ast[whole].kind else { return None };
        let (prim, 1) = self.numbers(ty)? else { return None };
        if slice.dims.len() != 1 {
            return None;
        }
        if prim == Prim::Bool {
            return Some(Remedy::new("the elements that satisfy a condition are `filter p xs`"));
        }
        let (array, indices) = (self.text(array), self.short_argument(index)?);
        let text = format!("map (\\i -> {array}[i]) {indices}");
        let remedy = Remedy::new(format!("the elements at many indices are `{text}`"));
        (prim.is_signed() && !array.ends_with('…')).then(|| self.in_place(remedy, whole, &text))
    }

    /// A field of an array or function.
    pub(crate) fn field_remedy(&self, ty: &Ty, field: Ident, span: Span) -> Option<Remedy> {
        let text = self.text(span);
        let whole = span.to(field.span);
        let name = field.name.as_str();
        if let TyKind::Arrow(_) = ty.kind() {
            let between = Span { lo: span.hi, hi: field.span.lo, ..span };
            let is_spaced = self.sources.text(between).contains(' ');
            let remedy = Remedy::new("functions are composed by `<-<`, and the other way round by `>->`");
            return is_spaced.then(|| remedy.fix(between, " <-< "));
        }
        let rank = self.rank(ty);
        if rank == 0 || text.ends_with('…') {
            return None;
        }
        let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
        let text = if is_word { text } else { format!("({text})") };
        let (function, is_certain) = match name {
            "size" | "len" | "count" | "length" => ("length".to_string(), rank == 1),
            "shape" | "dim" | "dims" => ("length".to_string(), false),
            "T" | "transpose" if rank >= 2 => ("transpose".to_string(), true),
            _ if matches!(self.scope.term(field.name), Some(Term::Value(_))) => (name.to_string(), false),
            _ => {
                let (prim, _) = self.numbers(ty)?;
                let function = match name {
                    "max" | "min" => format!("{name}imum"),
                    name => alias(name).to_string(),
                };
                (self.has(prim, &function) && rank == 1).then(|| (format!("{}.{function}", prim.name()), false))?
            }
        };
        let new = format!("{function} {text}");
        let hint = match name {
            "shape" | "dim" | "dims" => {
                format!("the outer size of an array is `{new}`; `[n]` in its type names a size")
            }
            _ => format!("an array has no fields; a function stands in front of its argument: `{new}`"),
        };
        Some(Remedy::new(hint).fix_if(is_certain, whole, format!("({new})")))
    }

    /// A name that a local function of a strange name has as its parameter: `let mut x = …`.
    pub(crate) fn modified_let(&self, ident: Ident) -> Option<Remedy> {
        let file = &self.sources.file(ident.span.file).text;
        let before = file.get(..ident.span.lo as usize)?;
        let words = ["mut", "rec", "var", "const", "auto"].into_iter();
        let words = words.chain(Prim::ALL.into_iter().map(Prim::name)).chain(["int", "float", "double", "bool"]);
        let name = ident.name;
        let here = before.rfind("\ndef ").max(before.rfind("\nentry ")).map_or(before, |at| &before[at..]);
        let found = words.into_iter().find(|word| here.contains(&format!("let {word} {name} =")))?;
        let ty = Prim::from_name(found).map(Prim::name).or_else(|| foreign::type_name(found));
        Some(Remedy::new(match ty {
            Some(ty) => format!("`let {found} {name}` defines a function called `{found}`; write `let {name}: {ty}`"),
            None => format!("`let {found} {name}` defines a function called `{found}`; write `let {name}`"),
        }))
    }

    /// The place of the line on which a name stands behind `//`, which starts a comment in other languages.
    pub(crate) fn comment_line(&self, ident: Ident) -> Option<usize> {
        let before = self.sources.file(ident.span.file).text.get(..ident.span.lo as usize)?;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        before[start..].contains("// ").then_some(start)
    }

    pub(crate) fn in_comment(&self, ident: Ident) -> Option<Remedy> {
        self.comment_line(ident)?;
        Some(Remedy::new("if this is a comment, it starts with `--`; `//` divides"))
    }
}
