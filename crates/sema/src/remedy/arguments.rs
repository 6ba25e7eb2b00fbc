//! Arguments that a function cannot have: in another order, one too few, arrays instead of their elements.

use super::Remedy;
use crate::apply::Arg;
use crate::checker::Checker;
use crate::names::{Constraint, MetaState};
use crate::report::arity;
use crate::types::{MetaId, Ty, TyKind, is_tuple};
use kenaz_base::{Prim, Span, with_stack};
use kenaz_syntax::ast::{ExprId, ExprKind, PatKind};
use rustc_hash::FxHashMap;

/// An application in which an argument does not fit.
pub(crate) struct Application<'a> {
    pub expr: ExprId,
    pub fun_span: Span,
    pub name: Option<&'a str>,
    /// The type of the function after the arguments before `index`.
    pub fun_ty: &'a Ty,
    pub args: &'a [Arg],
    /// The argument that does not fit.
    pub index: usize,
}

impl Application<'_> {
    fn arg(&self) -> &Arg {
        &self.args[self.index]
    }
}

/// Assumed solutions of the variables of inference.
type Assumed = FxHashMap<MetaId, Ty>;

impl Checker<'_> {
    pub(crate) fn argument_remedy(&self, app: &Application<'_>) -> Option<Remedy> {
        if let Some(remedy) = self.operator_remedy(app.expr, app.args, app.index) {
            return Some(remedy);
        }
        if let Some(name @ ("|>" | "<|")) = app.name {
            return self.piped(name, app);
        }
        if app.name.is_some_and(crate::display::is_operator) || !matches!(self.ast[app.expr].kind, ExprKind::Apply(..))
        {
            return None;
        }
        let remedy = self.negated(app).or_else(|| self.other_conversion(app)).or_else(|| self.tupled(app));
        let remedy = remedy.or_else(|| self.several_arrays(app)).or_else(|| self.other_order(app));
        let remedy = remedy.or_else(|| self.nested_call(app)).or_else(|| self.left_out(app));
        remedy.or_else(|| self.for_elements(app)).or_else(|| self.subtraction(app))
    }

    /// The text of an argument, as it is.
    fn atom_text(&self, arg: &Arg) -> Option<String> {
        let text = self.short_text(arg.expr)?;
        let is_open = matches!(self.ast[arg.expr].kind, ExprKind::Lambda { .. } | ExprKind::Attr(..));
        Some(if is_open { format!("({text})") } else { text })
    }

    fn atom_texts(&self, args: &[Arg]) -> Option<Vec<String>> {
        args.iter().map(|arg| self.atom_text(arg)).collect()
    }

    fn span_of_args(&self, args: &[Arg]) -> Option<Span> {
        let (first, last) = (args.first()?, args.last()?);
        Some(self.ast[first.expr].span.to(self.ast[last.expr].span))
    }

    /// `not x > 1`
    fn negated(&self, app: &Application<'_>) -> Option<Remedy> {
        let compared = self.compared.filter(|_| app.name == Some("not"))?;
        let ExprKind::BinOp(op, left, right) = &self.ast[compared].kind else { return None };
        if *left != app.expr {
            return None;
        }
        let new = format!("!({} {} {})", self.short_text(app.arg().expr)?, op.name, self.short_text(*right)?);
        let remedy = Remedy::new(format!("a function binds tighter than an operator: `{new}`"));
        Some(remedy.fix(self.ast[compared].span, new))
    }

    /// `i32.f64 x` for an `i32`
    fn other_conversion(&self, app: &Application<'_>) -> Option<Remedy> {
        let (to, from) = app.name?.split_once('.')?;
        let (to, from) = (Prim::from_name(to)?, Prim::from_name(from)?);
        let have = self.prim(&app.arg().ty).filter(|_| app.args.len() == 1)?;
        let text = self.short_argument(app.arg().expr)?;
        if have == to {
            let (to, from, back) = (to.name(), from.name(), format!("{}.{}", from.name(), to.name()));
            return Some(Remedy::new(format!(
                "`{to}.{from}` makes `{to}` of `{from}`, and `{text}` is of type `{to}` already; the other way is `{back} {text}`"
            )));
        }
        let new = format!("{}.{}", to.name(), have.name());
        let remedy = Remedy::new(format!("the conversion from `{}` is `{new} {text}`", have.name()));
        Some(remedy.fix(app.fun_span, new))
    }

    /// Arguments in a tuple that stand one after the other, and the other way round.
    fn tupled(&self, app: &Application<'_>) -> Option<Remedy> {
        let TyKind::Arrow(arrow) = app.fun_ty.kind() else { return None };
        let name = app.name?;
        if let ExprKind::Tuple(parts) = &self.ast[self.without_parens(app.arg().expr)].kind
            && app.index == 0
            && parts.len() == arity(&self.names.zonk(app.fun_ty))
        {
            let texts: Vec<String> = parts.iter().map(|e| self.argument_text(*e)).collect();
            let texts = texts.join(" ");
            let remedy = Remedy::new(format!("arguments stand one after the other: `{name} {texts}`"));
            let span = self.ast[app.arg().expr].span;
            return Some(remedy.fix_if(!texts.contains('…') && app.args.len() == 1, span, format!(" {texts}")));
        }
        let expected = self.names.shallow(&arrow.arg);
        let TyKind::Record(fields) = expected.kind() else { return None };
        let given = app.args.get(app.index..app.index + fields.len())?;
        if !is_tuple(fields)
            || fields.len() < 2
            || !matches!(self.names.shallow(&arrow.ret).kind(), kind if !matches!(kind, TyKind::Arrow(_)))
        {
            return None;
        }
        let mut assumed = Assumed::default();
        if !fields.iter().zip(given).all(|((_, ty), arg)| self.fits(ty, &arg.ty, &mut assumed)) {
            return None;
        }
        let texts: Option<Vec<String>> =
            given.iter().map(|arg| self.short_text(self.without_parens(arg.expr))).collect();
        let new = format!("({})", texts?.join(", "));
        let remedy = Remedy::new(format!("`{name}` takes a tuple: `{name} {new}`"));
        Some(remedy.fix(self.span_of_args(given)?, new))
    }

    /// `map f xs ys`, and `map2` with a function of a tuple
    fn several_arrays(&self, app: &Application<'_>) -> Option<Remedy> {
        let name = app.name?;
        if name == "tabulate" && app.index == 1 && app.args.len() == 3 {
            let hint = "for two dimensions there is `tabulate_2d`";
            return Some(Remedy::new(hint).fix(app.fun_span, "tabulate_2d"));
        }
        let arrays = match name {
            "map" => 1,
            _ => name.strip_prefix("map")?.parse::<usize>().ok()?,
        };
        if app.index == 1 && arrays == 1 && app.args.len() == 2 {
            return self.inner_map(app);
        }
        if app.index != 0 {
            return None;
        }
        let function = self.names.zonk(&app.arg().ty);
        let takes = arity(&function);
        let given = app.args.len() - 1;
        let of_elements = params(&function, takes)?.iter().all(|ty| !matches!(ty.kind(), TyKind::Arrow(_)))
            && app.args[1..].iter().all(|arg| self.rank(&arg.ty) > 0);
        if of_elements && takes == given && takes != arrays && (1..=5).contains(&takes) {
            let other = if takes == 1 { "map".to_string() } else { format!("map{takes}") };
            let texts = self.atom_texts(app.args).map_or_else(|| "…".to_string(), |texts| texts.join(" "));
            let hint = format!("for a function of {takes} arguments there is `{other}`: `{other} {texts}`");
            return Some(Remedy::new(hint).fix(app.fun_span, other));
        }
        let ExprKind::Lambda { params, .. } = &self.ast[self.without_parens(app.arg().expr)].kind else { return None };
        let [param] = params[..] else { return None };
        let PatKind::Tuple(parts) = &self.ast[param].kind else { return None };
        if takes != 1 || parts.len() != arrays || given != arrays {
            return None;
        }
        let names: Vec<String> = parts.iter().map(|p| self.text(self.ast[*p].span)).collect();
        let new = names.join(" ");
        let remedy = Remedy::new(format!("the function of `{name}` takes its arguments one by one: `\\{new} -> …`"));
        let is_plain = parts.iter().all(|p| matches!(self.ast[*p].kind, PatKind::Name(_)));
        Some(remedy.fix_if(is_plain, self.ast[param].span, new))
    }

    /// `map (* 2) xss` for an array of arrays
    fn inner_map(&self, app: &Application<'_>) -> Option<Remedy> {
        let TyKind::Arrow(arrow) = app.fun_ty.kind() else { return None };
        let (want, have) = (self.element(&arrow.arg)?, self.element(&app.arg().ty)?);
        let inner = self.element(&have)?;
        if !self.fits(&want, &inner, &mut Assumed::default()) {
            return None;
        }
        let (function, array) = (self.atom_text(&app.args[0])?, self.atom_text(app.arg())?);
        let remedy = Remedy::new(format!("for an array of arrays: `map (map {function}) {array}`"));
        Some(remedy.fix(self.ast[app.args[0].expr].span, format!("(map {function})")))
    }

    fn element(&self, ty: &Ty) -> Option<Ty> {
        match self.names.shallow(ty).kind() {
            TyKind::Array(_, elem) => Some(elem.clone()),
            _ => None,
        }
    }

    /// `f g x` for `f (g x)`
    fn nested_call(&self, app: &Application<'_>) -> Option<Remedy> {
        let TyKind::Arrow(arrow) = app.fun_ty.kind() else { return None };
        let inner = self.names.zonk(&app.arg().ty);
        let (takes, behind) = (arity(&inner), &app.args[app.index + 1..]);
        if takes == 0 || takes != behind.len() || matches!(self.names.shallow(&arrow.arg).kind(), TyKind::Arrow(_)) {
            return None;
        }
        let mut assumed = Assumed::default();
        let mut result = inner;
        for arg in behind {
            let TyKind::Arrow(a) = result.kind() else { return None };
            if !self.fits(&a.arg, &arg.ty, &mut assumed) {
                return None;
            }
            result = a.ret.clone();
        }
        if !self.fits(&arrow.arg, &result, &mut assumed) {
            return None;
        }
        let inner = &app.args[app.index..];
        let new = format!("({})", self.atom_texts(inner)?.join(" "));
        let before: Vec<String> = self.atom_texts(&app.args[..app.index])?;
        let whole: Vec<&str> = app.name.into_iter().chain(before.iter().map(String::as_str)).collect();
        let hint = format!("a call that is an argument needs parentheses: `{} {new}`", whole.join(" "));
        Some(Remedy::new(hint).fix(self.span_of_args(inner)?, new))
    }

    /// The only other order in which the arguments fit.
    fn other_order(&self, app: &Application<'_>) -> Option<Remedy> {
        let given = &app.args[app.index..];
        let params = params(&self.names.zonk(app.fun_ty), given.len())?;
        if !(2..=4).contains(&given.len()) {
            return None;
        }
        let mut found = None;
        for order in permutations(given.len()) {
            let mut assumed = Assumed::default();
            let is_identity = order.iter().enumerate().all(|(i, at)| i == *at);
            let fits = order.iter().zip(&params).all(|(at, param)| self.fits(param, &given[*at].ty, &mut assumed));
            if fits && (is_identity || found.replace(order).is_some()) {
                return None;
            }
        }
        let order = found?;
        let general = || Remedy::new("are the arguments swapped?");
        let Some(texts) = self.atom_texts(app.args) else { return Some(general()) };
        let (before, texts) = texts.split_at(app.index);
        let new: Vec<&str> = order.iter().map(|at| texts[*at].as_str()).collect();
        let new = new.join(" ");
        let whole: Vec<&str> = app.name.into_iter().chain(before.iter().map(String::as_str)).collect();
        let remedy = Remedy::new(format!("the arguments stand in another order: `{} {new}`", whole.join(" ")));
        Some(remedy.fix(self.span_of_args(given)?, new))
    }

    /// An argument that was left out.
    fn left_out(&self, app: &Application<'_>) -> Option<Remedy> {
        let given = &app.args[app.index..];
        let fun_ty = self.names.zonk(app.fun_ty);
        if arity(&fun_ty) != given.len() + 1 {
            return None;
        }
        let params = params(&fun_ty, given.len() + 1)?;
        // The one that does not fit has the missing one in front of it.
        let mut assumed = Assumed::default();
        let fits = params[1..].iter().zip(given).all(|(param, arg)| self.fits(param, &arg.ty, &mut assumed));
        let name = app.name?;
        if !fits {
            return None;
        }
        let texts = self.atom_texts(app.args)?;
        let (before, behind) = texts.split_at(app.index);
        let neutral = before.first().filter(|_| app.index == 1).and_then(|op| neutral_of(name, op));
        let filler = neutral.clone().unwrap_or_else(|| "…".to_string());
        let whole = [&[name.to_string()], before, std::slice::from_ref(&filler), behind].concat().join(" ");
        let at = Span { hi: self.ast[app.arg().expr].span.lo, ..self.ast[app.arg().expr].span };
        let remedy = match &neutral {
            Some(_) => Remedy::new(format!("the neutral element of the operator is missing: `{whole}`")),
            None => Remedy::new(format!("an argument is missing: `{whole}`")),
        };
        Some(remedy.fix_if(neutral.is_some(), at, format!("{filler} ")))
    }

    /// `xs |> reduce (+)`
    fn piped(&self, pipe: &str, app: &Application<'_>) -> Option<Remedy> {
        let [a, b] = app.args else { return None };
        let (value, function) = if pipe == "|>" { (a, b) } else { (b, a) };
        let ty = self.info.expr_ty.get(function.expr).map(|ty| self.names.zonk(ty))?;
        let takes = arity(&ty);
        let last = params(&ty, takes)?.pop()?;
        let expr = self.without_parens(function.expr);
        let (name, given) = match &self.ast[expr].kind {
            ExprKind::Apply(f, args) => (self.function_name(*f)?, args.len()),
            ExprKind::Var(path) => (path.to_string(), 0),
            _ => return None,
        };
        if takes < 2 || !matches!(self.names.shallow(&last).kind(), TyKind::Array(..)) || self.rank(&value.ty) == 0 {
            return None;
        }
        let text = self.short_text(expr)?;
        let operator = match &self.ast[expr].kind {
            ExprKind::Apply(_, args) if given == 1 && takes == 2 => self.short_text(args[0]),
            _ => None,
        };
        let neutral = operator.and_then(|op| neutral_of(&name, &op));
        let span = self.ast[expr].span;
        let end = Span { lo: span.hi, ..span };
        Some(match neutral {
            Some(neutral) => Remedy::new(format!("the neutral element of the operator is missing: `{text} {neutral}`"))
                .fix(end, format!(" {neutral}")),
            None => {
                Remedy::new(format!("`{name}` takes {} arguments, the array is the last: `{text} …`", given + takes))
            }
        })
    }

    /// A function of single values that is given whole arrays.
    fn for_elements(&self, app: &Application<'_>) -> Option<Remedy> {
        let name = app.name?;
        let params = params(&self.names.zonk(app.fun_ty), app.args.len() - app.index)?;
        let param = self.names.shallow(params.first()?);
        if matches!(param.kind(), TyKind::Meta(_) | TyKind::Arrow(_) | TyKind::Error) {
            return None;
        }
        let fits = |param: &Ty, ty: &Ty| self.fits(param, ty, &mut Assumed::default());
        let lifted = |param: &Ty, arg: &Arg| self.element(&arg.ty).is_some_and(|elem| fits(param, &elem));
        if !lifted(&param, app.arg()) {
            return None;
        }
        let left = arity(&self.names.zonk(app.fun_ty)) - (app.args.len() - app.index);
        let texts = self.atom_texts(app.args)?;
        let build = |new: String| {
            let remedy = Remedy::new(format!("for all elements of an array: `{new}`"));
            self.in_place(remedy, app.expr, &new)
        };
        if left == 1 && app.args.len() == 1 {
            let (module, function) = name.split_once('.')?;
            let other = match function {
                "max" => "maximum",
                "min" => "minimum",
                _ => return None,
            };
            Prim::from_name(module)?;
            let new = format!("{module}.{other} {}", texts[0]);
            let remedy = Remedy::new(format!("of all elements of an array: `{new}`"));
            return Some(self.in_place(remedy, app.expr, &new));
        }
        // The results must all have the same size.
        if left != 0 || self.has_unknown_size(app.fun_ty) {
            return None;
        }
        let behind = &app.args[app.index + 1..];
        let all_lifted = params[1..].iter().zip(behind).all(|(param, arg)| lifted(param, arg));
        let all_fit = params[1..].iter().zip(behind).all(|(param, arg)| fits(param, &arg.ty));
        let before = [&[name.to_string()], &texts[..app.index]].concat().join(" ");
        let function = if app.index == 0 { before } else { format!("({before})") };
        match behind.len() {
            0 => Some(build(format!("map {function} {}", texts[app.index]))),
            n @ 1..=3 if all_lifted => Some(build(format!("map{} {function} {}", n + 1, texts[app.index..].join(" ")))),
            _ if all_fit && app.index == 0 => {
                let others = texts[1..].join(" ");
                Some(build(format!("map (\\x -> {name} x {others}) {}", texts[0])))
                    .filter(|_| !others.split(|c: char| !c.is_alphanumeric()).any(|word| word == "x"))
            }
            _ => None,
        }
    }

    /// Whether the result of a function has a size that is known only when it is called.
    fn has_unknown_size(&self, fun_ty: &Ty) -> bool {
        match self.names.shallow(fun_ty).kind() {
            TyKind::Arrow(arrow) => self.has_unknown_size(&arrow.ret),
            TyKind::Unique(t) => self.has_unknown_size(t),
            TyKind::Exists(..) => true,
            _ => false,
        }
    }

    /// `map (-1) xs`
    fn subtraction(&self, app: &Application<'_>) -> Option<Remedy> {
        let TyKind::Arrow(arrow) = app.fun_ty.kind() else { return None };
        let expr = self.without_parens(app.arg().expr);
        let ExprKind::Neg(operand) = self.ast[expr].kind else { return None };
        let wanted = self.names.zonk(&arrow.arg);
        let text = self.short_argument(operand)?;
        let new = format!("\\x -> x - {text}");
        let is_number =
            self.prim(&app.arg().ty).is_some_and(Prim::is_numeric) || self.overloaded(&app.arg().ty).is_some();
        let hint = format!("`{}` is a number; a function that subtracts is `{new}`", self.short_text(expr)?);
        (arity(&wanted) == 1 && is_number && text != "x").then(|| Remedy::new(hint).fix(self.ast[expr].span, new))
    }

    /// Whether an argument of type `arg` fits a parameter of type `param`, for all that is known of both. Sizes are
    /// left out.
    fn fits(&self, param: &Ty, arg: &Ty, assumed: &mut Assumed) -> bool {
        with_stack(|| self.fits_(param, arg, assumed))
    }

    fn fits_(&self, param: &Ty, arg: &Ty, assumed: &mut Assumed) -> bool {
        let (param, arg) = (self.names.shallow(param), self.names.shallow(arg));
        match (param.kind(), arg.kind()) {
            (TyKind::Error, _) | (_, TyKind::Error) => true,
            (TyKind::Unique(t), _) | (TyKind::Exists(_, t), _) => self.fits(t, &arg, assumed),
            (_, TyKind::Unique(t) | TyKind::Exists(_, t)) => self.fits(&param, t, assumed),
            (TyKind::Meta(m), TyKind::Meta(n)) if m == n => true,
            (TyKind::Meta(m), _) => self.assume(*m, &arg, assumed),
            (_, TyKind::Meta(n)) => self.assume(*n, &param, assumed),
            (TyKind::Prim(p), TyKind::Prim(q)) => p == q,
            (TyKind::Array(_, x), TyKind::Array(_, y)) => self.fits(x, y, assumed),
            (TyKind::Arrow(f), TyKind::Arrow(g)) => {
                self.fits(&f.arg, &g.arg, assumed) && self.fits(&f.ret, &g.ret, assumed)
            }
            (TyKind::Record(f), TyKind::Record(g)) => {
                f.len() == g.len() && f.iter().zip(g).all(|((a, x), (b, y))| a == b && self.fits(x, y, assumed))
            }
            (TyKind::Con(a, _), TyKind::Con(b, _)) => a == b,
            (TyKind::Sum(_), TyKind::Sum(_)) => param == arg,
            _ => false,
        }
    }

    fn assume(&self, meta: MetaId, ty: &Ty, assumed: &mut Assumed) -> bool {
        if let Some(before) = assumed.get(&meta).cloned() {
            return self.fits(&before, ty, assumed);
        }
        let allowed = match &self.names.metas[meta].state {
            MetaState::Open(Constraint::Overloaded(set, _)) => match (ty.as_prim(), self.overloaded(ty)) {
                (Some(prim), _) => set.contains(prim),
                (None, Some(other)) => !set.intersect(other).is_empty(),
                (None, None) => matches!(ty.kind(), TyKind::Meta(_)),
            },
            MetaState::Open(Constraint::Fields(..)) => matches!(ty.kind(), TyKind::Record(_) | TyKind::Meta(_)),
            MetaState::Open(Constraint::Constructors(..)) => matches!(ty.kind(), TyKind::Sum(_) | TyKind::Meta(_)),
            MetaState::Open(Constraint::Any | Constraint::Equality(_)) => !matches!(ty.kind(), TyKind::Arrow(_)),
            MetaState::Solved(_) => true,
        };
        if allowed {
            assumed.insert(meta, ty.clone());
        }
        allowed
    }
}

