//! Tools that call WASI directly. The guest's own libc refuses much before the
//! host hears of it; whoever means harm does without it.

#![cfg(target_os = "wasi")]

mod files;
mod network;
mod resources;

use palisade_sdk::prelude::*;
use wasip2::filesystem::types::DescriptorType;

/// Reaches, by handle.
#[derive(Default)]
struct ByHandle;

#[plugin]
impl ByHandle {
    /// Where directories are mounted, a line each.
    #[tool]
    fn preopens(&self) -> String {
        files::preopens()
    }

    /// Opens and reads a file.
    #[tool]
    fn read_at(&self, root: String, path: String, follow: bool) -> Result<String> {
        files::read(&root, &path, follow)
    }

    /// Keeps a directory open, waits for a file called `go` beside it, and reads
    /// a file in what it has kept.
    #[tool]
    fn hold(&self, root: String, directory: String, name: String, ctx: &Context) -> Result<String> {
        files::hold(&root, &directory, &name, ctx)
    }

    /// Opens a directory and names what is in it.
    #[tool]
    fn list_at(&self, root: String, path: String) -> Result<String> {
        files::list(&root, &path)
    }

    /// Reads a file over and over; says what came of it, each outcome once.
    #[tool]
    fn read_over_and_over(&self, root: String, path: String, follow: bool, count: u32) -> String {
        files::read_over_and_over(&root, &path, follow, count)
    }

    /// Makes a file over and over; says what came of it, each outcome once.
    #[tool]
    fn write_over_and_over(&self, root: String, path: String, text: String, count: u32) -> String {
        files::write_over_and_over(&root, &path, &text, count)
    }

    /// Opens a directory, renames it, and then reads a file by the old handle.
    #[tool]
    fn read_in_renamed(
        &self,
        root: String,
        from: String,
        to: String,
        path: String,
    ) -> Result<String> {
        files::read_in_renamed(&root, &from, &to, &path)
    }

    /// Opens a directory and names what is in it over and over, until that fails
    /// or has been done often enough.
    #[tool]
    fn list_while_it_lasts(&self, root: String, path: String, count: u32) -> Result<String> {
        files::list_while_it_lasts(&root, &path, count)
    }

    /// Reads a symbolic link.
    #[tool]
    fn read_link_at(&self, root: String, path: String) -> Result<String> {
        files::read_link(&root, &path)
    }

