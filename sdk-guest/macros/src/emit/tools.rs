//! What `#[plugin]` writes for tools.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, LitStr, Type};

use super::{export, icons, meta, option};
use crate::methods::{Method, span_of};
use crate::options::ArgDefault;
use crate::parameters::{Argument, Parameter};
use crate::tools::Tool;

/// The implementation of the interface.
pub(super) fn implementation(plugin: &Type, tools: &[Tool]) -> TokenStream {
    let list = tools.iter().map(list_entry);
    let call = tools.iter().map(call_arm);
    let export = export(plugin, "tools");
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Tools for #plugin {
            fn list() -> ::palisade_sdk::Result<
                ::std::vec::Vec<::palisade_sdk::bindings::types::Tool>,
            > {
                let mut __tools = ::std::vec::Vec::new();
                #(#list)*
                ::core::result::Result::Ok(__tools)
            }

            fn call(
                &mut self,
                __name: &str,
                __arguments: &str,
                __context: &::palisade_sdk::Context,
            ) -> ::palisade_sdk::Result<::palisade_sdk::ToolResult> {
                match __name {
                    #(#call)*
                    _ => ::core::result::Result::Err(
                        ::palisade_sdk::__private::unknown_tool(__name),
                    ),
                }
            }
        }

        #export
    }
}