/// The first parameters of a function, if it has so many.
fn params(ty: &Ty, wanted: usize) -> Option<Vec<Ty>> {
    let mut out = Vec::new();
    let mut ty = ty.clone();
    while out.len() < wanted {
        let next = match ty.kind() {
            TyKind::Arrow(arrow) => {
                out.push(arrow.arg.clone());
                arrow.ret.clone()
            }
            TyKind::Unique(t) | TyKind::Exists(_, t) => t.clone(),
            _ => return None,
        };
        ty = next;
    }
    Some(out)
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new()];
    for _ in 0..n {
        out = out
            .iter()
            .flat_map(|start: &Vec<usize>| {
                (0..n).filter(|i| !start.contains(i)).map(|i| [&start[..], &[i]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    out
}

/// The neutral element of an operator, where a reduction needs one.
fn neutral_of(function: &str, op: &str) -> Option<String> {
    if !matches!(function, "reduce" | "reduce_comm" | "scan" | "foldl" | "foldr") {
        return None;
    }
    let neutral = match op {
        "(+)" => "0",
        "(*)" => "1",
        "(&&)" => "true",
        "(||)" => "false",
        _ => {
            let (module, name) = op.trim_matches(['(', ')']).split_once('.')?;
            Prim::from_name(module).filter(|p| p.is_numeric())?;
            return match name {
                "max" => Some(format!("{module}.lowest")),
                "min" => Some(format!("{module}.highest")),
                _ => None,
            };
        }
    };
    Some(neutral.to_string())
}
