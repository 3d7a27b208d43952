//! The wasmtime engine, the sandbox and the instances of Palisade.
//!
//! This crate turns a WebAssembly component and an effective permission
//! ([`palisade_policy::Effective`]) into something that can be called. It
//! knows nothing of MCP's wire: what it takes and returns are the types of the
//! `palisade:mcp` WIT package ([`contract`]), owned and typed.
//!
//! The way in is [`Engine`], made once a process; [`Plugin::load`] finds the
//! compiled code of a component, or has it made in a process of its own
//! ([`CompilerProcess`]), and links it; [`Plugin::run`] runs one [`Operation`] in an instance of its own.

mod answer;
mod aside;
mod bindings;
mod cache;
mod call;
mod client;
mod clock;
mod compile;
mod component;
mod console;
mod descriptors;
mod engine;
mod error;
mod files;
mod function;
mod limiter;
mod linked;
mod listing;
mod metadata;
mod network;
mod operation;
mod placement;
mod plugin;
mod sandbox;
mod size;
mod state;
mod ticker;

pub use aside::{LARGE, aside};
pub use bindings::contract;
pub use cache::CompiledCache;
pub use client::{CallEvent, EventSink};
pub use compile::{Compile, Compiled, CompilerProcess, ServeCompilerError, serve_compiler};
pub use component::{Export, Import, Kind, Offers, manifest as carried_manifest, offered};
pub use descriptors::open_files;
pub use engine::{Engine, EngineOptions, WASMTIME};
pub use error::{CacheError, CallError, Cause, EngineError, Limit, LoadError};
pub use metadata::Metadata;
pub use operation::{
    Complete, GetPrompt, ListPrompts, ListResources, ListTemplates, ListTools, Operation,
    ReadResource, ToolCall,
};
pub use placement::{Placement, Pool, threads_for_calls};
pub use plugin::{Asked, LoadOptions, Plugin, Source, Vet, digest};
pub use sandbox::{FoundRoot, Narrowed, Sandbox};
pub use size::{PIECE, content_size, is_large, result_size};
