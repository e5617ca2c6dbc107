"""The page with the real Firebase SDK: Auth emulator, Firestore emulator, the functions in processes of their own."""

import gzip
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, Route, expect

from tests.support.axe import COLOURS, SCHEMES, WORDS, cut, violations
from tests.support.browser_session import end_by_the_button, tell_of_a_danger_in_the_next
from tests.support.emulated import Emulated
from tests.support.node import firebase_packages_or_skip
from tests.support.process import LOOPBACK
from tests.support.screens import Walk
from tests.support.web_page import CHAT, REPLY_WITHIN_MS, change, consent, posts, replies, say, send, talk

pytestmark = [pytest.mark.browser, pytest.mark.emulator]

PASSWORD = "말하지 않은 비밀번호"
TURN = re.compile(r"/api/conversations/[^/]+/turns/")
RENEWALS = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("securetoken.googleapis.com/v1/token")).length"""
"""Playwright loses some requests that begin while it ends an interception."""
LISTENER = re.compile(r"/google\.firestore\.v1\.Firestore/Listen/")
REFUSED, UNKNOWN_TURN, BROKEN_LINE = r"status of 401", r"status of 404", r"net::ERR_"
PROBE = r"Loading the image 'https://www\.google\.com/images/cleardot\.gif"
"""Firestore's transport asks Google whether there is a network; the policy forbids it."""
KILOBYTE = 1000
PROOF, PROOF_HEADER = {"token": "proof", "ttl": "3600s"}, "x-firebase-appcheck"
RECAPTCHA = """window.grecaptcha = { enterprise: {
  ready: (then) => then(), execute: () => Promise.resolve("seen"),
  render: (_place, { callback }) => { callback(); return 0; } } }"""
LISTEN = """async ([module, id]) => {
  const { auth } = await import(module);
  const door = await auth();
  return new Promise((told) => door.listen(id, (view) => told(view.conversation_id), ({ code }) => told(code)));
}"""


