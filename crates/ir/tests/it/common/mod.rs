//! Random programs: any shape that the data types allow, well typed or not.

use kenaz_base::attr::Arg;
use kenaz_base::{Prim, Rng, Symbol};
use kenaz_ir::plan::{Chunks, Lanes, Piece, Split, Squares, Stream, Strips, Tile};
use kenaz_ir::*;
use std::sync::Arc;

pub(crate) struct Gen {
    rng: Rng,
    pub locs: Locs,
    /// The types of entry points, whose names are different.
    entry_types: Vec<Arc<EntryType>>,
}

const BASES: [&str; 14] = ["x", "xs", "r'", "m.f", "", "_", "a_1", "+", "x y", "0", "é", "`{\"}\\\n", "in", "-- \u{1}"];
const PLACES: [&str; 6] = ["prog.fut:2:15-20", "a b.fut:1:1", "\"q\"<", "--x", "{}.fut", "\u{85}é"];

impl Gen {
    pub(crate) fn new(seed: u64) -> Gen {
        Gen { rng: Rng::new(seed), locs: Locs::default(), entry_types: Vec::new() }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.rng.next()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn some<T>(&mut self, max: usize, mut f: impl FnMut(&mut Gen) -> T) -> Vec<T> {
        (0..self.below(max + 1)).map(|_| f(self)).collect()
    }

    fn text(&mut self) -> &'static str {
        self.pick(&["", "a", "Index [0] {x_1} out of \"bounds\".\n", "\\", "\t\u{7f}é{", "}"])
    }

    pub(crate) fn prog(&mut self) -> Prog {
        self.entry_types = vec![EntryType::plain(Part { prim: self.prim(), rank: self.below(3) })];
        for i in 0..self.below(6) {
            let name = Symbol::intern(&format!("{}{i}", self.text()));
            let kind = self.entry_kind();
            self.entry_types.push(Arc::new(EntryType { name, kind }));
        }
        let funs = (0..1 + self.below(3)).map(|_| self.fun()).collect();
        Prog { funs, locs: std::mem::take(&mut self.locs), fresh: Fresh::from(1000) }
    }

    fn fun(&mut self) -> Fun {
        let doc = self.some(1, Gen::text).pop().map(str::to_string);
        let entry = Entry { params: self.some(2, Gen::entry_param), results: self.some(2, Gen::entry_param), doc };
        Fun {
            name: self.symbol(),
            entry: Some(entry).filter(|_| self.below(2) == 0),
            params: self.some(3, Gen::param),
            results: self.some(3, Gen::param),
            body: self.body(3),
            attrs: self.attrs(),
            loc: self.loc(),
        }
    }

    fn entry_param(&mut self) -> EntryParam {
        EntryParam { name: self.symbol(), unique: self.below(2) == 0, ty: self.entry_type() }
    }

    fn entry_type(&mut self) -> Arc<EntryType> {
        let i = self.below(self.entry_types.len());
        self.entry_types[i].clone()
    }

    fn entry_kind(&mut self) -> EntryKind {
        match self.below(5) {
            0 => EntryKind::Record((0..self.below(4)).map(|i| self.entry_field(Symbol::field(i))).collect()),
            1 => EntryKind::Record(self.some(3, Gen::named_field)),
            2 => EntryKind::Opaque(self.some(2, Gen::part)),
            3 => {
                let payload = |g: &mut Gen| (g.entry_type(), g.some(2, |g| g.below(5)));
                let variant = |g: &mut Gen| EntryVariant { name: g.symbol(), payload: g.some(2, payload) };
                EntryKind::Sum(EntrySum { parts: self.some(3, Gen::part), variants: self.some(3, variant) })
            }
            _ => {
                let (rank, elem) = (self.below(3), self.entry_type());
                EntryKind::Array(EntryArray { rank, elem, fields: self.some(2, Gen::named_field) })
            }
        }
    }

    fn named_field(&mut self) -> EntryField {
        let name = self.symbol();
        self.entry_field(name)
    }

    fn entry_field(&mut self, name: Symbol) -> EntryField {
        EntryField { name, ty: self.entry_type() }
    }

    fn part(&mut self) -> Part {
        Part { prim: self.prim(), rank: self.below(3) }
    }

    fn symbol(&mut self) -> Symbol {
        Symbol::intern(self.pick(&BASES))
    }

