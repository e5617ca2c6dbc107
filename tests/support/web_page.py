"""The client's page in a browser: opens a conversation, talks, answers in the server's place, looks at the layout."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from playwright.sync_api import Locator, Page, Request, Route, expect

PHONES = ((320, 568), (360, 640), (390, 844))
"""Width and height in CSS pixels, from the smallest phone still in use to a common one."""
KEYBOARD = (360, 360)
"""360 x 640 with an open software keyboard."""
SIDEWAYS = (640, 200)
"""A phone held sideways with an open keyboard."""
TOUCH_TARGET = 44
CHAT = re.compile(r"/api/conversations/[^/]+/chat$")
CONVERSATION = re.compile(r"/api/conversations/[^/]+$")
CONSENTS = ("terms", "sensitive_data", "overseas_transfer")
REPLY_WITHIN_MS = 30_000
LINES = [
    {"name": "자살예방상담전화", "number": "109", "hours": "24시간"},
    {"name": "정신건강위기상담전화", "number": "1577-0199", "hours": "24시간"},
]
CALLS = """selector => [...document.querySelectorAll(selector)].map(link => {
  const { left, top, width, height } = link.getBoundingClientRect();
  const hit = share => document.elementFromPoint(left + width * share, top + height / 2)?.closest("a") === link;
  const inside = left >= 0 && top >= 0 && left + width <= innerWidth && top + height <= innerHeight;
  return { href: link.getAttribute("href"), shown: inside && [.1, .5, .9].every(hit), width, height };
})"""
# Elements that stick out of the screen or of their box, and controls that overlap unless they scroll separately.
FAULTS = """root => {
  const width = document.documentElement.clientWidth;
  const name = node => `${node.tagName}#${node.id}.${node.className.baseVal ?? node.className}`;
  const apart = node => {
    for (let at = node; at; at = at.parentElement) {
      const { overflowY, position } = getComputedStyle(at);
      if (["auto", "scroll"].includes(overflowY) || ["sticky", "fixed"].includes(position)) return at;
    }
    return null;
  };
  const says = node => [...node.childNodes].some(child => child.data?.trim());
  const framed = node => {
    for (let at = node; at; at = at.parentElement) {
      const { borderTopWidth, backgroundColor } = getComputedStyle(at);
      if (borderTopWidth !== "0px" || backgroundColor !== "rgba(0, 0, 0, 0)") return at.getBoundingClientRect();
    }
    return null;
  };
  const seen = [...document.querySelectorAll(`${root} *`)].filter(node => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && node.checkVisibility() && getComputedStyle(node).opacity !== "0";
  });
  const faults = innerWidth === width ? [] : [`the page is ${innerWidth} wide`];
  for (const node of seen) {
    const tell = what => faults.push(`${name(node)} ${what}`);
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    if (node.closest("#strip ul, svg")) continue;
    if (box.left < -.5 || box.right > width + .5) tell("sticks out of the screen");
    const scrolls = node.matches("textarea, select, progress, input");
    const boxed = !scrolls && !["inline", "contents"].includes(style.display);
    const content = says(node) || node.matches("a, button, summary, select, textarea");
    if (boxed && content && node.scrollWidth > node.clientWidth + 1) tell("is wider than its box");
    if (boxed && style.overflowY === "hidden" && node.scrollHeight > node.clientHeight + 1) tell("is cut");
    const frame = content && framed(node.parentElement);
    if (frame && (frame.left > box.left + .5 || frame.right < box.right - .5)) tell("sticks out of its frame");
  }
  const pressed = "a, button, summary, select, textarea, [tabindex], input[type=checkbox]";
  const controls = seen.filter(node => node.matches(pressed) && getComputedStyle(node).display !== "inline");
  const texts = seen.filter(node => says(node) && !controls.includes(node));
  controls.forEach((one, at) => [...controls.slice(at + 1), ...texts].forEach(other => {
    if (one.contains(other) || other.contains(one) || apart(one) !== apart(other)) return;
    const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 1) faults.push(`${name(one)} lies on ${name(other)}`);
  }));
  return [...new Set(faults)];
}"""


def desktop(locale: str) -> dict[str, Any]:
    return {"locale": locale, "viewport": {"width": 1280, "height": 800}}


def phone(locale: str) -> dict[str, Any]:
    """Return the settings of a browser on a phone: touch alone, two pixels a CSS pixel."""
    width, height = PHONES[1]
    touch = {"is_mobile": True, "has_touch": True, "device_scale_factor": 2}
    return {"locale": locale, "viewport": {"width": width, "height": height}, **touch}


def resize(page: Page, size: tuple[int, int]) -> None:
    """Turn the phone into one of another size, or open its keyboard."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function(
        "([width, height]) => window.screen.width === width && document.body.clientHeight === height", arg=list(size)
    )


