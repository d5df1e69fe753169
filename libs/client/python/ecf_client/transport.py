"""How calls reach the service: tokens, attempts, pages and errors.

Nothing here knows an operation: those are in the generated module
``operations``, and the shapes of what they take and return in ``models``.
"""

from __future__ import annotations

import dataclasses
import http.client
import random
import ssl
import threading
import time
import urllib.parse
import uuid
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from .network import authority, proxy_of, readable
from .values import decode, encode

__all__ = ["ApiError", "Client", "Meta", "NoAnswer", "NotModified"]

_FIRST_PAUSE = 0.1
_LAST_PAUSE = 5.0
_LARGEST_PAGE = 100
_PREFIX = "/api/v2"


class ApiError(Exception):
    """A refusal by the service. Branch on ``code``; ``details`` name every field at fault."""

    def __init__(self, status: int, error: Mapping[str, Any], retry_after: Optional[float] = None) -> None:
        self.status = status
        self.code: str = error.get("code", "")
        self.message: str = error.get("message", "")
        self.details: List[Mapping[str, Any]] = error.get("details", [])
        self.request_id: str = error.get("requestId", "")
        self.docs: str = error.get("docs", "")
        self.retry_after = retry_after
        fields = "; ".join(map(_told, self.details))
        super().__init__(f"{status} {self.code}: {self.message}{' ' + fields if fields else ''} (request {self.request_id})")


def _told(detail: Mapping[str, Any]) -> str:
    suggestions = ", ".join(detail.get("suggestions", []))
    return f"{detail.get('field', '')}: {detail.get('message', '')}" + (f" (suggestions: {suggestions})" if suggestions else "")


class NoAnswer(Exception):
    """The request was sent, or could not be sent, and no answer came back."""


class NotModified(Exception):
    """What was asked for still has the entity tag given as ``if_none_match``."""


@dataclasses.dataclass
class Meta:
    """What an answer says beside its data. Pass one as ``meta`` to have it filled in."""

    status: int = 0
    etag: str = ""
    request_id: str = ""
    replayed: bool = False
    rate_limit: str = ""
    attempts: int = 0


