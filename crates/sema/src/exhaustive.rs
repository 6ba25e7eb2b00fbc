//! Whether patterns match all values they may meet.
//!
//! A matrix of patterns has one row per case and one column per component still to be looked at. It misses a value if,
//! for some way to choose the outermost constructor of one column, the rows that remain miss the other components
//! (Maranget, "Warnings for pattern matching", 2007). Only the type of constructor patterns is needed, so columns have
//! no types. Rows with a number in the chosen column can be left out at once: numbers are never listed exhaustively,
//! so what the other rows miss is missed for all numbers that do not occur.
//!
//! The problem is NP-complete. After [`WORK_LIMIT`] steps, what was not found missing is taken to be covered. Cases
//! that can never be reached are fine.

use crate::checker::Checker;
use crate::info::Info;
use crate::types::TyKind;
use crate::visit::{Node, for_each_node};
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_syntax::ast::{Ast, Case, ExprId, ExprKind, LoopForm, PatId, PatKind, PatLit, ValBind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// How many patterns are looked at per `match`.
const WORK_LIMIT: usize = 20_000_000;

/// How many values that are not matched a message shows.
const SHOWN: usize = 3;

/// The text of an example is cut to about this length.
const LONGEST_EXAMPLE: usize = 80;

impl Checker<'_> {
    /// Checks that every `match` in a definition covers all values, and that all other patterns cannot fail.
    pub(crate) fn check_patterns(&mut self, bind: &ValBind) {
        let ast = self.ast;
        let mut found = Vec::new();
        for p in &bind.params {
            found.extend(self.refutable(*p, "a parameter"));
        }
        for_each_node(ast, bind, |node| {
            let Node::Expr(expr) = node else { return };
            match &ast[expr].kind {
                ExprKind::Match(scrutinee, cases) => found.extend(self.non_exhaustive(expr, *scrutinee, cases)),
                ExprKind::LetPat { pat, .. } => found.extend(self.refutable(*pat, "the pattern of `let`")),
                ExprKind::LetFun { fun, .. } => {
                    found.extend(fun.params.iter().filter_map(|p| self.refutable(*p, "a parameter")));
                }
                ExprKind::Lambda { params, .. } => {
                    found.extend(params.iter().filter_map(|p| self.refutable(*p, "a parameter")));
                }
                ExprKind::Loop { pat, form, .. } => {
                    found.extend(self.refutable(*pat, "the parameter of `loop`"));
                    if let LoopForm::ForIn(p, _) = form {
                        found.extend(self.refutable(*p, "the pattern of `for`"));
                    }
                }
                // Nothing else has patterns.
                _ => {}
            }
        });
        for diagnostic in found {
            self.error(diagnostic);
        }
    }

    fn non_exhaustive(&self, expr: ExprId, scrutinee: ExprId, cases: &[Case]) -> Option<Diagnostic> {
        let pats: Vec<PatId> = cases.iter().map(|case| case.pat).collect();
        let Missing { examples, more, numbers } = self.examples(&pats)?;
        let scrutinee = self.ast[scrutinee].span;
        // Just `match e`: all the cases would make a long picture.
        let span = Span { hi: scrutinee.hi, ..self.ast[expr].span };
        let hint = match &*examples {
            _ if numbers => "not all values can be listed here: add a last case, `case _ -> …`".to_string(),
            [only] if !more && !only.ends_with('…') => format!("add `case {only} -> …`"),
            _ => "add the missing cases, or a last one, `case _ -> …`, for all of them".to_string(),
        };
        let shown = self.info.pat_ty.get(cases.first()?.pat).map_or(String::new(), |ty| self.names.show(ty));
        let label = match shown.len() {
            1..=60 => format!("this has type `{shown}`"),
            _ => "some values of this type match no case".to_string(),
        };
        let message = format!("no case matches {}", list(&examples, more || numbers));
        Some(Diagnostic::error(Code::NonExhaustiveMatch, span, message).label(label).hint(hint))
    }

    fn refutable(&self, pat: PatId, what: &str) -> Option<Diagnostic> {
        // By far most patterns need no more than this.
        if is_total(self.ast, &self.info, pat) {
            return None;
        }
        let Missing { examples, more, numbers } = self.examples(&[pat])?;
        Some(
            Diagnostic::error(
                Code::RefutablePattern,
                self.ast[pat].span,
                format!("this pattern does not match {}", list(&examples, more || numbers)),
            )
            .label(format!("{what} must match all values of its type"))
            .hint("use `match` and say what happens in the other cases"),
        )
    }

    /// What none of the patterns matches, if there is anything.
    fn examples(&self, pats: &[PatId]) -> Option<Missing> {
        let mut search = Search { ast: self.ast, info: &self.info, work: 0 };
        let rows = pats.iter().map(|p| vec![search.cell(*p)]).collect();
        let mut missing: Vec<Example> = search.missing(rows, 1, SHOWN + 1).into_iter().flatten().collect();
        let more = missing.len() > SHOWN;
        missing.truncate(SHOWN);
        let numbers = missing.iter().any(|e| e.number);
        let examples: Vec<String> = missing.into_iter().map(|e| e.text).collect();
        (!examples.is_empty()).then_some(Missing { examples, more, numbers })
    }
}

