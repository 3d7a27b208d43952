//! Whether there are sockets at all: a person is told where there are none.

use palisade_policy::Scheme;
use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::p2::bindings::sockets::network::{
    self, ErrorCode, HostNetwork, IpAddressFamily,
};
use wasmtime_wasi::p2::bindings::sockets::{tcp_create_socket, udp_create_socket};
use wasmtime_wasi::p2::{SocketError, SocketResult, TcpSocket, UdpSocket};
use wasmtime_wasi::sockets::WasiSocketsCtxView;

use super::Network;
use crate::state::State;

/// The sockets of one call, and what is granted.
pub(crate) struct Sockets<'a> {
    sockets: WasiSocketsCtxView<'a>,
    network: &'a Network,
}

struct HasSockets;

impl HasData for HasSockets {
    type Data<'a> = Sockets<'a>;
}

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    tcp_create_socket::add_to_linker::<State, HasSockets>(linker, of)?;
    udp_create_socket::add_to_linker::<State, HasSockets>(linker, of)
}

fn of(state: &mut State) -> Sockets<'_> {
    let network = &state.network.network;
    Sockets {
        sockets: WasiSocketsCtxView {
            ctx: state.wasi.sockets(),
            table: &mut state.table,
        },
        network,
    }
}

impl tcp_create_socket::Host for Sockets<'_> {
    fn create_tcp_socket(&mut self, family: IpAddressFamily) -> SocketResult<Resource<TcpSocket>> {
        if !self.network.is_granted() {
            self.network.refuse_socket(Scheme::Tcp);
            return Err(ErrorCode::AccessDenied.into());
        }
        self.sockets.create_tcp_socket(family)
    }
}

impl udp_create_socket::Host for Sockets<'_> {
    async fn create_udp_socket(
        &mut self,
        family: IpAddressFamily,
    ) -> SocketResult<Resource<UdpSocket>> {
        if !self.network.speaks(Scheme::Udp) {
            self.network.refuse_socket(Scheme::Udp);
            return Err(ErrorCode::AccessDenied.into());
        }
        self.sockets.create_udp_socket(family).await
    }
}

impl network::Host for Sockets<'_> {
    fn convert_error_code(&mut self, error: SocketError) -> wasmtime::Result<ErrorCode> {
        self.sockets.convert_error_code(error)
    }

    fn network_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        self.sockets.network_error_code(error)
    }
}

impl HostNetwork for Sockets<'_> {
    fn drop(&mut self, network: Resource<network::Network>) -> wasmtime::Result<()> {
        HostNetwork::drop(&mut self.sockets, network)
    }
}
