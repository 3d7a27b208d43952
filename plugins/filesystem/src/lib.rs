//! The reference MCP filesystem server's tools, for directories a person
//! granted. Names, arguments and results are the reference's; what differs on
//! purpose is in the README.

mod answer;
mod braces;
mod collate;
mod diff;
mod disk;
mod edit;
mod error;
mod glob;
mod glob_class;
mod glob_name;
mod host_path;
mod info;
mod lines;
mod list;
mod media;
mod read;
mod results;
mod roots;
mod search;
mod tree;
mod unicode;
mod walk;
mod write;

use palisade_sdk::prelude::*;

use crate::results::{EditOperation, MediaContent, Paths, SortBy, TextContent, text};
use crate::roots::{Root, Roots};
use crate::walk::Walk;

/// Files in the granted directories.
#[derive(Debug, Default)]
struct Filesystem;

#[plugin]
impl Filesystem {
    /// Read the complete contents of a file as text. DEPRECATED: use
    /// read_text_file instead.
    #[tool(title = "Read File (Deprecated)", read_only, open_world = false)]
    fn read_file(
        &self,
        path: String,
        /// If provided, returns only the last N lines of the file
        tail: Option<f64>,
        /// If provided, returns only the first N lines of the file
        head: Option<f64>,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        text(read::text_file(&roots(ctx), &path, head, tail)?)
    }

    /// Read the contents of one file as text, whatever its extension. Use
    /// `head` to read only the first N lines, or `tail` to read only the last N
    /// lines, for example of a large file. What is not UTF-8 shows as U+FFFD.
    /// Only works within allowed directories.
    #[tool(title = "Read Text File", read_only, open_world = false)]
    fn read_text_file(
        &self,
        path: String,
        /// If provided, returns only the last N lines of the file
        tail: Option<f64>,
        /// If provided, returns only the first N lines of the file
        head: Option<f64>,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        text(read::text_file(&roots(ctx), &path, head, tail)?)
    }

    /// Read a file and return it base64-encoded with its MIME type. Image and
    /// audio files are returned as image or audio content, any other file as an
    /// embedded resource. Only works within allowed directories.
    #[tool(title = "Read Media File", read_only, open_world = false)]
    fn read_media_file(&self, path: String, ctx: &Context) -> Result<Json<MediaContent>> {
        Ok(results::media(media::file(&roots(ctx), &path)?))
    }

    /// Read the contents of several files at once, which is quicker than one by
    /// one when you need to analyze or compare them. Each file's content comes
    /// with its path. A file that cannot be read does not stop the others. Only
    /// works within allowed directories.
    #[tool(title = "Read Multiple Files", read_only, open_world = false)]
    fn read_multiple_files(&self, args: Args<Paths>, ctx: &Context) -> Result<Json<TextContent>> {
        text(read::multiple_files(&roots(ctx), &args.paths))
    }