struct Missing {
    /// Some values that are not matched.
    examples: Vec<String>,
    /// Whether there are values of another form.
    more: bool,
    /// Whether the examples contain numbers, which stand for others.
    numbers: bool,
}

/// `a`, `b` or `c`
fn list(examples: &[String], more: bool) -> String {
    let quoted: Vec<String> = examples.iter().map(|e| format!("`{e}`")).collect();
    match quoted.split_last() {
        Some((_, _)) if more => format!("{} and other values", quoted.join(", ")),
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Whether a pattern matches all values, as far as one can see without a search.
fn is_total(ast: &Ast, info: &Info, pat: PatId) -> bool {
    let mut todo = vec![pat];
    while let Some(pat) = todo.pop() {
        match &ast[pat].kind {
            PatKind::Error | PatKind::Name(_) | PatKind::Wild => {}
            PatKind::Lit(_) => return false,
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => todo.push(*p),
            PatKind::Tuple(ps) => todo.extend(ps),
            PatKind::Record(fields) => todo.extend(fields.iter().filter_map(|(_, p)| *p)),
            PatKind::Constr(_, ps) => {
                if constructors(info, pat).len() != 1 {
                    return false;
                }
                todo.extend(ps);
            }
        }
    }
    true
}

/// The constructors of the type of a constructor pattern, with the number of their arguments.
fn constructors(info: &Info, pat: PatId) -> Vec<(Symbol, usize)> {
    match info.pat_ty.get(pat).map(|ty| ty.kind()) {
        Some(TyKind::Sum(constrs)) => constrs.iter().map(|(name, tys)| (*name, tys.len())).collect(),
        _ => Vec::new(),
    }
}

/// What a row says about one component: `None` if anything will do, else a pattern that asks for something.
type Cell = Option<PatId>;

/// The pattern of a value that is not matched.
#[derive(Clone)]
struct Example {
    text: String,
    /// Whether it can be an argument of a constructor without parentheses.
    atomic: bool,
    /// Whether there is a number in it that was chosen among others.
    number: bool,
}

impl Example {
    fn atom(text: impl Into<String>) -> Example {
        Example { text: text.into(), atomic: true, number: false }
    }

    fn any() -> Example {
        Example::atom("_")
    }

    fn number(text: impl Into<String>) -> Example {
        Example { number: true, ..Example::atom(text) }
    }

    fn constr(name: Symbol, args: &[Example]) -> Example {
        let mut text = format!("#{name}");
        for arg in args {
            text.push_str(&if arg.atomic { format!(" {}", arg.text) } else { format!(" ({})", arg.text) });
        }
        Example { text, atomic: args.is_empty(), number: args.iter().any(|e| e.number) }.cut()
    }

    fn record(names: &[Symbol], fields: &[Example]) -> Example {
        let is_tuple = names.iter().all(|n| n.as_str().bytes().all(|b| b.is_ascii_digit()));
        let text = if is_tuple {
            format!("({})", fields.iter().map(|f| &*f.text).collect::<Vec<_>>().join(", "))
        } else {
            let fields = names.iter().zip(fields).map(|(n, f)| format!("{n} = {}", f.text));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        };
        Example { text, atomic: true, number: fields.iter().any(|e| e.number) }.cut()
    }

    fn cut(mut self) -> Example {
        if self.text.chars().count() > LONGEST_EXAMPLE {
            self.text = self.text.chars().take(LONGEST_EXAMPLE - 1).chain(['…']).collect();
        }
        self
    }
}

struct Search<'a> {
    ast: &'a Ast,
    info: &'a Info,
    work: usize,
}

impl Search<'_> {
    /// The pattern without what does not matter here.
    fn cell(&self, pat: PatId) -> Cell {
        let mut pat = pat;
        loop {
            match &self.ast[pat].kind {
                PatKind::Error | PatKind::Name(_) | PatKind::Wild => return None,
                PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => pat = *p,
                PatKind::Lit(_) | PatKind::Tuple(_) | PatKind::Record(_) | PatKind::Constr(..) => return Some(pat),
            }
        }
    }

    /// Up to `wanted` rows of values that no row of the matrix matches. The next column to look at is the last one.
    fn missing(&mut self, mut rows: Vec<Vec<Cell>>, width: usize, wanted: usize) -> Vec<Vec<Example>> {
        let Some(first) = rows.first() else { return vec![vec![Example::any(); width]] };
        self.work += rows.len() * width.max(1);
        if wanted == 0 || self.work > WORK_LIMIT {
            return Vec::new();
        }
        // The first row matches unless one of its cells asks for something, so one of these is looked at.
        let Some(column) = first.iter().rposition(Option::is_some) else { return Vec::new() };
        let last = width - 1;
        rows.iter_mut().for_each(|row| row.swap(column, last));
        let mut missing = with_stack(|| self.missing_at_last(&rows, width, wanted));
        missing.iter_mut().for_each(|row| row.swap(column, last));
        missing
    }

    fn missing_at_last(&mut self, rows: &[Vec<Cell>], width: usize, wanted: usize) -> Vec<Vec<Example>> {
        let ast = self.ast;
        let Some(pat) = rows.iter().find_map(|row| row[width - 1]) else { return Vec::new() };
        match &ast[pat].kind {
            PatKind::Constr(..) => {
                let heads = constructors(self.info, pat);
                let head_of = |p: PatId| match &ast[p].kind {
                    PatKind::Constr(name, args) => Some((name.name, args.clone())),
                    _ => None,
                };
                self.missing_by_head(rows, width, wanted, &heads, &head_of, &|name, args| Example::constr(*name, args))
            }
            PatKind::Lit(PatLit::Bool(_)) => {
                let head_of = |p: PatId| match &ast[p].kind {
                    PatKind::Lit(PatLit::Bool(value)) => Some((*value, Vec::new())),
                    _ => None,
                };
                let heads = [(false, 0), (true, 0)];
                self.missing_by_head(rows, width, wanted, &heads, &head_of, &|value, _| {
                    Example::atom(value.to_string())
                })
            }
            PatKind::Lit(_) => {
                let (rest, numbers) = self.without_heads(rows);
                let example = other_number(&numbers);
                let missing = self.missing(rest, width - 1, wanted);
                missing.into_iter().map(|row| push(row, example.clone())).collect()
            }
            PatKind::Tuple(_) | PatKind::Record(_) => {
                let names = self.field_names(pat);
                let parts: Vec<Vec<Cell>> = rows
                    .iter()
                    .map(|row| {
                        let (head, rest) = (row[width - 1], &row[..width - 1]);
                        rest.iter().copied().chain(names.iter().map(|n| self.field(head?, *n))).collect()
                    })
                    .collect();
                let missing = self.missing(parts, width - 1 + names.len(), wanted);
                let whole = |mut row: Vec<Example>| {
                    let fields = row.split_off(width - 1);
                    push(row, Example::record(&names, &fields))
                };
                missing.into_iter().map(whole).collect()
            }
            PatKind::Error
            | PatKind::Name(_)
            | PatKind::Wild
            | PatKind::Paren(_)
            | PatKind::Attr(..)
            | PatKind::Ascript(..) => Vec::new(),
        }
    }

    /// Goes through the possible heads of the values in the last column: those that occur one by one, the others
    /// together.
    fn missing_by_head<H: Copy + Eq + Hash>(
        &mut self,
        rows: &[Vec<Cell>],
        width: usize,
        wanted: usize,
        heads: &[(H, usize)],
        head_of: &dyn Fn(PatId) -> Option<(H, Vec<PatId>)>,
        show: &dyn Fn(&H, &[Example]) -> Example,
    ) -> Vec<Vec<Example>> {
        let rest = width - 1;
        let mut by_head: FxHashMap<H, Vec<Vec<Cell>>> = FxHashMap::default();
        let arities: FxHashMap<H, usize> = heads.iter().copied().collect();
        let mut others: Vec<Vec<Cell>> = Vec::new();
        let occurring: FxHashSet<H> =
            rows.iter().filter_map(|row| row[rest]).filter_map(head_of).map(|(head, _)| head).collect();
        for row in rows {
            match row[rest].and_then(head_of) {
                Some((head, args)) => {
                    let cells = row[..rest].iter().copied().chain(args.iter().map(|p| self.cell(*p))).collect();
                    by_head.entry(head).or_default().push(cells);
                }
                None => {
                    for head in &occurring {
                        let arity = arities.get(head).copied().unwrap_or(0);
                        let cells = row[..rest].iter().copied().chain(std::iter::repeat_n(None, arity)).collect();
                        by_head.entry(*head).or_default().push(cells);
                        self.work += 1;
                    }
                    others.push(row[..rest].to_vec());
                }
            }
            if self.work > WORK_LIMIT {
                return Vec::new();
            }
        }
        let mut missing = Vec::new();
        let absent: Vec<&(H, usize)> = heads.iter().filter(|(head, _)| !occurring.contains(head)).collect();
        if !absent.is_empty() {
            for row in self.missing(others, rest, wanted - missing.len()) {
                for (head, arity) in &absent {
                    if missing.len() < wanted {
                        missing.push(push(row.clone(), show(head, &vec![Example::any(); *arity])));
                    }
                }
            }
        }
        for (head, arity) in heads {
            let Some(rows) = by_head.remove(head) else { continue };
            for mut row in self.missing(rows, rest + arity, wanted - missing.len()) {
                let args = row.split_off(rest);
                missing.push(push(row, show(head, &args)));
            }
        }
        missing
    }

    /// The rows that ask for nothing in the last column, without it, and what the others ask for.
    fn without_heads(&self, rows: &[Vec<Cell>]) -> (Vec<Vec<Cell>>, Vec<&PatLit>) {
        let (mut rest, mut asked) = (Vec::new(), Vec::new());
        for row in rows {
            match row.split_last() {
                Some((None, others)) => rest.push(others.to_vec()),
                Some((Some(p), _)) => {
                    if let PatKind::Lit(lit) = &self.ast[*p].kind {
                        asked.push(lit);
                    }
                }
                None => {}
            }
        }
        (rest, asked)
    }

    /// The fields of a record pattern, in the order of the type.
    fn field_names(&self, pat: PatId) -> Vec<Symbol> {
        match &self.ast[pat].kind {
            PatKind::Tuple(ps) => (0..ps.len()).map(Symbol::field).collect(),
            PatKind::Record(fields) => {
                let mut names: Vec<(Symbol, ())> = fields.iter().map(|(name, _)| (name.name, ())).collect();
                crate::types::sort_fields(&mut names);
                names.into_iter().map(|(name, ())| name).collect()
            }
            _ => Vec::new(),
        }
    }

    fn field(&self, pat: PatId, name: Symbol) -> Cell {
        match &self.ast[pat].kind {
            PatKind::Tuple(ps) => {
                name.as_str().parse::<usize>().ok().and_then(|i| ps.get(i)).and_then(|p| self.cell(*p))
            }
            PatKind::Record(fields) => {
                fields.iter().find(|(n, _)| n.name == name).and_then(|(_, p)| *p).and_then(|p| self.cell(p))
            }
            _ => None,
        }
    }
}

