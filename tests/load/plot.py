"""A small SVG of distributions: one strip of dots a name, its median marked; readable on light and dark pages."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from xml.sax.saxutils import escape

from tests.load.figures import median, percentile

WIDTH, ROW, TOP, LEFT, RIGHT, FOOT = 760, 64, 56, 150, 90, 46
SPREAD = 15  # pixels by which dots are moved up and down, so that they do not hide each other
TICKS = 8  # at most so many steps of the axis
COLORS = ("#6b7280", "#0f9d58", "#d97706", "#7c5cff")
"""One a strip, visible on white and on near-black."""
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 12px; fill: #59636e } .page { fill: #ffffff } .grid { stroke: #d1d9e0 } .median { stroke: #1f2328 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } .page { fill: #0d1117 } .grid { stroke: #3d444d }
  .median { stroke: #f0f6fc }
}
"""


def svg(title: str, strips: Mapping[str, Sequence[float]]) -> str:
    """Draw the distributions, in milliseconds; a strip without values says so."""
    height = TOP + ROW * len(strips) + FOOT
    most = max((value for values in strips.values() for value in values), default=1.0)
    step = _step(most)
    end = ceil(most / step) * step

    def x(ms: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * ms / end

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>',
        f'<text x="16" y="28" font-weight="600">{escape(title)}</text>',
    ]
    bottom = TOP + ROW * len(strips)
    for ms in range(0, end + 1, step):
        parts.append(f'<line class="grid" x1="{x(ms):.1f}" x2="{x(ms):.1f}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="small" x="{x(ms):.1f}" y="{bottom + 18}" text-anchor="middle">{ms:,}</text>')
    parts.append(
        f'<text class="small" x="{x(end):.1f}" y="{bottom + 36}" text-anchor="end">ms to the first text</text>'
    )
    for at, (name, values) in enumerate(strips.items()):
        middle = TOP + ROW * at + ROW / 2
        parts.append(f'<text x="16" y="{middle:.1f}">{escape(name)}</text>')
        parts.append(f'<text class="small" x="16" y="{middle + 16:.1f}">{len(values)} samples</text>')
        color = COLORS[at % len(COLORS)]
        parts += [
            f'<circle cx="{x(ms):.1f}" cy="{middle + lift:.1f}" r="3" fill="{color}" fill-opacity=".55"/>'
            for ms, lift in zip(values, _lifts(len(values)), strict=True)
        ]
        parts += _marks(values, x(median(values)), middle, x(end)) if values else []
    return "\n".join([*parts, "</svg>", ""])


def _marks(values: Sequence[float], at: float, middle: float, end: float) -> Iterator[str]:
    """Draw the median as a bar, with its figure and the 95th percentile's at the right."""
    yield (
        f'<line class="median" x1="{at:.1f}" x2="{at:.1f}" y1="{middle - 22:.1f}" y2="{middle + 22:.1f}" '
        'stroke-width="2.5"/>'
    )
    yield f'<text x="{end + 10:.1f}" y="{middle:.1f}">{median(values):,.0f}</text>'
    yield f'<text class="small" x="{end + 10:.1f}" y="{middle + 16:.1f}">p95 {percentile(values, 95):,.0f}</text>'


def _step(most: float) -> int:
    return next(step for step in (50, 100, 200, 250, 500, 1000, 2000, 5000, 10**6) if most / step <= TICKS)


def _lifts(count: int) -> list[float]:
    """Return how far each dot is moved; the same in each drawing (golden ratio, so that neighbours lie apart)."""
    return [((number * 0.618034) % 1 * 2 - 1) * SPREAD for number in range(count)]
