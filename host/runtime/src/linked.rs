//! A component with everything it imports, and the functions it is called by.

use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, InstancePre, Lift, Lower, TypedFunc,
};

use crate::bindings::contract::{Context, Error, Tool, ToolOutcome};
use crate::call::{Made, ToolCall};
use crate::component::TOOLS;
use crate::engine::Engine;
use crate::error::LoadError;
use crate::state::State;

/// What making and calling an instance needs.
pub(crate) struct Linked {
    pub(crate) engine: Engine,
    pub(crate) pre: InstancePre<State>,
    list_tools: Export,
    call_tool: Export,
}

impl Linked {
    pub(crate) fn new(engine: &Engine, component: &Component) -> Result<Self, LoadError> {
        let pre = engine
            .linker()
            .instantiate_pre(component)
            .map_err(unlinkable)?;
        Ok(Self {
            engine: engine.clone(),
            pre,
            list_tools: Export::find(component, "list-tools")?,
            call_tool: Export::find(component, "call-tool")?,
        })
    }

    /// `palisade:mcp/tools#list-tools`.
    pub(crate) async fn list_tools(
        &self,
        made: &mut Made,
    ) -> wasmtime::Result<Result<Vec<Tool>, Error>> {
        let function = self
            .list_tools
            .of::<(), (Result<Vec<Tool>, Error>,)>(made)?;
        let (answer,) = function.call_async(&mut made.store, ()).await?;
        Ok(answer)
    }

    /// `palisade:mcp/tools#call-tool`.
    pub(crate) async fn call_tool(
        &self,
        made: &mut Made,
        call: &ToolCall,
    ) -> wasmtime::Result<Result<ToolOutcome, Error>> {
        let function = self
            .call_tool
            .of::<(&str, &str, &Context), (Result<ToolOutcome, Error>,)>(made)?;
        let arguments = (call.name.as_str(), call.arguments.as_str(), &call.context);
        let (answer,) = function.call_async(&mut made.store, arguments).await?;
        Ok(answer)
    }
}

/// An exported function, always used with the same types.
struct Export {
    index: ComponentExportIndex,
    /// Its types have been compared with ours once. They are the component's,
    /// so they are the same in every instance.
    compared: AtomicBool,
}

impl Export {
    fn find(component: &Component, name: &str) -> Result<Self, LoadError> {
        component
            .get_export_index(None, TOOLS)
            .and_then(|interface| component.get_export_index(Some(&interface), name))
            .map(|index| Self {
                index,
                compared: AtomicBool::new(false),
            })
            .ok_or_else(|| LoadError::NothingToServe {
                found: format!("{TOOLS} has no {name}"),
            })
    }

    fn of<P, R>(&self, made: &mut Made) -> wasmtime::Result<TypedFunc<P, R>>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        let function = made
            .instance
            .get_func(&mut made.store, self.index)
            .ok_or_else(|| wasmtime::format_err!("the component has lost an export"))?;
        if self.compared.load(Ordering::Relaxed) {
            // SAFETY: each `Export` is used with one pair of types only (the
            // two methods above), and another instance of the same component
            // has passed the comparison below with them. Comparing such large
            // records again takes a tenth of a short call.
            return Ok(unsafe { TypedFunc::new_unchecked(function) });
        }
        let function = function.typed::<P, R>(&made.store)?;
        self.compared.store(true, Ordering::Relaxed);
        Ok(function)
    }
}

/// What is wrong with an import, as far as wasmtime's words tell; a test holds
/// them.
fn unlinkable(error: wasmtime::Error) -> LoadError {
    let text = error.to_string();
    let import = text
        .strip_prefix("component imports ")
        .and_then(|rest| rest.split('`').nth(1))
        .map(str::to_owned);
    match import {
        Some(import) if format!("{error:#}").contains("implementation was not found") => {
            LoadError::UnknownImport { import }
        }
        Some(import) => LoadError::ImportType {
            import,
            source: error,
        },
        None => LoadError::Link(error),
    }
}