fn push(mut row: Vec<Example>, example: Example) -> Vec<Example> {
    row.push(example);
    row
}

/// A number that is none of these, in their style.
fn other_number(numbers: &[&PatLit]) -> Example {
    if numbers.iter().all(|lit| matches!(lit, PatLit::Char(_))) {
        let taken = |c: char| numbers.iter().any(|lit| matches!(lit, PatLit::Char(taken) if *taken == u32::from(c)));
        let other = ('a'..='z').find(|c| !taken(*c));
        return Example::number(other.map_or("_".to_string(), |c| format!("'{c}'")));
    }
    let is_float = numbers.iter().any(|lit| matches!(lit, PatLit::Float { .. }));
    let taken: FxHashSet<u64> = numbers
        .iter()
        .map(|lit| match lit {
            PatLit::Int { negative, lit } => (if *negative { -(lit.value as f64) } else { lit.value as f64 }).to_bits(),
            PatLit::Float { negative, lit } => (if *negative { -lit.value } else { lit.value }).to_bits(),
            PatLit::Char(c) => f64::from(*c).to_bits(),
            PatLit::Bool(_) => 0,
        })
        .collect();
    // Small enough for all types.
    match (0..=127_i8).find(|n| !taken.contains(&f64::from(*n).to_bits())) {
        None => Example::number("_"),
        Some(n) if is_float => Example::number(format!("{n}.0")),
        Some(n) => Example::number(n.to_string()),
    }
}