    /// Asks for what tells a file from others.
    #[tool]
    fn hash_at(&self, root: String, path: String, follow: bool) -> Result<&'static str> {
        files::hash(&root, &path, follow)
    }

    /// Sets a directory's times to 1970 by its handle.
    #[tool]
    fn set_own_times(&self, root: String) -> Result<&'static str> {
        files::set_own_times(&root)
    }

    /// Opens a file for writing, created where it is missing, and writes.
    #[tool]
    fn write_at(&self, root: String, path: String, text: String) -> Result<&'static str> {
        files::write(&root, &path, &text)
    }

    /// Opens a file for reading only and then writes to it.
    #[tool]
    fn write_read_only(&self, root: String, path: String) -> Result<&'static str> {
        files::write_read_only(&root, &path)
    }

    /// Opens a directory as if it could be changed, and creates a file there.
    #[tool]
    fn create_in(&self, root: String, directory: String, name: String) -> Result<&'static str> {
        files::create_in(&root, &directory, &name)
    }

    /// Opens a file with its contents cut off.
    #[tool]
    fn truncate_at(&self, root: String, path: String) -> Result<&'static str> {
        files::truncate(&root, &path)
    }

    /// Says what a path is.
    #[tool]
    fn stat_at(&self, root: String, path: String, follow: bool) -> Result<String> {
        files::stat(&root, &path, follow)
    }

    /// Makes a hard link, across directories if asked to.
    #[tool]
    fn link_at(
        &self,
        root: String,
        path: String,
        to_root: String,
        to_path: String,
        follow: bool,
    ) -> Result<&'static str> {
        files::link(&root, &path, &to_root, &to_path, follow)
    }

    /// Makes a symbolic link.
    #[tool]
    fn symlink_at(&self, root: String, target: String, path: String) -> Result<&'static str> {
        files::symlink(&root, &target, &path)
    }

    /// Renames, across directories if asked to.
    #[tool]
    fn rename_at(
        &self,
        root: String,
        path: String,
        to_root: String,
        to_path: String,
    ) -> Result<&'static str> {
        files::rename(&root, &path, &to_root, &to_path)
    }

    /// Deletes a file.
    #[tool]
    fn unlink_at(&self, root: String, path: String) -> Result<&'static str> {
        files::unlink(&root, &path)
    }

    /// Makes a directory.
    #[tool]
    fn create_directory_at(&self, root: String, path: String) -> Result<&'static str> {
        files::create_directory(&root, &path)
    }

    /// Removes a directory.
    #[tool]
    fn remove_directory_at(&self, root: String, path: String) -> Result<&'static str> {
        files::remove_directory(&root, &path)
    }

    /// Sets a file's times to 1970.
    #[tool]
    fn set_times_at(&self, root: String, path: String, follow: bool) -> Result<&'static str> {
        files::set_times(&root, &path, follow)
    }

    /// Reads a file with a length the host has to make sense of; says how many
    /// bytes came.
    #[tool]
    fn read_length(&self, root: String, path: String, length: u64) -> Result<String> {
        files::read_length(&root, &path, length)
    }

    /// Makes a TCP connection to an IPv4 address.
    #[tool]
    fn tcp_connect(&self, address: [u8; 4], port: u16) -> Result<&'static str> {
        network::tcp_connect(address, port)
    }

    /// Waits for TCP connections.
    #[tool]
    fn tcp_listen(&self, address: [u8; 4], port: u16) -> Result<&'static str> {
        network::tcp_listen(address, port)
    }

    /// Sends a datagram.
    #[tool]
    fn udp_send(&self, address: [u8; 4], port: u16) -> Result<&'static str> {
        network::udp_send(address, port)
    }

    /// Looks up a name.
    #[tool]
    fn resolve(&self, name: String) -> Result<String> {
        network::resolve(&name)
    }

    /// Asks for random bytes; says how many came.
    #[tool]
    fn random(&self, length: u64) -> String {
        resources::random(length)
    }

    /// Has the host write zeroes to standard output.
    #[tool]
    fn print_zeroes(&self, length: u64) -> Result<&'static str> {
        resources::print_zeroes(length)
    }

    /// Has the host write zeroes to a file.
    #[tool]
    fn write_zeroes(&self, root: String, path: String, length: u64) -> Result<&'static str> {
        resources::write_zeroes(&root, &path, length)
    }

    /// Writes to standard output without asking how much may be written.
    #[tool]
    fn print_unasked(&self, length: usize) -> Result<&'static str> {
        resources::print_unasked(length)
    }

    /// Makes handles and keeps them all; says how many it got.
    #[tool]
    fn hold_timers(&self, count: usize) -> String {
        resources::hold_timers(count)
    }

    /// Waits inside the host until a moment that never comes.
    #[tool]
    fn wait_for_ever(&self) -> &'static str {
        resources::wait_for_ever()
    }

    /// Waits for thousands of moments at once.
    #[tool]
    fn poll_many(&self, count: usize) -> &'static str {
        resources::poll_many(count)
    }
}

/// A kind of file in a word.
fn kind(kind: DescriptorType) -> &'static str {
    match kind {
        DescriptorType::Directory => "directory",
        DescriptorType::RegularFile => "file",
        DescriptorType::SymbolicLink => "link",
        DescriptorType::Fifo => "fifo",
        DescriptorType::Socket => "socket",
        DescriptorType::CharacterDevice | DescriptorType::BlockDevice => "device",
        DescriptorType::Unknown => "unknown",
    }
}
