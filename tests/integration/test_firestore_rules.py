"""What clients may do to Firestore directly, on the real emulator: read their own documents, and nothing else.

The emulator takes tokens without a signature and does not look at their expiry, audience or issuer; Firestore refuses
such tokens before it comes to the rules.
"""

import re
import time
from urllib.parse import quote

import httpx
import jwt
import pytest

from tests.support.emulators import RULES, new_project
from tests.support.process import LOOPBACK

pytestmark = pytest.mark.emulator

SERVER = "owner"
"""The functions and the console: rules do not bind them."""
PEOPLE = ("ann", "bob", "staff", None)
"""Two users, one with every privileged claim, and a client that is not signed in."""
OWNED_BY = {f"{kind}/of-{who}": who for kind in ("conversations", "documents") for who in ("ann", "bob")}
ODD_IDS = ("김지우", "a b", "a+b%20c", "c'1\"", "$(database)", "{id}", "..a", "-", "💚", "a.b~c", "x" * 400)
ODD_OWNERS = {
    "none": None,
    "null": {"nullValue": None},
    "empty": {"stringValue": ""},
    "a list with her": {"arrayValue": {"values": [{"stringValue": "ann"}]}},
    "a map with her": {"mapValue": {"fields": {"uid": {"stringValue": "ann"}}}},
    "a reference to her": {"referenceValue": "projects/p/databases/(default)/documents/users/ann"},
    "her with a space": {"stringValue": "ann "},
    "a number": {"integerValue": "7"},
    "true": {"booleanValue": True},
}
ODD = {*ODD_IDS, *ODD_OWNERS}
UNOWNED = (
    "sessions/of-ann", "sessions/of-ann/turns/m1", "sessions/of-ann/supervision/3", "sessions/of-ann/reviews/5",
    "sessions/of-ann/completions/1-task", "sessions/of-ann/part_transitions/1-2",
    "sessions/of-ann/planner_feedback/3-supervisor", "sessions/of-ann/closings/final", "sessions/of-ann/ratings/9",
    "sessions/of-ann/measures/phq9-start", "sessions/of-ann/reviewer_notes/1", "sessions/of-ann/failures/review-5",
    "sessions/of-ann/messages/1-user",
    "mailboxes/of-ann", "audit/of-ann-3-crisis", "users/ann/private/persona",
    "conversations/of-ann/messages/1-user/notes/n", "conversations/of-ann/anything/x",
    "documents/of-ann/chunks/1/deeper/x", "documents/of-ann/vectors/1",
    "documents/of-ann/messages/1-user", "anything/of-ann", "messages/1-user",
    "chunks/1",
)  # fmt: skip


def readers():
    """Return every document with the user who may read it."""
    table = OWNED_BY | {"users/ann": "ann", "users/bob": "bob"} | dict.fromkeys(UNOWNED)
    for kind, below in (("conversations", "messages/1-user"), ("documents", "chunks/1")):
        table |= {f"{path}/{below}": who for path, who in OWNED_BY.items() if path.startswith(kind)}
        table |= {path: "ann" for name in ODD_IDS for path in (f"{kind}/{name}", f"{kind}/{name}/{below}")}
        table |= {path: None for owner in ODD_OWNERS for path in (f"{kind}/{owner}", f"{kind}/{owner}/{below}")}
    return table


READERS = readers()
MISSING = (
    "conversations/none-such", "conversations/none-such/messages/1-user", "users/none-such", "documents/none-such",
    "documents/none-such/chunks/1", "sessions/none-such", "mailboxes/none-such", "audit/none-such",
)  # fmt: skip


