//! Sockets and names.

use std::net::SocketAddr;

use palisade_sdk::prelude::*;
use wasip2::sockets::instance_network::instance_network;
use wasip2::sockets::ip_name_lookup::resolve_addresses;
use wasip2::sockets::network::{
    ErrorCode, IpAddress, IpAddressFamily, IpSocketAddress, Ipv4SocketAddress, Ipv6SocketAddress,
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

/// Binds a TCP socket, and nothing more.
pub(crate) fn tcp_bind(address: &str) -> Result<&'static str> {
    let (family, address) = parsed(address)?;
    let socket = create_tcp_socket(family).map_err(named)?;
    socket
        .start_bind(&instance_network(), address)
        .map_err(named)?;
    socket.finish_bind().map_err(named)?;
    Ok("bound")
}

/// Looks a name up, connects to the first of its addresses, or to another one if
/// it is given, says something and returns the answer.
pub(crate) fn tcp_talk(name: &str, port: u16, instead: Option<&str>, text: &str) -> Result<String> {
    let found = first(name)?;
    let (family, address) = match instead {
        Some(other) => parsed(other)?,
        None => match found {
            IpAddress::Ipv4(address) => (
                IpAddressFamily::Ipv4,
                IpSocketAddress::Ipv4(Ipv4SocketAddress { port, address }),
            ),
            IpAddress::Ipv6(address) => (
                IpAddressFamily::Ipv6,
                IpSocketAddress::Ipv6(Ipv6SocketAddress {
                    port,
                    flow_info: 0,
                    address,
                    scope_id: 0,
                }),
            ),
        },
    };
    let socket = create_tcp_socket(family).map_err(named)?;
    socket
        .start_connect(&instance_network(), address)
        .map_err(named)?;
    socket.subscribe().block();
    let (input, output) = socket.finish_connect().map_err(named)?;
    output
        .blocking_write_and_flush(text.as_bytes())
        .map_err(|error| Error::msg(error.to_string()))?;
    let answer = input
        .blocking_read(4096)
        .map_err(|error| Error::msg(error.to_string()))?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Binds a socket to nothing in particular, sends a datagram and returns the
/// answer.
pub(crate) fn udp_talk(address: &str, text: &str) -> Result<String> {
    let (family, remote) = parsed(address)?;
    let socket = create_udp_socket(family).map_err(named)?;
    let (_, any) = parsed(match family {
        IpAddressFamily::Ipv4 => "0.0.0.0:0",
        IpAddressFamily::Ipv6 => "[::]:0",
    })?;
    socket.start_bind(&instance_network(), any).map_err(named)?;
    socket.finish_bind().map_err(named)?;
    let (incoming, outgoing) = socket.stream(Some(remote)).map_err(named)?;
    outgoing.subscribe().block();
    outgoing.check_send().map_err(named)?;
    let datagram = OutgoingDatagram {
        data: text.as_bytes().to_vec(),
        remote_address: None,
    };
    outgoing.send(&[datagram]).map_err(named)?;
    incoming.subscribe().block();
    let answers = incoming.receive(1).map_err(named)?;
    let answer = answers.first().map(|one| one.data.clone());
    Ok(String::from_utf8_lossy(&answer.unwrap_or_default()).into_owned())
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

fn first(name: &str) -> Result<IpAddress> {
    let addresses = resolve_addresses(&instance_network(), name).map_err(named)?;
    addresses.subscribe().block();
    let first = addresses.resolve_next_address().map_err(named)?;
    first.ok_or_else(|| Error::msg("no address"))
}

pub(crate) fn resolve(name: &str) -> Result<String> {
    Ok(format!("{:?}", first(name)?))
}
