//! A plugin that exports an interface of the contract by its name, with a
//! function of another type.

#[allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]
mod bindings {
    wit_bindgen::generate!({
        inline: "
            package palisade:mcp@0.1.0;
            interface tools {
                list-tools: func() -> list<string>;
                call-tool: func(name: string) -> string;
            }
            world other {
                export tools;
            }
        ",
        world: "palisade:mcp/other",
    });
}

struct WrongExport;

impl bindings::exports::palisade::mcp::tools::Guest for WrongExport {
    fn list_tools() -> Vec<String> {
        vec!["knock".into()]
    }

    fn call_tool(name: String) -> String {
        name
    }
}

bindings::export!(WrongExport with_types_in bindings);
