//! Sockets and names.

use std::net::SocketAddr;

use palisade_sdk::prelude::*;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::ip_name_lookup::resolve_addresses;
use wasip2::sockets::network::{
    ErrorCode, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress, Ipv6SocketAddress,
};
use wasip2::sockets::tcp_create_socket::create_tcp_socket;
use wasip2::sockets::udp::OutgoingDatagram;
use wasip2::sockets::udp_create_socket::create_udp_socket;

fn named(code: ErrorCode) -> Error {
    Error::msg(code.name())
}

fn parsed(address: &str) -> Result<(IpAddressFamily, IpSocketAddress)> {
    Ok(match address.parse()? {
        SocketAddr::V4(it) => {
            let [a, b, c, d] = it.ip().octets();
            let address = IpSocketAddress::Ipv4(Ipv4SocketAddress {
                port: it.port(),
                address: (a, b, c, d),
            });
            (IpAddressFamily::Ipv4, address)
        }
        SocketAddr::V6(it) => {
            let [a, b, c, d, e, f, g, h] = it.ip().segments();
            let address = IpSocketAddress::Ipv6(Ipv6SocketAddress {
                port: it.port(),
                flow_info: 0,
                address: (a, b, c, d, e, f, g, h),
                scope_id: 0,
            });
            (IpAddressFamily::Ipv6, address)
        }
    })
}

pub(crate) fn tcp_connect(address: &str) -> Result<&'static str> {
    let (family, address) = parsed(address)?;
    let socket = create_tcp_socket(family).map_err(named)?;
    socket
        .start_connect(&instance_network(), address)
        .map_err(named)?;
    socket.subscribe().block();
    socket.finish_connect().map_err(named)?;
    Ok("connected")
}

pub(crate) fn tcp_listen(address: &str) -> Result<&'static str> {
    let (family, address) = parsed(address)?;
    let socket = create_tcp_socket(family).map_err(named)?;
    socket
        .start_bind(&instance_network(), address)
        .map_err(named)?;
    socket.finish_bind().map_err(named)?;
    socket.start_listen().map_err(named)?;
    socket.finish_listen().map_err(named)?;
    Ok("listening")
}

pub(crate) fn udp_bind(address: &str) -> Result<&'static str> {
    let (family, address) = parsed(address)?;
    let socket = create_udp_socket(family).map_err(named)?;
    socket
        .start_bind(&instance_network(), address)
        .map_err(named)?;
    socket.finish_bind().map_err(named)?;
    Ok("bound")
}

pub(crate) fn udp_send(address: &str) -> Result<&'static str> {
    let (family, address) = parsed(address)?;
    let socket = create_udp_socket(family).map_err(named)?;
    let (_, outgoing) = socket.stream(Some(address)).map_err(named)?;
    outgoing.check_send().map_err(named)?;
    let datagram = OutgoingDatagram {
        data: b"hello".to_vec(),
        remote_address: None,
    };
    outgoing.send(&[datagram]).map_err(named)?;
    Ok("sent")
}

pub(crate) fn resolve(name: &str) -> Result<String> {
    let addresses = resolve_addresses(&instance_network(), name).map_err(named)?;
    addresses.subscribe().block();
    let first = addresses.resolve_next_address().map_err(named)?;
    Ok(format!("{first:?}"))
}