    fn attrs(&mut self) -> Attrs {
        if self.below(3) > 0 {
            return Attrs::default();
        }
        Attrs(self.some(2, Gen::attr))
    }

    fn attr(&mut self) -> Attr {
        let flattening = Attr::parse("incremental_flattening", Some(&[Arg::Name(Symbol::intern("no_outer"))]));
        match self.below(5) {
            0 => Attr::Sequential,
            1 => Attr::Trace(Some(self.symbol())),
            2 => Attr::Simd(8),
            3 => Attr::Bound(self.next()),
            _ => flattening.unwrap(),
        }
    }

    fn loc(&mut self) -> LocId {
        let mut caller = None;
        for _ in 0..self.below(4) {
            let place = Symbol::intern(self.pick(&PLACES));
            caller = Some(self.locs.add(Loc { place, caller }));
        }
        caller.unwrap_or(Locs::NOWHERE())
    }

    pub(crate) fn name(&mut self) -> Name {
        Name { base: self.symbol(), id: self.below(20) as u32 }
    }

    fn prim(&mut self) -> Prim {
        self.pick(&Prim::ALL)
    }

    pub(crate) fn scalar(&mut self) -> Scalar {
        let prim = self.prim();
        let bits = match self.below(4) {
            0 => self.below(3) as u64,
            1 => self.next(),
            // Infinities, NaNs and zeros with either sign.
            2 => self.pick(&[0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x8000]),
            _ => self.pick(&[0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7ff8 << 48, 0xfff0 << 48, 1 << 63]),
        };
        Scalar::from_bits(prim, bits)
    }

    fn operand(&mut self) -> Operand {
        if self.below(3) == 0 { Operand::Const(self.scalar()) } else { Operand::Var(self.name()) }
    }

    fn operands(&mut self) -> Vec<Operand> {
        self.some(3, Gen::operand)
    }

    fn names(&mut self) -> Vec<Name> {
        self.some(3, Gen::name)
    }

    fn ty(&mut self) -> Type {
        match self.below(9) {
            8 => Type::Mem(self.pick(&Space::ALL)),
            0 => Type::Cert,
            1 => Type::Acc { token: self.name(), shape: self.operands(), elems: self.some(2, Gen::ty) },
            2..5 => Type::Prim(self.prim()),
            _ => {
                let n = self.operand();
                Type::Array([vec![n], self.operands()].concat(), self.prim())
            }
        }
    }

    fn param(&mut self) -> Param {
        let place = self.some(1, Gen::place).pop().filter(|_| self.below(2) == 0).map(Box::new);
        Param { name: self.name(), ty: self.ty(), unique: self.below(4) == 0, place }
    }

    fn place(&mut self) -> Place {
        let pair = |g: &mut Gen| layout::Pair { size: g.poly(), stride: g.poly() };
        let dims = self.some(3, |g| layout::Dim((0..1 + g.below(2)).map(|_| pair(g)).collect()));
        Place { block: self.name(), layout: Layout { offset: self.poly(), dims } }
    }

    fn poly(&mut self) -> Poly {
        let mut sum = Poly::default();
        for _ in 0..self.below(4) {
            let factor = match self.below(4) {
                0 => i128::from(self.next() as i64),
                1 => i128::from(i64::MIN),
                _ => 1 - self.below(4) as i128,
            };
            let names = self.names();
            let product = names.into_iter().try_fold(Poly::constant(1), |p, name| p.times(&Poly::name(name)));
            sum = sum.plus(&product.expect("of low degree"), factor).expect("of few terms");
        }
        sum
    }

    pub(crate) fn body(&mut self, depth: usize) -> Body {
        Body { stms: self.some(3, |g| g.stm(depth)), results: self.operands() }
    }

    fn stm(&mut self, depth: usize) -> Stm {
        let certs = if self.below(3) == 0 { self.names() } else { Vec::new() };
        Stm { pat: self.some(2, Gen::param), certs, attrs: self.attrs(), exp: self.exp(depth), loc: self.loc() }
    }

    /// A text without values next to each other that would read as one.
    fn message(&mut self) -> Message {
        let mut parts = Vec::new();
        for _ in 0..self.below(3) {
            parts.push(MessagePart::Value(self.operand()));
            let text = self.text();
            if !text.is_empty() {
                parts.push(MessagePart::Text(text.to_string()));
            }
        }
        Message { kind: self.pick(&[CheckKind::Program, CheckKind::Hole, CheckKind::Arguments]), parts }
    }

