// Numbers and addresses of help: read out of what a resource gives, dialled, and made into links where a text names them.

import { entry } from "./messages.js";
import { el } from "./view.js";

export const isAddress = (number) => /^https:/.test(number);

/** "112 / 119" is two numbers, "116 123" is one; what is no number at all is not dialled. */
export const numbersOf = (number) => [...new Set(String(number ?? "").match(/\d(?:[\d-]| (?=\d))*\d/g) ?? [])];

export const dialled = (number) => `tel:${number.replace(/[ -]/g, "")}`;

/** An address, or the numbers, of a line of help. */
export const waysTo = (number) => (isAddress(number) ? [number] : numbersOf(number));

const given = new Set();

/** From now on these are links in a text, besides the page's own. */
export function learn(resources) {
  for (const { number } of resources) waysTo(number).forEach((way) => given.add(way));
}

const known = () => new Set([...given, ...["help.short", "help.resources"].flatMap((list) => (entry(list) ?? []).flatMap(({ number }) => waysTo(number)))]);

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

// What makes digits part of something longer: another number, a name, a price, a count. (No look-behind: Safari before 16.4 has none.)
const BEFORE = /[A-Za-z0-9_.+#@$₩€£–-]$|\d[,: ]$/;
const AFTER = /^(?:[A-Za-z0-9_–-]|[.,:]\d| \d{3})/;
/** What a number counts ("109 days"), in both languages: the page may be in another one than the conversation. */
const counting = () => new RegExp(`^(?:${entry("help.counts").join("|")})`);
const AFTER_ADDRESS = /^(?:[\w/@-]|[.:?#]\w)/;
/** The end of a quoted name, such as that of a chat channel. */
const NAMED = /\p{L}$/u;
const QUOTED = /^["'”’]/;
const SLASH_BEFORE = /([\d-]*\d) ?\/ ?$/;
const SLASH_AFTER = /^ ?\/ ?(\d[\d-]*)/;

function stands(way, before, after, ways) {
  if (isAddress(way)) return !AFTER_ADDRESS.test(after);
  if (BEFORE.test(before) || AFTER.test(after) || counting().test(after)) return false;
  if (NAMED.test(before) && QUOTED.test(after)) return false;
  // "112/119" is two lines of help, "9/112" is none.
  return [before.match(SLASH_BEFORE), after.match(SLASH_AFTER)].every((beside) => !beside || ways.has(beside[1]));
}

function piecesOf(text) {
  const ways = known();
  const longestFirst = [...ways].sort((a, b) => b.length - a.length).map(escaped);
  const pieces = [];
  let from = 0;
  for (const { 0: way, index } of longestFirst.length ? text.matchAll(new RegExp(longestFirst.join("|"), "g")) : []) {
    const end = index + way.length;
    if (!stands(way, text.slice(0, index), text.slice(end), ways)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: way, href: isAddress(way) ? way : dialled(way) });
    from = end;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function nodeOf({ text, href }) {
  if (!href) return document.createTextNode(text);
  return el("a", { class: "number", href, ...(isAddress(href) && { target: "_blank", rel: "noopener noreferrer" }) }, text);
}

const same = (node, { text, href }) => node.textContent === text && (node.getAttribute?.("href") ?? undefined) === href;

/** Shows a text with its links; when it grows, what stands already is left in place, under the finger or the focus on it. */
export function putText(node, text) {
  const pieces = piecesOf(text);
  pieces.forEach((piece, at) => {
    const old = node.childNodes[at];
    if (!old) node.append(nodeOf(piece));
    else if (!same(old, piece)) old.replaceWith(nodeOf(piece));
  });
  while (node.childNodes.length > pieces.length) node.lastChild.remove();
}