    /// Create a new file, or completely overwrite an existing file with new
    /// content. Use with caution: existing files are overwritten without
    /// warning. The content is written as UTF-8. Only works within allowed
    /// directories.
    #[tool(
        title = "Write File",
        read_only = false,
        destructive,
        idempotent,
        open_world = false
    )]
    fn write_file(
        &self,
        path: String,
        content: String,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        write::file(&roots(ctx), &path, &content)?;
        text(format!("Successfully wrote to {path}"))
    }

    /// Make edits to a text file. Each edit replaces the first occurrence of a
    /// text with another; lines also match when only the space around them
    /// differs. Returns a git-style diff of the changes made. Only works within
    /// allowed directories.
    #[tool(
        title = "Edit File",
        read_only = false,
        destructive,
        idempotent = false,
        open_world = false
    )]
    fn edit_file(
        &self,
        path: String,
        edits: Vec<EditOperation>,
        /// Preview changes using git-style diff format
        #[arg(name = "dryRun", default = false)]
        dry_run: bool,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        let edits: Vec<_> = edits.into_iter().map(Into::into).collect();
        text(edit::file(&roots(ctx), &path, &edits, dry_run)?)
    }

    /// Create a directory, and the directories it is in where they are missing.
    /// If the directory already exists, nothing happens. Only works within
    /// allowed directories.
    #[tool(
        title = "Create Directory",
        read_only = false,
        destructive = false,
        idempotent,
        open_world = false
    )]
    fn create_directory(&self, path: String, ctx: &Context) -> Result<Json<TextContent>> {
        write::directory(&roots(ctx), &path)?;
        text(format!("Successfully created directory {path}"))
    }

    /// List the files and directories in a directory. Each line starts with
    /// [FILE] or [DIR]. Only works within allowed directories.
    #[tool(title = "List Directory", read_only, open_world = false)]
    fn list_directory(&self, path: String, ctx: &Context) -> Result<Json<TextContent>> {
        text(list::names(
            &roots(ctx),
            &path,
            &mut Walk::new(&mut watch(ctx)),
        )?)
    }

    /// List the files and directories in a directory with their sizes, and the
    /// totals. Each line starts with [FILE] or [DIR]. Only works within allowed
    /// directories.
    #[tool(title = "List Directory with Sizes", read_only, open_world = false)]
    fn list_directory_with_sizes(
        &self,
        path: String,
        /// Sort entries by name or size
        #[arg(name = "sortBy", default = SortBy::Name)]
        sort_by: SortBy,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        let walk = &mut watch(ctx);
        text(list::sizes(
            &roots(ctx),
            &path,
            sort_by.into(),
            &mut Walk::new(walk),
        )?)
    }

    /// Get everything below a directory as a JSON structure. Each entry has a
    /// 'name', a 'type' (file or directory) and, if it is a directory,
    /// 'children', which may be empty. Only works within allowed directories.
    #[tool(title = "Directory Tree", read_only, open_world = false)]
    fn directory_tree(
        &self,
        path: String,
        /// Glob patterns, relative to the path, of what to leave out, for example "node_modules" or "**/*.log"
        #[arg(name = "excludePatterns", default)]
        exclude: Vec<String>,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        let tree = tree::tree(
            &roots(ctx),
            &path,
            &exclude,
            &mut Walk::new(&mut watch(ctx)),
        )?;
        Ok(results::tree(tree))
    }

    /// Move or rename a file or directory, also into another directory. Fails
    /// if the destination already exists. Both source and destination must be
    /// within allowed directories.
    #[tool(
        title = "Move File",
        read_only = false,
        destructive,
        idempotent = false,
        open_world = false
    )]
    fn move_file(
        &self,
        source: String,
        destination: String,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        write::rename(&roots(ctx), &source, &destination)?;
        text(format!("Successfully moved {source} to {destination}"))
    }

    /// Find files and directories, at any depth, whose path matches a glob
    /// pattern. The pattern is matched against the path relative to where the
    /// search starts: '*.ext' finds files there, '**/*.ext' in all directories
    /// below as well. Returns full paths. Only searches within allowed
    /// directories.
    #[tool(title = "Search Files", read_only, open_world = false)]
    fn search_files(
        &self,
        path: String,
        pattern: String,
        /// Glob patterns of what to leave out, for example "**/node_modules"
        #[arg(name = "excludePatterns", default)]
        exclude: Vec<String>,
        ctx: &Context,
    ) -> Result<Json<TextContent>> {
        let walk = &mut watch(ctx);
        text(search::files(
            &roots(ctx),
            &path,
            &pattern,
            &exclude,
            &mut Walk::new(walk),
        )?)
    }

    /// Get what is known about a file or directory without reading it: its
    /// size, when it was last changed and read, whether it is a directory, and
    /// whether it may be changed. Only works within allowed directories.
    #[tool(title = "Get File Info", read_only, open_world = false)]
    fn get_file_info(&self, path: String, ctx: &Context) -> Result<Json<TextContent>> {
        text(info::file(&roots(ctx), &path)?)
    }

    /// Returns the directories this server may access. What is in them,
    /// at any depth, can be accessed too. Use this before trying to access
    /// files.
    #[tool(title = "List Allowed Directories", read_only, open_world = false)]
    fn list_allowed_directories(&self, ctx: &Context) -> Result<Json<TextContent>> {
        text(format!("Allowed directories:\n{}", roots(ctx).lines()))
    }
}

fn roots(ctx: &Context) -> Roots {
    Roots::new(
        ctx.roots()
            .iter()
            .map(|root| Root::new(&root.mount, &root.uri, root.writable)),
    )
}

/// Tells the client how far a walk is, and the walk whether to go on.
fn watch(ctx: &Context) -> impl FnMut(u64) -> bool {
    |seen| {
        if ctx.wants_progress() {
            let message = format!("{seen} entries");
            ctx.progress(
                u32::try_from(seen).map_or(f64::INFINITY, f64::from),
                None,
                Some(&message),
            );
        }
        !ctx.cancelled()
    }
}

#[cfg(test)]
mod tests;