@dataclasses.dataclass
class _Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Client:
    """Calls the service at ``url``, for example ``https://carbon.example.org``.

    A client may be shared by threads. It logs in once, renews its access token
    when the service refuses it, and repeats a call where that cannot do harm:
    reads, calls with an idempotency key (every call that takes one gets one),
    replacements by reference, conditional writes and rehearsals.

    timeout  seconds that one attempt may take
    patience seconds that the pauses between the attempts of a call may take together; by default
             more than the write limit, which is counted over a minute, can require
    tokens   the tokens of an earlier client, to continue its session

    It goes through the proxy that https_proxy or http_proxy in the environment, or the system, names for the
    address, unless no_proxy excludes it.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 30.0,
        patience: float = 90.0,
        poll_interval: float = 0.25,
        user_agent: str = "ecf-client-python/2.0",
        tokens: Optional[Mapping[str, Any]] = None,
        tls: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = urllib.parse.urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"url must be an http or https address such as https://carbon.example.org; got {url!r}")
        path = address.path.rstrip("/")
        self._root = path[: -len(_PREFIX)] if path.endswith(_PREFIX) else path
        self._scheme, self._host, self._port = address.scheme, address.hostname, address.port
        self._proxy = proxy_of(address)
        self._timeout, self._patience, self._poll = timeout, patience, poll_interval
        self._user_agent, self._tls, self._sleep = user_agent, tls, sleep
        self._idle: List[http.client.HTTPConnection] = []
        self._idle_lock = threading.Lock()
        self._tokens: Dict[str, Any] = dict(tokens or {})
        self._organization = ""  # what refreshes are of; empty: the organization of the login
        self._tokens_lock = threading.Lock()
        self._renewing = threading.Lock()

    # The session.

    def login(self, email: str, password: str) -> None:
        """Begins a session. Log in once and keep the client: logins are few by the service's limits."""
        bundle = self._call("POST", "/auth/login", body={"email": email, "password": password}, bearer=False, harmless=True)
        with self._tokens_lock:
            self._tokens, self._organization = dict(bundle), ""

    def switch_to(self, organization: str) -> None:
        """Goes on in another organization that the account is a member of, in the same session."""
        now = self.tokens()
        body = {"refreshToken": now.get("refreshToken", ""), "organization": organization}
        fresh = self._call("POST", "/auth/refresh", body=body, bearer=False, harmless=True)
        with self._tokens_lock:
            self._tokens, self._organization = {**now, **fresh}, organization

    def tokens(self) -> Dict[str, Any]:
        """Returns the tokens, to continue the session in another client. They are as secret as a password."""
        with self._tokens_lock:
            return dict(self._tokens)

    def logout(self) -> None:
        """Ends the session: its tokens stop working, and the client forgets them."""
        self._call("POST", "/auth/logout")
        with self._tokens_lock:
            self._tokens = {}

    def _access(self) -> str:
        with self._tokens_lock:
            return self._tokens.get("accessToken", "")

    def _renew(self, refused: str) -> bool:
        """Gets another access token in place of one that was refused; reports whether there is another one now.

        Of many calls that were refused together one renews, and the others find it done.
        """
        with self._renewing:
            with self._tokens_lock:
                now = dict(self._tokens)
            if now.get("accessToken", "") != refused:
                return bool(now.get("accessToken"))
            if not now.get("refreshToken"):
                return False
            try:
                body = {"refreshToken": now["refreshToken"]}
                if self._organization:
                    body["organization"] = self._organization
                fresh = self._call("POST", "/auth/refresh", body=body, bearer=False, harmless=True)
            except ApiError as error:
                if error.status == 401:
                    with self._tokens_lock:
                        if self._tokens == now:
                            self._tokens = {}
                raise
            with self._tokens_lock:
                if self._tokens == now:
                    self._tokens = {**now, **fresh}
            return True

    # Calls.

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        content: Optional[Tuple[str, bytes]] = None,
        headers: Optional[Mapping[str, Optional[str]]] = None,
        accept: Optional[str] = None,
        bearer: bool = True,
        harmless: bool = False,
        keyed: bool = False,
        enveloped: bool = True,
        raw: bool = False,
        at_root: bool = False,
        meta: Optional[Meta] = None,
    ) -> Any:
        """Makes a call until it succeeds, is refused for good, or the patience ends.

        keyed marks a call that takes an Idempotency-Key: all its attempts carry the same one.
        """
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        if keyed and "Idempotency-Key" not in sent:
            sent["Idempotency-Key"] = str(uuid.uuid4())
        payload: Optional[bytes] = None
        if content is not None:
            sent["Content-Type"], payload = content
        elif body is not None:
            sent["Content-Type"], payload = "application/json", encode(body).encode()
        if accept:
            sent["Accept"] = accept
        sent["User-Agent"] = self._user_agent
        target = self._root + ("" if at_root else _PREFIX) + path
        given = {name: value for name, value in (query or {}).items() if value is not None}
        if given:
            target += "?" + urllib.parse.urlencode({n: str(v).lower() if isinstance(v, bool) else v for n, v in given.items()}, doseq=True)

        # Replacing what a reference names comes to the same twice, unless it is to be created only.
        replaces = method == "PUT" and "If-None-Match" not in sent
        safe = method == "GET" or replaces or harmless or any(n in sent for n in ("Idempotency-Key", "If-Match", "X-Dry-Run"))
        patience, renewed, failures, attempts = self._patience, False, 0, 0
        while True:
            attempts += 1
            token = self._access() if bearer else ""
            if token:
                sent["Authorization"] = "Bearer " + token
            try:
                answer = self._once(method, target, payload, sent)
                if meta is not None:
                    meta.status, meta.attempts = answer.status, attempts
                    meta.etag = answer.headers.get("ETag", "")
                    meta.request_id = answer.headers.get("X-Request-Id", "")
                    meta.replayed = answer.headers.get("Idempotent-Replayed") == "true"
                    meta.rate_limit = answer.headers.get("RateLimit", "")
                if raw:
                    return answer.body
                value = decode(answer.body)
                return value["data"] if enveloped else value
            except NoAnswer as error:
                if not (safe or isinstance(error.__cause__, ConnectionRefusedError)):
                    raise
                failure: Exception = error
                pause = self._pause(failures)
            except ApiError as error:
                if error.status == 401 and token and not renewed:
                    renewed = True
                    if self._renew(token):
                        continue
                    raise
                again = error.status == 429 or error.code == "IDEMPOTENCY_IN_PROGRESS" or (safe and error.status in (502, 503, 504))
                if not again:
                    raise
                failure = error
                pause = self._pause(failures)
                if error.retry_after is not None:
                    pause = error.retry_after + random.random() * _FIRST_PAUSE
            if pause > patience:
                raise failure
            patience -= pause
            failures += 1
            self._sleep(pause)

    @staticmethod
    def _pause(failures: int) -> float:
        """Returns a pause that doubles with every failure, up to half of it random."""
        grown = min(_FIRST_PAUSE * 2 ** min(failures, 6), _LAST_PAUSE)
        return grown / 2 + random.random() * grown / 2

    def _once(self, method: str, target: str, payload: Optional[bytes], headers: Mapping[str, str]) -> _Answer:
        connection = self._connection()
        sent = dict(headers)
        if self._proxy and self._scheme == "http":
            target = f"http://{authority(self._host, self._port)}{target}"
            sent.update(self._proxy.headers)
        try:
            connection.request(method, target, payload, sent)
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise NoAnswer(f"{method} {target}: {error or type(error).__name__}") from error
        if response.will_close:
            connection.close()
        else:
            with self._idle_lock:
                self._idle.append(connection)
        if response.status == 304:
            raise NotModified(target)
        if 200 <= response.status < 300:
            return _Answer(response.status, response.headers, body)
        try:
            error = decode(body)["error"]
        except (ValueError, KeyError, TypeError):
            # A proxy between the client and the service answers in its own words.
            error = {"code": "", "message": body[:200].decode("utf-8", "replace")}
            if response.status < 400 and response.headers.get("Location"):
                error["message"] = f"The address redirects to {response.headers['Location']}. Use the address of the service itself."
        after = response.headers.get("Retry-After", "")
        raise ApiError(response.status, error, float(after) if after.isdigit() else None)

    def _connection(self) -> http.client.HTTPConnection:
        """Returns an idle connection that the service has not closed, or a new one."""
        while True:
            with self._idle_lock:
                if not self._idle:
                    break
                connection = self._idle.pop()
            # Of an idle connection nothing can be read but its end.
            if connection.sock is not None and not readable(connection.sock):
                return connection
            connection.close()
        host, port = (self._proxy.host, self._proxy.port) if self._proxy else (self._host, self._port)
        if self._scheme != "https":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        secure = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._tls or ssl.create_default_context())
        if self._proxy:
            secure.set_tunnel(self._host, self._port or http.client.HTTPS_PORT, dict(self._proxy.headers))
        return secure

    def close(self) -> None:
        """Closes the idle connections. The client may be used again."""
        with self._idle_lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # Lists and waiting.

    @staticmethod
    def _pages(read: Callable[..., Mapping[str, Any]]) -> Iterator[Any]:
        """Yields the items of all pages, which are read as they are reached.

        What is added meanwhile pushes others to a later page, so an item may come twice. What is deleted meanwhile moves
        others to an earlier page, so one may be missed; ``export_records_json`` reads all of an event in one call.
        """
        number = 1
        while True:
            page = read(page=number, limit=_LARGEST_PAGE)
            yield from page["items"]
            if number >= page["pagination"]["totalPages"]:
                return
            number += 1

    def wait_for_result(self, event_id: str, timeout: float = 60.0) -> Any:
        """Returns the result of an event once it is current: once it counts all that was approved before the call.

        Raises ApiError RESULT_NOT_FOUND at once when nothing is approved, and TimeoutError.
        """
        deadline, tag, seen = time.monotonic() + timeout, None, "no result"
        while True:
            meta = Meta()
            try:
                result = self._call(
                    "GET", f"/events/{segment(event_id)}/results", headers={"If-None-Match": tag}, meta=meta
                )
                if result["status"] == "current":
                    return result
                seen, tag = f"a result that is {result['status']}", meta.etag
            except NotModified:
                pass
            except ApiError as error:
                if not any(d.get("code") == "CALCULATION_PENDING" for d in error.details):
                    raise
                seen = "a result that is being calculated"
            if time.monotonic() + self._poll > deadline:
                raise TimeoutError(f"the result of the event {event_id} is not current after {timeout} s; last seen was {seen}")
            self._sleep(self._poll)

    def wait_for_import(self, event_id: str, import_id: str, timeout: float = 600.0) -> Any:
        """Returns an import once it has completed or failed: look at its ``status`` and ``errors``. Raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while True:
            now = self._call("GET", f"/events/{segment(event_id)}/imports/{segment(import_id)}")
            if now["status"] in ("completed", "failed"):
                return now
            if time.monotonic() + self._poll > deadline:
                raise TimeoutError(f"the import {import_id} is {now['status']} after {timeout} s")
            self._sleep(self._poll)


def segment(value: Any) -> str:
    """Returns a path segment with everything but unreserved characters escaped."""
    text = str(value)
    if text in ("", ".", ".."):
        raise ValueError(f"an id must not be {text!r}")
    return urllib.parse.quote(text, safe="")
