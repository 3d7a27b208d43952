//! The code that `#[plugin]` writes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, ItemImpl, LitStr, Type};

use crate::options::ArgDefault;
use crate::parameters::{Argument, Parameter};
use crate::problems::Problems;
use crate::tools::{self, Tool, span_of};

/// The impl block without this macro's marks, and what makes a plugin of it.
pub(crate) fn plugin(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => {
            let error = syn::Error::new(
                Span::call_site(),
                "`#[plugin]` stands on an impl block: `#[plugin] impl MyPlugin { … }`",
            )
            .into_compile_error();
            return quote!(#error #item);
        }
    };
    let mut problems = Problems::default();
    if !options.is_empty() {
        problems.at(options, "`#[plugin]` takes no options");
    }
    check_block(&block, &mut problems);
    let tools = tools::read(&mut block.items, &mut problems);
    if tools.is_empty() {
        problems.at(
            &block.self_ty,
            "a plugin needs a tool: mark at least one method with `#[tool]`",
        );
    }
    match problems.into_code() {
        Some(errors) => quote!(#block #errors),
        None => {
            let plugin = implementation(&block.self_ty, &tools);
            quote!(#block #plugin)
        }
    }
}

fn check_block(block: &ItemImpl, problems: &mut Problems) {
    if let Some((path, _)) = &block.trait_ {
        problems.at(
            path,
            "`#[plugin]` stands on the type's own impl block, not on that of a trait",
        );
    }
    if !block.generics.params.is_empty() {
        problems.at(
            &block.generics,
            "a plugin is one concrete type, without parameters",
        );
    }
}

fn implementation(plugin: &Type, tools: &[Tool]) -> TokenStream {
    let list = tools.iter().map(list_entry);
    let call = tools.iter().map(call_arm);
    let fresh = quote_spanned! {span_of(plugin)=>
        ::palisade_sdk::__private::fresh::<#plugin>()
    };
    quote! {
        #[automatically_derived]
        impl ::palisade_sdk::__private::Tools for #plugin {
            fn fresh() -> Self {
                #fresh
            }

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

            fn state() -> &'static ::std::thread::LocalKey<
                ::palisade_sdk::__private::State<Self>,
            > {
                ::std::thread_local! {
                    static STATE: ::palisade_sdk::__private::State<#plugin> =
                        const { ::palisade_sdk::__private::State::new() };
                }
                &STATE
            }
        }

        const _: () = {
            type __Plugin = #plugin;

            #[cfg(target_arch = "wasm32")]
            ::palisade_sdk::bindings::tools::export!(
                __Plugin with_types_in ::palisade_sdk::bindings::tools
            );

            // Elsewhere nothing is exported, but used all the same.
            #[cfg(not(target_arch = "wasm32"))]
            const _: fn() -> __Plugin = <__Plugin as ::palisade_sdk::__private::Tools>::fresh;
        };
    }
}

fn list_entry(tool: &Tool) -> TokenStream {
    let Tool {
        name,
        description,
        options,
        returns,
        conditions,
        ..
    } = tool;
    let title = option(options.title.as_ref());
    let read_only = option(options.read_only.as_ref());
    let destructive = option(options.destructive.as_ref());
    let idempotent = option(options.idempotent.as_ref());
    let open_world = option(options.open_world.as_ref());
    let input = input_schema(tool);
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
            }
            .tool(
                #input,
                <#returns as ::palisade_sdk::IntoToolResult>::output_schema(),
            ),
        );
    }
}

fn option<T: quote::ToTokens>(value: Option<&T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn input_schema(tool: &Tool) -> TokenStream {
    let mut properties = Vec::new();
    for parameter in &tool.parameters {
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
                let argument = as_argument(ty);
                properties.push(match default {
                    Some(default) => quote_spanned! {span_of(ty)=>
                        #argument::describe_with_default(__input, #name, #description, &#default);
                    },
                    None => quote_spanned! {span_of(ty)=>
                        #argument::describe(__input, #name, #description);
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

fn default(argument: &Argument) -> Option<TokenStream> {
    Some(match argument.default.as_ref()? {
        ArgDefault::OfType => quote!(::core::default::Default::default()),
        ArgDefault::Value(value) => quote!(#value),
    })
}

fn call_arm(tool: &Tool) -> TokenStream {
    let Tool {
        method,
        name,
        parameters,
        returns,
        conditions,
        ..
    } = tool;
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
    let name = LitStr::new(name, method.span());
    let call = quote!(Self::#method(self, #(#parameters),*));
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
