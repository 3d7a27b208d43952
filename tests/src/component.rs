//! Components that are put together: one that exists, with more in it.

use wasmparser::{Parser, Payload};

/// A core module with one memory of one page.
pub const A_MEMORY: &[u8] = &[0, b'a', b's', b'm', 1, 0, 0, 0, 5, 3, 1, 0, 1];

/// An empty core module.
pub const NOTHING: &[u8] = &[0, b'a', b's', b'm', 1, 0, 0, 0];

/// A core module that, as soon as there is an instance of it, grows a table by
/// a thousand elements until it may not, and then crashes.
pub const GROWS_A_TABLE: &[u8] = &[
    0, b'a', b's', b'm', 1, 0, 0, 0, // header
    1, 4, 1, 0x60, 0, 0, // type: no parameters, no results
    3, 2, 1, 0, // a function of it
    4, 4, 1, 0x70, 0, 1, // a table of functions, one to begin with
    8, 1, 0, // it starts with that function
    10, 21, 1, 19, 0, // its code, without locals:
    0x03, 0x40, // loop
    0xd0, 0x70, // ref.null func
    0x41, 0xe8, 0x07, // i32.const 1000
    0xfc, 0x0f, 0, // table.grow 0
    0x41, 0x7f, // i32.const -1
    0x47, // i32.ne
    0x0d, 0,    // br_if 0
    0x0b, // end
    0x00, // unreachable
    0x0b, // end
];

/// The component with so many instances of a core module in it besides.
///
/// # Panics
///
/// If it is no component.
#[must_use]
pub fn with_instances(component: &[u8], module: &[u8], count: u32) -> Vec<u8> {
    let index = core_modules(component);
    let mut all = component.to_vec();
    section(&mut all, 1, module);
    let mut instances = Vec::new();
    number(&mut instances, count);
    for _ in 0..count {
        instances.push(0);
        number(&mut instances, index);
        number(&mut instances, 0);
    }
    section(&mut all, 2, &instances);
    all
}

/// How many core modules are its own, not counting those of components in it.
fn core_modules(component: &[u8]) -> u32 {
    let mut depth = 0_u32;
    let mut count = 0;
    for payload in Parser::new(0).parse_all(component) {
        match payload.expect("it is a component") {
            Payload::ModuleSection { .. } => {
                count += u32::from(depth == 0);
                depth += 1;
            }
            Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    count
}

fn section(into: &mut Vec<u8>, id: u8, contents: &[u8]) {
    into.push(id);
    number(
        into,
        u32::try_from(contents.len()).expect("it is not that long"),
    );
    into.extend_from_slice(contents);
}

/// An unsigned LEB128 number.
fn number(into: &mut Vec<u8>, mut value: u32) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            into.push(low & 0x7f);
            return;
        }
        into.push(low | 0x80);
    }
}
