//! The syntax tree as text, compact and close to Lisp, for tests and debugging.
//!
//! `let x = f 1 in x + 2` is `(let x (app f 1) (+ x 2))`.

use crate::ast::*;
use kenaz_base::Prim;
use kenaz_base::with_stack;
use std::fmt::Write;

/// All declarations of a file, one per line.
pub fn file(ast: &Ast, file: &File) -> String {
    let mut dumper = Dumper { ast, out: String::new() };
    if let Some(doc) = &file.doc {
        let _ = writeln!(dumper.out, "(doc {:?})", doc.text);
    }
    for &dec in &file.decs {
        dumper.dec(dec);
        dumper.out.push('\n');
    }
    dumper.out
}

pub fn expr(ast: &Ast, id: ExprId) -> String {
    dump(ast, |d| d.expr(id))
}

pub fn pat(ast: &Ast, id: PatId) -> String {
    dump(ast, |d| d.pat(id))
}

pub fn type_exp(ast: &Ast, id: TypeExpId) -> String {
    dump(ast, |d| d.type_exp(id))
}

pub fn dec(ast: &Ast, id: DecId) -> String {
    dump(ast, |d| d.dec(id))
}

pub fn mod_exp(ast: &Ast, id: ModExpId) -> String {
    dump(ast, |d| d.mod_exp(id))
}

pub fn mod_type_exp(ast: &Ast, id: ModTypeExpId) -> String {
    dump(ast, |d| d.mod_type(id))
}

fn dump(ast: &Ast, f: impl FnOnce(&mut Dumper)) -> String {
    let mut dumper = Dumper { ast, out: String::new() };
    f(&mut dumper);
    dumper.out
}

struct Dumper<'a> {
    ast: &'a Ast,
    out: String,
}

