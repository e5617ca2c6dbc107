"""`python -m tests.screens.icons`: the page's icons as PNG, from web/icon.svg."""

import re

from tests.screens.chromium import chromium
from tests.screens.palette import reduced
from tests.support.process import ROOT

WEB = ROOT / "web"
SAFE = 0.72
"""Part of a maskable icon that the mark takes: systems may cut a circle of four fifths."""


def main() -> None:
    """Write the icons."""
    icon = (WEB / "icon.svg").read_text("utf-8")
    ground, mark = re.findall(r"<rect [^>]*/>|<path [^>]*/>", icon)
    place = f'<g transform="translate({12 * (1 - SAFE)} {12 * (1 - SAFE)}) scale({SAFE})">{mark}</g>'
    maskable = icon.replace(ground, re.sub(r' rx="\d+"', "", ground)).replace(mark, place)
    # A square ground for phones that round the corners themselves.
    square = icon.replace(ground, re.sub(r' rx="\d+"', "", ground))
    drawn = {"192": (square, 192), "512": (square, 512), "maskable-512": (maskable, 512)}
    (WEB / "icons").mkdir(exist_ok=True)
    with chromium() as browser:
        for name, (svg, size) in drawn.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block; width: {size}px }}</style>{svg}")
            (WEB / "icons" / f"{name}.png").write_bytes(reduced(page, page.screenshot()))


if __name__ == "__main__":
    main()
