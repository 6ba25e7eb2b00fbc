//! Reads expressions. The word with which an expression begins says which it is.

use super::lexer::Token;
use super::{Parsed, Parser};
use crate::exp::{AccInput, DimSlice, Exp, HistOp, Lambda, LoopForm, Reduce, Scan, ScatterDest, Soac};
use crate::mem::MemExp;
use crate::name::Name;
use crate::op::{BinOp, CmpOp, MathFn, UnOp};
use crate::print::{evident_types, iota_defaults};
use crate::prog::{Body, Operand, Param};
use crate::types::Type;
use kenaz_base::Symbol;

impl Parser<'_> {
    pub(super) fn exp(&mut self) -> Parsed<Exp> {
        if let Some(operand) = self.try_operand()? {
            return Ok(Exp::Operand(operand));
        }
        let &Token::Word(word) = self.peek()? else { return self.expected("an expression") };
        if let Some(op) = UnOp::from_text(word) {
            self.next()?;
            return Ok(Exp::Un(op, self.operand()?));
        }
        if let Some(op) = BinOp::from_text(word) {
            self.next()?;
            return Ok(Exp::Bin(op, self.operand()?, self.operand()?));
        }
        if let Some(op) = CmpOp::from_text(word) {
            self.next()?;
            return Ok(Exp::Cmp(op, self.operand()?, self.operand()?));
        }
        if let Some(f) = MathFn::from_text(word) {
            self.next()?;
            return Ok(Exp::Math(f, self.prim()?, self.operands()?));
        }
        if let Some(parse) = Self::operator(word) {
            self.next()?;
            return parse(self);
        }
        match self.soac(word)? {
            Some(soac) => Ok(Exp::Soac(soac)),
            None => self.expected("an expression"),
        }
    }

    /// How an expression that begins with this word goes on.
    fn operator(word: &str) -> Option<fn(&mut Self) -> Parsed<Exp>> {
        Some(match word {
            "conv" => |p| Ok(Exp::Conv(p.prim()?, p.operand()?)),
            "assert" => |p| Ok(Exp::Assert(p.operand()?, p.message()?)),
            "index" => |p| Ok(Exp::Index(p.name()?, p.sizes()?)),
            "slice" => |p| Ok(Exp::Slice(p.name()?, p.in_brackets(Self::dim_slice)?)),
            "update" => |p| Ok(Exp::Update(p.name()?, p.in_brackets(Self::dim_slice)?, p.value()?)),
            "array" => |p| {
                let elems = p.sizes()?;
                p.punct(":")?;
                Ok(Exp::Array(elems, p.ty()?))
            },
            "iota" => Self::iota,
            "replicate" => |p| Ok(Exp::Replicate(p.sizes()?, p.operand()?)),
            "scratch" => |p| Ok(Exp::Scratch(p.sizes()?, p.prim()?)),
            "concat" => |p| Ok(Exp::Concat(p.operand()?, p.names()?)),
            "rearrange" => |p| Ok(Exp::Rearrange(p.in_parens(Self::number)?, p.name()?)),
            "reshape" => |p| Ok(Exp::Reshape(p.sizes()?, p.name()?)),
            "resize" => |p| Ok(Exp::Resize(p.sizes()?, p.name()?)),
            "copy" => |p| Ok(Exp::Copy(p.name()?)),
            "flat" => |p| Ok(Exp::FlatIndex(p.name()?, p.operand()?, p.in_brackets(Self::flat_dim)?)),
            "flat_update" => |p| {
                let (array, offset, strides) = (p.name()?, p.operand()?, p.sizes()?);
                p.punct("=")?;
                Ok(Exp::FlatUpdate(array, offset, strides, p.name()?))
            },
            "if" => |p| {
                let cond = p.operand()?;
                p.word("then")?;
                let yes = p.body()?;
                p.word("else")?;
                Ok(Exp::If(cond, yes, p.body()?))
            },
            "match" => |p| {
                let x = p.operand()?;
                let mut cases = Vec::new();
                while p.eat_word("case")? {
                    cases.push((p.scalar()?, p.body()?));
                }
                p.word("else")?;
                Ok(Exp::Match(x, cases, p.body()?))
            },
            "loop" => Self::loop_,
            "call" => |p| Ok(Exp::Call(p.symbol()?, p.operands()?)),
            "par" => |p| Ok(Exp::Par(p.par()?)),
            "alloc" => |p| Ok(Exp::Mem(MemExp::Alloc(p.space()?, p.operand()?))),
            "free" => |p| Ok(Exp::Mem(MemExp::Free(p.name()?))),
            "share" => |p| Ok(Exp::Mem(MemExp::Share(p.name()?))),
            "alloc_each" => |p| Ok(Exp::Mem(MemExp::AllocEach(p.slots()?))),
            "slot" => |p| Ok(Exp::Mem(MemExp::Slot(p.name()?))),
            "jvp" => |p| Ok(Exp::Jvp(p.lambda()?, p.operands()?, p.operands()?)),
            "vjp" => |p| Ok(Exp::Vjp(p.lambda()?, p.operands()?, p.operands()?)),
            "trace" => |p| Ok(Exp::Trace(Symbol::intern(&p.text()?), p.operand()?)),
            "opaque" => |p| Ok(Exp::Opaque(p.operand()?)),
            "tunable" => |p| Ok(Exp::Tunable(p.tunable()?)),
            _ => return None,
        })
    }

    pub(super) fn operands(&mut self) -> Parsed<Vec<Operand>> {
        self.in_parens(Self::operand)
    }

    pub(super) fn names(&mut self) -> Parsed<Vec<Name>> {
        self.in_parens(Self::name)
    }

    pub(super) fn sizes(&mut self) -> Parsed<Vec<Operand>> {
        self.in_brackets(Self::operand)
    }

    /// `= v`
    fn value(&mut self) -> Parsed<Operand> {
        self.punct("=")?;
        self.operand()
    }

    /// `i` or `s :+ n * d`
    fn dim_slice(&mut self) -> Parsed<DimSlice> {
        let start = self.operand()?;
        if !self.eat(":+")? {
            return Ok(DimSlice::Fix(start));
        }
        let len = self.operand()?;
        self.punct("*")?;
        Ok(DimSlice::Range { start, len, stride: self.operand()? })
    }

    fn flat_dim(&mut self) -> Parsed<(Operand, Operand)> {
        self.punct("(")?;
        let n = self.operand()?;
        self.punct(",")?;
        let stride = self.operand()?;
        self.punct(")")?;
        Ok((n, stride))
    }

    fn iota(&mut self) -> Parsed<Exp> {
        let len = self.operand()?;
        let mut bounds = None;
        if self.eat_word("from")? {
            let start = self.operand()?;
            self.word("by")?;
            bounds = Some((start, self.operand()?));
        }
        self.punct(":")?;
        let prim = self.prim()?;
        let (start, stride) = bounds.unwrap_or(iota_defaults(prim));
        Ok(Exp::Iota { len, start, stride, prim })
    }

    fn loop_(&mut self) -> Parsed<Exp> {
        let params = self.in_parens(|p| {
            let param = p.param()?;
            Ok((param, p.value()?))
        })?;
        let form = if self.eat_word("while")? {
            LoopForm::While(self.name()?)
        } else {
            self.word("for")?;
            let i = self.name()?;
            self.punct(":")?;
            let prim = self.prim()?;
            self.punct("<")?;
            LoopForm::For(i, prim, self.operand()?)
        };
        Ok(Exp::Loop { params, form, body: self.body()? })
    }

    fn soac(&mut self, word: &str) -> Parsed<Option<Soac>> {
        if !matches!(
            word,
            "map"
                | "scan"
                | "reduce"
                | "reduce_comm"
                | "screma"
                | "filter"
                | "scatter"
                | "hist"
                | "with_acc"
                | "update_acc"
        ) {
            return Ok(None);
        }
        self.next()?;
        match word {
            "with_acc" => return self.with_acc().map(Some),
            "update_acc" => {
                let (acc, index, values) = (self.name()?, self.operands()?, self.operands()?);
                return Ok(Some(Soac::UpdateAcc { acc, index, values }));
            }
            _ => {}
        }
        let (width, arrays) = (self.operand()?, self.names()?);
        let (mut scans, mut reduces) = (Vec::new(), Vec::new());
        Ok(Some(match word {
            "filter" => Soac::Filter { width, arrays, pred: self.lambda()? },
            "scatter" => {
                let map = self.lambda()?;
                self.word("into")?;
                let dests = self.in_parens(|p| {
                    let array = p.name()?;
                    p.word("rank")?;
                    Ok(ScatterDest { array, rank: p.number()? })
                })?;
                Soac::Scatter { width, arrays, map, dests }
            }
            "hist" => {
                let map = self.lambda()?;
                let mut ops = Vec::new();
                while self.eat_word("into")? {
                    let dests = self.names()?;
                    self.word("rank")?;
                    let (rank, neutral) = (self.number()?, self.operands()?);
                    ops.push(HistOp { dests, rank, neutral, op: self.lambda()? });
                }
                Soac::Hist { width, arrays, map, ops }
            }
            "map" => Soac::Screma { width, arrays, map: self.lambda()?, scans, reduces, post: None },
            "screma" => {
                self.word("map")?;
                let map = self.lambda()?;
                while self.eat_word("scan")? {
                    let neutral = self.operands()?;
                    scans.push(Scan { neutral, op: self.lambda()? });
                }
                while self.is_word("reduce")? || self.is_word("reduce_comm")? {
                    let commutative = self.eat_word("reduce_comm")? || !self.eat_word("reduce")?;
                    let neutral = self.operands()?;
                    reduces.push(Reduce { neutral, commutative, op: self.lambda()? });
                }
                let post = if self.eat_word("post")? { Some(self.lambda()?) } else { None };
                Soac::Screma { width, arrays, map, scans, reduces, post }
            }
            // `scan`, `reduce` and `reduce_comm` of arrays as they are.
            _ => {
                let neutral = self.operands()?;
                let op = self.lambda()?;
                let map = self.identity(&op.ret);
                match word {
                    "scan" => scans.push(Scan { op, neutral }),
                    _ => reduces.push(Reduce { op, neutral, commutative: word == "reduce_comm" }),
                }
                Soac::Screma { width, arrays, map, scans, reduces, post: None }
            }
        }))
    }

    fn with_acc(&mut self) -> Parsed<Soac> {
        let mut inputs = Vec::new();
        while self.eat("(")? {
            let (shape, dests) = (self.sizes()?, self.names()?);
            let mut op = None;
            if !self.is_punct(")")? {
                let neutral = self.operands()?;
                op = Some((self.lambda()?, neutral));
            }
            self.punct(")")?;
            inputs.push(AccInput { shape, dests, op });
        }
        Ok(Soac::WithAcc { inputs, body: self.lambda()? })
    }

    /// `\(x_1: i64): t, … -> {…}`
    pub(super) fn lambda(&mut self) -> Parsed<Lambda> {
        self.punct("\\")?;
        let params = self.in_parens(Self::param)?;
        let given = if !self.eat(":")? {
            self.punct("->")?;
            None
        } else if self.eat("(")? {
            self.punct(")")?;
            self.punct("->")?;
            Some(Vec::new())
        } else {
            Some(self.list("->", Self::ty)?)
        };
        self.peek()?;
        let at = self.here();
        let body = self.body()?;
        match given.or_else(|| evident_types(&params, &body)) {
            Some(ret) => Ok(Lambda { params, body, ret }),
            None => {
                let message = "the types of the results must be written before `->`: one of them is bound elsewhere";
                Err(self.lexer.error(at, message.to_string()))
            }
        }
    }

    fn identity(&mut self, types: &[Type]) -> Lambda {
        let params: Vec<Param> = types.iter().map(|ty| Param::new(self.fresh.named("x"), ty.clone())).collect();
        let results = params.iter().map(|p| p.name.into()).collect();
        Lambda { params, body: Body { stms: Vec::new(), results }, ret: types.to_vec() }
    }
}
