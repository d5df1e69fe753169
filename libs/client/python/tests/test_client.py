"""Tests of the transport against a server that fails on purpose."""

import datetime
import http.server
import json
import os
import pathlib
import socket
import sys
import threading
import unittest
import unittest.mock
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from ecf_client import ApiError, Client, Meta, NoAnswer, NotModified  # noqa: E402
from ecf_client.transport import segment  # noqa: E402
from ecf_client.values import encode  # noqa: E402


def ok(data, **headers):
    return 200, headers, {"success": True, "data": data}


def refusal(status, code, **headers):
    return status, headers, {"success": False, "error": {"code": code, "message": code, "requestId": "r1"}}


HANG_UP = object()


class Service:
    """A server that answers with what it was given, in order, and keeps what it was asked."""

    def __init__(self, *answers):
        service = self
        self.clients = []
        self.answers, self.requests, self.lock = list(answers), [], threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with service.lock:
                    service.requests.append((self.command, self.path, dict(self.headers), body))
                    answer = service.answers.pop(0)
                if callable(answer):
                    answer = answer(self)
                if answer is HANG_UP:
                    self.close_connection = True
                    return
                status, headers, value = answer
                text = b"" if status == 304 else value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, content in headers.items():
                    self.send_header(name.replace("_", "-"), content)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.close()
        self.server.shutdown()
        self.server.server_close()

    def client(self, **options):
        self.pauses = []
        client = Client(f"http://127.0.0.1:{self.server.server_port}", sleep=self.pauses.append, poll_interval=0, **options)
        self.clients.append(client)
        return client


TOKENS = {"accessToken": "old", "refreshToken": "refresh"}


