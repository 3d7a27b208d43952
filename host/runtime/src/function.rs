//! The functions a plugin exports, each with its one type.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, Lift, Lower, TypedFunc,
};

use crate::bindings::contract::{
    CompletionArgument, CompletionReference, CompletionValues, Context, Error, Prompt,
    PromptOutcome, ReadOutcome, ResourceInfo, ResourceTemplate, Tool, ToolOutcome,
};
use crate::call::Made;
use crate::component::Interface;
use crate::error::LoadError;

/// A function of the contract.
pub trait Function: Sized {
    /// The interface it belongs to.
    const INTERFACE: Interface;
    /// Its name there.
    const NAME: &'static str;
    /// Its parameters.
    type Takes<'a>: ComponentNamedList + Lower + Send + Sync;
    /// What it returns.
    type Gives: ComponentNamedList + Lift + Send + Sync + 'static;

    /// Where it is among all; none if the plugin does not export it.
    fn of(exports: &Exports) -> Option<&Export<Self>>;
}

macro_rules! functions {
    ($($(#[doc = $doc:literal])+ $field:ident: $function:ident,
        $interface:ident $name:literal, ($($takes:ty),*) -> $gives:ty;)+) => {
        $(
            $(#[doc = $doc])+
            #[allow(
                unreachable_pub,
                reason = "an operation names its function, and operations are public"
            )]
            pub struct $function;

            impl Function for $function {
                const INTERFACE: Interface = Interface::$interface;
                const NAME: &'static str = $name;
                type Takes<'a> = ($($takes,)*);
                type Gives = ($gives,);

                fn of(exports: &Exports) -> Option<&Export<Self>> {
                    exports.$field.as_ref()
                }
            }
        )+

        /// Every function of the contract that a component exports.
        pub struct Exports {
            $($field: Option<Export<$function>>,)+
        }

        impl Exports {
            /// Finds them. An interface is there as a whole or not at all.
            pub(crate) fn find(component: &Component) -> Result<Self, LoadError> {
                Ok(Self {
                    $($field: Export::find(component)?,)+
                })
            }

            /// Compares their types with ours, in an instance not yet called.
            pub(crate) fn compare(&self, made: &mut Made) -> Result<(), LoadError> {
                $(
                    if let Some(export) = &self.$field {
                        export.compare(made)?;
                    }
                )+
                Ok(())
            }
        }
    };
}

functions! {
    /// `lifecycle#start`.
    start: Start, Lifecycle "start", (&'a str) -> Result<(), String>;
    /// `tools#list-tools`.
    list_tools: ListTools, Tools "list-tools", () -> Result<Vec<Tool>, Error>;
    /// `tools#call-tool`.
    call_tool: CallTool, Tools "call-tool",
        (&'a str, &'a str, &'a Context) -> Result<ToolOutcome, Error>;
    /// `resources#list-resources`.
    list_resources: ListResources, Resources "list-resources",
        (&'a Context) -> Result<Vec<ResourceInfo>, Error>;
    /// `resources#list-templates`.
    list_templates: ListTemplates, Resources "list-templates",
        () -> Result<Vec<ResourceTemplate>, Error>;
    /// `resources#read-resource`.
    read_resource: ReadResource, Resources "read-resource",
        (&'a str, &'a Context) -> Result<ReadOutcome, Error>;
    /// `prompts#list-prompts`.
    list_prompts: ListPrompts, Prompts "list-prompts", () -> Result<Vec<Prompt>, Error>;
    /// `prompts#get-prompt`.
    get_prompt: GetPrompt, Prompts "get-prompt",
        (&'a str, &'a [(String, String)], &'a Context) -> Result<PromptOutcome, Error>;
    /// `completion#complete`.
    complete: Complete, Completion "complete",
        (&'a CompletionReference, &'a CompletionArgument, &'a Context)
        -> Result<CompletionValues, Error>;
}

/// An exported function, always used with the same types.
pub struct Export<F> {
    index: ComponentExportIndex,
    /// Its types have been compared with ours once. They are the component's,
    /// so they are the same in every instance.
    compared: AtomicBool,
    types: PhantomData<fn() -> F>,
}

impl<F: Function> Export<F> {
    fn find(component: &Component) -> Result<Option<Self>, LoadError> {
        let Some(interface) = component.get_export_index(None, F::INTERFACE.name()) else {
            return Ok(None);
        };
        let index = component
            .get_export_index(Some(&interface), F::NAME)
            .ok_or_else(|| LoadError::NothingToServe {
                found: format!("{} has no {}", F::INTERFACE.name(), F::NAME),
            })?;
        Ok(Some(Self {
            index,
            compared: AtomicBool::new(false),
            types: PhantomData,
        }))
    }

    /// Calls it.
    pub(crate) async fn call(
        &self,
        made: &mut Made,
        takes: F::Takes<'_>,
    ) -> wasmtime::Result<F::Gives> {
        let function = self.function(made)?;
        function.call_async(&mut made.store, takes).await
    }

    fn compare(&self, made: &mut Made) -> Result<(), LoadError> {
        self.function(made)
            .map(drop)
            .map_err(|source| LoadError::ExportType {
                export: format!("{}#{}", F::INTERFACE.name(), F::NAME),
                source: source.into(),
            })
    }

    fn function<'a>(&self, made: &mut Made) -> wasmtime::Result<TypedFunc<F::Takes<'a>, F::Gives>> {
        let function = made
            .instance
            .get_func(&mut made.store, self.index)
            .ok_or_else(|| wasmtime::format_err!("it is no function"))?;
        if self.compared.load(Ordering::Relaxed) {
            // SAFETY: an `Export<F>` is used with the types of `F` only, and
            // another instance of the same component has passed the comparison
            // below with them. Comparing such large records again takes a
            // tenth of a short call.
            return Ok(unsafe { TypedFunc::new_unchecked(function) });
        }
        let function = function.typed::<F::Takes<'a>, F::Gives>(&made.store)?;
        self.compared.store(true, Ordering::Relaxed);
        Ok(function)
    }
}
