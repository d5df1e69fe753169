"""Proxies and connections."""

from __future__ import annotations

import base64
import dataclasses
import http.client
import ipaddress
import select
import socket
import urllib.parse
import urllib.request
from typing import Mapping, Optional


@dataclasses.dataclass
class Proxy:
    host: str
    port: int
    headers: Mapping[str, str]


def proxy_of(address: urllib.parse.SplitResult) -> Optional[Proxy]:
    """Returns the proxy to an address, None without one. This machine is always reached directly."""
    host = address.hostname or ""
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost" or host.endswith(".localhost")
    named = urllib.request.getproxies().get(address.scheme)
    if local or not named or urllib.request.proxy_bypass(authority(host, address.port)):
        return None
    proxy = urllib.parse.urlsplit(named if "://" in named else "http://" + named)
    if proxy.scheme != "http" or not proxy.hostname:
        raise ValueError(f"the proxy for {address.scheme} must be an address such as http://proxy.example.org:3128")
    headers = {}
    if proxy.username is not None:
        login = f"{urllib.parse.unquote(proxy.username)}:{urllib.parse.unquote(proxy.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    return Proxy(proxy.hostname, proxy.port or http.client.HTTP_PORT, headers)


def authority(host: str, port: Optional[int]) -> str:
    """Returns a host and its port as in an address."""
    if ":" in host:
        host = f"[{host}]"
    return host if port is None else f"{host}:{port}"


def readable(sock: socket.socket) -> bool:
    """Reports whether something can be read at once."""
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([sock], [], [], 0)[0])
    # select refuses a file number of 1024 or more, which a program with many connections has.
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))
