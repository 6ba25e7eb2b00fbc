//! The ids of all diagnostics. Each has a page `docs/errors/<id>.md`, whose examples are run as tests.

use std::fmt;

macro_rules! registry {
    ($($variant:ident $id:literal $summary:literal;)*) => {
        /// The identity of a diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code { $($variant),* }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The kebab-case name by which users know it.
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => $id),* }
            }

            /// What is wrong, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$variant => $summary),* }
            }
        }
    };
}

registry! {
    // Files
    FileNotFound "file-not-found" "A file does not exist or cannot be read.";
    InvalidUtf8 "invalid-utf8" "A source file is not valid UTF-8.";
    ImportNotFound "import-not-found" "An imported file does not exist.";
    ImportCycle "import-cycle" "Files import each other in a circle.";

    // Syntax
    UnknownCharacter "unknown-character" "A character that no token starts with.";
    BadLiteral "bad-literal" "A malformed number, character or string.";
    UnterminatedString "unterminated-string" "A string or character literal that does not end on its line.";
    UnexpectedToken "unexpected-token" "Something else was expected here.";
    UnclosedDelimiter "unclosed-delimiter" "A bracket that is never closed, or closed by another kind.";
    ReservedName "reserved-name" "A keyword or reserved symbol used as a name.";
    BadOperator "bad-operator" "A symbol that cannot be used as an infix operator.";
    NestingTooDeep "nesting-too-deep" "The program is nested more deeply than the compiler supports.";
    MisplacedDoc "misplaced-doc" "A documentation comment that documents nothing.";

    // Names
    UnknownName "unknown-name" "No value of this name is in scope.";
    UnknownType "unknown-type" "No type of this name is in scope.";
    UnknownModule "unknown-module" "No module of this name is in scope.";
    UnknownModuleType "unknown-module-type" "No module type of this name is in scope.";
    NotAValue "not-a-value" "A module is used where a value is needed.";
    UnderscoreUse "underscore-use" "A name that starts with an underscore is used.";
    DuplicateDefinition "duplicate-definition" "A name is defined twice in the same module.";
    DuplicateBinding "duplicate-binding" "A name is bound twice in the same pattern or parameter list.";
    DuplicateField "duplicate-field" "A record names a field twice.";
    DuplicateConstructor "duplicate-constructor" "A sum type names a constructor twice.";
    OperatorRedefined "operator-redefined" "The short-circuiting operators cannot be defined by programs.";
    IntrinsicsModule "intrinsics-module" "The module of intrinsics cannot be passed around.";

    // Types
    TypeMismatch "type-mismatch" "An expression has another type than its place needs.";
    ArgumentMismatch "argument-mismatch" "An argument has another type than the function's parameter.";
    NotAFunction "not-a-function" "Something that is no function is applied, or a function gets too many arguments.";
    InfiniteType "infinite-type" "A type would have to contain itself.";
    AmbiguousType "ambiguous-type" "The type cannot be determined from its uses.";
    UnknownField "unknown-field" "A record has no such field.";
    RecordTypeUnknown "record-type-unknown" "The type of a record must be known where a field of it is updated.";
    OperandType "operand-type" "An overloaded operator or literal is used at a type that it does not support.";
    NoEquality "no-equality" "Values of this type cannot be compared for equality.";
    LiteralOutOfRange "literal-out-of-range" "A literal does not fit into its type.";
    TypeArguments "type-arguments" "A type is given the wrong number or kind of arguments.";
    TypeEscapes "type-escapes" "A type parameter would be used outside its scope.";
    TypeTooLarge "type-too-large" "A type has more parts, levels or dimensions than the compiler supports.";
    TooManyConstructors "too-many-constructors" "A sum type with more constructors than fit into a byte.";

    // Sizes
    SizeMismatch "size-mismatch" "Two array sizes are not known to be equal.";
    SizeNotInteger "size-not-integer" "The size of an array must be of type i64.";
    AmbiguousSize "ambiguous-size" "The size cannot be determined.";
    SizeCausality "size-causality" "A size is needed before the value that determines it is computed.";
    SizeEscapes "size-escapes" "A size would be used outside its scope.";
    UnusedSize "unused-size" "A size is bound but nothing has that size.";
    AnonymousSize "anonymous-size" "An anonymous size where a named one is needed.";
    InaccessibleSize "inaccessible-size" "The size of a parameter depends on a name that callers cannot see.";
    UnknownParameterSize "unknown-parameter-size" "A function needs an argument of a size that nobody can know.";
    ExistentialSize "existential-size" "An existential size where it cannot be used.";
    SizeUnknownFunction "size-unknown-function" "A function that returns arrays of unknown size is used where the size must be known.";

    // Uniqueness
    UseAfterConsume "use-after-consume" "A value is used after it was consumed.";
    NotConsumable "not-consumable" "A value is consumed that must not be.";
    ImplicitCopy "implicit-copy" "A value that others may use is taken for a new one, so it is copied.";
    ResultAliases "result-aliases" "A result that should be unique shares memory with something else.";
    ResultAliasesGlobal "result-aliases-global" "A function's result shares memory with a variable outside it.";
    SelfAliasingArgument "self-aliasing-argument" "A consumed argument contains the same array twice.";
    UpdateAliases "update-aliases" "An array is updated with a value that shares its memory.";
    ConsumingFunction "consuming-function" "A function that consumes its argument is used where one that does not is needed.";
    ConsumptionInFunction "consumption-in-function" "A functional value would hide a consumption.";
    LoopAliases "loop-aliases" "Loop parameters would share memory.";
    ConsumedInLoop "consumed-in-loop" "A value from outside is consumed in every iteration of a loop.";

    // Functions as values
    FunctionInArray "function-in-array" "Functions cannot be put in arrays.";
    FunctionFromBranch "function-from-branch" "A branch or match returns a function.";
    FunctionInLoop "function-in-loop" "A loop variable is a function.";
    FunctionInstance "function-instance" "A function is used for a type parameter that is not lifted.";
    LiftedType "lifted-type" "A lifted type where only an unlifted one is allowed.";

    // Patterns
    NonExhaustiveMatch "non-exhaustive-match" "Some values match none of the cases.";
    RefutablePattern "refutable-pattern" "A pattern that may fail, where it must not.";

    // Modules
    ModuleMismatch "module-mismatch" "A module does not have what its module type asks for.";
    NotParametric "not-parametric" "A module that takes no parameters is applied.";
    ParametricModule "parametric-module" "A parametric module is used without its argument.";
    CannotRefine "cannot-refine" "A type in a module type cannot be refined with this definition.";

    // Entry points
    NestedEntry "nested-entry" "An entry point inside a module.";
    EntryPolymorphic "entry-polymorphic" "An entry point is polymorphic.";
    EntryHigherOrder "entry-higher-order" "An entry point takes or returns functions.";
    EntrySize "entry-size" "An entry point has a size that no argument determines.";

    // Strategies: attributes that cannot be obeyed
    NothingToRun "nothing-to-run" "An attribute says who runs an operator where there is none.";
    MisplacedAttribute "misplaced-attribute" "An attribute about an expression stands in front of something else.";
    ConflictingAttributes "conflicting-attributes" "Two attributes of an expression exclude each other.";
    LevelInsideItself "level-inside-itself" "An operator is to run at the level of one around it.";
    LaneWithoutBlock "lane-without-block" "An operator is to run on the lanes of a block where there is no block.";
    WrongNesting "wrong-nesting" "An operator is to run at a level that cannot stand in the one around it.";
    NotOnThisTarget "not-on-this-target" "A level or memory is asked for that the target does not have.";
    LevelRefused "level-refused" "An operator cannot run at the level that an attribute asks for.";
    OnChipOutsideBlock "on-chip-outside-block" "An array is to be on chip where there is no block of threads.";
    ResultOnChip "result-on-chip" "An array that a block yields is to stay on chip.";
    NoArray "no-array" "An attribute about an array stands where none is made.";
    WindowWithoutOverlap "window-without-overlap" "A window moves on by so much that nothing of it stays.";
    NothingToCut "nothing-to-cut" "An attribute says how loops are cut where there are none of the kind.";

    // Warnings
    CheckAlwaysFails "check-always-fails" "A check that is made when the program runs never passes.";
    AttributeRefused "attribute-refused" "An attribute asks for something that cannot be.";
    CopyInLoop "copy-in-loop" "An array is copied in each iteration of a loop; told with `--warn copies`.";
    AllocationInLoop "allocation-in-loop" "Memory is allocated in each iteration of a loop; told with `--warn copies`.";
    UnusedName "unused-name" "A name is bound but never used.";
    UnfilledHole "unfilled-hole" "A hole stands where an expression is to be written.";
    EmptyRange "empty-range" "A range whose step is zero.";
    NotNeutral "not-neutral" "A reduction starts with a number that is not neutral.";
    IntrinsicUse "intrinsic-use" "An intrinsic function is used directly.";
    ShadowedType "shadowed-type" "An included module type shadows a type.";
    UnknownAttribute "unknown-attribute" "An attribute that the compiler does not know.";
    AttributeArguments "attribute-arguments" "An attribute whose arguments are wrong in number or kind.";
    NoEffect "no-effect" "An annotation without effect.";
    DefaultedType "defaulted-type" "A numeric type is chosen by default.";
    DeprecatedEquality "deprecated-equality" "Arrays are compared with the equality operators.";
    SizeWithBinding "size-with-binding" "A size expression contains a binding, so the size becomes unknown.";
    Deprecated "deprecated" "A construct that newer programs should not use.";

    // Ourselves
    Limitation "limitation" "The compiler does not support this yet.";
    Bug "bug" "The compiler found a fault in itself.";
}

impl Code {
    pub fn from_id(id: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.id() == id)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_kebab_case() {
        for (i, code) in Code::ALL.iter().enumerate() {
            assert!(code.id().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{code}");
            assert_eq!(Code::from_id(code.id()), Some(*code));
            assert!(Code::ALL[..i].iter().all(|other| other.id() != code.id()), "{code} occurs twice");
            assert!(code.summary().ends_with('.'), "{code}");
        }
    }
}
