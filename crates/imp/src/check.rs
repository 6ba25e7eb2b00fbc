//! What holds of every finished program, so that code generation need not look: names are declared once and before they
//! are used, everything has its type, blocks are not scalars, what is bound by `let` is not assigned, and a variable
//! has a value before it is read, so that in particular the results have one on all paths. A block stays in its space,
//! and code touches only blocks that its level reaches. What holds of regions is in [`region`].

mod region;

use crate::{Arg, Cell, Combined, Exp, Fun, Lock, MessagePart, Param, Prog, Side, Stm, Traced, Ty};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::{Level, Name, Space};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::fmt;

/// A program that is not right, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The function or region.
    pub fun: Symbol,
    pub rule: Rule,
    pub message: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}: [{}] {}", self.fun, self.rule.id(), self.message)
    }
}

impl std::error::Error for CheckError {}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A name is declared once in a function or region.
    DeclaredOnce,
    /// A name is declared before it is used, in the same block of statements or around it.
    DeclaredBefore,
    /// Only variables are assigned.
    Assignable,
    /// A variable has a value before it is read.
    Assigned,
    /// A scalar is of the type that is expected.
    Type,
    /// A block is where a block is expected, and a scalar where a scalar is.
    Kind,
    /// A block on the stack stays there.
    OnStack,
    /// A table has elements, nobody writes to it, and it is not passed on.
    Constant,
    /// A call has the arguments and results of a function before it.
    Call,
    /// The sides of a copy have a stride for each size.
    Rank,
    /// The block of a parameter belongs to the caller, who gives it up.
    Borrowed,
    /// A block variable gets only blocks of its own space, and code reads and writes only what its level reaches.
    Space,
    /// Parallel loops are regions by now. A region belongs to a function, has a name of its own, a level that has
    /// regions, and the ids of that level.
    Region,
    /// A launch is of a region of the same function that comes before, with arguments for its parameters.
    Launch,
    /// The level of what is launched may stand in the level around it.
    Nesting,
    /// The cases of a switch are different and of the type of what it is on.
    Cases,
    /// Lanes stand in a region for a block, and not in one another; they assign no variable around them. Memory that
    /// they share is declared outside of them, and what they have on their stacks, which only they reach. What they
    /// have is combined outside of them, in shared memory. Only blocks are launched with lanes.
    Lanes,
    /// What is updated while others do the same is in the memory of a device, and of a block only its lanes do so.
    /// Several elements are updated under a lock, and one without.
    Update,
    /// A board is declared by the host, and nobody reads or writes its elements. A region for a block takes its number
    /// once, in any case and outside of lanes, and then tells and waits for things on that board alone, in that turn.
    /// Lanes wait, and blocks tell.
    Board,
}

impl Rule {
    pub fn id(self) -> &'static str {
        match self {
            Rule::DeclaredOnce => "declared-once",
            Rule::DeclaredBefore => "declared-before",
            Rule::Assignable => "assignable",
            Rule::Assigned => "assigned",
            Rule::Type => "type",
            Rule::Kind => "kind",
            Rule::OnStack => "on-stack",
            Rule::Constant => "constant",
            Rule::Call => "call",
            Rule::Rank => "rank",
            Rule::Borrowed => "borrowed",
            Rule::Space => "space",
            Rule::Region => "region",
            Rule::Launch => "launch",
            Rule::Nesting => "nesting",
            Rule::Cases => "cases",
            Rule::Lanes => "lanes",
            Rule::Update => "update",
            Rule::Board => "board",
        }
    }
}

/// Whether a program is right.
pub fn check(prog: &Prog) -> Result<(), CheckError> {
    let mut regions = region::by_function(prog)?;
    let mut known = Known::default();
    for fun in &prog.funs {
        let in_code = |name: Symbol| move |(rule, message)| CheckError { fun: name, rule, message };
        known.regions.clear();
        for region in regions.remove(&fun.name).unwrap_or_default() {
            let launched = Checker::new(&known, Some(region.level)).region(region).map_err(in_code(region.name))?;
            known.regions.insert(region.name, launched);
        }
        let mut checker = Checker::new(&known, None);
        checker.fun(fun).map_err(in_code(fun.name))?;
        let levels = checker.launches;
        known.funs.insert(fun.name, Called { fun, levels });
    }
    Ok(())
}