@pytest.fixture(scope="module")
def stack(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """One set of emulators for all tests of the file; replies come slowly enough to be cut."""
    firebase_packages_or_skip()
    pace = {"CBOT_SIMULATOR_TTFT_MS": "300", "CBOT_SIMULATOR_TOKEN_MS": "15"}
    with Emulated(tmp_path_factory.mktemp("firebase"), CBOT_SIGN_IN="firebase", **pace) as running:
        hides_accounts = {"emailPrivacyConfig": {"enableImprovedEmailPrivacy": True}}  # As every new project does.
        config = f"{running.parts()['auth']}/emulator/v1/projects/{running.parts()['project']}/config"
        assert httpx.patch(config, json=hides_accounts, **LOOPBACK).json().items() >= hides_accounts.items()
        yield running


@pytest.fixture(scope="module")
def server(stack: Emulated) -> str:
    return stack.address


@pytest.fixture
def other_device(browser: Browser, server: str, device: dict[str, Any]) -> Iterator[Page]:
    """Another browser, in which nobody is signed in."""
    fresh = browser.new_context(base_url=server, **device)
    yield fresh.new_page()
    fresh.close()


def dialogue(page: Page) -> list[str]:
    return page.locator("#messages .bubble").all_inner_texts()


def account(page: Page, email: str, *, existing: bool = False) -> None:
    """Fill in the account form of the settings and send it."""
    page.locator("#open-settings").click()
    expect(page.locator("#account-go")).to_be_visible()
    if existing:
        page.locator("#account-other-form").click()
    page.locator("#account-email").fill(email)
    page.locator("#account-password").fill(PASSWORD)
    page.locator("#account-go").click()


def conversation_of(page: Page) -> str:
    return page.url.rpartition("#/")[2]


def streaming(page: Page) -> None:
    """Wait until half a reply is on the page."""
    page.locator('#messages .counselor[data-state="streaming"]').wait_for()


class Accounts:
    """The users of the Auth emulator, as an administrator of the project sees and changes them."""

    def __init__(self, stack: Emulated) -> None:
        parts = stack.parts()
        self.root = f"{parts['auth']}/identitytoolkit.googleapis.com/v1/projects/{parts['project']}"

    def ask(self, action: str, **body: Any) -> dict[str, Any]:
        owner = {"Authorization": "Bearer owner"}
        answer = httpx.post(f"{self.root}/accounts{action}", json=body, headers=owner, **LOOPBACK)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture
def accounts(stack: Emulated) -> Accounts:
    return Accounts(stack)


def uid_of(page: Page) -> str:
    return str(page.evaluate("import('/js/auth/index.js').then(({ auth }) => auth()).then((door) => door.user().uid)"))


def outdated(route: Route) -> None:
    """Let a call arrive with a token that the server refuses."""
    route.continue_(headers={**route.request.headers, "authorization": "Bearer outdated"})


def test_the_first_load_signs_somebody_new_in_without_a_name_and_stays_small(page: Page) -> None:
    sizes: dict[str, int] = {}

    def weigh(response: Response) -> None:
        if response.request.resource_type in {"document", "script", "stylesheet", "fetch", "image"}:
            sizes[response.url] = len(gzip.compress(response.body()))

    page.on("response", weigh)
    with page.expect_response("**/vendor/firestore.js"):
        talk(page)
    page.remove_listener("response", weigh)
    sdk = sum(size for url, size in sizes.items() if "/vendor/" in url)
    page_itself = sum(size for url, size in sizes.items() if "/vendor/" not in url)
    assert {url.rpartition("/")[2] for url in sizes} >= {"auth.js", "firestore.js", "main.js", "config.json"}
    assert page_itself <= 150 * KILOBYTE
    assert sdk + page_itself <= 300 * KILOBYTE
    say(page, "저는 민지라고 해요.")
    shown = dialogue(page)
    page.reload()
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    assert dialogue(page) == shown


def test_a_session_goes_to_its_closing_and_a_danger_in_the_next_shows_the_numbers(page: Page) -> None:
    talk(page)
    say(page, "저는 민지라고 해요. 발표가 무서워서 잠이 안 와요.")
    end_by_the_button(page)
    tell_of_a_danger_in_the_next(page)


def test_the_account_forms_have_no_fault_by_axe_and_are_not_cut(page: Page) -> None:
    found = []
    for _form in Walk(page, "ko").every_account_form():
        found += violations(page, WORDS) + cut(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += violations(page, COLOURS)
    assert found == []


def test_a_linked_account_keeps_the_conversations_and_opens_them_on_another_device(
    page: Page, other_device: Page
) -> None:
    talk(page)
    say(page, "저는 지수라고 해요.")
    shown = dialogue(page)
    account(page, "jisu@example.com")
    expect(page.locator("#account-text")).to_contain_text("jisu@example.com")
    page.reload()
    expect(page.locator("#messages .bubble")).to_have_count(len(shown))
    assert dialogue(page) == shown
    say(page, "계정을 연결했어요.")

    other_device.goto("/")
    account(other_device, "jisu@example.com", existing=True)
    other_device.locator("#conversations a").click()
    expect(other_device.locator("#messages .bubble")).to_have_count(len(shown) + 2)


def test_an_account_that_exists_is_the_users_choice_and_no_conversation_is_lost(
    page: Page, other_device: Page, excused: list[str]
) -> None:
    excused.append(r"status of 400")
    talk(page)
    first = conversation_of(page)
    account(page, "bora@example.com")
    expect(page.locator("#account-text")).to_contain_text("bora@example.com")

    talk(other_device)
    second = conversation_of(other_device)
    other_device.locator("#text").fill("쓰다 만 이야기")
    account(other_device, "bora@example.com")
    other_device.locator("#confirm-no").click()
    assert conversation_of(other_device) == second
    expect(other_device.locator("#account-out")).to_be_visible()
    other_device.locator("#account-go").click()
    other_device.locator("#confirm-yes").click()
    theirs, mine = (other_device.locator(f'#conversations a[href$="{one}"]') for one in (first, second))

    for press, shown, hidden in (
        ("", theirs, mine),
        ("use", mine, theirs),
        ("use", theirs, mine),
        ("out", mine, theirs),
    ):
        if press:
            other_device.locator("#open-settings").click()
            other_device.locator(f"#account-{press}").click()
        expect(shown).to_be_visible()
        expect(hidden).to_have_count(0)
    mine.click()
    expect(other_device.locator("#text")).to_have_value("쓰다 만 이야기")


def test_signing_out_without_an_account_says_what_is_lost_and_makes_room_for_somebody_new(page: Page) -> None:
    talk(page)
    mine = page.locator("#conversations a")
    expect(mine).to_have_count(1)
    page.locator("#open-settings").click()
    page.locator("#account-out").click()
    expect(page.locator("#confirm-text")).to_contain_text("다시 열 방법이 없어요")
    page.locator("#confirm-no").click()
    expect(mine).to_have_count(1)
    page.locator("#account-out").click()
    page.locator("#confirm-yes").click()
    expect(page.locator("#stories")).to_be_visible()
    expect(mine).to_have_count(0)


def test_deleting_all_data_deletes_the_account_too(page: Page, accounts: Accounts) -> None:
    talk(page)
    uid = uid_of(page)
    assert accounts.ask(":lookup", localId=[uid])["users"]
    page.locator("#open-settings").click()
    page.locator("#delete-all").click()
    page.locator("#confirm-yes").click()
    expect(page.locator("#stories")).to_be_visible()
    assert "users" not in accounts.ask(":lookup", localId=[uid])


def test_an_account_whose_sign_in_ended_says_so_keeps_the_message_and_is_not_replaced(
    page: Page, accounts: Accounts, excused: list[str]
) -> None:
    excused += [REFUSED, UNKNOWN_TURN, r"status of 400"]
    talk(page)
    account(page, "yuna@example.com")
    expect(page.locator("#account-text")).to_contain_text("yuna@example.com")
    page.locator("#settings [data-close]").click()
    uid = uid_of(page)
    accounts.ask(":update", localId=uid, disableUser=True)
    page.route(CHAT, outdated, times=1)
    send(page, "오늘은 좀 나아요.")
    expect(page.locator("#messages .failure")).to_contain_text("로그인이 끝났어요")

    accounts.ask(":update", localId=uid, disableUser=False)
    account(page, "yuna@example.com")
    expect(replies(page)).to_have_count(0)
    page.locator("#conversations a").click()
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    assert "오늘은 좀 나아요." in dialogue(page)
    assert uid_of(page) == uid


def test_a_token_that_runs_out_in_mid_stream_is_renewed_once_and_the_reply_is_found_again(
    page: Page, excused: list[str]
) -> None:
    excused.append(REFUSED)
    talk(page)
    sent = posts(page)
    page.route(CHAT, outdated, times=1)
    say(page, "저는 하나라고 해요.")
    assert len(sent) == 2
    assert sent[0] == sent[1], "the same message under the same id"
    assert page.evaluate(RENEWALS) == 1

    def cut(route: Route) -> None:
        whole = route.fetch()
        route.fulfill(response=whole, body=whole.body().partition(b"event: done")[0])

    page.route(CHAT, cut, times=1)
    page.route(TURN, outdated, times=1)
    say(page, "요즘 잠을 못 자서 많이 지쳤어요.")
    assert page.evaluate(RENEWALS) == 2
    assert len(sent) == 3, "a lost stream is followed by its address, not sent again"
    expect(page.locator("#messages .user")).to_have_count(2)


def test_offline_and_a_reload_in_mid_reply_end_in_one_reply_a_message(
    page: Page, context: BrowserContext, excused: list[str]
) -> None:
    excused += [BROKEN_LINE, PROBE, UNKNOWN_TURN]
    talk(page)
    context.set_offline(True)
    send(page, "지하철이라 연결이 끊겨요.")
    expect(page.locator("#status")).to_contain_text("연결")
    context.set_offline(False)
    expect(replies(page)).to_have_count(2, timeout=REPLY_WITHIN_MS)
    send(page, "답을 기다리다가 새로고침을 눌렀어요.")
    streaming(page)
    page.reload()
    expect(replies(page)).to_have_count(3, timeout=REPLY_WITHIN_MS)
    page.reload()
    expect(replies(page)).to_have_count(3, timeout=REPLY_WITHIN_MS)
    expect(page.locator("#messages .user")).to_have_count(2)


@pytest.fixture
def proposing(stack: Emulated) -> Callable[[str], None]:
    """Let the session manager propose to close a conversation, as far as its owner sees."""

    def propose(conversation: str) -> None:
        root = f"http://{stack.firestore}/v1/projects/{stack.parts()['project']}/databases/(default)/documents"
        stage = {"mapValue": {"fields": {"stage": {"stringValue": "proposed"}, "aim": {"stringValue": "wrap_up"}}}}
        fields = {"state_snapshot": {"mapValue": {"fields": {"wrap_up": stage}}}}
        answer = httpx.patch(
            f"{root}/conversations/{conversation}",
            params={"updateMask.fieldPaths": "state_snapshot.wrap_up"},
            headers={"Authorization": "Bearer owner"},
            json={"fields": fields},
            **LOOPBACK,
        )
        assert answer.status_code == 200, answer.text

    return propose


def test_the_server_changes_what_the_page_shows_and_without_a_listener_the_page_asks(
    page: Page, proposing: Callable[[str], None], excused: list[str]
) -> None:
    talk(page)
    proposing(conversation_of(page))
    expect(page.locator("#wrap-up")).to_be_visible()

    excused += [BROKEN_LINE, PROBE]
    page.clock.install()
    page.route(LISTENER, lambda route: route.abort())
    page.goto("/#/begin")
    page.reload()
    page.locator("#whole-terms details").wait_for()
    consent(page)
    expect(replies(page)).to_have_count(1, timeout=REPLY_WITHIN_MS)
    proposing(conversation_of(page))
    page.clock.fast_forward(31_000)
    page.clock.fast_forward(20_000)
    expect(page.locator("#wrap-up")).to_be_visible()


def test_rules_refuse_a_listener_on_another_users_conversation(page: Page, other_device: Page) -> None:
    talk(page)
    mine = conversation_of(page)
    talk(other_device)
    module = "/js/auth/index.js"
    assert page.evaluate(LISTEN, [module, mine]) == mine
    assert other_device.evaluate(LISTEN, [module, mine]) == "permission-denied"


def test_with_app_check_each_call_brings_the_proof_of_the_page(
    browser: Browser, server: str, device: dict[str, Any]
) -> None:
    context = browser.new_context(base_url=server, bypass_csp=True, **device)  # The local policy names no reCAPTCHA.
    page = context.new_page()

    def switched_on(config: Any) -> None:
        config["app_check"] = "site-key"
        config["firebase"]["appId"] = "1:1:web:a"

    change(page, "**/config.json", switched_on)
    page.route(
        "**/recaptcha/enterprise.js**", lambda route: route.fulfill(content_type="text/javascript", body=RECAPTCHA)
    )
    page.route("https://content-firebaseappcheck.googleapis.com/**", lambda route: route.fulfill(json=PROOF))
    proofs: list[str | None] = []
    page.on("request", lambda request: "/api/" in request.url and proofs.append(request.headers.get(PROOF_HEADER)))
    talk(page)
    say(page, "저는 유나라고 해요.")
    assert set(proofs) == {PROOF["token"]}
    context.close()


def test_staff_sign_in_with_their_account_to_review(page: Page, accounts: Accounts, excused: list[str]) -> None:
    uid = accounts.ask("", email="staff@example.com", password=PASSWORD)["localId"]
    accounts.ask(":update", localId=uid, customAttributes='{"role": "reviewer"}')
    excused.append(r"status of 400")
    page.goto("/review.html")
    page.locator("#staff-email").fill("staff@example.com")
    page.locator("#staff-password").fill("falsch")
    page.locator("#staff-go").click()
    expect(page.locator("#staff-note")).to_contain_text("맞지 않아요")
    page.locator("#staff-password").fill(PASSWORD)
    page.locator("#staff-go").click()
    expect(page.locator("#queue")).to_contain_text(re.compile("지금은 없어요|부터 기다려요"))  # as other tests left it
