//! The rules of all stages.

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident $id:literal;)*) => {
        /// A rule of some stage. It prints as its id.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $($(#[$doc])* $variant),* }

        impl Rule {
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            pub fn id(self) -> &'static str {
                match self { $(Rule::$variant => $id),* }
            }
        }
    };
}

rules! {
    // Names
    /// No two functions have the same name.
    FunctionOnce "function-once";
    /// A name is bound once in the whole program.
    BoundOnce "bound-once";
    /// A name is used only in its scope: the statements after the one that binds it and the results of the body; the
    /// body of the lambda, loop or function it is a parameter of; the pattern, parameters of a loop or results of a
    /// function beside it. A parameter of a function or lambda is the size only of those after it.
    BoundBeforeUse "bound-before-use";

    // Stages
    /// `par` belongs to the parallel stage and the memory stage, blocks, places and plans to the memory stage alone;
    /// the operators of the array stage end there.
    Stage "stage";

    // Attributes
    /// A pass leaves pinned operators alone: see [`pins`](super::pins()).
    Pin "pin";

    // Types
    /// A size in a type is an `i64`. The token of an accumulator's type is a `cert`; its elements are scalars or
    /// arrays.
    WellFormedType "well-formed-type";

    // Statements
    /// The certificates `<c>` on which a statement relies are names of type `cert`.
    Certificate "certificate";
    /// The pattern has as many names as the expression has results, of the same types. For `if`, `match`, `loop`,
    /// `call` and `filter` a name of the pattern stands for a result that is a size of others.
    Pattern "pattern";

    // Scalars
    /// The operands of a scalar operation have one type, on which there is that operation; a conversion is of a scalar.
    Scalar "scalar";
    /// `assert` has a `bool`, and scalars in its message.
    Assert "assert";

    // Arrays
    /// `index` has at least one index, all `i64`, and not more than the array has dimensions.
    Index "index";
    /// `slice` has for each dimension of the array an index or a range, all `i64`.
    Slice "slice";
    /// `update` has a slice of the array and a value of the type of that slice.
    Update "update";
    /// The elements of `array` are scalars or arrays of the type it states.
    ArrayLiteral "array-literal";
    /// `iota` has an `i64` length and a start and stride of its type, which is an integer type.
    Iota "iota";
    /// `replicate` and `scratch` have at least one dimension, all `i64`; what is replicated is a scalar or an array.
    Replicate "replicate";
    /// `concat` has at least one array, all of the same row type, and an `i64` for the sum of their sizes.
    Concat "concat";
    /// `rearrange` has a permutation of the dimensions of its array.
    Rearrange "rearrange";
    /// `reshape` has at least one dimension and `resize` as many as its array, all `i64`.
    Reshape "reshape";
    /// `flat` and `flat_update` have an array of one dimension, offset, sizes and strides of `i64`, at least one
    /// stride; the value that is written has as many dimensions as there are strides, and the same elements.
    Flat "flat";
    /// `copy` is of an array.
    Copy "copy";

    // Control
    /// The condition of `if` is a `bool`; that of `match` an integer, as are the cases; each body yields as many
    /// values as the pattern has names, of the pattern's types with the yielded sizes in the place of the pattern's
    /// names.
    Branch "branch";
    /// The initial values and the values that the body yields have the types of the parameters, with these values in
    /// the place of the parameters that are sizes. The bound of `for` has the integer type of its variable; the
    /// condition of `while` is a parameter of type `bool`.
    Loop "loop";
    /// `call` is of an earlier function, with as many arguments as it has parameters and of their types, with the
    /// arguments in the place of parameters that are sizes.
    Call "call";

    // Second-order operators
    /// The width is an `i64` and the outer size of all arrays. Only the fused operator also takes accumulators.
    Width "width";
    /// A lambda has a parameter for each input, of its row's type.
    LambdaParams "lambda-params";
    /// The body of a lambda yields values of the types that the lambda states. A lambda that may run more than once
    /// yields only accumulators that it took as parameters, each once.
    LambdaResults "lambda-results";
    /// The first results of the mapped function are the operands of the scans and reductions, which are scalars or
    /// arrays; the rest are scalars, arrays or accumulators.
    Screma "screma";
    /// An operator that combines values takes two of each and yields one of each, has neutral elements of their types,
    /// and consumes no parameter.
    Operator "operator";
    /// The function of `filter` yields one `bool`.
    Filter "filter";
    /// The function of `scatter` yields `i64` indices, as many as each destination's rank, which is at least one and
    /// at most that of the array; then for each destination a row of what the indices leave.
    Scatter "scatter";
    /// The function of `hist` yields the indices for each operator, then its values: the destinations of an operator
    /// have the same outer dimensions, as many as its rank.
    Hist "hist";
    /// The destinations of an accumulator have its shape as outer dimensions; the function of `with_acc` takes a
    /// `cert` for each accumulator, then the accumulators, whose token these are, and yields them first.
    WithAcc "with-acc";
    /// `update_acc` has an accumulator, an `i64` for each dimension of its shape and a value of each of its element
    /// types.
    UpdateAcc "update-acc";
    /// The function of `jvp` and `vjp` is applied to values of its parameters' types; the direction of `jvp` has these
    /// types too, that of `vjp` those of the results.
    Derivative "derivative";

    // The parallel stage
    /// The space of `par` has at least one dimension, all bounds `i64`; one dimension if there are scans.
    ParSpace "par-space";
    /// An operator of `par` takes two scalars of each of its types and yields one of each, has neutral elements of
    /// these types, and consumes no parameter. Scans come before reductions and have no vector shape, which is made of
    /// `i64`s.
    ParOperator "par-operator";
    /// The body of `par` yields the operands of the operators, arrays of the vector shape where there is one, and then
    /// what the forms need: a scalar or an array for `own`; an array whose outer dimensions are those of the tile for
    /// `tile`; for `write` and `acc` an `i64` for each dimension of the rank, which is at least one and at most that of
    /// the destination, and what these leave of the destinations, which for `acc` are scalars.
    ParBody "par-body";
    /// There is a `post` if and only if there are scans. Its parameters have the types of the scans.
    ParPost "par-post";
    /// A size of the result of `tile` is the product of the size of the space and that of the tile.
    ParTile "par-tile";
    /// `core`, `grid` and `block` stand in host code, which is what no level is around, and `core` also in `core`;
    /// `simd` in host code, `core`, `grid` and `lane`; `lane` in `block`. What a function does counts where it is
    /// called.
    Nesting "nesting";

    // Functions
    /// The body yields values of the types of the function's results, with the yielded sizes in the place of results
    /// that are sizes.
    Results "results";
    /// The parts of an entry point's types are the parameters and results of the function, in number and type; only
    /// sizes of others may be left out.
    Entry "entry";
    /// Types of entry points that have the same name are the same.
    EntryTypeOnce "entry-type-once";
    /// Scalars and arrays of scalars have the name of their part as a type, and no other types have such names. The
    /// fields of a record have different names.
    EntryType "entry-type";
    /// The first part of a sum is a `u8`. The values of a variant are in parts of their types, no two in the same one.
    EntrySum "entry-sum";
    /// An array has dimensions and elements that are neither scalars nor arrays. It has the fields of its elements, as
    /// arrays.
    EntryArray "entry-array";

    // Aliases and consumption: see `alias`
    /// Nothing is used after it, or what it may share memory with, was consumed on a way that leads there;
    /// the lambdas of an operator and the body of a loop come after what these consume.
    UsedAfterConsumed "used-after-consumed";
    /// No expression uses what it consumes, or what may share memory with it, in another place.
    ConsumedAndUsed "consumed-and-used";
    /// A parameter of a function, lambda or loop is consumed only if it is marked unique.
    ConsumedParam "consumed-param";
    /// The body of a loop, or of a lambda that may run more than once, consumes nothing that is bound outside it.
    ConsumedFree "consumed-free";
    /// A unique result of a function shares memory neither with a parameter that is not unique nor with another result.
    UniqueResult "unique-result";
    /// The next value of a unique parameter of a loop shares memory neither with what is bound outside the loop, nor
    /// with a parameter that is not unique, nor with the next value of another parameter.
    UniqueLoop "unique-loop";

    // The memory stage
    /// Every name of an array has a place, and no other name has.
    Placed "placed";
    /// A place is in a block that is in scope or beside it in the pattern; its layout has the dimensions of the array,
    /// of proved equal sizes, and is in terms of `i64`s in scope.
    Place "place";
    /// `alloc` and `alloc_each` have `i64`s, `free`, `share` and `slot` a block. A block is in memory that is reached
    /// from where it is allocated, that of a device also from host code; in `shared` memory it is allocated in `block`,
    /// not by one of its lanes. The slots of workers are in memory that these reach and that is not `private`.
    Alloc "alloc";
    /// A block that `alloc_each` makes is used by one `slot` and by `free` alone. That `slot` stands in a `par` at the
    /// level of the block, with the block outside and no other level in between; only places name it, and where workers
    /// are innermost, all elements in it have one size.
    Slot "slot";
    /// An array is used only at levels that reach its block: `host` memory is out of reach for a device, that of a
    /// device for `core`. Whatever is in `private` memory belongs to one thread: it is neither used nor made at a level
    /// inside the one at which its block is bound, but for `simd`. Host code may use the memory of a device: `imp` says
    /// how.
    Reach "reach";
    /// A view is where its array is, as its layout follows from that of the array; what `update`, `flat_update`,
    /// `write` and `acc` yield is where their destination was.
    DerivedPlace "derived-place";
    /// What a body yields, a loop starts with or a call is given is where the pattern, the parameters or the results
    /// say, with the values in the place of blocks and numbers that are among them.
    ResultPlace "result-place";
    /// The arrays that a function takes and yields are row-major; those of an entry point at offset 0, in a block that
    /// is taken or yielded with them. What an entry point takes and yields is not in `shared` or `private` memory.
    Boundary "boundary";
    /// No two elements of a new array are at the same address.
    Injective "injective";

    // Plans: see `plan`
    /// The pieces of a plan stand in their order, each once, and `split` once for each dimension.
    PlanPieces "plan-pieces";
    /// `chunks` belong to a `par` at a level, whose work is in terms of `i64`s in scope. Its results of `own` and
    /// `tile` have parts along the first dimension; there are not both operators and `acc`; the body of a scan can run
    /// twice; nothing is printed. `inside` stands only where there is no operator.
    PlanChunks "plan-chunks";
    /// `tile` belongs to two maps around one reduction of scalars, with nothing else but scalars and views, whose sizes
    /// and operator depend on neither map. What is copied for columns are loads that do not depend on the row, for rows
    /// those that do not depend on the column. The result is apart from all that is read.
    PlanTile "plan-tile";
    /// `strips` are along a dimension, the last one unless iterations may run in any order, and over the first
    /// statements of the body: scalars, views and reductions of scalars whose sizes and operators are the same in all
    /// iterations, the last of them a reduction. What is kept are some of the scalars.
    PlanStrips "plan-strips";
    /// `order` is a permutation of the dimensions of a `par` whose iterations may run in any order: one without
    /// operators, with no form but `own`, that prints nothing.
    PlanOrder "plan-order";
    /// `squares` are of two dimensions of such a `par`, the second of which is its innermost loop, and have a side.
    PlanSquares "plan-squares";
    /// `split` has at least two sizes in terms of `i64`s in scope, whose product is proved to be the size of the
    /// dimension.
    PlanSplit "plan-split";

    /// `guard` belongs to a `par` that combines, without operators, values with one destination: each iteration with
    /// its own element of a row that is the same for all of them, and has as many elements as there are iterations.
    PlanGuard "plan-guard";
    /// `cuts` are comparisons of `i64`s in the body of a `par` whose iterations may run in any order: of the index of
    /// its innermost loop, plus or minus what is known before it.
    PlanCuts "plan-cuts";
    /// `lanes` belong to reductions of scalars over one dimension, or to scans in chunks. Operators commute, iterations
    /// only compute and store scalars, and the numbers of lanes are powers of two, the second at most the first and at
    /// most the fewest operands.
    PlanLanes "plan-lanes";
    /// `stream` belongs to a map over one dimension that makes scalars side by side and does nothing else, in whole
    /// lines.
    PlanStream "plan-stream";

    // Ownership of blocks: see Note [Ownership] in `mem`
    /// Neither a block nor an array in it is used after the last reference to the block was given up.
    UseAfterFree "use-after-free";
    /// A reference is given up once, and not in a body that may run again if it is bound outside.
    DoubleFree "double-free";
    /// On every way a reference is given up.
    Leak "leak";
    /// Only what owns a reference gives it up, and what is yielded is bound in the body that yields it.
    NotOwned "not-owned";

    // Overwriting
    /// A statement writes to no place at which a value is that is used later, or that it reads itself.
    Overwritten "overwritten";
    /// A function writes only to blocks that it allocates and to the places of its unique parameters.
    ForeignWrite "foreign-write";
    /// The iterations of a `par` write to different places, each to its slot of the results or to blocks of its own,
    /// and read nothing that another one writes.
    Race "race";
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}