class Attempts(unittest.TestCase):
    def test_the_attempts_of_a_post_carry_one_key(self):
        with Service(HANG_UP, refusal(503, "UNAVAILABLE", Retry_After="2"), ok({"_id": "e1"})) as service:
            event = service.client(tokens=TOKENS).create_event({"title": "Fair"})
        self.assertEqual(event, {"_id": "e1"})
        keys = {headers["Idempotency-Key"] for _, _, headers, _ in service.requests}
        self.assertEqual((len(service.requests), len(keys)), (3, 1))
        self.assertGreaterEqual(service.pauses[-1], 2.0, "Retry-After is the least pause")

    def test_a_write_that_may_have_happened_is_not_repeated(self):
        with Service(HANG_UP) as service:
            with self.assertRaises(NoAnswer):
                service.client(tokens=TOKENS).update_event("e1", {"title": "Fair"})
        self.assertEqual(len(service.requests), 1)

    def test_a_conditional_write_is_repeated(self):
        with Service(HANG_UP, ok({"_id": "e1"})) as service:
            service.client(tokens=TOKENS).update_event("e1", {"title": "Fair"}, if_match='"1"')
        self.assertEqual([r[2]["If-Match"] for r in service.requests], ['"1"', '"1"'])

    def test_a_replacement_is_repeated_unless_it_only_creates(self):
        with Service(HANG_UP, refusal(503, "UNAVAILABLE"), ok({"_id": "r1"})) as service:
            service.client(tokens=TOKENS).put_record_by_reference("e1", "waste", "ERP/1", {"weightKg": 1})
        self.assertEqual([r[:2] for r in service.requests], [("PUT", "/api/v2/events/e1/waste/by-reference/ERP%2F1")] * 3)
        with Service(HANG_UP) as service:
            with self.assertRaises(NoAnswer):
                service.client(tokens=TOKENS).put_record_by_reference("e1", "waste", "ERP/1", {"weightKg": 1}, if_none_match="*")
        self.assertEqual(len(service.requests), 1)

    def test_a_deletion_of_a_record_is_repeated_with_its_key(self):
        with Service(HANG_UP, ok({"_id": "r1", "deleted": True})) as service:
            service.client(tokens=TOKENS).delete_record_by_reference("e1", "waste", "ERP/1")
        keys = {headers["Idempotency-Key"] for _, _, headers, _ in service.requests}
        self.assertEqual((len(service.requests), len(keys)), (2, 1))
        with Service(HANG_UP) as service:
            with self.assertRaises(NoAnswer):
                service.client(tokens=TOKENS).delete_event("e1")
        self.assertEqual(len(service.requests), 1)

    def test_a_preview_is_repeated(self):
        with Service(HANG_UP, ok({"rows": []})) as service:
            service.client(tokens=TOKENS).preview_rows("e1", {"rows": []})
        self.assertEqual(len(service.requests), 2)

    def test_a_refusal_is_not_repeated_and_names_its_fields(self):
        bad = {"code": "VALIDATION_ERROR", "message": "1 error", "requestId": "r9", "details": [{"field": "title", "code": "REQUIRED", "message": "title is required"}]}
        with Service((400, {}, {"success": False, "error": bad})) as service:
            with self.assertRaises(ApiError) as caught:
                service.client(tokens=TOKENS).create_event({})
        self.assertEqual((caught.exception.code, caught.exception.request_id, caught.exception.details[0]["field"]), ("VALIDATION_ERROR", "r9", "title"))
        self.assertIn("title is required", str(caught.exception))

    def test_the_default_patience_outlasts_the_write_limit(self):
        with Service(refusal(429, "RATE_LIMITED", Retry_After="60"), ok({"_id": "r1"})) as service:
            service.client(tokens=TOKENS).put_record_by_reference("e1", "waste", "ERP/1", {"weightKg": 1})
        self.assertEqual(len(service.requests), 2)

    def test_a_program_may_have_many_open_files(self):
        with Service(ok(1), ok(2)) as service, open(os.devnull) as file:
            client = service.client()
            spare = []
            try:
                while not spare or spare[-1] < 1100:
                    spare.append(os.dup(file.fileno()))
                self.assertEqual([client.get_event("e"), client.get_event("e")], [1, 2])
            finally:
                for number in spare:
                    os.close(number)

    def test_patience_ends(self):
        with Service(*[refusal(429, "RATE_LIMITED", Retry_After="7")] * 3) as service:
            with self.assertRaises(ApiError):
                service.client(tokens=TOKENS, patience=15).list_events()
        self.assertEqual(len(service.requests), 3)

    def test_a_redirection_is_an_error_that_names_the_address(self):
        with Service((301, {"Location": "https://carbon.example.org/api/v2/events/e1"}, b"")) as service:
            with self.assertRaisesRegex(ApiError, "redirects to https://carbon.example.org/"):
                service.client().get_event("e1")

    def test_an_error_tells_the_suggestions(self):
        details = [{"field": "to", "message": "unknown", "suggestions": ["MAN", "NMA"]}, {"field": "class", "message": "wrong"}]
        body = {"success": False, "error": {"code": "VALIDATION_ERROR", "message": "no", "requestId": "r1", "details": details}}
        with Service((400, {}, json.dumps(body).encode())) as service:
            with self.assertRaises(ApiError) as caught:
                service.client(tokens=TOKENS).create_event({"title": "x"})
        self.assertEqual(str(caught.exception), "400 VALIDATION_ERROR: no to: unknown (suggestions: MAN, NMA); class: wrong (request r1)")

    def test_an_answer_of_a_proxy_is_an_error_too(self):
        with Service((413, {}, b"<html>too large")) as service:
            with self.assertRaises(ApiError) as caught:
                service.client(tokens=TOKENS).create_event({"title": "x"})
        self.assertEqual((caught.exception.status, caught.exception.message), (413, "<html>too large"))