class Firestore:
    """A database with every document of `READERS` under the rules of the repository, over REST."""

    def __init__(self, address):
        self.emulator, self.project = f"http://{address}", new_project()
        self.root = f"{self.emulator}/v1/projects/{self.project}/databases/(default)/documents"
        self.http = httpx.Client(timeout=30, **LOOPBACK)
        rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES.read_text("utf-8")}]}}
        url = f"{self.emulator}/emulator/v1/projects/{self.project}:securityRules"
        assert self.http.put(url, json=rules).status_code == 200
        for path in READERS:
            collection, name = path.split("/")[:2]
            owner = ODD_OWNERS.get(name, text(OWNED_BY.get(f"{collection}/{name}", "ann")))
            fields = {"said": text("비밀이에요"), **({"user_id": owner} if owner else {})}
            status, body = self.ask(SERVER, "PATCH", path, json={"fields": fields})
            assert status == 200, body

    def ask(self, who, method, path, action="", **more):
        """Send a request as a user, by name or token; returns the status and the body."""
        credentials = who if who is None or who == SERVER or "." in who else self.token(who)
        headers = {"Authorization": f"Bearer {credentials}"} if credentials else {}
        url = self.root + (f"/{quote(path, safe='/')}" if path else "") + action
        response = self.http.request(method, url, headers=headers, **more)
        return response.status_code, response.json()

    def token(self, uid, **claims):
        now = int(time.time())
        issuer = f"https://securetoken.google.com/{self.project}"
        powers = {"role": "reviewer", "admin": True, "user_id": "ann"} if uid == "staff" else {}
        claims = {"iss": issuer, "aud": self.project, "sub": uid, "iat": now, "exp": now + 3600, **powers, **claims}
        return jwt.encode(claims, key="", algorithm="none")

    def get(self, who, path):
        return self.ask(who, "GET", path)[0]

    def query(self, who, collection, *, where=None, everywhere=False, parent=""):
        """Run a query; `where` is (field, operator, value)."""
        structured = {"from": [{"collectionId": collection, "allDescendants": everywhere}]}
        if where:
            field, operator, value = where
            structured["where"] = {"fieldFilter": {"field": {"fieldPath": field}, "op": operator, "value": value}}
        return self.ask(who, "POST", parent, ":runQuery", json={"structuredQuery": structured})


def text(value):
    return {"stringValue": value}


@pytest.fixture(scope="module")
def firestore(firestore_emulator):
    database = Firestore(firestore_emulator)
    yield database
    database.http.close()


def test_only_the_owner_reads_a_document_and_a_missing_one_is_refused_like_anothers(firestore, subtests):
    for path in (*READERS, *MISSING):
        with subtests.test(path=path):
            for who in PEOPLE:
                expected = 200 if who is not None and who == READERS.get(path) else 403
                assert firestore.get(who, path) == expected, who
            assert firestore.get(SERVER, path) == (200 if path in READERS else 404)
    assert firestore.get("carol", "users/carol") == 404, "a user's own profile may be missing"


def test_clients_cannot_write(firestore, subtests):
    for path in [path for path in [*READERS, *MISSING] if ODD.isdisjoint(path.split("/"))]:
        with subtests.test(path=path):
            collection, _, name = path.rpartition("/")
            fields = {"fields": {"user_id": text("ann"), "said": text("mine now")}}
            full = f"{firestore.root.partition('/v1/')[2]}/{path}"
            for who in PEOPLE:
                mine = {"fields": {"user_id": text(who or "ann")}}
                tried = (
                    firestore.ask(who, "POST", collection, params={"documentId": f"new-{name[:20]}"}, json=mine),
                    firestore.ask(who, "POST", collection, json=mine),
                    firestore.ask(who, "PATCH", path, json=fields),
                    firestore.ask(who, "PATCH", path, params={"updateMask.fieldPaths": "said"}, json=fields),
                    firestore.ask(who, "DELETE", path),
                    firestore.ask(who, "POST", "", ":commit", json={"writes": [{"delete": full}]}),
                )
                assert [status for status, _ in tried] == [403] * len(tried), who
            assert firestore.get(SERVER, path) == (200 if path in READERS else 404)


OWNED = ("conversations", "documents")
ANNS = ("user_id", "EQUAL", text("ann"))
OTHER_LISTS = (
    None, ANNS, ("said", "EQUAL", text("비밀이에요")), ("user_id", "NOT_EQUAL", text("ann")),
    ("user_id", "GREATER_THAN", text("a")), ("user_id", "IN", {"arrayValue": {"values": [text("ann"), text("bob")]}}),
)  # fmt: skip


def test_users_list_their_own_documents_by_owner_and_every_other_list_is_refused(firestore, subtests):
    for collection in OWNED:
        with subtests.test(collection=collection):
            status, found = firestore.query("bob", collection, where=("user_id", "EQUAL", text("bob")))
            assert (status, [row["document"]["name"].rpartition("/")[2] for row in found]) == (200, ["of-bob"])
            for where in OTHER_LISTS:
                for who in ("bob", "staff", None):
                    assert firestore.query(who, collection, where=where)[0] == 403, (who, where)
    for collection in (*OWNED, "users", "sessions", "mailboxes", "audit", "anything"):
        with subtests.test(whole=collection):
            assert [firestore.get(who, collection) for who in (*PEOPLE, SERVER)] == [*[403] * len(PEOPLE), 200]
    for group in ("messages", "chunks", "turns", "sessions", "conversations", "documents", "users", "private"):
        for where in (None, ANNS):
            with subtests.test(group=group, where=where):
                for who in PEOPLE:
                    assert firestore.query(who, group, where=where, everywhere=True)[0] == 403, who
                assert firestore.query(SERVER, group, where=where, everywhere=True)[0] == 200


