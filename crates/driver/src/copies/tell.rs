//! Warnings about what was found.

use super::find::{Binder, Finding, Known, Size, What};
use super::reason::{self, Advice, ELSEWHERE, PLAIN};
use super::source::{self, has_word};
use super::stays::Stays;
use crate::Compilation;
use kenaz_base::{Code, Diagnostic, Diagnostics, Span, Symbol};
use kenaz_ir::{Attr, LocId};
use std::collections::{BTreeMap, BTreeSet};

/// A warning for each place, with what is the same wherever the code there was inlined.
pub(super) fn warnings(of: &Compilation, found: &[Finding]) -> Vec<Diagnostic> {
    let mut places: BTreeMap<(Span, Code, Option<&str>), Vec<&Finding>> = BTreeMap::new();
    for finding in found {
        let code = match finding.what {
            What::Copy | What::CopyToNew(_) => Code::CopyInLoop,
            What::Allocation(_) => Code::AllocationInLoop,
        };
        // A pass may have forgotten where it was; the loop is known then.
        let span = of.prog.locs.span(finding.loc).or_else(|| of.prog.locs.span(finding.repeated.around.loc));
        if let Some(span) = span {
            places.entry((span, code, finding.reason)).or_default().push(finding);
        }
    }
    let warnings = places.iter().map(|((span, code, _), all)| Tell { of, span: *span }.warning(*code, all));
    warnings.collect::<Diagnostics>().into_sorted()
}

/// Tells about what happens at a place.
struct Tell<'a> {
    of: &'a Compilation,
    span: Span,
}

