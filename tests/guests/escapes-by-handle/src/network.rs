//! Sockets and names.

use palisade_sdk::prelude::*;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::ip_name_lookup::resolve_addresses;
use wasip2::sockets::network::{ErrorCode, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress};
use wasip2::sockets::tcp_create_socket::create_tcp_socket;
use wasip2::sockets::udp::OutgoingDatagram;
use wasip2::sockets::udp_create_socket::create_udp_socket;

fn named(code: ErrorCode) -> Error {
    Error::msg(code.name())
}

fn socket_address(address: [u8; 4], port: u16) -> IpSocketAddress {
    let [a, b, c, d] = address;
    IpSocketAddress::Ipv4(Ipv4SocketAddress {
        port,
        address: (a, b, c, d),
    })
}

pub(crate) fn tcp_connect(address: [u8; 4], port: u16) -> Result<&'static str> {
    let socket = create_tcp_socket(IpAddressFamily::Ipv4).map_err(named)?;
    socket
        .start_connect(&instance_network(), socket_address(address, port))
        .map_err(named)?;
    socket.subscribe().block();
    socket.finish_connect().map_err(named)?;
    Ok("connected")
}

pub(crate) fn tcp_listen(address: [u8; 4], port: u16) -> Result<&'static str> {
    let socket = create_tcp_socket(IpAddressFamily::Ipv4).map_err(named)?;
    socket
        .start_bind(&instance_network(), socket_address(address, port))
        .map_err(named)?;
    socket.subscribe().block();
    socket.finish_bind().map_err(named)?;
    socket.start_listen().map_err(named)?;
    socket.subscribe().block();
    socket.finish_listen().map_err(named)?;
    Ok("listening")
}

pub(crate) fn udp_send(address: [u8; 4], port: u16) -> Result<&'static str> {
    let socket = create_udp_socket(IpAddressFamily::Ipv4).map_err(named)?;
    socket
        .start_bind(&instance_network(), socket_address([0, 0, 0, 0], 0))
        .map_err(named)?;
    socket.subscribe().block();
    socket.finish_bind().map_err(named)?;
    let (_, outgoing) = socket.stream(None).map_err(named)?;
    outgoing.subscribe().block();
    outgoing.check_send().map_err(named)?;
    outgoing
        .send(&[OutgoingDatagram {
            data: b"hello".to_vec(),
            remote_address: Some(socket_address(address, port)),
        }])
        .map_err(named)?;
    Ok("sent")
}

pub(crate) fn resolve(name: &str) -> Result<String> {
    let addresses = resolve_addresses(&instance_network(), name).map_err(named)?;
    addresses.subscribe().block();
    let first = addresses.resolve_next_address().map_err(named)?;
    Ok(format!("{first:?}"))
}
