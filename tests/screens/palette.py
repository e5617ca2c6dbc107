"""Small pictures: a screenshot with few colours as a PNG with a palette."""

import base64
import struct
import zlib
from typing import Any

from playwright.sync_api import Page

COLOURS = 72
"""Enough for text on a handful of grounds; more only adds bytes."""
# The most frequent colours that differ from those chosen before; every other pixel gets the nearest of them.
_REDUCE = """async ([picture, most]) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const colours = new Uint32Array(width * height);
  const counts = new Map();
  for (let at = 0; at < colours.length; at += 1) {
    const colour = (data[4 * at] << 16) | (data[4 * at + 1] << 8) | data[4 * at + 2];
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const part = (colour, bits) => (colour >> bits) & 255;
  const apart = (a, b) => [16, 8, 0].reduce((sum, bits) => sum + Math.abs(part(a, bits) - part(b, bits)), 0);
  const palette = [];
  const often = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  for (const least of [10, 5, 0]) {
    for (const colour of often) {
      if (palette.length >= most) break;
      if (!palette.some((one) => apart(one, colour) <= least)) palette.push(colour);
    }
  }
  const place = new Map();
  const nearest = (colour) => {
    if (!place.has(colour)) {
      const by = palette.map((one) => apart(one, colour));
      place.set(colour, by.indexOf(Math.min(...by)));
    }
    return place.get(colour);
  };
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = nearest(colours[y * width + x]);
  }
  let text = "";
  for (let at = 0; at < rows.length; at += 32768) text += String.fromCharCode(...rows.subarray(at, at + 32768));
  return { width, height, palette, rows: btoa(text) };
}"""


def reduced(page: Page, picture: bytes) -> bytes:
    """Return a PNG of at most `COLOURS` colours; `page` is any page, whose canvas reads the picture."""
    found: dict[str, Any] = page.evaluate(_REDUCE, [base64.b64encode(picture).decode(), COLOURS])
    palette = b"".join(struct.pack(">I", colour)[1:] for colour in found["palette"])
    header = struct.pack(">IIBBBBB", found["width"], found["height"], 8, 3, 0, 0, 0)
    rows = zlib.compress(base64.b64decode(found["rows"]), 9)
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
