#![doc = include_str!("../README.md")]

mod arguments;
mod ask;
pub mod bindings;
mod client;
mod completion;
mod content;
mod context;
mod elicit;
mod error;
pub mod field;
#[cfg(any(feature = "http", test))]
pub mod http;
mod icon;
mod lifecycle;
mod link;
mod plugin;
mod prompts;
mod resources;
mod result;
mod sample;
mod schema;
mod template;
mod tools;

pub use arguments::{Args, Argument};
pub use ask::{ClientRoot, ListRoots, Question, Questions};
pub use completion::{Completion, IntoCompletion};
pub use content::{Content, Role};
pub use context::{Capabilities, Client, Context, Level, List, Root, Trace};
pub use elicit::{Answer, Elicit, Elicited, Filled, Form, FormOf, FormWithSchema, UrlToVisit};
pub use error::{Error, ErrorKind, Result, ResultExt};
pub use field::{Field, Format};
pub use icon::Icon;
pub use lifecycle::IntoStart;
pub use link::ResourceLink;
pub use palisade_sdk_macros::{complete, plugin, prompt, read, resource, resources, start, tool};
pub use prompts::{IntoPrompt, Message, PromptResult};
pub use resources::{Contents, IntoContents, IntoResources};
pub use result::{IntoToolResult, Json, Structured, ToolResult};
pub use sample::{Part, Parts, Sample, Sampled, ToolChoice, ToolUse};

/// What a plugin's file starts with: `use palisade_sdk::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Answer, Args, Capabilities, Completion, Content, Contents, Context, Elicit, Elicited,
        Error, Field, Format, Icon, Json, Level, List, ListRoots, Message, Part, PromptResult,
        ResourceLink, Result, ResultExt, Role, Sample, ToolChoice, ToolResult, bail, complete,
        plugin, prompt, read, resource, resources, start, tool,
    };
}

/// What `#[plugin]` writes into a plugin. Not for people.
#[doc(hidden)]
pub mod __private {
    pub use crate::arguments::{Fields, read_arguments};
    pub use crate::bindings::prompts::exports::palisade::mcp::prompts::Prompt;
    pub use crate::bindings::resources::exports::palisade::mcp::resources::ResourceTemplate;
    pub use crate::completion::{Completes, Of, Wanted};
    pub use crate::icon::icons;
    pub use crate::lifecycle::{Starts, config};
    pub use crate::plugin::{Plugin, State, fresh};
    pub use crate::prompts::{
        PromptArgument, PromptEntry, Prompts, optional_text, required_text, unknown_prompt,
    };
    pub use crate::resources::{ResourceEntry, Resources, contents, unknown_resource, variable};
    pub use crate::schema::Input;
    pub use crate::template::Template;
    pub use crate::tools::{ToolInfo, Tools, unknown_tool};
    pub use serde::de::MapAccess;
    pub use serde_json::json;
}
