// One passage of a document on a sheet of its own, with the words marked that a reply quotes.

import * as api from "./api.js";
import { locale, t } from "./messages.js";
import { wordUnlessGone } from "./problems.js";
import { $, el, prepareDialog } from "./view.js";

const QUOTED = /“([^”]{2,})”|"([^"]{2,})"|「([^」]{2,})」|『([^』]{2,})』|«([^»]{2,})»/g;
const COUNTS = /[\p{L}\p{N}_%]/u;
let opened = 0;

export function preparePassage() {
  prepareDialog($("passage"));
}

/** The language of the service's agreement that a label belongs to. */
export const languageOf = (label) => (/\p{Script=Hangul}/u.test(label) ? "ko" : "en");

/** @param {{document_id: string, passage_id: string, label: string, title: string, locale?: string}} cited */
export async function openPassage({ document_id: document, passage_id: passage, label, title, locale: language }, reply = "") {
  const mine = (opened += 1);
  $("passage-heading").textContent = t("citations.open", { label, title }).trim();
  $("passage-source").textContent = t("citations.loading");
  $("passage-text").replaceChildren();
  $("passage-trouble").textContent = "";
  $("passage").setAttribute("aria-busy", "true");
  $("passage").showModal();
  try {
    const { heading, text } = await api.passage(document, passage, language ?? locale());
    if (mine !== opened) return;
    $("passage-source").textContent = heading;
    $("passage-text").replaceChildren(...marked(text, quotesOf(reply)));
    $("passage-text").querySelector("mark")?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    if (mine !== opened) return;
    $("passage-source").textContent = "";
    $("passage-trouble").textContent = wordUnlessGone(error, "citations.gone", "citations.failed");
  } finally {
    if (mine === opened) $("passage").removeAttribute("aria-busy");
  }
}

const quotesOf = (reply) => [...reply.matchAll(QUOTED)].map((found) => found.slice(1).find(Boolean));

/** The letters of a text without blanks and marks, each with its place: spelling does not hide that words are the same. */
function folded(text) {
  const letters = [];
  let at = 0;
  for (const character of text) {
    for (const letter of character.normalize("NFKC").toLowerCase()) if (COUNTS.test(letter)) letters.push({ letter, at, end: at + character.length });
    at += character.length;
  }
  return letters;
}

/** The text in pieces; what is quoted stands in a mark. */
function marked(text, quotes) {
  const letters = folded(text);
  const words = letters.map(({ letter }) => letter).join("");
  const spans = quotes
    .map((quote) => folded(quote).map(({ letter }) => letter).join(""))
    .map((quote) => ({ from: quote ? words.indexOf(quote) : -1, length: quote.length }))
    .filter(({ from }) => from >= 0)
    .map(({ from, length }) => ({ start: letters[from].at, end: letters[from + length - 1].end }))
    .sort((a, b) => a.start - b.start);
  const pieces = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (end <= at) continue;
    const first = Math.max(at, start);
    pieces.push(text.slice(at, first), el("mark", {}, text.slice(first, end)));
    at = end;
  }
  return [...pieces, text.slice(at)];
}