impl Dumper<'_> {
    /// `(head …)`, where `rest` writes its parts, each with a space in front.
    fn node(&mut self, head: &str, rest: impl FnOnce(&mut Self)) {
        self.out.push('(');
        self.out.push_str(head);
        with_stack(|| rest(self));
        self.out.push(')');
    }

    fn word(&mut self, word: impl std::fmt::Display) {
        let _ = write!(self.out, " {word}");
    }

    fn sub_expr(&mut self, id: ExprId) {
        self.out.push(' ');
        self.expr(id);
    }

    fn sub_exprs(&mut self, ids: &[ExprId]) {
        ids.iter().for_each(|&id| self.sub_expr(id));
    }

    fn sub_pat(&mut self, id: PatId) {
        self.out.push(' ');
        self.pat(id);
    }

    fn sub_pats(&mut self, ids: &[PatId]) {
        ids.iter().for_each(|&id| self.sub_pat(id));
    }

    fn sub_type(&mut self, id: TypeExpId) {
        self.out.push(' ');
        self.type_exp(id);
    }

    fn result(&mut self, ret: Option<TypeExpId>) {
        if let Some(ty) = ret {
            self.out.push_str(" :");
            self.sub_type(ty);
        }
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            match param.kind {
                TypeParamKind::Size => self.word(format_args!("[{}]", param.name.name)),
                TypeParamKind::Type(lift) => self.word(format_args!("'{}{}", lifted(lift), param.name.name)),
            }
        }
    }

    fn expr(&mut self, id: ExprId) {
        let ast = self.ast;
        match &ast[id].kind {
            ExprKind::Error => self.out.push_str("(error)"),
            ExprKind::Int(lit) => self.out.push_str(&int(lit)),
            ExprKind::Float(lit) => self.out.push_str(&float(lit)),
            ExprKind::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            ExprKind::Char(c) => self.node("char", |d| d.word(c)),
            ExprKind::String(bytes) => self.out.push_str(&string(bytes)),
            ExprKind::Hole => self.out.push_str("???"),
            ExprKind::Paren(e) => self.node("paren", |d| d.sub_expr(*e)),
            ExprKind::Tuple(es) => self.node("tuple", |d| d.sub_exprs(es)),
            ExprKind::Record(fields) => self.node("record", |d| {
                for FieldInit { name, value } in fields {
                    match value {
                        None => d.word(name.name),
                        Some(value) => {
                            d.word(format_args!("(= {}", name.name));
                            d.sub_expr(*value);
                            d.out.push(')');
                        }
                    }
                }
            }),
            ExprKind::Array(es) => self.node("array", |d| d.sub_exprs(es)),
            ExprKind::Var(name) => {
                let _ = write!(self.out, "{name}");
            }
            ExprKind::Project(e, field) => self.node(".", |d| {
                d.sub_expr(*e);
                d.word(field.name);
            }),
            ExprKind::Index(e, slice) => self.node("index", |d| {
                d.sub_expr(*e);
                d.slice(slice);
            }),
            ExprKind::LocalOpen(module, e) => self.node("open", |d| {
                d.word(module);
                d.sub_expr(*e);
            }),
            ExprKind::Apply(f, args) => self.node("app", |d| {
                d.sub_expr(*f);
                d.sub_exprs(args);
            }),
            ExprKind::Constr(name, args) => self.node(&format!("#{}", name.name), |d| d.sub_exprs(args)),
            ExprKind::Not(e) => self.node("!", |d| d.sub_expr(*e)),
            ExprKind::Neg(e) => self.node("neg", |d| d.sub_expr(*e)),
            ExprKind::BinOp(op, l, r) => self.node(&operator(op), |d| d.sub_exprs(&[*l, *r])),
            ExprKind::Ascript(e, ty) => self.node(":", |d| {
                d.sub_expr(*e);
                d.sub_type(*ty);
            }),
            ExprKind::Coerce(e, ty) => self.node(":>", |d| {
                d.sub_expr(*e);
                d.sub_type(*ty);
            }),
            ExprKind::Range(range) => {
                let head = match range.kind {
                    RangeKind::Inclusive => "...",
                    RangeKind::UpTo => "..<",
                    RangeKind::DownTo => "..>",
                };
                self.node(head, |d| {
                    d.sub_expr(range.first);
                    range.second.into_iter().for_each(|e| d.sub_expr(e));
                    d.sub_expr(range.last);
                });
            }
            ExprKind::If { cond, then, otherwise } => self.node("if", |d| d.sub_exprs(&[*cond, *then, *otherwise])),
            ExprKind::LetPat { sizes, pat, init, body } => self.node("let", |d| {
                sizes.iter().for_each(|size| d.word(format_args!("[{}]", size.name)));
                d.sub_pat(*pat);
                d.sub_exprs(&[*init, *body]);
            }),
            ExprKind::LetFun { fun, body } => self.node("letfun", |d| {
                d.word(fun.name.name);
                d.type_params(&fun.type_params);
                d.sub_pats(&fun.params);
                d.result(fun.ret);
                d.sub_exprs(&[fun.body, *body]);
            }),
            ExprKind::LetWith { dest, slice, value, body } => self.node("letwith", |d| {
                d.word(dest.name);
                d.slice(slice);
                d.sub_exprs(&[*value, *body]);
            }),
            ExprKind::Lambda { params, ret, body } => self.node("\\", |d| {
                d.sub_pats(params);
                d.result(*ret);
                d.sub_expr(*body);
            }),
            ExprKind::Loop { pat, init, form, body } => self.node("loop", |d| {
                d.sub_pat(*pat);
                match init {
                    Some(init) => d.sub_expr(*init),
                    None => d.word("_"),
                }
                d.out.push(' ');
                match form {
                    LoopForm::ForLess(i, bound) => d.node("for", |d| {
                        d.word(i.name);
                        d.sub_expr(*bound);
                    }),
                    LoopForm::ForIn(pat, xs) => d.node("forin", |d| {
                        d.sub_pat(*pat);
                        d.sub_expr(*xs);
                    }),
                    LoopForm::While(cond) => d.node("while", |d| d.sub_expr(*cond)),
                }
                d.sub_expr(*body);
            }),
            ExprKind::Attr(a, e) => self.node(&attr(a), |d| d.sub_expr(*e)),
            ExprKind::Assert(cond, e) => self.node("assert", |d| d.sub_exprs(&[*cond, *e])),
            ExprKind::UpdateIndex(e, slice, value) => self.node("with", |d| {
                d.sub_expr(*e);
                d.slice(slice);
                d.sub_expr(*value);
            }),
            ExprKind::UpdateField(e, fields, value) => self.node("with", |d| {
                d.sub_expr(*e);
                let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
                d.word(names.join("."));
                d.sub_expr(*value);
            }),
            ExprKind::Match(e, cases) => self.node("match", |d| {
                d.sub_expr(*e);
                for case in cases {
                    d.out.push(' ');
                    d.node("case", |d| {
                        d.sub_pat(case.pat);
                        d.sub_expr(case.body);
                    });
                }
            }),
            ExprKind::OpSection(op) => self.node("sec", |d| d.word(operator(op))),
            ExprKind::LeftSection(e, op) => self.node("lsec", |d| {
                d.sub_expr(*e);
                d.word(operator(op));
            }),
            ExprKind::RightSection(op, e) => self.node("rsec", |d| {
                d.word(operator(op));
                d.sub_expr(*e);
            }),
            ExprKind::ProjectSection(fields) => {
                self.node("sec", |d| fields.iter().for_each(|f| d.word(format_args!(".{}", f.name))));
            }
            ExprKind::IndexSection(slice) => self.node("sec", |d| d.slice(slice)),
        }
    }

    fn slice(&mut self, slice: &Slice) {
        self.out.push_str(" [");
        for (i, dim) in slice.dims.iter().enumerate() {
            if i > 0 {
                self.out.push(' ');
            }
            match dim {
                DimIndex::Fix(e) => self.expr(*e),
                DimIndex::Slice { start, end, step, .. } => self.node(":", |d| {
                    for part in [start, end, step] {
                        match part {
                            Some(e) => d.sub_expr(*e),
                            None => d.word("_"),
                        }
                    }
                }),
            }
        }
        self.out.push(']');
    }

    fn pat(&mut self, id: PatId) {
        let ast = self.ast;
        match &ast[id].kind {
            PatKind::Error => self.out.push_str("(error)"),
            PatKind::Name(name) => self.out.push_str(name.name.as_str()),
            PatKind::Wild => self.out.push('_'),
            PatKind::Lit(lit) => {
                let sign = |negative: &bool| if *negative { "-" } else { "" };
                let text = match lit {
                    PatLit::Int { negative, lit } => format!("{}{}", sign(negative), int(lit)),
                    PatLit::Float { negative, lit } => format!("{}{}", sign(negative), float(lit)),
                    PatLit::Char(c) => format!("(char {c})"),
                    PatLit::Bool(b) => b.to_string(),
                };
                self.out.push_str(&text);
            }
            PatKind::Paren(p) => self.node("paren", |d| d.sub_pat(*p)),
            PatKind::Tuple(ps) => self.node("tuple", |d| d.sub_pats(ps)),
            PatKind::Record(fields) => self.node("record", |d| {
                for (name, pat) in fields {
                    match pat {
                        None => d.word(name.name),
                        Some(pat) => {
                            d.word(format_args!("(= {}", name.name));
                            d.sub_pat(*pat);
                            d.out.push(')');
                        }
                    }
                }
            }),
            PatKind::Constr(name, args) => self.node(&format!("#{}", name.name), |d| d.sub_pats(args)),
            PatKind::Ascript(p, ty) => self.node(":", |d| {
                d.sub_pat(*p);
                d.sub_type(*ty);
            }),
            PatKind::Attr(a, p) => self.node(&attr(a), |d| d.sub_pat(*p)),
        }
    }

    fn size(&mut self, size: &SizeExp) {
        self.out.push_str(" [");
        size.expr.into_iter().for_each(|e| self.expr(e));
        self.out.push(']');
    }

    fn type_exp(&mut self, id: TypeExpId) {
        let ast = self.ast;
        match &ast[id].kind {
            TypeExpKind::Error => self.out.push_str("(error)"),
            TypeExpKind::Name(name) => {
                let _ = write!(self.out, "{name}");
            }
            TypeExpKind::Paren(t) => self.node("paren", |d| d.sub_type(*t)),
            TypeExpKind::Tuple(ts) => self.node("tuple", |d| ts.iter().for_each(|&t| d.sub_type(t))),
            TypeExpKind::Record(fields) => self.node("record", |d| {
                for (name, ty) in fields {
                    d.word(format_args!("(= {}", name.name));
                    d.sub_type(*ty);
                    d.out.push(')');
                }
            }),
            TypeExpKind::Array(size, t) => self.node("arr", |d| {
                d.size(size);
                d.sub_type(*t);
            }),
            TypeExpKind::Sum(constructors) => self.node("sum", |d| {
                for (name, payload) in constructors {
                    d.word(format_args!("(#{}", name.name));
                    payload.iter().for_each(|&t| d.sub_type(t));
                    d.out.push(')');
                }
            }),
            TypeExpKind::Arrow { param, arg, ret } => self.node("->", |d| {
                param.iter().for_each(|p| d.word(format_args!("{}:", p.name)));
                d.sub_type(*arg);
                d.sub_type(*ret);
            }),
            TypeExpKind::Apply(head, args) => self.node("app", |d| {
                d.sub_type(*head);
                for arg in args {
                    match arg {
                        TypeArg::Size(size) => d.size(size),
                        TypeArg::Type(t) => d.sub_type(*t),
                    }
                }
            }),
            TypeExpKind::Unique(t) => self.node("*", |d| d.sub_type(*t)),
            TypeExpKind::Exists(sizes, t) => self.node("exists", |d| {
                sizes.iter().for_each(|size| d.word(format_args!("[{}]", size.name)));
                d.sub_type(*t);
            }),
        }
    }

    fn doc_and_attrs(&mut self, doc: Option<&Doc>, attrs: &[Attr]) {
        if let Some(doc) = doc {
            self.word(format_args!("(doc {:?})", doc.text));
        }
        attrs.iter().for_each(|a| self.word(attr(a)));
    }

    fn dec(&mut self, id: DecId) {
        let ast = self.ast;
        let Dec { doc, attrs, kind, .. } = &ast[id];
        let head = match kind {
            DecKind::Error => "error",
            DecKind::Val(val) => match val.keyword {
                ValKeyword::Def => "def",
                ValKeyword::Entry => "entry",
                ValKeyword::Let => "toplet",
            },
            DecKind::Type(bind) => type_keyword(bind.liftedness),
            DecKind::Module(_) => "module",
            DecKind::ModType(_) => "moduletype",
            DecKind::Open(_) => "open",
            DecKind::Import(_) => "import",
            DecKind::Local(_) => "local",
        };
        self.node(head, |d| {
            d.doc_and_attrs(doc.as_ref(), attrs);
            match kind {
                DecKind::Error => {}
                DecKind::Val(val) => {
                    d.word(val.name.name);
                    d.type_params(&val.type_params);
                    d.sub_pats(&val.params);
                    d.result(val.ret);
                    d.sub_expr(val.body);
                }
                DecKind::Type(bind) => d.type_bind(bind),
                DecKind::Module(bind) => {
                    d.word(bind.name.name);
                    bind.params.iter().for_each(|p| d.mod_param(p));
                    d.mod_result(bind.mod_type);
                    d.out.push(' ');
                    d.mod_exp(bind.body);
                }
                DecKind::ModType(bind) => {
                    d.word(bind.name.name);
                    d.sub_mod_type(bind.body);
                }
                DecKind::Open(m) => {
                    d.out.push(' ');
                    d.mod_exp(*m);
                }
                DecKind::Import(path) => d.word(string(path.text.as_bytes())),
                DecKind::Local(dec) => {
                    d.out.push(' ');
                    d.dec(*dec);
                }
            }
        });
    }

    fn type_bind(&mut self, bind: &TypeBind) {
        self.word(bind.name.name);
        self.type_params(&bind.params);
        self.out.push_str(" =");
        self.sub_type(bind.body);
    }

    fn mod_param(&mut self, param: &ModParam) {
        self.word(format_args!("(param {}", param.name.name));
        self.sub_mod_type(param.mod_type);
        self.out.push(')');
    }

    fn mod_result(&mut self, mod_type: Option<ModTypeExpId>) {
        if let Some(mod_type) = mod_type {
            self.out.push_str(" :");
            self.sub_mod_type(mod_type);
        }
    }

    fn mod_exp(&mut self, id: ModExpId) {
        let ast = self.ast;
        match &ast[id].kind {
            ModExpKind::Error => self.out.push_str("(error)"),
            ModExpKind::Name(name) => {
                let _ = write!(self.out, "{name}");
            }
            ModExpKind::Paren(m) => self.node("paren", |d| d.sub_mod(*m)),
            ModExpKind::Import(path) => self.node("import", |d| d.word(string(path.text.as_bytes()))),
            ModExpKind::Decs(decs) => self.node("decs", |d| {
                for &dec in decs {
                    d.out.push(' ');
                    d.dec(dec);
                }
            }),
            ModExpKind::Apply(f, arg) => self.node("app", |d| {
                d.sub_mod(*f);
                d.sub_mod(*arg);
            }),
            ModExpKind::Ascript(m, mt) => self.node(":", |d| {
                d.sub_mod(*m);
                d.sub_mod_type(*mt);
            }),
            ModExpKind::Lambda { param, mod_type, body } => self.node("\\", |d| {
                d.mod_param(param);
                d.mod_result(*mod_type);
                d.sub_mod(*body);
            }),
        }
    }

    fn sub_mod(&mut self, id: ModExpId) {
        self.out.push(' ');
        self.mod_exp(id);
    }

    fn sub_mod_type(&mut self, id: ModTypeExpId) {
        self.out.push(' ');
        self.mod_type(id);
    }

    fn mod_type(&mut self, id: ModTypeExpId) {
        let ast = self.ast;
        match &ast[id].kind {
            ModTypeExpKind::Error => self.out.push_str("(error)"),
            ModTypeExpKind::Name(name) => {
                let _ = write!(self.out, "{name}");
            }
            ModTypeExpKind::Paren(mt) => self.node("paren", |d| d.sub_mod_type(*mt)),
            ModTypeExpKind::Specs(specs) => self.node("specs", |d| {
                for &spec in specs {
                    d.out.push(' ');
                    d.spec(spec);
                }
            }),
            ModTypeExpKind::With { base, name, params, body } => self.node("with", |d| {
                d.sub_mod_type(*base);
                d.word(name);
                d.type_params(params);
                d.out.push_str(" =");
                d.sub_type(*body);
            }),
            ModTypeExpKind::Arrow { param, arg, ret } => self.node("->", |d| {
                param.iter().for_each(|p| d.word(format_args!("{}:", p.name)));
                d.sub_mod_type(*arg);
                d.sub_mod_type(*ret);
            }),
        }
    }

    fn spec(&mut self, id: SpecId) {
        let ast = self.ast;
        let Spec { doc, attrs, kind, .. } = &ast[id];
        let head = match kind {
            SpecKind::Error => "error",
            SpecKind::Val { .. } => "val",
            SpecKind::TypeAbbr(bind) => type_keyword(bind.liftedness),
            SpecKind::Type { liftedness, .. } => type_keyword(*liftedness),
            SpecKind::Module { .. } => "module",
            SpecKind::Include(_) => "include",
        };
        self.node(head, |d| {
            d.doc_and_attrs(doc.as_ref(), attrs);
            match kind {
                SpecKind::Error => {}
                SpecKind::Val { name, type_params, ty } => {
                    d.word(name.name);
                    d.type_params(type_params);
                    d.result(Some(*ty));
                }
                SpecKind::TypeAbbr(bind) => d.type_bind(bind),
                SpecKind::Type { name, params, .. } => {
                    d.word(name.name);
                    d.type_params(params);
                }
                SpecKind::Module { name, mod_type } => {
                    d.word(name.name);
                    d.mod_result(Some(*mod_type));
                }
                SpecKind::Include(mt) => d.sub_mod_type(*mt),
            }
        });
    }
}

