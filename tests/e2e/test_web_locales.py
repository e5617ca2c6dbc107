"""The page's sentences: complete in both languages, and every one in use."""

import json
import re
from pathlib import Path

import pytest

from shared.content.catalogue import content

WEB = Path(__file__).resolve().parents[2] / "web"
# The page builds these names when it runs: from a code of an error, a status, a reason, an age group or a form.
BY_NAME = re.compile(r"^(errors|list|reasons|ages|account)\.")
RETIRED_NUMBER = "1393"  # Korea's old suicide-prevention line


def sentences(locale: str) -> dict[str, str]:
    flat: dict[str, str] = {}

    def walk(prefix: str, node: object) -> None:
        if isinstance(node, dict):
            for name, child in node.items():
                walk(f"{prefix}.{name}" if prefix else name, child)
        else:
            flat[prefix] = node if isinstance(node, str) else json.dumps(node)

    walk("", json.loads((WEB / "locales" / f"{locale}.json").read_text(encoding="utf-8")))
    return flat


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    korean, english = sentences("ko"), sentences("en")
    assert korean.keys() == english.keys()
    for key, text in korean.items():
        assert text.strip()
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key


def test_every_sentence_that_the_page_names_exists_and_every_sentence_is_used() -> None:
    page = "\n".join(path.read_text(encoding="utf-8") for path in sorted(WEB.glob("*.html")))
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((WEB / "js").rglob("*.js")))
    named = set(re.findall(r'data-t(?:-label|-placeholder)?="([\w.]+)"', page))
    known = sentences("ko").keys()
    assert named <= known
    assert named | set(re.findall(r'"(\w+\.\w+)"', code)) >= {key for key in known if not BY_NAME.match(key)}


def test_web_files_hold_no_retired_number_no_foreign_host_and_no_korean_in_code() -> None:
    for path in (path for path in WEB.rglob("*.*") if path.suffix != ".png"):
        text = path.read_text(encoding="utf-8")
        assert RETIRED_NUMBER not in text, path.name
        assert path.suffix not in {".html", ".js"} or not re.search(r"[가-힣]", text), path.name
        text = text.replace("http://www.w3.org/2000/svg", "")
        text = re.sub(r'"number": "https://[\w.]+"', "", text)  # a link of a help line
        assert not re.search(r"https?://\w", text), path.name


@pytest.mark.parametrize("locale", ["ko", "en"])
def test_the_page_knows_every_number_that_a_reply_may_name(locale: str) -> None:
    table = json.loads((WEB / "locales" / f"{locale}.json").read_text(encoding="utf-8"))["help"]
    named = {line["number"] for line in table["short"]}
    lines = content().crisis_replies.written.resources
    assert named >= {line.number for line in (*lines.ko, *lines.en)}
    assert named >= {number for line in table["resources"] for number in line["number"].split(" / ")}