    fn dim_slice(&mut self) -> DimSlice {
        if self.below(2) == 0 {
            return DimSlice::Fix(self.operand());
        }
        DimSlice::Range { start: self.operand(), len: self.operand(), stride: self.operand() }
    }

    fn slices(&mut self) -> Vec<DimSlice> {
        self.some(3, Gen::dim_slice)
    }

    fn lambda(&mut self, depth: usize) -> Lambda {
        let params = self.some(2, Gen::param);
        let body = self.body(depth - 1);
        Lambda { params, body, ret: self.some(2, Gen::ty) }
    }

    fn exp(&mut self, depth: usize) -> Exp {
        match self.below(if depth == 0 { 26 } else { 40 }) {
            37 | 38 => Exp::Par(self.par(depth)),
            39 => Exp::Mem(match self.below(5) {
                0 => MemExp::Alloc(self.pick(&Space::ALL), self.operand()),
                1 => MemExp::Free(self.name()),
                2 => MemExp::Share(self.name()),
                3 => MemExp::Slot(self.name()),
                _ => MemExp::AllocEach(Slots {
                    level: self.pick(&[Level::Core, Level::Grid, Level::Simd(8)]),
                    order: self.pick(&WorkerOrder::ALL),
                    space: self.pick(&Space::ALL),
                    bytes: self.operand(),
                    most: self.some(1, Gen::operand).pop(),
                }),
            }),
            0 => Exp::Operand(self.operand()),
            1 => Exp::Un(self.pick(UnOp::ALL), self.operand()),
            2 => Exp::Bin(self.pick(BinOp::ALL), self.operand(), self.operand()),
            3 => Exp::Cmp(self.pick(CmpOp::ALL), self.operand(), self.operand()),
            4 => Exp::Conv(self.prim(), self.operand()),
            5 => Exp::Math(self.pick(MathFn::ALL), self.prim(), self.operands()),
            6 => Exp::Assert(self.operand(), self.message()),
            7 => Exp::Index(self.name(), self.operands()),
            8 => Exp::Slice(self.name(), self.slices()),
            9 => Exp::Update(self.name(), self.slices(), self.operand()),
            10 => Exp::Array(self.operands(), self.ty()),
            11 => Exp::Iota { len: self.operand(), start: self.operand(), stride: self.operand(), prim: self.prim() },
            12 => Exp::Replicate(self.operands(), self.operand()),
            13 => Exp::Scratch(self.operands(), self.prim()),
            14 => Exp::Concat(self.operand(), self.names()),
            15 => Exp::Rearrange(self.some(3, |g| g.below(4)), self.name()),
            16 => Exp::Reshape(self.operands(), self.name()),
            17 => Exp::Resize(self.operands(), self.name()),
            18 => Exp::Copy(self.name()),
            19 => Exp::FlatIndex(self.name(), self.operand(), self.some(2, |g| (g.operand(), g.operand()))),
            20 => Exp::FlatUpdate(self.name(), self.operand(), self.operands(), self.name()),
            21 => Exp::Call(self.symbol(), self.operands()),
            22 => {
                let (acc, index, values) = (self.name(), self.operands(), self.operands());
                Exp::Soac(Soac::UpdateAcc { acc, index, values })
            }
            23 => Exp::Trace(Symbol::intern(self.text()), self.operand()),
            24 => Exp::Opaque(self.operand()),
            25 => {
                let prim = self.prim();
                let (start, stride) = (Scalar::zero(prim), Scalar::from_bits(prim, 1));
                Exp::Iota { len: self.operand(), start: Operand::Const(start), stride: Operand::Const(stride), prim }
            }
            26 => Exp::If(self.operand(), self.body(depth - 1), self.body(depth - 1)),
            27 => {
                let cases = self.some(2, |g| (g.scalar(), g.body(depth - 1)));
                Exp::Match(self.operand(), cases, self.body(depth - 1))
            }
            28 => {
                let form = if self.below(2) == 0 {
                    LoopForm::While(self.name())
                } else {
                    LoopForm::For(self.name(), self.prim(), self.operand())
                };
                Exp::Loop { params: self.some(2, |g| (g.param(), g.operand())), form, body: self.body(depth - 1) }
            }
            29 => Exp::Jvp(self.lambda(depth), self.operands(), self.operands()),
            30 => Exp::Vjp(self.lambda(depth), self.operands(), self.operands()),
            n => Exp::Soac(self.soac(n, depth)),
        }
    }

