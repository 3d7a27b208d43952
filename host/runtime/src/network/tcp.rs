//! `wasi:sockets/tcp` without the half that waits for others: a socket is
//! connected, and nothing else.

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::WasiView as _;
use wasmtime_wasi::p2::bindings::sockets::network::{
    self, ErrorCode, HostNetwork, IpAddressFamily, IpSocketAddress, Network,
};
use wasmtime_wasi::p2::bindings::sockets::tcp::{self, Host, HostTcpSocket, ShutdownType};
use wasmtime_wasi::p2::{
    DynInputStream, DynOutputStream, DynPollable, SocketError, SocketResult, TcpSocket,
};
use wasmtime_wasi::sockets::WasiSocketsCtxView;

use crate::state::State;

/// The sockets of one call.
pub(crate) struct Tcp<'a>(WasiSocketsCtxView<'a>);

struct HasTcp;

impl HasData for HasTcp {
    type Data<'a> = Tcp<'a>;
}

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    tcp::add_to_linker::<State, HasTcp>(linker, |state| {
        let view = state.ctx();
        Tcp(WasiSocketsCtxView {
            ctx: view.ctx.sockets(),
            table: view.table,
        })
    })
}

/// A socket, by its handle.
type Socket = Resource<TcpSocket>;

/// A socket, and what is read from and written to it.
type Accepted = (Socket, Resource<DynInputStream>, Resource<DynOutputStream>);

impl Host for Tcp<'_> {}

impl network::Host for Tcp<'_> {
    fn convert_error_code(&mut self, error: SocketError) -> wasmtime::Result<ErrorCode> {
        self.0.convert_error_code(error)
    }

    fn network_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        self.0.network_error_code(error)
    }
}

impl HostNetwork for Tcp<'_> {
    fn drop(&mut self, network: Resource<Network>) -> wasmtime::Result<()> {
        HostNetwork::drop(&mut self.0, network)
    }
}

/// Methods that are handed on as they are.
macro_rules! hand_on {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        fn $name(&mut self, socket: Socket $(, $arg: $ty)*) -> $ret {
            self.0.$name(socket $(, $arg)*)
        }
    )*};
}

impl HostTcpSocket for Tcp<'_> {
    async fn start_bind(
        &mut self,
        _: Socket,
        _: Resource<Network>,
        _: IpSocketAddress,
    ) -> SocketResult<()> {
        Err(ErrorCode::AccessDenied.into())
    }

    async fn start_listen(&mut self, _: Socket) -> SocketResult<()> {
        Err(ErrorCode::AccessDenied.into())
    }

    fn accept(&mut self, _: Socket) -> SocketResult<Accepted> {
        Err(ErrorCode::AccessDenied.into())
    }

    fn drop(&mut self, socket: Socket) -> wasmtime::Result<()> {
        HostTcpSocket::drop(&mut self.0, socket)
    }

    hand_on! {
        fn finish_bind() -> SocketResult<()>;
        fn start_connect(network: Resource<Network>, remote: IpSocketAddress) -> SocketResult<()>;
        fn finish_connect() -> SocketResult<(Resource<DynInputStream>, Resource<DynOutputStream>)>;
        fn finish_listen() -> SocketResult<()>;
        fn local_address() -> SocketResult<IpSocketAddress>;
        fn remote_address() -> SocketResult<IpSocketAddress>;
        fn is_listening() -> wasmtime::Result<bool>;
        fn address_family() -> wasmtime::Result<IpAddressFamily>;
        fn set_listen_backlog_size(value: u64) -> SocketResult<()>;
        fn keep_alive_enabled() -> SocketResult<bool>;
        fn set_keep_alive_enabled(value: bool) -> SocketResult<()>;
        fn keep_alive_idle_time() -> SocketResult<u64>;
        fn set_keep_alive_idle_time(value: u64) -> SocketResult<()>;
        fn keep_alive_interval() -> SocketResult<u64>;
        fn set_keep_alive_interval(value: u64) -> SocketResult<()>;
        fn keep_alive_count() -> SocketResult<u32>;
        fn set_keep_alive_count(value: u32) -> SocketResult<()>;
        fn hop_limit() -> SocketResult<u8>;
        fn set_hop_limit(value: u8) -> SocketResult<()>;
        fn receive_buffer_size() -> SocketResult<u64>;
        fn set_receive_buffer_size(value: u64) -> SocketResult<()>;
        fn send_buffer_size() -> SocketResult<u64>;
        fn set_send_buffer_size(value: u64) -> SocketResult<()>;
        fn subscribe() -> wasmtime::Result<Resource<DynPollable>>;
        fn shutdown(how: ShutdownType) -> SocketResult<()>;
    }
}
