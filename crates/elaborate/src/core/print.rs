//! The core as text.

use super::{CoreProg, Def, Dim, Exp, IndexDim, Kind, LoopForm, Pat, Path, Step, Ty};
use kenaz_base::with_stack;
use kenaz_sema::intrinsics;
use kenaz_sema::types::is_tuple;
use std::fmt::{self, Display, Formatter, Write};

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Prim(p) => f.write_str(p.name()),
            Ty::Array(Dim::Any, t) => write!(f, "[]{t}"),
            Ty::Array(Dim::Const(n), t) => write!(f, "[{n}]{t}"),
            Ty::Array(Dim::Var(n), t) => write!(f, "[{n}]{t}"),
            Ty::Record(fields) if is_tuple(fields) => {
                f.write_char('(')?;
                for (i, (_, t)) in fields.iter().enumerate() {
                    write!(f, "{}{t}", if i > 0 { ", " } else { "" })?;
                }
                f.write_char(')')
            }
            Ty::Record(fields) => {
                f.write_char('{')?;
                for (i, (n, t)) in fields.iter().enumerate() {
                    write!(f, "{}{n}: {t}", if i > 0 { ", " } else { "" })?;
                }
                f.write_char('}')
            }
            Ty::Sum(constrs) => {
                f.write_char('(')?;
                for (i, (n, ts)) in constrs.iter().enumerate() {
                    write!(f, "{}#{n}", if i > 0 { " | " } else { "" })?;
                    for t in ts {
                        write!(f, " {t}")?;
                    }
                }
                f.write_char(')')
            }
            Ty::Arrow(a, b) => write!(f, "({a} -> {b})"),
            Ty::Acc(t) => write!(f, "(acc {t})"),
        }
    }
}

impl CoreProg {
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (id, def) in self.defs.iter() {
            let mut printer = Printer { prog: self, out: &mut out, indent: 0 };
            let _ = write!(printer.out, "def {}.{id:?} : {} = ", def.name, def.body.ty);
            printer.exp(&def.body);
            out.push_str("\n\n");
        }
        out
    }

    pub fn exp_text(&self, exp: &Exp) -> String {
        let mut out = String::new();
        Printer { prog: self, out: &mut out, indent: 0 }.exp(exp);
        out
    }

    fn def_name(&self, def: &Def, id: super::DefId) -> String {
        format!("{}.{id:?}", def.name)
    }
}