impl Tell<'_> {
    fn warning(&self, code: Code, all: &[&Finding]) -> Diagnostic {
        let first = all[0];
        let is_called = !first.repeated.calls.is_empty();
        let often = if is_called { "in a function that a loop calls" } else { "in each iteration of a loop" };
        let (arrays, is_several) = self.arrays(all);
        let is_new = matches!(first.what, What::Allocation(_));
        let are = if is_several { "are" } else { "is" };
        let because = first.reason.filter(|reason| *reason != PLAIN && !(is_new && *reason == ELSEWHERE));
        let because = because.map_or(String::new(), |reason| format!(", because {reason}"));
        let (message, label) = match first.what {
            What::Copy => (format!("{arrays} {are} copied {often}"), format!("copied here{because}")),
            What::CopyToNew(_) => {
                (format!("{arrays} {are} copied to new memory {often}"), format!("copied here{because}"))
            }
            What::Allocation(_) => {
                let label = format!("made here, in memory of its own{because}");
                (format!("memory for {arrays} is allocated {often}"), label)
            }
        };
        let place = source::operator(&self.of.sources, self.span);
        let mut warning = Diagnostic::warning(code, place, message).label(label);
        for call in &first.repeated.calls {
            let name = self.function(call.fun);
            if let Some(span) = self.span_of(call.loc) {
                let span = source::operator(&self.of.sources, span);
                warning = warning.cause(span, format!("`{name}` is called here"));
            }
        }
        if let Some(span) = self.span_of(first.repeated.around.loc) {
            let span = source::head(&self.of.sources, span);
            let what = if first.repeated.around.is_par { "operator" } else { "loop" };
            // Where it is the operator itself, that need not be shown once more.
            if span.lo != place.lo || span.file != place.file {
                warning = warning.cause(span, format!("in each iteration of this {what}"));
            }
        }
        warning.notes.extend(self.stays(first));
        warning.notes.extend(self.others(all));
        warning.hints.extend(
            reason::advice(first.what, first.reason, |known| self.is_users(known))
                .map(|advice| self.hint(advice, first)),
        );
        warning
    }

    /// Why memory is not allocated before the loop.
    fn stays(&self, finding: &Finding) -> Option<String> {
        let (What::Allocation(stays) | What::CopyToNew(stays)) = finding.what else { return None };
        Some(match stays {
            Stays::SizeVaries(Some(known)) if self.is_users(known) => {
                format!("its size depends on `{}`, which differs from one iteration to the next", known.name)
            }
            Stays::SizeVaries(_) => "its size differs from one iteration to the next".to_string(),
            Stays::SizeIsLate => "its size is not known before the iteration that makes it".to_string(),
            Stays::SizeMayFail => {
                "its size is computed in each iteration, since that may fail, for instance when it divides".to_string()
            }
            Stays::Argument(fun) => format!("its memory is handed to `{}`, which might keep it", self.function(fun)),
            Stays::ToLoop => "its memory is handed to a loop inside the iteration, which might keep it".to_string(),
            Stays::Yielded { elsewhere: true } => {
                "it is the next value of the loop, and the present one is handed on in the iteration".to_string()
            }
            Stays::Yielded { elsewhere: false } => {
                "it is the next value of the loop, which cannot take turns between two blocks".to_string()
            }
            Stays::Branch => "it is made in a branch, which some iterations do not take".to_string(),
            Stays::Joined => "a branch may yield it, so that its memory may be needed afterwards".to_string(),
            Stays::Called | Stays::Apart => return None,
        })
    }

    /// The other places where the same happens, because the code was inlined or the function is called there.
    fn others(&self, all: &[&Finding]) -> Option<String> {
        let locs = &self.of.prog.locs;
        // Calls from outermost to innermost, as far as they are not the same for all.
        let callers: BTreeSet<Vec<Symbol>> = all.iter().map(|finding| locs.chain(finding.loc)).collect();
        let inlined = callers.len() - 1;
        let called = all.iter().map(|finding| finding.repeated.more).max().unwrap_or(0);
        let times =
            |n: usize, what: &str| format!("the same happens {what} {n} other place{}", if n == 1 { "" } else { "s" });
        match (inlined, called) {
            (0, 0) => None,
            (0, called) => Some(times(called, "when the function is called in loops at")),
            (inlined, _) => Some(times(inlined, "where this code was inlined, at")),
        }
    }

    /// The arrays, with the types of each name, and whether these are several.
    fn arrays(&self, all: &[&Finding]) -> (String, bool) {
        let mut each: Vec<(Option<Symbol>, Vec<String>)> = Vec::new();
        for finding in all.iter().filter(|finding| finding.loc == all[0].loc && !finding.shape.is_empty()) {
            let sizes: String = finding.shape.iter().map(|size| format!("[{}]", self.size(size))).collect();
            let ty = format!("`{sizes}{}`", finding.prim.name());
            let name = finding.name.filter(|known| self.is_users(*known)).map(|known| known.name);
            match each.iter_mut().find(|(other, _)| *other == name) {
                Some((_, types)) if types.contains(&ty) => {}
                Some((_, types)) => types.push(ty),
                None => each.push((name, vec![ty])),
            }
        }
        let is_several = each.len() > 1 || each.iter().any(|(_, types)| types.len() > 1);
        let text = |(name, types): &(Option<Symbol>, Vec<String>)| {
            let types = match &types[..] {
                [ty] => format!("an array of type {ty}"),
                types => format!("arrays of types {}", list(types)),
            };
            name.map_or(types.clone(), |name| format!("`{name}`, {types},"))
        };
        let each: Vec<String> = each.iter().map(text).collect();
        (if each.is_empty() { "an array".to_string() } else { list(&each) }, is_several)
    }

    fn size<'s>(&self, size: &'s Size) -> &'s str {
        if size.names.iter().all(|known| self.is_users(*known)) { &size.text } else { "" }
    }

    /// Whether the user has given a name, so that it stands where it is bound.
    fn is_users(&self, Known { name, by }: Known) -> bool {
        let (Binder::Fun(loc) | Binder::Loop(loc) | Binder::Par(loc)) = by;
        let Some(span) = self.span_of(loc) else { return false };
        let sources = &self.of.sources;
        match by {
            Binder::Fun(_) => has_word(&source::header(sources, span), name.as_str()),
            Binder::Loop(_) => has_word(&source::pattern(sources.text(span)), name.as_str()),
            Binder::Par(_) => source::lambdas(sources.text(span)).iter().any(|params| has_word(params, name.as_str())),
        }
    }

    fn span_of(&self, loc: LocId) -> Option<Span> {
        self.of.prog.locs.span(loc)
    }

    /// The user's name of a function.
    fn function(&self, name: Symbol) -> &str {
        let fun = self.of.prog.funs.iter().find(|fun| fun.name == name);
        let text = fun.and_then(|fun| self.span_of(fun.loc)).map(|span| self.of.sources.text(span));
        text.filter(|text| !text.is_empty() && !text.contains(char::is_whitespace)).unwrap_or(name.as_str())
    }

    fn hint(&self, advice: Advice, finding: &Finding) -> String {
        let does = match advice {
            Advice::Do(what) => return what.to_string(),
            Advice::Inline(does) => does,
        };
        let fun = match finding.what {
            What::Allocation(Stays::Argument(fun)) => Some(fun),
            _ => finding.repeated.calls.first().map(|call| call.fun),
        };
        let Some(fun) = fun else {
            return format!("inlined, with `#[inline]` and without `#[noinline]`, the function {does}");
        };
        let is_marked = self.of.prog.funs.iter().any(|other| other.name == fun && other.attrs.has(Attr::NoInline));
        let how = if is_marked { "take its `#[noinline]` away" } else { "put `#[inline]` in front of its definition" };
        format!("inlined, `{}` {does}: {how}", self.function(fun))
    }
}

/// `a, b and c`
fn list(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ").replace(",,", ",")),
    }
}
