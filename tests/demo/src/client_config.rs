//! What to paste into an MCP client's configuration.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use crate::Built;
use crate::stage::Stage;

/// Prints the entry in the form that nearly all MCP clients read.
///
/// # Errors
/// Where a path is not text, or it can't be printed.
pub(crate) fn show(stage: &mut Stage, built: &Built) -> Result<()> {
    // Written out, since a person reads the command first and JSON maps sort it last.
    let entry = format!(
        r#"{{"mcpServers":{{"filesystem":{{"command":{},"args":{}}}}}}}"#,
        json!(text(&built.palisade)?),
        json!([
            "run",
            text(&built.plugin)?,
            "--root",
            "notes=/path/to/your/folder:rw"
        ]),
    );
    stage.act("Use it yourself: paste this line into your MCP client's configuration, with a folder of yours")?;
    stage.verbatim(&entry)?;
    Ok(())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str()
        .with_context(|| format!("{} can't be written in JSON", path.display()))
}