class Session(unittest.TestCase):
    def test_a_refused_token_is_renewed_once_for_all_threads(self):
        renewed = threading.Event()

        def answer(handler):
            if handler.path.endswith("/auth/refresh"):
                renewed.set()
                return ok({"accessToken": "new"})
            return ok({"name": "me"}) if handler.headers["Authorization"] == "Bearer new" else refusal(401, "UNAUTHENTICATED")

        with Service(*[answer] * 100) as service:
            client = service.client(tokens=TOKENS)
            threads = [threading.Thread(target=client.me) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
        refreshes = [r for r in service.requests if r[1].endswith("/auth/refresh")]
        self.assertTrue(renewed.is_set())
        self.assertEqual(len(refreshes), 1)
        self.assertEqual(client.tokens(), {"accessToken": "new", "refreshToken": "refresh"})

    def test_a_refused_refresh_ends_the_session(self):
        with Service(refusal(401, "UNAUTHENTICATED"), refusal(401, "UNAUTHENTICATED")) as service:
            client = service.client(tokens=TOKENS)
            with self.assertRaises(ApiError):
                client.me()
        self.assertEqual(client.tokens(), {})


class Reading(unittest.TestCase):
    def test_items_of_all_pages(self):
        def page(number, items):
            return ok({"items": items, "pagination": {"page": number, "limit": 100, "total": 3, "totalPages": 2}})

        with Service(page(1, [1, 2]), page(2, [3])) as service:
            self.assertEqual(list(service.client(tokens=TOKENS).iter_records("e/1", "flights")), [1, 2, 3])
        self.assertEqual([r[1] for r in service.requests], [f"/api/v2/events/e%2F1/flights?page={n}&limit=100" for n in (1, 2)])

    def test_each_of_several_values_is_a_parameter(self):
        with Service(ok({"_id": "i"})) as service:
            service.client(tokens=TOKENS).import_records("e", "flights", b"x\n", column=["C:from", "F:"], partial=True)
        self.assertEqual(service.requests[0][1], "/api/v2/events/e/flights/import?partial=true&column=C%3Afrom&column=F%3A")

    def test_unchanged(self):
        with Service(ok({"items": []}, ETag='"7"'), (304, {}, b"")) as service:
            client, meta = service.client(tokens=TOKENS), Meta()
            client.list_events(meta=meta)
            self.assertEqual((meta.etag, meta.attempts), ('"7"', 1))
            with self.assertRaises(NotModified):
                client.list_events(if_none_match=meta.etag)

    def test_waits_until_the_result_is_current(self):
        pending = refusal(404, "RESULT_NOT_FOUND")
        pending[2]["error"]["details"] = [{"code": "CALCULATION_PENDING"}]
        with Service(pending, ok({"status": "recalculating"}, ETag='"1"'), (304, {}, b""), ok({"status": "current", "n": 1})) as service:
            self.assertEqual(service.client(tokens=TOKENS).wait_for_result("e1")["n"], 1)
        self.assertEqual(service.requests[2][2]["If-None-Match"], '"1"')

    def test_nothing_approved_is_an_error_at_once(self):
        with Service(refusal(404, "RESULT_NOT_FOUND")) as service:
            with self.assertRaises(ApiError):
                service.client(tokens=TOKENS).wait_for_result("e1")

    def test_masses_stay_exact(self):
        with Service((200, {}, b'{"success":true,"data":{"kgCO2e":180647.094559}}')) as service:
            self.assertEqual(service.client(tokens=TOKENS).get_event("e1")["kgCO2e"], Decimal("180647.094559"))


class Organizations(unittest.TestCase):
    def test_switch_holds_for_later_refreshes(self):
        fresh = [ok({"accessToken": name}) for name in ("other", "renewed")]
        with Service(fresh[0], refusal(401, "UNAUTHENTICATED"), fresh[1], ok({"_id": "u1"})) as service:
            client = service.client(tokens=TOKENS)
            client.switch_to("o2")
            client.me()
            self.assertEqual(client.tokens()["accessToken"], "renewed")
            self.assertEqual(client.tokens()["refreshToken"], TOKENS["refreshToken"])
        self.assertEqual([r[1] for r in service.requests], [f"/api/v2/auth/{n}" for n in ("refresh", "me", "refresh", "me")])
        self.assertEqual([json.loads(service.requests[n][3])["organization"] for n in (0, 2)], ["o2", "o2"])
        self.assertEqual(service.requests[3][2]["Authorization"], "Bearer renewed")

    def test_a_refused_switch_changes_nothing(self):
        with Service(refusal(404, "NOT_FOUND"), ok({"_id": "u1"})) as service:
            client = service.client(tokens=TOKENS)
            with self.assertRaises(ApiError):
                client.switch_to("nobody's")
            client.me()
            self.assertEqual(client.tokens(), TOKENS)


class Governed(unittest.TestCase):
    def test_a_proposal_is_the_answer(self):
        with Service((202, {}, b'{"success":true,"data":{"change":{"_id":"c1"}}}')) as service:
            answer = service.client(tokens=TOKENS).update_event("e1", {"attendees": 240}, if_match='"1"')
            self.assertEqual(answer["change"]["_id"], "c1")

    def test_a_whole_event_in_json(self):
        with Service(ok({"event": {"_id": "e1"}, "items": [{"_id": "r1"}]})) as service:
            whole = service.client(tokens=TOKENS).export_records_json("e1")
            self.assertEqual((whole["event"]["_id"], len(whole["items"])), ("e1", 1))
            self.assertEqual(service.requests[0][2]["Accept"], "application/json")


class Proxies(unittest.TestCase):
    def environment(self, **names):
        without = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy")}
        return unittest.mock.patch.dict(os.environ, {**without, **names}, clear=True)

    def test_through_the_proxy_of_the_environment(self):
        with Service(ok(1)) as service:
            proxy = f"http://jo:p%40ss@127.0.0.1:{service.server.server_port}"
            with self.environment(http_proxy=proxy), Client("http://carbon.example.org:8080") as client:
                self.assertEqual(client.get_event("e1"), 1)
        method, path, headers, _ = service.requests[0]
        self.assertEqual((method, path), ("GET", "http://carbon.example.org:8080/api/v2/events/e1"))
        self.assertEqual((headers["Host"], headers["Proxy-Authorization"]), ("carbon.example.org:8080", "Basic am86cEBzcw=="))

    def test_a_tunnel_to_a_secure_service(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            asked = []

            def refuse():
                connection, _ = listener.accept()
                with connection:
                    asked.append(connection.recv(4096).split(b"\r\n")[0])
                    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

            proxy = threading.Thread(target=refuse)
            proxy.start()
            with self.environment(https_proxy=f"127.0.0.1:{listener.getsockname()[1]}"):
                client = Client("https://carbon.example.org", patience=0)
                with self.assertRaisesRegex(NoAnswer, "403"):
                    client.get_event("e1")
            proxy.join()
        self.assertRegex(asked[0].decode(), "^CONNECT carbon.example.org:443 ")

    def test_what_goes_directly(self):
        proxy = {"http_proxy": "http://127.0.0.1:1", "no_proxy": "example.org"}
        for url in ("http://carbon.example.org", "http://127.0.0.1", "http://[::1]:8080", "http://localhost:8080"):
            with self.environment(**proxy):
                self.assertIsNone(Client(url)._proxy, url)
        with self.environment(http_proxy="socks5://proxy.test"), self.assertRaisesRegex(ValueError, "proxy for http must be"):
            Client("http://carbon.example.org")


class Encoding(unittest.TestCase):
    def test_decimals_are_numbers(self):
        self.assertEqual(encode({"a": [Decimal("0.10"), 1, None, True, 'x"'], "b": Decimal("1E+3")}), '{"a":[0.10,1,null,true,"x\\""],"b":1000}')
        for bad in (Decimal("NaN"), float("inf")):
            with self.assertRaises(ValueError):
                encode(bad)

    def test_days_and_times(self):
        summer = datetime.timezone(datetime.timedelta(hours=2))
        self.assertEqual(encode([datetime.date(2026, 6, 1), datetime.datetime(2026, 6, 1, 1, 30, tzinfo=summer)]), '["2026-06-01","2026-05-31T23:30:00.000Z"]')
        with self.assertRaises(ValueError):
            encode(datetime.datetime(2026, 6, 1))

    def test_segments(self):
        self.assertEqual(segment("a/b c%"), "a%2Fb%20c%25")
        for bad in ("", ".", ".."):
            with self.assertRaises(ValueError):
                segment(bad)

    def test_address(self):
        for bad in ("carbon.example.org", "ftp://x", ""):
            with self.assertRaises(ValueError):
                Client(bad)


if __name__ == "__main__":
    unittest.main()