def test_only_the_owner_lists_a_subcollection_and_no_client_lists_one_without_an_owner(firestore, subtests):
    for parent, below in (("conversations/of-ann", "messages"), ("documents/of-ann", "chunks")):
        with subtests.test(below=below):
            for who in PEOPLE:
                found = firestore.get(who, f"{parent}/{below}"), firestore.query(who, below, parent=parent)[0]
                assert found == ((200, 200) if who == "ann" else (403, 403)), who
    conversations = [f"conversations/{name}/messages" for name in (*ODD_OWNERS, "none-such")]
    of_a_session = ("turns", "supervision", "reviews", "part_transitions", "messages", "measures")
    for path in (*conversations, *(f"sessions/of-ann/{below}" for below in of_a_session)):
        with subtests.test(path=path):
            assert [firestore.get(who, path) for who in PEOPLE] == [403] * len(PEOPLE)


def test_a_token_whose_subject_is_not_exactly_the_owner_reads_nothing(firestore, subtests):
    uids = ("", "Ann", "ann ", "ann/", "users/ann", "*", "null", "a" * 128)
    tokens = {uid: firestore.token(uid, user_id="ann", email="ann@example.com") for uid in uids}
    tokens |= {str(sub): firestore.token("x", sub=sub) for sub in (None, 7, True, ["ann"], {"uid": "ann"})}
    tokens |= {none: none for none in ("a.b", "a.b.c", "e30.e30.", "..", ".")}
    owned = ("conversations/of-ann", "conversations/of-ann/messages/1-user", "users/ann", "documents/of-ann")
    for name, token in tokens.items():
        with subtests.test(name=name):
            for path in (*owned, "conversations/null", "conversations/true", "sessions/of-ann"):
                assert firestore.get(token, path) in ((403,) if name in uids else (400, 401, 403)), path


CONDITION = re.compile(r"==|!=|&&|\|\|| is |^owns|^signedIn")
BOTH, EVERY = frozenset({"true", "false"}), frozenset({"true", "false", "error"})
OF_THE_CALLER = (
    "request.auth != null", "request.auth.uid is string", "request.auth != null && request.auth.uid is string",
    "signedIn", "request.auth.uid == uid", "signedIn() && request.auth.uid == uid",
)  # fmt: skip
OF_A_DOCUMENT = (
    "fields.user_id == request.auth.uid", "signedIn() && fields.user_id == request.auth.uid", "owns(resource.data",
    "owns(parent('conversations', conversation", "owns(parent('documents', id",
)  # fmt: skip
CONDITIONS = dict.fromkeys(OF_THE_CALLER, BOTH) | dict.fromkeys(OF_A_DOCUMENT, EVERY)
"""Each condition of the rules, as the emulator quotes it, with every outcome that it can have. It errs where it reads
a field of a document that does not exist or has no such field; the caller's identity is always there to be read."""


def test_the_requests_cover_every_outcome_of_every_expression_in_the_rules(firestore_emulator):
    """Each condition had each outcome of the table, each other expression a value."""
    firestore = Firestore(firestore_emulator)
    for path in [*READERS, *MISSING]:
        for who in (*PEOPLE, firestore.token("", sub=None)):
            firestore.get(who, path)
    coverage = firestore.http.get(f"{firestore.emulator}/emulator/v1/projects/{firestore.project}:ruleCoverage")
    firestore.http.close()
    seen = list(expressions(coverage.json()))
    assert {source for source, _ in seen if CONDITION.search(source)} == set(CONDITIONS), "all are in the table"
    for source, outcomes in seen:
        assert outcomes >= CONDITIONS.get(source, {"value"}), source


def expressions(report):
    """Yield every expression of a coverage report: its source, and how it came out."""
    source = report["rules"]["files"][0]["content"].encode()

    def walk(nodes):
        for node in nodes:
            place = node["sourcePosition"]
            quoted = source[place["currentOffset"] : place["endOffset"] + 1].decode()
            yield quoted, {outcome(each["value"]) for each in node.get("values", [])}
            yield from walk(node.get("children", []))

    yield from walk(report["report"])


def outcome(value):
    if not value:
        return "skipped"
    if "undefined" in value:
        return "error"
    return str(value["boolValue"]).lower() if "boolValue" in value else "value"