struct Printer<'a> {
    prog: &'a CoreProg,
    out: &'a mut String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn list(&mut self, exps: &[Exp], sep: &str) {
        for (i, e) in exps.iter().enumerate() {
            if i > 0 {
                self.out.push_str(sep);
            }
            self.exp(e);
        }
    }

    fn dims(&mut self, dims: &[IndexDim]) {
        self.out.push('[');
        for (i, dim) in dims.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match dim {
                IndexDim::Fix(e) => self.exp(e),
                IndexDim::Slice { start, end, step } => {
                    for (i, part) in [start, end, step].into_iter().enumerate() {
                        if i > 0 {
                            self.out.push(':');
                        }
                        if let Some(e) = part {
                            self.exp(e);
                        }
                    }
                }
            }
        }
        self.out.push(']');
    }

    fn pat(&mut self, pat: &Pat) {
        match pat {
            Pat::Wild => self.out.push('_'),
            Pat::Name(n, _) => {
                let _ = write!(self.out, "{n}");
            }
            Pat::Lit(s) => {
                let _ = write!(self.out, "{s}");
            }
            Pat::Record(fields) => {
                self.out.push('{');
                for (i, (n, p)) in fields.iter().enumerate() {
                    let _ = write!(self.out, "{}{n} = ", if i > 0 { ", " } else { "" });
                    self.pat(p);
                }
                self.out.push('}');
            }
            Pat::Constr(n, pats, _) => {
                let _ = write!(self.out, "(#{n}");
                for p in pats {
                    self.out.push(' ');
                    self.pat(p);
                }
                self.out.push(')');
            }
        }
    }

    fn path(&mut self, path: &Path) {
        for step in &path.steps {
            let _ = match step {
                Step::Field(n) => write!(self.out, ".{n}"),
                Step::Payload(n, i) => write!(self.out, ".#{n}.{i}"),
            };
        }
        let _ = write!(self.out, ".[{}]", path.dim);
    }

    fn nested(&mut self, exp: &Exp) {
        self.indent += 1;
        self.line();
        self.exp(exp);
        self.indent -= 1;
    }

    fn exp(&mut self, exp: &Exp) {
        with_stack(|| self.exp_(exp));
    }

    fn exp_(&mut self, exp: &Exp) {
        match &exp.kind {
            Kind::Var(n) => {
                let _ = write!(self.out, "{n}");
            }
            Kind::Lit(s) => {
                let _ = write!(self.out, "{s}");
            }
            Kind::Global(id) => {
                let name = self.prog.def_name(&self.prog.defs[*id], *id);
                self.out.push_str(&name);
            }
            Kind::Lam(lam) => {
                self.out.push('\\');
                for (n, t) in &lam.params {
                    let _ = write!(self.out, "({n}: {t}) ");
                }
                self.out.push_str("->");
                self.nested(&lam.body);
            }
            Kind::App(f, args) => {
                self.out.push('(');
                self.exp(f);
                for a in args {
                    self.out.push(' ');
                    self.exp(a);
                }
                self.out.push(')');
            }
            Kind::Block(bindings, result) => {
                for (n, e) in bindings {
                    let _ = write!(self.out, "let {n}: {} = ", e.ty);
                    self.indent += 1;
                    self.exp(e);
                    self.indent -= 1;
                    self.line();
                }
                self.out.push_str("in ");
                self.exp(result);
            }
            Kind::Record(fields) => {
                self.out.push('{');
                for (i, (n, e)) in fields.iter().enumerate() {
                    let _ = write!(self.out, "{}{n} = ", if i > 0 { ", " } else { "" });
                    self.exp(e);
                }
                self.out.push('}');
            }
            Kind::Project(e, n) => {
                self.exp(e);
                let _ = write!(self.out, ".{n}");
            }
            Kind::Array(es) => {
                self.out.push('[');
                self.list(es, ", ");
                let _ = write!(self.out, "] : {}", exp.ty);
            }
            Kind::Index(e, dims) => {
                self.exp(e);
                self.dims(dims);
            }
            Kind::Update(e, dims, v) => {
                self.exp(e);
                self.out.push_str(" with ");
                self.dims(dims);
                self.out.push_str(" = ");
                self.exp(v);
            }
            Kind::UpdateField(e, path, v) => {
                self.exp(e);
                let path: Vec<&str> = path.iter().map(|n| n.as_str()).collect();
                let _ = write!(self.out, " with {} = ", path.join("."));
                self.exp(v);
            }
            Kind::If(c, t, f) => {
                self.out.push_str("if ");
                self.exp(c);
                self.out.push_str(" then");
                self.nested(t);
                self.line();
                self.out.push_str("else");
                self.nested(f);
            }
            Kind::Match(e, cases) => {
                self.out.push_str("match ");
                self.exp(e);
                for (p, b) in cases {
                    self.line();
                    self.out.push_str("case ");
                    self.pat(p);
                    self.out.push_str(" ->");
                    self.nested(b);
                }
            }
            Kind::Loop(l) => {
                let _ = write!(self.out, "loop {}: {} = ", l.param, exp.ty);
                self.exp(&l.init);
                match &l.form {
                    LoopForm::For(i, n) => {
                        let _ = write!(self.out, " for {i} < ");
                        self.exp(n);
                    }
                    LoopForm::ForIn(x, xs) => {
                        let _ = write!(self.out, " for {x} in ");
                        self.exp(xs);
                    }
                    LoopForm::While(c) => {
                        self.out.push_str(" while ");
                        self.exp(c);
                    }
                }
                self.out.push_str(" do");
                self.nested(&l.body);
            }
            Kind::Constr(n, args) => {
                let _ = write!(self.out, "(#{n}");
                for a in args {
                    self.out.push(' ');
                    self.exp(a);
                }
                let _ = write!(self.out, " : {})", exp.ty);
            }
            Kind::Intrinsic(id, args) => {
                let _ = write!(self.out, "({}", intrinsics::def(*id).name);
                for a in args {
                    self.out.push(' ');
                    self.exp(a);
                }
                self.out.push(')');
            }
            Kind::Not(e) => {
                self.out.push('!');
                self.exp(e);
            }
            Kind::Neg(e) => {
                self.out.push('-');
                self.exp(e);
            }
            Kind::Range { first, second, kind, last } => {
                self.exp(first);
                if let Some(second) = second {
                    self.out.push_str("..");
                    self.exp(second);
                }
                self.out.push_str(match kind {
                    kenaz_syntax::ast::RangeKind::Inclusive => "...",
                    kenaz_syntax::ast::RangeKind::UpTo => "..<",
                    kenaz_syntax::ast::RangeKind::DownTo => "..>",
                });
                self.exp(last);
            }
            Kind::Coerce(e, _) => {
                self.out.push('(');
                self.exp(e);
                let _ = write!(self.out, " :> {})", exp.ty);
            }
            Kind::Assert(c, e, _) => {
                self.out.push_str("assert ");
                self.exp(c);
                self.out.push(' ');
                self.exp(e);
            }
            Kind::Hole => self.out.push_str("???"),
            Kind::Attr(_, e) => {
                self.out.push_str("#[…] ");
                self.exp(e);
            }
            Kind::SizeOf(e, path) => {
                self.exp(e);
                self.path(path);
            }
        }
    }
}