fn lifted(liftedness: Liftedness) -> &'static str {
    match liftedness {
        Liftedness::Unlifted => "",
        Liftedness::SizeLifted => "~",
        Liftedness::Lifted => "^",
    }
}

fn type_keyword(liftedness: Liftedness) -> &'static str {
    match liftedness {
        Liftedness::Unlifted => "type",
        Liftedness::SizeLifted => "type~",
        Liftedness::Lifted => "type^",
    }
}

fn int(lit: &IntLit) -> String {
    let overflow = if lit.overflow { "!" } else { "" };
    format!("{}{}{overflow}", lit.value, lit.suffix.map_or("", Prim::name))
}

fn float(lit: &FloatLit) -> String {
    format!("{:?}{}", lit.value, lit.suffix.map_or("", Prim::name))
}

/// In double quotes; bytes that are not printable ASCII as `\xHH`.
fn string(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &b in bytes {
        match b {
            b'"' | b'\\' => out.extend(['\\', char::from(b)]),
            b' '..=b'~' => out.push(char::from(b)),
            _ => {
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out.push('"');
    out
}

fn operator(op: &BinOp) -> String {
    if op.backtick { format!("`{}`", op.name) } else { op.name.to_string() }
}

fn attr(attr: &Attr) -> String {
    format!("#[{}]", attr_text(&attr.kind))
}

fn attr_text(attr: &AttrKind) -> String {
    match attr {
        AttrKind::Name(name) => name.to_string(),
        AttrKind::Number(n) => n.to_string(),
        AttrKind::Compound(name, attrs) => {
            let attrs: Vec<String> = attrs.iter().map(attr_text).collect();
            format!("{name}({})", attrs.join(" "))
        }
    }
}
