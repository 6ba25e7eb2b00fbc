//! Reads what the parallel and the memory stage add: `par`, places, layouts.

use super::lexer::Token;
use super::{Parsed, Parser};
use crate::exp::{Tunable, TunableClass};
use crate::layout::{Dim, Layout, Pair};
use crate::mem::{Place, Slots, Space};
use crate::par::{Form, Level, OpKind, Par, ParOp, Post};
use crate::poly::Poly;
use crate::prog::Operand;
use crate::target::WorkerOrder;
use crate::value::Scalar;
use kenaz_base::Symbol;

impl Parser<'_> {
    pub(super) fn par(&mut self) -> Parsed<Par> {
        let level = self.level()?;
        let space = self.in_parens(|p| {
            let index = p.name()?;
            p.punct("<")?;
            Ok((index, p.operand()?))
        })?;
        let plan = self.plan()?;
        let mut ops = Vec::new();
        while let Some(kind) = self.op_kind()? {
            let neutral = self.operands()?;
            let shape = if self.is_punct("[")? { self.sizes()? } else { Vec::new() };
            ops.push(ParOp { kind, neutral, shape, lambda: self.lambda()? });
        }
        let mut forms = Vec::new();
        while let Some(form) = self.form()? {
            forms.push(form);
        }
        let body = self.body()?;
        let mut post = None;
        if self.eat_word("post")? {
            let params = self.in_parens(Self::param)?;
            post = Some(Post { params, body: self.body()? });
        }
        Ok(Par { level, space, plan, ops, body, post, forms })
    }

    fn level(&mut self) -> Parsed<Option<Level>> {
        let &Token::Word(word) = self.peek()? else { return Ok(None) };
        let level = match word {
            "core" => Level::Core,
            "simd" => Level::Simd(0),
            "grid" => Level::Grid,
            "block" => Level::Block,
            "lane" => Level::Lane,
            _ => return self.expected("a level or `(`"),
        };
        self.next()?;
        match (level, self.peek()?) {
            (Level::Simd(_), Token::Number(_)) => Ok(Some(Level::Simd(self.number()?))),
            _ => Ok(Some(level)),
        }
    }

    fn op_kind(&mut self) -> Parsed<Option<OpKind>> {
        let kind = match self.peek()? {
            Token::Word("scan") => OpKind::Scan,
            Token::Word("reduce") => OpKind::Reduce { commutative: false },
            Token::Word("reduce_comm") => OpKind::Reduce { commutative: true },
            _ => return Ok(None),
        };
        self.next()?;
        Ok(Some(kind))
    }

    fn form(&mut self) -> Parsed<Option<Form>> {
        if self.eat_word("own")? {
            return Ok(Some(Form::Own));
        }
        if self.eat_word("tile")? {
            return Ok(Some(Form::Tile(self.sizes()?)));
        }
        if self.eat_word("write")? {
            let dest = self.name()?;
            self.word("rank")?;
            return Ok(Some(Form::Write { dest, rank: self.number()? }));
        }
        if self.eat_word("acc")? {
            let dests = self.names()?;
            self.word("rank")?;
            let (rank, neutral) = (self.number()?, self.operands()?);
            return Ok(Some(Form::Acc { dests, rank, neutral, op: self.lambda()? }));
        }
        Ok(None)
    }

    pub(super) fn space(&mut self) -> Parsed<Space> {
        if let Token::Word(word) = self.peek()?
            && let Some(space) = Space::from_name(word)
        {
            self.next()?;
            return Ok(space);
        }
        self.expected("`host`, `device`, `shared` or `private`")
    }

    /// `"name" threshold 32`
    pub(super) fn tunable(&mut self) -> Parsed<Tunable> {
        let name = Symbol::intern(&self.text()?);
        let found = match self.peek()? {
            Token::Word(word) => TunableClass::ALL.into_iter().find(|class| class.name() == *word),
            _ => None,
        };
        let Some(class) = found else { return self.expected("`threshold` or `shared_memory`") };
        self.next()?;
        Ok(Tunable { name, class, default: self.number()? })
    }

    /// `core outermost host n_1 most k_2`
    pub(super) fn slots(&mut self) -> Parsed<Slots> {
        let Some(level) = self.level()? else { return self.expected("a level") };
        let &Token::Word(word) = self.peek()? else { return self.expected("`outermost` or `innermost`") };
        let Some(order) = WorkerOrder::ALL.into_iter().find(|order| order.name() == word) else {
            return self.expected("`outermost` or `innermost`");
        };
        self.next()?;
        let (space, bytes) = (self.space()?, self.operand()?);
        let most = if self.eat_word("most")? { Some(self.operand()?) } else { None };
        Ok(Slots { level, order, space, bytes, most })
    }

    /// `m_1 -> 0 + {(n_2 : 1)}`
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let block = self.name()?;
        self.punct("->")?;
        let offset = self.poly()?;
        self.punct("{")?;
        let mut dims = Vec::new();
        while self.eat("(")? {
            let mut pairs = Vec::new();
            if self.is_punct("(")? {
                while self.eat("(")? {
                    pairs.push(self.pair()?);
                }
                self.punct(")")?;
            } else {
                pairs.push(self.pair()?);
            }
            dims.push(Dim(pairs));
        }
        self.punct("}")?;
        Ok(Place { block, layout: Layout { offset, dims } })
    }

    /// `n : s)`
    fn pair(&mut self) -> Parsed<Pair> {
        let size = self.poly()?;
        self.punct(":")?;
        let stride = self.poly()?;
        self.punct(")")?;
        Ok(Pair { size, stride })
    }

    /// `2*n_1*m_2 + -1*k_3 + 4`, followed by a `+` where a layout goes on.
    pub(super) fn poly(&mut self) -> Parsed<Poly> {
        let mut sum = Poly::default();
        loop {
            let at = self.here();
            let mut term = self.factor()?;
            while self.eat("*")? {
                let factor = self.factor()?;
                term = term.times(&factor).ok_or_else(|| self.too_large(at))?;
            }
            sum = sum.plus(&term, 1).ok_or_else(|| self.too_large(at))?;
            if !self.eat("+")? || self.is_punct("{")? {
                return Ok(sum);
            }
        }
    }

    fn factor(&mut self) -> Parsed<Poly> {
        // An `i64`, or a coefficient that is larger.
        if let Token::Number(text) = self.peek()? {
            let Ok(n) = text.parse::<i128>() else { return self.expected("an `i64`") };
            self.next()?;
            return Ok(Poly::constant(n));
        }
        match self.operand()? {
            Operand::Const(Scalar::I64(n)) => Ok(Poly::constant(n.into())),
            Operand::Var(name) => Ok(Poly::name(name)),
            Operand::Const(_) => self.expected("an `i64`"),
        }
    }

    fn too_large(&self, at: usize) -> super::ParseError {
        self.lexer.error(at, "this polynomial is too large".to_string())
    }
}
