//! Every shape a tool may have, under lints an author may have.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, clippy::all)]

use palisade_sdk::prelude::*;

/// Counts.
#[derive(Default)]
struct Plugin {
    calls: u32,
}

/// Many arguments.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Many {
    first: String,
    second: Option<u8>,
}

/// A report.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Report {
    lines: Vec<String>,
}

#[plugin]
impl Plugin {
    /// Nothing in, nothing out.
    #[tool]
    fn nothing(&mut self) {
        self.calls += 1;
    }

    /// Text that never changes.
    #[tool(name = "fixed.text-1", read_only = true, destructive = false)]
    fn fixed(&self) -> &'static str {
        "fixed"
    }

    /// A raw name, an unused argument, a variable that changes.
    #[tool]
    fn r#move(&self, r#type: String, _force: bool, mut times: u8) -> Result<String> {
        times += 1;
        Ok(format!("{}{}{}", r#type, times, self.help()))
    }

    /// All arguments at once, taken apart.
    #[tool]
    fn many(&self, ctx: &Context, Args(args): Args<Many>) -> Result<Json<Report>> {
        ctx.info("many");
        Ok(Json::new(Report {
            lines: vec![args.first, format!("{:?}", args.second)],
        }))
    }

    /// An error of its own.
    #[tool]
    fn parse(&self, #[arg(default = "1".to_owned())] text: String) -> Result<String, std::num::ParseIntError> {
        Ok(text.parse::<i32>()?.to_string())
    }

    /// Content of several kinds.
    #[tool]
    fn content(&self) -> Vec<Content> {
        vec![Content::text("a"), Content::image([1, 2, 3], "image/png")]
    }

    /// A tool that is only there sometimes.
    #[cfg(any())]
    #[tool]
    fn never(&self, there: DoesNotExist) {}

    fn help(&self) -> u32 {
        self.calls
    }
}

fn main() {}