def replies(page: Page) -> Locator:
    """The finished replies."""
    return page.locator('#messages .counselor[data-state="done"]')


def consent(page: Page, age: str = "adult") -> None:
    """Answer the first screen."""
    page.locator(f'input[name="age_band"][value="{age}"]').check(force=True)
    for name in CONSENTS:
        page.locator(f'input[name="{name}"]').check()
    page.locator("#start").click()


def begin_without_a_story(page: Page) -> None:
    """Open the form of a conversation, past the list of stories."""
    page.goto("/#/begin")
    page.locator("#whole-terms details").wait_for()


def ask_to_start(page: Page, age: str) -> None:
    begin_without_a_story(page)
    consent(page, age)


def talk(page: Page) -> None:
    """Open a conversation as an adult."""
    ask_to_start(page, "adult")
    expect(replies(page)).to_have_count(1, timeout=REPLY_WITHIN_MS)


def send(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.locator("#send").click()


def say(page: Page, text: str) -> str:
    """Send a message and return its finished reply."""
    before = replies(page).count()
    send(page, text)
    expect(replies(page)).to_have_count(before + 1, timeout=REPLY_WITHIN_MS)
    return str(replies(page).last.locator(".bubble").inner_text())


def posts(page: Page) -> list[dict[str, Any]]:
    """The bodies of every chat request from here on."""
    bodies: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.method == "POST" and CHAT.search(request.url):
            bodies.append(json.loads(request.post_data or "{}"))

    page.on("request", note)
    return bodies


def answer_with(page: Page, reply: str, hooks: Sequence[dict[str, Any]] = (), **changes: Any) -> None:
    """Let the next message be answered by this reply and a changed snapshot; it does not reach the server."""
    snapshot = {
        "status": "active",
        "part": 1,
        "task": None,
        "module": "",
        "progress": 0.1,
        "plan_status": "none",
        "wrap_up": None,
        "risk": {"level": "none", "resources": []},
        **changes,
    }

    def answer(route: Route) -> None:
        message_id = (route.request.post_data_json or {})["message_id"]
        body = {"message_id": message_id, "seq": 1, "reply": reply, "state_snapshot": snapshot}
        route.fulfill(json={**body, "hooks": list(hooks), "flags": []})

    page.route(CHAT, answer, times=1)


def refuse(page: Page, status: int, code: str, **more: Any) -> None:
    """Let the next message be refused; it does not reach the server."""
    problem = {"type": "about:blank", "status": status, "code": code, "detail": "…", **more}
    problem_json = {"content_type": "application/problem+json", "body": json.dumps(problem)}
    page.route(CHAT, lambda route: route.fulfill(status=status, **problem_json), times=1)


def change(page: Page, address: str | re.Pattern[str], edit: Callable[[Any], object], **times: int) -> None:
    """Edit the server's answers to GET on their way to the page."""

    def edited(route: Route) -> None:
        if route.request.method != "GET":
            return route.continue_()
        body = route.fetch().json()
        edit(body)
        return route.fulfill(json=body)

    page.route(address, edited, **times)


def calls(page: Page, selector: str) -> list[dict[str, Any]]:
    """The links under `selector`: where they lead, how big they are, whether nothing covers or cuts them."""
    return page.evaluate(CALLS, selector)


def faults(page: Page, root: str) -> list[str]:
    """The faults of the layout under `root`: cut, sticking out or overlapping elements."""
    return page.evaluate(FAULTS, root)
