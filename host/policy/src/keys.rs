//! Every key there is in a manifest and in a grant: what the parser knows, and what
//! `docs/permissions.md` is made of.

use crate::limits;
use crate::storage;

/// A key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// A line with it that holds, TOML. Together, those of a section are one.
    pub example: &'static str,
    /// What it means, in Markdown.
    pub says: &'static str,
    /// Whether it has to be there.
    pub required: bool,
    /// From where to where it goes, where it is an amount.
    pub bounds: Option<fn() -> String>,
}

/// A table of a file, with its keys.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// As a reader finds it: `[[roots]]`.
    pub place: &'static str,
    /// What it is for, in Markdown.
    pub says: &'static str,
    /// Its keys; none, where a person or a plugin makes them up.
    pub keys: &'static [Key],
    /// Lines that hold, for where keys are made up.
    pub example: &'static str,
}

impl Section {
    /// The names of its keys.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// What it is called at the top of a file.
    #[must_use]
    pub fn top(&self) -> &'static str {
        let inner = self.place.trim_matches(['[', ']']);
        inner.split(['.', ' ']).next().unwrap_or(inner)
    }
}

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// What it is called.
    pub name: &'static str,
    /// What it is for, in Markdown.
    pub says: &'static str,
    /// What may stand in it.
    pub sections: &'static [Section],
}

impl File {
    /// The names at its top.
    pub(crate) fn tops(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.sections.iter().map(Section::top).collect();
        names.dedup();
        names
    }
}

const fn key(name: &'static str, example: &'static str, says: &'static str) -> Key {
    Key {
        name,
        example,
        says,
        required: false,
        bounds: None,
    }
}

const fn needed(name: &'static str, example: &'static str, says: &'static str) -> Key {
    Key {
        required: true,
        ..key(name, example, says)
    }
}

const fn amount(
    name: &'static str,
    example: &'static str,
    says: &'static str,
    bounds: fn() -> String,
) -> Key {
    Key {
        bounds: Some(bounds),
        ..key(name, example, says)
    }
}

const fn table(place: &'static str, says: &'static str, keys: &'static [Key]) -> Section {
    Section {
        place,
        says,
        keys,
        example: "",
    }
}

const fn free(place: &'static str, says: &'static str, example: &'static str) -> Section {
    Section {
        place,
        says,
        keys: &[],
        example,
    }
}

const ACCESS: Key = key(
    "access",
    "access = \"read-write\"",
    "`\"read-only\"`, which is the default, or `\"read-write\"`: write, create, rename and \
     delete as well.",
);

const HIDE: Key = key(
    "hide",
    "hide = [\"**/.git/**\", \"private/*.pem\"]",
    "Patterns of paths that do not exist for the plugin: `*` and `?` for characters of one \
     name, `[a-z]` for one of several, `**` for any directories.",
);

pub(crate) const PLUGIN: Section = table(
    "[plugin]",
    "Who is asking, in the plugin's own words. In a grant it may be left out; there only the \
     name counts: a grant is for the plugin of that name.",
    &[
        needed(
            "name",
            "name = \"notes\"",
            "1 to 48 of the characters `a-z`, `0-9` and `-`.",
        ),
        key(
            "version",
            "version = \"1.2.0\"",
            "1 to 64 visible ASCII characters.",
        ),
        key(
            "description",
            "description = \"Search and edit a folder of notes\"",
            "One line of at most 500 bytes.",
        ),
        key(
            "license",
            "license = \"Apache-2.0\"",
            "An SPDX expression of at most 200 bytes.",
        ),
        key(
            "source",
            "source = \"https://example.com/notes\"",
            "Where its source is, `https://` or `http://`.",
        ),
        key(
            "homepage",
            "homepage = \"https://example.com\"",
            "Where more is said about it.",
        ),
        key(
            "authors",
            "authors = [\"Ada\"]",
            "At most 16, each one line of at most 200 bytes.",
        ),
    ],
);

