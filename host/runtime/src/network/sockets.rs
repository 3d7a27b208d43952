//! Which addresses sockets are good for.

use std::net::SocketAddr;
use std::sync::Arc;

use palisade_policy::Scheme;
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::sockets::SocketAddrUse;

use super::InstanceNetwork;

/// Lets an instance have the sockets that something is granted for, and asks at
/// each address. Nothing is ever listened at.
pub(crate) fn allow(builder: &mut WasiCtxBuilder, instance: &InstanceNetwork) {
    let network = Arc::clone(&instance.network);
    let remembered = Arc::clone(&instance.remembered);
    builder
        // Also where only other schemes are granted: that a connection is refused
        // is told at its address, which says what would allow it.
        .allow_tcp(network.is_granted())
        .allow_udp(network.speaks(Scheme::Udp))
        .socket_addr_check(move |address, used| {
            let admitted = match used {
                SocketAddrUse::TcpConnect => network.admits(Scheme::Tcp, address, &remembered),
                SocketAddrUse::UdpSend | SocketAddrUse::UdpReceive => {
                    network.admits(Scheme::Udp, address, &remembered)
                }
                // What the system gives a socket that is about to be used; by
                // itself a guest binds none of TCP (`super::tcp`), and of UDP it
                // has to bind one to have it connected.
                SocketAddrUse::TcpBind | SocketAddrUse::UdpBind => is_any(address),
                SocketAddrUse::TcpListen | SocketAddrUse::TcpAccept => false,
            };
            Box::pin(std::future::ready(admitted))
        });
}

/// No address and no port in particular.
fn is_any(address: SocketAddr) -> bool {
    address.ip().is_unspecified() && address.port() == 0
}
