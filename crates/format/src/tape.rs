//! Documents: text with places where lines may break, and groups of such places.
//!
//! A document is a tape, the tree of groups written in order, so that it can be measured and printed by loops, however
//! deeply it is nested, in time that is linear in its length.

/// A piece of a document. Texts are given by their bytes in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Text {
        lo: u32,
        hi: u32,
    },
    /// A space, unless the line ends here.
    Space,
    Line(Line),
    /// All up to the matching [`Op::End`] is on one line if it fits there; how its lines break otherwise.
    Begin {
        group: Group,
        forced: bool,
    },
    End,
    /// Lines are indented by so much more, up to the matching [`Op::Pop`].
    Indent(i32),
    /// Lines begin in the column of what follows, up to the matching [`Op::Pop`].
    Align,
    Pop,
    /// The column of what follows and the indentation are kept, up to the matching [`Op::Loose`].
    Anchor,
    Loose,
    /// As [`Op::Align`]; but on the line of the last anchor lines begin in the column of that, always or where they
    /// would begin far to the right.
    Hang {
        always: bool,
    },
    /// On the line of the last anchor, lines are indented as there; otherwise as they are.
    HangBlock,
    /// A comment on lines of its own. `Pinned` ones stay at the margin, or away from it.
    Comment {
        lo: u32,
        hi: u32,
        pinned: Option<Pin>,
    },
    /// A comment behind what is on the line.
    Trailing {
        lo: u32,
        hi: u32,
    },
    /// Here a line will end if what follows does not fit; a line of the group two levels above may rely on that.
    Hug,
}

/// A place where a line may end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Line {
    /// A space stands here when the line does not end.
    pub(crate) space: bool,
    pub(crate) ends: Ends,
    /// Up to the matching [`Op::Pop`], lines are indented by so much more, but only if the line ends here.
    pub(crate) indent: Option<i32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Ends {
    #[default]
    IfNeeded,
    Always,
    /// With an empty line behind it.
    WithBlank,
}

/// How the lines of a group break that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    /// All, unless the author broke some of them: then as in `Fill`.
    Together,
    /// Each where what follows up to the next one does not fit.
    Fill,
}

/// Where a comment stays, since test blocks are comments at the margin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pin {
    Margin,
    Indented,
}

/// A document under construction.
#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) ops: Vec<Op>,
    /// The groups that are open.
    open: Vec<usize>,
}

impl Tape {
    pub(crate) fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    pub(crate) fn begin(&mut self, group: Group) {
        self.open.push(self.ops.len());
        self.push(Op::Begin { group, forced: false });
    }

    pub(crate) fn end(&mut self) {
        self.open.pop();
        self.push(Op::End);
    }

    /// A place where the innermost group may break. If the line always ends here, the author has broken the group.
    pub(crate) fn line(&mut self, line: Line) {
        if line.ends != Ends::IfNeeded
            && let Some(&at) = self.open.last()
            && let Op::Begin { forced, .. } = &mut self.ops[at]
        {
            *forced = true;
        }
        self.push(Op::Line(line));
    }
}