pub(crate) const ROOTS_ASKED: Section = table(
    "[[roots]]",
    "A folder that the plugin would like to have. Which one it is, a person says: \
     `--root NAME=PATH`, or `--file NAME=PATH` for one file alone.",
    &[
        needed(
            "name",
            "name = \"notes\"",
            "What it is called, and where the plugin finds it: `/notes`. `\"*\"` asks for any \
             folders, as many as a person likes to grant.",
        ),
        ACCESS,
        key(
            "required",
            "required = true",
            "Whether the plugin can't start without it. Not, if it is left out.",
        ),
        HIDE,
    ],
);

pub(crate) const ROOTS_GRANTED: Section = table(
    "[[roots]]",
    "A folder, or a single file, that the plugin gets: as `--root NAME=PATH[:rw]`, or \
     `--file NAME=PATH[:rw]`.",
    &[
        needed(
            "name",
            "name = \"notes\"",
            "What the plugin asks for, and where it finds it: `/notes`.",
        ),
        key(
            "path",
            "path = \"notes\"",
            "The folder. What is not absolute begins where this file lies.",
        ),
        key(
            "file",
            "",
            "In its place: one file, `file = \"todo.txt\"`, which is then alone in `/NAME`. One \
             of the two has to be there.",
        ),
        ACCESS,
        HIDE,
    ],
);

pub(crate) const NETWORK: Section = table(
    "[[network]]",
    "A place in the network: as `--allow RULE`. What is reached is what both say.",
    &[
        needed(
            "to",
            "to = \"https://api.example.com\"",
            "Scheme (`https`, `http`, `tcp`, `udp`), host and port. A host may be a name, \
             `*.example.com` for all below one, an address, or for HTTP `*` for any; the port of \
             `tcp` and `udp` has to be there.",
        ),
        key(
            "methods",
            "methods = [\"GET\"]",
            "Methods of HTTP, in upper case. Any, if it is left out.",
        ),
        key(
            "paths",
            "paths = [\"/v1/**\"]",
            "Patterns of paths, as in [`network-rules.md`](network-rules.md). Any, if it is left \
             out.",
        ),
        key(
            "private",
            "private = true",
            "Whether the name may lead into a private network or to this machine. Not, if it is \
             left out.",
        ),
    ],
);

pub(crate) const ENV_ASKED: Section = free(
    "[env]",
    "Environment variables that the plugin would like to have: `NAME = {}`, or with \
     `required = true` if it can't start without. The value is for a person to say: \
     `--env NAME=VALUE`.",
    "LANG = { required = true }",
);

pub(crate) const ENV_OPTIONS: [&str; 1] = ["required"];

pub(crate) const ENV_GRANTED: Section = free(
    "[env]",
    "Environment variables that the plugin gets, with their values: as `--env NAME=VALUE`.",
    "LANG = \"de_DE.UTF-8\"",
);

const SECRET_NAME: Key = needed(
    "name",
    "name = \"EXAMPLE_TOKEN\"",
    "1 to 64 letters, digits, `_` and `-`; `palisade secret set NAME` keeps its value.",
);

const INJECT: Key = key(
    "inject",
    "inject = { to = \"https://api.example.com\", header = \"authorization\", format = \"Bearer {}\" }",
    "Where the host puts it: see `inject` below. The plugin never sees it.",
);

pub(crate) const SECRETS_ASKED: Section = table(
    "[[secrets]]",
    "A secret whose use the plugin would like to have: as `--secret NAME`.",
    &[
        SECRET_NAME,
        INJECT,
        key(
            "expose",
            "",
            "In its place, `expose = true`: the plugin gets to see the value, in an environment \
             variable of its name. `palisade grant` takes `--expose-secret` for it.",
        ),
        key(
            "required",
            "required = false",
            "Whether the plugin can't start without it. It can't, if it is left out.",
        ),
    ],
);

pub(crate) const SECRETS_GRANTED: Section = table(
    "[[secrets]]",
    "A secret whose use the plugin gets. Without `inject` and `expose`, as it asks for it.",
    &[
        SECRET_NAME,
        INJECT,
        key(
            "expose",
            "",
            "In its place, `expose = true`: the plugin gets to see the value.",
        ),
        key(
            "file",
            "file = \"/run/secrets/token\"",
            "The value is the content of this file, and not what `palisade secret set` keeps.",
        ),
        key(
            "env",
            "",
            "In its place, `env = \"NAME\"`: the value is that of a variable of Palisade's own \
             environment.",
        ),
    ],
);