    fn par(&mut self, depth: usize) -> Par {
        let width = self.below(3) as u32;
        let level = self.pick(&[
            None,
            Some(Level::Core),
            Some(Level::Simd(8 * width)),
            Some(Level::Grid),
            Some(Level::Block),
            Some(Level::Lane),
        ]);
        let op = |g: &mut Gen| {
            let commutative = g.below(2) == 0;
            let kind = g.pick(&[OpKind::Scan, OpKind::Reduce { commutative }]);
            ParOp { kind, lambda: g.lambda(depth), neutral: g.operands(), shape: g.operands() }
        };
        let form = |g: &mut Gen| match g.below(4) {
            0 => Form::Own,
            1 => Form::Tile(g.operands()),
            2 => Form::Write { dest: g.name(), rank: g.below(3) },
            _ => Form::Acc { dests: g.names(), rank: g.below(3), op: g.lambda(depth), neutral: g.operands() },
        };
        Par {
            level,
            space: self.some(3, |g| (g.name(), g.operand())),
            plan: self.plan(),
            ops: self.some(2, op),
            forms: self.some(3, form),
            body: self.body(depth - 1),
            post: self.some(1, |g| Post { params: g.some(2, Gen::param), body: g.body(depth - 1) }).pop(),
        }
    }

    /// Any pieces, in their order.
    fn plan(&mut self) -> Plan {
        let mut plan = Plan::default();
        for _ in 0..self.below(4) {
            let (a, b) = (self.below(9), self.below(9));
            let [x, y] = [a, b].map(|n| n as u64);
            plan.set(match self.below(10) {
                0 => Piece::Chunks(Chunks { work: self.poly(), uneven: a < 4, inside: b < 4 }),
                1 => {
                    let (of_columns, of_rows) = (self.names(), self.names());
                    Piece::Tile(Tile { rows: x, columns: y, of_columns, of_rows, block: x * 1024, fewest: y })
                }
                2 => Piece::Strips(Strips { dim: a, len: y, stms: b, kept: self.names(), at_once: vec![x; b % 3] }),
                3 => Piece::Order(vec![a, b]),
                4 => Piece::Squares(Squares { across: a, along: b, side: x }),
                5 => Piece::Split(Split { dim: a, sizes: self.some(3, Gen::poly) }),
                6 => Piece::Guard,
                7 => Piece::Lanes(Lanes { wide: x, narrow: y, fewest: x }),
                8 => Piece::Cuts(self.names()),
                _ => Piece::Stream(Stream { bytes: x, fewest: y }),
            });
        }
        plan
    }

    fn soac(&mut self, n: usize, depth: usize) -> Soac {
        let (width, arrays) = (self.operand(), self.names());
        match n {
            31 | 32 => {
                let map = self.lambda(depth);
                let scans = self.some(2, |g| Scan { op: g.lambda(depth), neutral: g.operands() });
                let commutative = self.below(2) == 0;
                let reduces = self.some(2, |g| Reduce { op: g.lambda(depth), neutral: g.operands(), commutative });
                let post = self.some(1, |g| g.lambda(depth)).pop();
                Soac::Screma { width, arrays, map, scans, reduces, post }
            }
            33 => Soac::Filter { width, arrays, pred: self.lambda(depth) },
            34 => {
                let dests = self.some(2, |g| ScatterDest { array: g.name(), rank: g.below(3) });
                Soac::Scatter { width, arrays, map: self.lambda(depth), dests }
            }
            35 => {
                let op = |g: &mut Gen| HistOp {
                    dests: g.names(),
                    rank: g.below(3),
                    op: g.lambda(depth),
                    neutral: g.operands(),
                };
                let ops = self.some(2, op);
                Soac::Hist { width, arrays, map: self.lambda(depth), ops }
            }
            _ => {
                let input = |g: &mut Gen| AccInput {
                    shape: g.operands(),
                    dests: g.names(),
                    op: g.some(1, |g| (g.lambda(depth), g.operands())).pop(),
                };
                let inputs = self.some(2, input);
                Soac::WithAcc { inputs, body: self.lambda(depth) }
            }
        }
    }
}