fn list_entry(tool: &Tool) -> TokenStream {
    let Tool {
        name,
        method,
        options,
    } = tool;
    let Method {
        description,
        returns,
        conditions,
        ..
    } = method;
    let title = option(options.labels.title.as_ref());
    let read_only = option(options.read_only.as_ref());
    let destructive = option(options.destructive.as_ref());
    let idempotent = option(options.idempotent.as_ref());
    let open_world = option(options.open_world.as_ref());
    let task = match options.task.as_ref().map(LitStr::value).as_deref() {
        Some("optional") => quote!(Optional),
        Some("required") => quote!(Required),
        _ => quote!(Forbidden),
    };
    let icons = icons(&options.labels);
    let meta = meta(&options.labels);
    let input = match &options.schema {
        Some(schema) => quote_spanned!(span_of(schema)=> ::std::string::String::from(#schema)),
        None => input_schema(&method.parameters),
    };
    quote_spanned! {span_of(returns)=>
        #(#conditions)*
        __tools.push(
            ::palisade_sdk::__private::ToolInfo {
                name: #name,
                title: #title,
                description: #description,
                read_only: #read_only,
                destructive: #destructive,
                idempotent: #idempotent,
                open_world: #open_world,
                task_support: ::palisade_sdk::bindings::types::TaskSupport::#task,
                icons: #icons,
                meta: #meta,
            }
            .tool(
                #input,
                <#returns as ::palisade_sdk::IntoToolResult>::output_schema(),
            ),
        );
    }
}

fn input_schema(parameters: &[Parameter]) -> TokenStream {
    let mut properties = Vec::new();
    for parameter in parameters {
        match parameter {
            Parameter::Context => {}
            Parameter::Whole(ty) => {
                let argument = as_argument(ty);
                return quote_spanned!(span_of(ty)=> #argument::describe_whole()?);
            }
            Parameter::Argument(argument) => {
                let Argument {
                    name,
                    description,
                    ty,
                    ..
                } = &**argument;
                let default = default(argument);
                let as_argument = as_argument(ty);
                let extend = extensions(argument);
                properties.push(match default {
                    Some(default) => quote_spanned! {span_of(ty)=>
                        #as_argument::describe_with_default(__input, #name, #description, &#default);
                        #(#extend)*
                    },
                    None => quote_spanned! {span_of(ty)=>
                        #as_argument::describe(__input, #name, #description);
                        #(#extend)*
                    },
                });
            }
        }
    }
    quote! {{
        let mut __schema = ::palisade_sdk::__private::Input::new();
        let __input = &mut __schema;
        #(#properties)*
        __schema.finish()
    }}
}

fn as_argument(ty: &Type) -> TokenStream {
    quote_spanned!(span_of(ty)=> <#ty as ::palisade_sdk::Argument>)
}

/// What an argument's attribute adds to its schema.
fn extensions(argument: &Argument) -> Vec<TokenStream> {
    let title =
        argument.options.title.iter().map(
            |title| quote!(__input.extend("title", ::palisade_sdk::__private::json!(#title));),
        );
    let more = argument.options.extend.iter().map(|(keyword, value)| {
        quote_spanned! {span_of(value)=>
            __input.extend(#keyword, ::palisade_sdk::__private::json!(#value));
        }
    });
    title.chain(more).collect()
}

fn default(argument: &Argument) -> Option<TokenStream> {
    Some(match argument.options.default.as_ref()? {
        ArgDefault::OfType => quote!(::core::default::Default::default()),
        ArgDefault::Value(value) => quote!(#value),
    })
}

fn call_arm(tool: &Tool) -> TokenStream {
    let Tool { method, name, .. } = tool;
    let Method {
        ident,
        parameters,
        returns,
        conditions,
        ..
    } = method;
    let reading = reading(parameters);
    let mut slots = (0..).map(slot);
    let parameters = parameters.iter().map(|parameter| match parameter {
        Parameter::Context => quote!(__context),
        Parameter::Whole(_) => quote!(__whole),
        Parameter::Argument(argument) => {
            let slot = slots.next();
            let Argument { name, ty, .. } = &**argument;
            match default(argument) {
                Some(default) => quote!(__fields.#slot.unwrap_or_else(|| #default)),
                None => {
                    let argument = as_argument(ty);
                    quote_spanned!(span_of(ty)=> #argument::take(__fields.#slot, #name)?)
                }
            }
        }
    });
    let name = LitStr::new(name, ident.span());
    let call = quote!(Self::#ident(self, #(#parameters),*));
    quote_spanned! {span_of(returns)=>
        #(#conditions)*
        #name => {
            #reading
            <#returns as ::palisade_sdk::IntoToolResult>::into_tool_result(#call)
        }
    }
}

fn slot(number: usize) -> Ident {
    format_ident!("argument_{number}")
}

/// The code that reads the arguments, and the struct they are read into.
fn reading(parameters: &[Parameter]) -> TokenStream {
    let mut arguments = Vec::new();
    for parameter in parameters {
        match parameter {
            Parameter::Context => {}
            Parameter::Whole(ty) => {
                let argument = as_argument(ty);
                return quote_spanned! {span_of(ty)=>
                    let __whole = #argument::read_whole(__arguments)?;
                };
            }
            Parameter::Argument(argument) => arguments.push(&**argument),
        }
    }
    let slots: Vec<Ident> = (0..arguments.len()).map(slot).collect();
    let names: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.name.as_str())
        .collect();
    let types = arguments.iter().map(|argument| &argument.ty);
    let arms = arguments
        .iter()
        .zip(&slots)
        .map(|(Argument { name, ty, .. }, slot)| {
            let argument = as_argument(ty);
            quote_spanned! {span_of(ty)=>
                #name => #argument::read(&mut self.#slot, __name, __values),
            }
        });
    quote! {
        struct __Fields {
            #(#slots: ::core::option::Option<#types>,)*
        }

        impl ::palisade_sdk::__private::Fields for __Fields {
            const NAMES: &'static [&'static str] = &[#(#names),*];

            fn read<'de, A: ::palisade_sdk::__private::MapAccess<'de>>(
                &mut self,
                __name: &str,
                __values: &mut A,
            ) -> ::core::result::Result<bool, A::Error> {
                match __name {
                    #(#arms)*
                    _ => ::core::result::Result::Ok(false),
                }
            }
        }

        let mut __fields = __Fields { #(#slots: ::core::option::Option::None),* };
        ::palisade_sdk::__private::read_arguments(__arguments, &mut __fields)?;
    }
}