pub(crate) const INJECTION: Section = table(
    "[secrets.inject]",
    "Where a secret goes. One of `header`, `basic` and `query` has to be there.",
    &[
        needed(
            "to",
            "to = \"https://api.example.com\"",
            "The requests it is added to, `https` or `http`; never any host.",
        ),
        key(
            "header",
            "header = \"authorization\"",
            "The header that carries it.",
        ),
        key(
            "format",
            "format = \"Bearer {}\"",
            "What stands in the header, `{}` being the secret: that alone, if it is left out.",
        ),
        key(
            "basic",
            "",
            "In place of a header, `basic = \"USER\"`: it is the password of this user (HTTP Basic).",
        ),
        key(
            "query",
            "",
            "In place of a header, `query = \"KEY\"`: it is the value of this key of the address.",
        ),
    ],
);

pub(crate) const STORAGE: Section = table(
    "[storage]",
    "Room that is kept between calls. Understood and compared; no version of Palisade \
     gives it yet.",
    &[Key {
        required: true,
        ..amount("quota", "quota = \"8 MiB\"", "How much.", storage::bounds)
    }],
);

pub(crate) const LIMITS: Section = table(
    "[limits]",
    "In a manifest what the plugin would need, in a grant the ceiling. Less than the default a \
     plugin may ask for as it likes; more it gets only where a grant allows it.",
    &[
        amount(
            "memory",
            "memory = \"64 MiB\"",
            "Memory of one call.",
            limits::memory_bounds,
        ),
        amount(
            "call-time",
            "call-time = \"30 s\"",
            "Wall clock of one call, without what it waits for a person.",
            limits::time_bounds,
        ),
        amount(
            "cpu-time",
            "cpu-time = \"5 s\"",
            "Processor time of one call.",
            limits::time_bounds,
        ),
        amount(
            "output",
            "output = \"4 MiB\"",
            "Size of one result as a client gets it.",
            limits::output_bounds,
        ),
        amount(
            "concurrency",
            "concurrency = 16",
            "Calls that run at once.",
            limits::concurrency_bounds,
        ),
    ],
);

pub(crate) const TOOLS: Section = free(
    "[tools]",
    "What happens to calls of tools: `PATTERN = \"allow\"`, `\"ask\"` (a person is asked each \
     time, through the client) or `\"deny\"`, as `palisade grant NAME --tool PATTERN=ask`. `*` in \
     a pattern stands for any characters; the most specific one decides, and what none matches \
     is allowed. For a single tool there is also \
     `TOOL = { call = \"ask\", name = \"read_notes\" }`: `name` is what clients are to know it as.",
    "\"move_*\" = \"deny\"\nwrite_file = \"ask\"\nread_text_file = { call = \"allow\", name = \"read\" }",
);

pub(crate) const TOOL_OPTIONS: [&str; 2] = ["call", "name"];

/// What a plugin asks for.
pub const MANIFEST: File = File {
    name: "A manifest",
    says: "`palisade.toml` beside a plugin, or inside it (`palisade pack`). It is only ever a \
           request: nothing in it grants anything.",
    sections: &[
        PLUGIN,
        ROOTS_ASKED,
        NETWORK,
        ENV_ASKED,
        SECRETS_ASKED,
        INJECTION,
        STORAGE,
        LIMITS,
    ],
};

/// What a person grants.
pub const GRANT: File = File {
    name: "A grant",
    says: "A file that a person writes, for `--grant FILE`; `palisade grant` keeps one for each \
           installed plugin. What holds is what a plugin asks for and a grant gives it; a plugin \
           without a manifest gets what the grant says.",
    sections: &[
        PLUGIN,
        ROOTS_GRANTED,
        NETWORK,
        ENV_GRANTED,
        SECRETS_GRANTED,
        INJECTION,
        STORAGE,
        LIMITS,
        TOOLS,
    ],
};