/// What was found right so far.
#[derive(Default)]
struct Known<'a> {
    funs: FxHashMap<Symbol, Called<'a>>,
    /// Those of the function that is looked at.
    regions: FxHashMap<Symbol, region::Launched<'a>>,
}

struct Called<'a> {
    fun: &'a Fun,
    /// The levels of what it launches, itself or by calls, but not of what stands in that.
    levels: Vec<Level>,
}

type Checked = Result<(), (Rule, String)>;

fn error<T>(rule: Rule, message: impl Into<String>) -> Result<T, (Rule, String)> {
    Err((rule, message.into()))
}

/// What a name is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A scalar that keeps its value.
    Fixed(Prim),
    Variable(Ty),
    /// A block that keeps its place.
    Block(Space),
    /// One of the caller.
    Borrowed(Space),
    OnStack(Prim),
    /// A block of constants.
    Table(Prim),
    /// One on the stack of each lane.
    PerLane(Prim),
}

struct Checker<'k, 'a> {
    known: &'k Known<'a>,
    /// Who runs this, if it is a region.
    level: Option<Level>,
    /// The levels of what it launches.
    launches: Vec<Level>,
    /// In the code of lanes: what is declared there.
    of_lane: Option<FxHashSet<Name>>,
    /// The board that a number was taken from, and the turn.
    board: Option<(Name, Name)>,
    /// The types of elements in blocks on the stack of whoever launches the region.
    on_their_stack: RefCell<FxHashMap<Name, Prim>>,
    /// What is in scope.
    names: FxHashMap<Name, Kind>,
    /// What was declared so far, also where it is out of scope now.
    declared: FxHashSet<Name>,
    /// In the order in which they came into scope.
    scope: Vec<Name>,
    /// Variables that have a value, and the order in which they got it.
    assigned: FxHashSet<Name>,
    log: Vec<Name>,
}

impl<'k, 'a> Checker<'k, 'a> {
    fn new(known: &'k Known<'a>, level: Option<Level>) -> Checker<'k, 'a> {
        Checker {
            known,
            level,
            launches: Vec::new(),
            of_lane: None,
            board: None,
            on_their_stack: RefCell::default(),
            names: FxHashMap::default(),
            declared: FxHashSet::default(),
            scope: Vec::new(),
            assigned: FxHashSet::default(),
            log: Vec::new(),
        }
    }

    fn fun(&mut self, fun: &Fun) -> Checked {
        for Param { name, ty } in &fun.params {
            self.declare(*name, as_fixed(*ty))?;
        }
        for Param { name, ty } in &fun.results {
            self.declare(*name, Kind::Variable(*ty))?;
        }
        self.stms(&fun.body)?;
        for Param { name, .. } in &fun.results {
            if !self.assigned.contains(name) {
                return error(Rule::Assigned, format!("the result {name} has no value on some path"));
            }
        }
        Ok(())
    }

    // Scopes

    fn declare(&mut self, name: Name, kind: Kind) -> Checked {
        if !self.declared.insert(name) {
            return error(Rule::DeclaredOnce, format!("{name} is declared twice"));
        }
        self.names.insert(name, kind);
        self.scope.push(name);
        if let Some(own) = &mut self.of_lane {
            own.insert(name);
        }
        Ok(())
    }

    fn stms(&mut self, stms: &[Stm]) -> Checked {
        with_stack(|| {
            let before = self.scope.len();
            stms.iter().try_for_each(|stm| self.stm(stm))?;
            for name in self.scope.drain(before..) {
                self.names.remove(&name);
            }
            Ok(())
        })
    }

    fn assign(&mut self, name: Name) {
        if self.assigned.insert(name) {
            self.log.push(name);
        }
    }

    /// What a block of statements assigns; it is forgotten.
    fn branch(&mut self, stms: &[Stm]) -> Result<Vec<Name>, (Rule, String)> {
        let before = self.log.len();
        self.stms(stms)?;
        let assigned = self.log.split_off(before);
        for name in &assigned {
            self.assigned.remove(name);
        }
        Ok(assigned)
    }

    /// One of several blocks of statements is run: what all of them assign is assigned.
    fn branches<'s>(&mut self, bodies: impl IntoIterator<Item = &'s Vec<Stm>>) -> Checked {
        let mut counts: FxHashMap<Name, usize> = FxHashMap::default();
        let mut order = Vec::new();
        let mut total = 0;
        for body in bodies {
            total += 1;
            for name in self.branch(body)? {
                let count = counts.entry(name).or_default();
                *count += 1;
                if *count == 1 {
                    order.push(name);
                }
            }
        }
        for name in order {
            if counts.get(&name) == Some(&total) {
                self.assign(name);
            }
        }
        Ok(())
    }

    // Names

    fn kind(&self, name: Name) -> Result<Kind, (Rule, String)> {
        match self.names.get(&name) {
            Some(kind) => Ok(*kind),
            None => error(Rule::DeclaredBefore, format!("{name} is not in scope")),
        }
    }

    /// A block that is used as it is, and its space.
    fn block(&self, name: Name) -> Result<(Kind, Space), (Rule, String)> {
        let kind = self.kind(name)?;
        match kind {
            Kind::Block(space) | Kind::Borrowed(space) => Ok((kind, space)),
            Kind::OnStack(_) | Kind::Table(_) | Kind::PerLane(_) => Ok((kind, Space::Private)),
            Kind::Variable(Ty::Block(space)) => self.has_value(name).map(|()| (kind, space)),
            Kind::Fixed(_) | Kind::Variable(Ty::Scalar(_)) => error(Rule::Kind, format!("{name} is no block")),
        }
    }

    /// A block whose elements are used.
    fn elements(&self, name: Name, prim: Prim) -> Checked {
        let (kind, space) = self.block(name)?;
        self.reached(name, space)?;
        if self.board.is_some_and(|(board, _)| board == name) {
            return error(Rule::Board, format!("{name} is a board"));
        }
        let own = match kind {
            Kind::OnStack(own) | Kind::Table(own) => own,
            Kind::PerLane(_) if self.of_lane.is_none() => {
                return error(Rule::Lanes, format!("{name} belongs to each lane"));
            }
            Kind::PerLane(own) => own,
            Kind::Borrowed(Space::Private) => *self.on_their_stack.borrow_mut().entry(name).or_insert(prim),
            _ => return Ok(()),
        };
        match own == prim {
            true => Ok(()),
            false => error(Rule::Type, format!("{name} has elements of type {}, not {}", own.name(), prim.name())),
        }
    }

    /// A block whose elements change.
    fn written(&self, name: Name, prim: Prim) -> Checked {
        match self.kind(name)? {
            Kind::Table(_) => error(Rule::Constant, format!("{name} is a table")),
            _ => self.elements(name, prim),
        }
    }

    fn reached(&self, name: Name, space: Space) -> Checked {
        match space.is_reached_from(self.level) {
            true => Ok(()),
            false => error(Rule::Space, format!("{name} is in {space} memory, out of reach")),
        }
    }

    /// Whether a block is in the memory of a device, where host code cannot reach its elements but can have them moved.
    fn is_far(&self, name: Name) -> Result<bool, (Rule, String)> {
        let (_, space) = self.block(name)?;
        Ok(self.level.is_none() && space == Space::Device)
    }

    /// A block whose elements are fetched or sent.
    fn out_of_reach(&self, name: Name) -> Checked {
        match self.is_far(name)? {
            true => Ok(()),
            false => error(Rule::Space, format!("{name} is not in the memory of a device, seen from the host")),
        }
    }

    /// The space of a block that is passed on or given up.
    fn movable(&self, name: Name) -> Result<Space, (Rule, String)> {
        match self.block(name)? {
            (Kind::OnStack(_) | Kind::PerLane(_) | Kind::Borrowed(Space::Private), _) => {
                error(Rule::OnStack, format!("{name} is on the stack"))
            }
            (Kind::Table(_), _) => error(Rule::Constant, format!("{name} is a table")),
            (_, space) => Ok(space),
        }
    }

    fn has_value(&self, name: Name) -> Checked {
        if self.assigned.contains(&name) {
            Ok(())
        } else {
            error(Rule::Assigned, format!("{name} is read before it has a value"))
        }
    }

    /// A variable or block that changes hands.
    fn own(&self, name: Name) -> Checked {
        match &self.of_lane {
            Some(own) if !own.contains(&name) => error(Rule::Lanes, format!("{name} belongs to all lanes")),
            _ => Ok(()),
        }
    }

    fn lanes(&mut self, lane: Name, body: &[Stm]) -> Checked {
        if self.level != Some(Level::Block) || self.of_lane.is_some() {
            return error(Rule::Lanes, format!("the lanes with {lane} are not those of a block"));
        }
        let before = self.scope.len();
        self.of_lane = Some(FxHashSet::default());
        self.level = Some(Level::Lane);
        self.declare(lane, Kind::Fixed(Prim::I64))?;
        self.branch(body)?;
        self.level = Some(Level::Block);
        self.of_lane = None;
        for name in self.scope.drain(before..) {
            self.names.remove(&name);
        }
        Ok(())
    }

    /// Something for all lanes together.
    fn in_block(&self, name: Name) -> Checked {
        match self.level == Some(Level::Block) && self.of_lane.is_none() {
            true => Ok(()),
            false => error(Rule::Lanes, format!("{name} is not for a block")),
        }
    }

    fn combine(&mut self, values: &[Combined], busy: &Exp, body: &[Stm]) -> Checked {
        self.exp(busy, Prim::I64)?;
        for Combined { own, prim, room, .. } in values {
            self.in_block(*own)?;
            match (self.kind(*own)?, self.block(*room)?.1) {
                (Kind::PerLane(found), Space::Shared) if found == *prim => {}
                _ => return error(Rule::Lanes, format!("{own} is not combined in {room}")),
            }
        }
        let before = self.scope.len();
        for Combined { prim, left, right, .. } in values {
            self.declare(*left, Kind::Fixed(*prim))?;
            self.declare(*right, Kind::Fixed(*prim))?;
        }
        // Each lane runs it by itself.
        self.of_lane = Some(self.scope[before..].iter().copied().collect());
        body.iter().try_for_each(|stm| self.stm(stm))?;
        values.iter().try_for_each(|value| self.exp(&value.result, value.prim))?;
        self.of_lane = None;
        for name in self.scope.drain(before..) {
            self.names.remove(&name);
        }
        values.iter().try_for_each(|value| self.declare(value.all, Kind::Fixed(value.prim)))
    }

    fn on_board(&self, board: Name, turn: &Exp, at: &Exp) -> Checked {
        self.exp(turn, Prim::U32)?;
        self.exp(at, Prim::I64)?;
        match (self.board, turn) {
            (Some((taken, own)), Exp::Var(turn, _)) if taken == board && own == *turn => Ok(()),
            _ => error(Rule::Board, format!("no number was taken from {board} in this turn")),
        }
    }

    // Statements

    fn stm(&mut self, stm: &Stm) -> Checked {
        match stm {
            Stm::Let { name, prim, value } => {
                self.exp(value, *prim)?;
                self.declare(*name, Kind::Fixed(*prim))
            }
            Stm::Declare { name, ty } => self.declare(*name, Kind::Variable(*ty)),
            Stm::Set { name, value } => match self.kind(*name)? {
                Kind::Variable(Ty::Scalar(prim)) => {
                    self.own(*name)?;
                    self.exp(value, prim)?;
                    self.assign(*name);
                    Ok(())
                }
                Kind::Fixed(_) => error(Rule::Assignable, format!("{name} is no variable")),
                Kind::Variable(Ty::Block(_))
                | Kind::Block(_)
                | Kind::Borrowed(_)
                | Kind::OnStack(_)
                | Kind::PerLane(_)
                | Kind::Table(_) => error(Rule::Kind, format!("{name} is a block")),
            },
            Stm::SetBlock { name, from } => {
                let space = self.movable(*from)?;
                match self.kind(*name)? {
                    Kind::Variable(Ty::Block(own)) if own == space => {
                        self.own(*name)?;
                        self.assign(*name);
                        Ok(())
                    }
                    Kind::Variable(Ty::Block(own)) => {
                        error(Rule::Space, format!("{name} is for blocks in {own} memory, but {from} is in {space}"))
                    }
                    Kind::Block(_) | Kind::Borrowed(_) | Kind::OnStack(_) | Kind::PerLane(_) | Kind::Table(_) => {
                        error(Rule::Assignable, format!("{name} is no variable"))
                    }
                    Kind::Fixed(_) | Kind::Variable(Ty::Scalar(_)) => error(Rule::Kind, format!("{name} is no block")),
                }
            }
            Stm::Alloc { name, space, bytes } => {
                self.exp(bytes, Prim::I64)?;
                // Host code has the memory of devices in its hands, though not their elements.
                if self.level.is_some() || *space != Space::Device {
                    self.reached(*name, *space)?;
                }
                self.declare(*name, Kind::Block(*space))
            }
            Stm::Width { name, shares } => {
                self.exp(shares, Prim::I64)?;
                self.declare(*name, Kind::Fixed(Prim::I64))
            }
            Stm::Workers { name } | Stm::Tunable { name, .. } => self.declare(*name, Kind::Fixed(Prim::I64)),
            Stm::Shared { name, offset } => {
                self.exp(offset, Prim::I64)?;
                if self.level != Some(Level::Block) {
                    return error(Rule::Lanes, format!("{name} is not declared by a block"));
                }
                self.declare(*name, Kind::Borrowed(Space::Shared))
            }
            Stm::Lanes { lane, count, body } => {
                self.exp(count, Prim::I64)?;
                self.lanes(*lane, body)
            }
            Stm::PerLane { name, prim, len } => {
                self.in_block(*name)?;
                if *len == 0 {
                    return error(Rule::OnStack, format!("{name} has no elements"));
                }
                self.declare(*name, Kind::PerLane(*prim))
            }
            Stm::Combine { values, busy, body, .. } => self.combine(values, busy, body),
            Stm::Board { name, words } => {
                self.exp(words, Prim::I64)?;
                match self.level {
                    None => self.declare(*name, Kind::Borrowed(Space::Device)),
                    Some(level) => error(Rule::Board, format!("{name} is declared at {level}")),
                }
            }
            Stm::Take { number, turn, board } => {
                self.in_block(*number)?;
                if self.block(*board)?.1 != Space::Device || self.board.replace((*board, *turn)).is_some() {
                    return error(Rule::Board, format!("{number} is not the only number, or from no board"));
                }
                self.declare(*number, Kind::Fixed(Prim::I64))?;
                self.declare(*turn, Kind::Fixed(Prim::U32))
            }
            Stm::Publish { board, turn, at, values } => {
                self.in_block(*board)?;
                self.on_board(*board, turn, at)?;
                values.iter().try_for_each(|value| self.exp(value, value.prim()))
            }
            Stm::Await { names, board, turn, at } => {
                if self.of_lane.is_none() {
                    return error(Rule::Board, format!("{board} is waited for by no lane"));
                }
                self.on_board(*board, turn, at)?;
                names.iter().try_for_each(|(name, prim)| self.declare(*name, Kind::Fixed(*prim)))
            }
            Stm::Slot { name, from, offset } => {
                self.exp(offset, Prim::I64)?;
                match self.block(*from)? {
                    (Kind::OnStack(_) | Kind::PerLane(_), _) => error(Rule::OnStack, format!("{from} is on the stack")),
                    (_, space) => self.declare(*name, Kind::Borrowed(space)),
                }
            }
            Stm::Local { name, prim, len } => {
                if *len == 0 {
                    return error(Rule::OnStack, format!("{name} has no elements"));
                }
                self.declare(*name, Kind::OnStack(*prim))
            }
            Stm::Table { name, prim, values } => {
                if values.is_empty() {
                    return error(Rule::Constant, format!("{name} has no elements"));
                }
                if let Some(value) = values.iter().find(|value| value.prim() != *prim) {
                    return error(Rule::Type, format!("{value} is not of type {}", prim.name()));
                }
                self.declare(*name, Kind::Table(*prim))
            }
            Stm::Free { name } => match self.block(*name)? {
                (Kind::Borrowed(_), _) => error(Rule::Borrowed, format!("{name} is not given up here")),
                _ => self.movable(*name).map(drop),
            },
            Stm::Share { name, from } => {
                let space = self.movable(*from)?;
                self.declare(*name, Kind::Block(space))
            }
            Stm::Store { block, prim, index, value } => {
                self.written(*block, *prim)?;
                self.exp(index, Prim::I64)?;
                self.exp(value, *prim)
            }
            Stm::Race { block, prim, index, value } => {
                self.written(*block, *prim)?;
                self.exp(index, Prim::I64)?;
                self.exp(value, *prim)
            }
            Stm::Update { cells, lock, body } => self.update(cells, lock.as_ref(), body),
            Stm::Read { name, block, prim, index } => {
                self.out_of_reach(*block)?;
                self.exp(index, Prim::I64)?;
                self.declare(*name, Kind::Fixed(*prim))
            }
            Stm::Write { block, prim, index, value } => {
                self.out_of_reach(*block)?;
                self.exp(index, Prim::I64)?;
                self.exp(value, *prim)
            }
            Stm::Streams { name, bytes } => {
                self.exp(bytes, Prim::I64)?;
                self.declare(*name, Kind::Fixed(Prim::Bool))
            }
            Stm::Stream { block, prim, index, from, .. } => {
                self.written(*block, *prim)?;
                self.elements(*from, *prim)?;
                self.exp(index, Prim::I64)
            }
            Stm::Chunks { name, iterations, work, .. } => {
                self.exp(iterations, Prim::I64)?;
                self.exp(work, Prim::I64)?;
                self.declare(*name, Kind::Fixed(Prim::I64))
            }
            Stm::Parallel { ids, .. } => {
                let ids: Vec<String> = ids.iter().map(Name::to_string).collect();
                error(Rule::Region, format!("the loop with {} is no region", ids.join(", ")))
            }
            Stm::Launch { region, args, iterations, count, lanes } => {
                self.exp(iterations, Prim::I64)?;
                self.exp(count, Prim::I64)?;
                if let Some(lanes) = lanes {
                    self.exp(&lanes.count, Prim::I64)?;
                    self.exp(&lanes.shared, Prim::I64)?;
                }
                self.launch(*region, args, lanes.is_some())
            }
            Stm::Copy { prim, sizes, to, from } => {
                self.indices(sizes)?;
                if !self.is_far(to.block)? {
                    self.written(to.block, *prim)?;
                }
                for side in [to, from] {
                    self.side(side, *prim, sizes.len())?;
                }
                Ok(())
            }
            Stm::For { var, prim, bound, body, .. } => {
                if !prim.is_integer() {
                    return error(Rule::Type, format!("{var} is no integer"));
                }
                self.exp(bound, *prim)?;
                self.declare(*var, Kind::Fixed(*prim))?;
                let before = self.scope.len() - 1;
                self.branch(body)?;
                for name in self.scope.drain(before..) {
                    self.names.remove(&name);
                }
                Ok(())
            }
            Stm::While { cond, body } => {
                self.exp(cond, Prim::Bool)?;
                self.branch(body).map(drop)
            }
            Stm::If { cond, yes, no } => {
                self.exp(cond, Prim::Bool)?;
                self.branches([yes, no])
            }
            Stm::Switch { on, cases, default } => {
                let prim = on.prim();
                self.exp(on, prim)?;
                let mut seen = FxHashSet::default();
                for (value, _) in cases {
                    if value.prim() != prim || !seen.insert(*value) {
                        return error(Rule::Cases, format!("the case {value} is of another type or not the first"));
                    }
                }
                self.branches(cases.iter().map(|(_, body)| body).chain([default]))
            }
            Stm::Call { fun, args, results } => self.call(*fun, args, results),
            Stm::Assert { cond, message, .. } => {
                self.exp(cond, Prim::Bool)?;
                message.iter().try_for_each(|part| match part {
                    MessagePart::Text(_) => Ok(()),
                    MessagePart::Value(x) => self.exp(x, x.prim()),
                })
            }
            Stm::Trace { value: Traced::Scalar(x), .. } => self.exp(x, x.prim()),
            Stm::Trace { value: Traced::Array { block, prim, offset, sizes }, .. } => {
                if !self.is_far(*block)? {
                    self.elements(*block, *prim)?;
                }
                self.exp(offset, Prim::I64)?;
                self.indices(sizes)
            }
        }
    }

    fn update(&mut self, cells: &[Cell], lock: Option<&Lock>, body: &[Stm]) -> Checked {
        // All lanes run the code of their block, so that each of them would do it.
        if self.level == Some(Level::Block) {
            return error(Rule::Update, "a block as a whole updates elements that others may update");
        }
        match (cells, lock) {
            ([], _) => return error(Rule::Update, "no element is updated"),
            ([_], Some(lock)) => return error(Rule::Update, format!("{} is locked for one element", lock.block)),
            ([_, _, ..], None) => {
                return error(Rule::Update, format!("{} elements are updated without a lock", cells.len()));
            }
            ([_], None) | (_, Some(_)) => {}
        }
        if let Some(lock) = lock {
            self.written(lock.block, Prim::I32)?;
            self.contended(lock.block)?;
            self.exp(&lock.index, Prim::I64)?;
        }
        for cell in cells {
            self.written(cell.block, cell.prim)?;
            self.contended(cell.block)?;
            self.exp(&cell.index, Prim::I64)?;
        }
        let before = self.scope.len();
        for cell in cells {
            self.declare(cell.old, Kind::Fixed(cell.prim))?;
        }
        body.iter().try_for_each(|stm| self.stm(stm))?;
        cells.iter().try_for_each(|cell| self.exp(&cell.value, cell.prim))?;
        for name in self.scope.drain(before..) {
            self.names.remove(&name);
        }
        Ok(())
    }

    /// A block that several threads can reach.
    fn contended(&self, name: Name) -> Checked {
        match self.block(name)?.1 {
            Space::Device | Space::Shared => Ok(()),
            space => error(Rule::Update, format!("nobody else reaches {name} in {space} memory")),
        }
    }

    fn call(&mut self, fun: Symbol, args: &[Arg], results: &[Name]) -> Checked {
        let Some(Called { fun: callee, levels }) = self.known.funs.get(&fun) else {
            return error(Rule::Call, format!("there is no function {fun} before this one"));
        };
        levels.iter().try_for_each(|level| self.nests(*level))?;
        if callee.params.len() != args.len() || callee.results.len() != results.len() {
            return error(Rule::Call, format!("{fun} has other parameters or results"));
        }
        for (param, arg) in callee.params.iter().zip(args) {
            match (param.ty, arg) {
                (Ty::Scalar(prim), Arg::Scalar(x)) => self.exp(x, prim)?,
                (Ty::Block(wanted), Arg::Block(name)) => {
                    let space = self.movable(*name)?;
                    if space != wanted {
                        return error(Rule::Space, format!("{name} is in {space} memory, not in {wanted}"));
                    }
                }
                _ => return error(Rule::Kind, format!("{} of {fun} is a {}", param.name, param.ty)),
            }
        }
        for (result, name) in callee.results.iter().zip(results) {
            match self.kind(*name)? {
                Kind::Variable(ty) if ty == result.ty => self.assign(*name),
                Kind::Variable(_) => return error(Rule::Type, format!("{name} is no {}", result.ty)),
                _ => return error(Rule::Assignable, format!("{name} is no variable")),
            }
        }
        Ok(())
    }

    fn side(&self, side: &Side, prim: Prim, rank: usize) -> Checked {
        if side.strides.len() != rank {
            return error(Rule::Rank, format!("{} strides for {rank} sizes", side.strides.len()));
        }
        if !self.is_far(side.block)? {
            self.elements(side.block, prim)?;
        }
        self.exp(&side.offset, Prim::I64)?;
        self.indices(&side.strides)
    }

    // Expressions

    fn indices(&self, exps: &[Exp]) -> Checked {
        exps.iter().try_for_each(|x| self.exp(x, Prim::I64))
    }

    fn exp(&self, x: &Exp, prim: Prim) -> Checked {
        if x.prim() != prim {
            return error(Rule::Type, format!("{x} is of type {}, not {}", x.prim().name(), prim.name()));
        }
        let defined = |is_defined: bool| {
            if is_defined { Ok(()) } else { error(Rule::Type, format!("there is no such operation: {x}")) }
        };
        match x {
            Exp::Const(_) => Ok(()),
            Exp::Var(name, prim) => match self.kind(*name)? {
                Kind::Fixed(own) | Kind::Variable(Ty::Scalar(own)) if own != *prim => {
                    error(Rule::Type, format!("{name} is of type {}, not {}", own.name(), prim.name()))
                }
                Kind::Fixed(_) => Ok(()),
                Kind::Variable(Ty::Scalar(_)) => self.has_value(*name),
                Kind::Variable(Ty::Block(_))
                | Kind::Block(_)
                | Kind::Borrowed(_)
                | Kind::OnStack(_)
                | Kind::PerLane(_)
                | Kind::Table(_) => error(Rule::Kind, format!("{name} is no scalar")),
            },
            Exp::Un(op, prim, x) => {
                defined(op.allows(*prim))?;
                self.exp(x, *prim)
            }
            Exp::Bin(op, prim, x, y) => {
                defined(op.allows(*prim))?;
                self.exp(x, *prim)?;
                self.exp(y, *prim)
            }
            Exp::Cmp(_, prim, x, y) => {
                self.exp(x, *prim)?;
                self.exp(y, *prim)
            }
            Exp::Conv(from, _, x) => self.exp(x, *from),
            Exp::Math(f, prim, args) => {
                let Some((params, _)) = f.signature(*prim) else { return defined(false) };
                defined(params.len() == args.len())?;
                params.iter().zip(args).try_for_each(|(prim, x)| self.exp(x, *prim))
            }
            Exp::Load { block, prim, index } => {
                self.elements(*block, *prim)?;
                self.exp(index, Prim::I64)
            }
            Exp::Select(prim, cond, x, y) => {
                self.exp(cond, Prim::Bool)?;
                self.exp(x, *prim)?;
                self.exp(y, *prim)
            }
            Exp::Add(x, y) | Exp::Sub(x, y) | Exp::Mul(x, y) | Exp::Quot(x, y) | Exp::Rem(x, y) => {
                self.exp(x, Prim::I64)?;
                self.exp(y, Prim::I64)
            }
        }
    }
}

/// A parameter keeps its value, and its block belongs to the caller.
fn as_fixed(ty: Ty) -> Kind {
    match ty {
        Ty::Scalar(prim) => Kind::Fixed(prim),
        Ty::Block(space) => Kind::Borrowed(space),
    }
}
