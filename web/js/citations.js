// The sources of a reply, as buttons under it: given with the reply, kept in this browser, else read out of its words.

import * as api from "./api.js";
import { putUnder, replyTo } from "./log.js";
import { entry, t } from "./messages.js";
import { languageOf, openPassage } from "./passage.js";
import { load, save } from "./storage.js";
import { el } from "./view.js";

const HOOK = "citations";
const MARK = /\[([^[\]\n]{1,120})\]/g;

/** The documents asked for, by id and language: promises. */
const read = new Map();

/** Keeps and draws what a new reply cites. */
export function takeCitations(conversationId, { messageId, seq, reply, hooks }) {
  const cited = (hooks ?? []).filter(({ type }) => type === HOOK).flatMap(({ data }) => data.citations ?? []);
  if (!cited.length) return;
  save(`cites.${conversationId}`, { ...load(`cites.${conversationId}`), [seq]: cited });
  draw(replyTo(messageId), reply, cited);
}

/** Replies with the document that each is about: the open one back to the reply that opened it; before that it is not known. */
export function documentsOf(replies, open) {
  const found = [];
  for (const reply of [...replies].reverse()) {
    found.push([reply, tells(entry("citations.of_service"), reply.text) ? "service" : open]);
    if (tells(entry("citations.opened"), reply.text)) open = null;
  }
  return found;
}

function tells(pattern, text) {
  return new RegExp(pattern).test(text);
}

/** Draws the citations of a reply of before; its history has its words alone. */
export async function recallCitations(conversationId, document, { messageId, seq, text }) {
  const item = replyTo(messageId); // While the articles are asked for, another conversation may come into view.
  const kept = load(`cites.${conversationId}`)?.[seq];
  if (kept) return draw(item, text, kept);
  const named = marksOf(text);
  if (!named.length || document === null) return;
  const articles = await articlesOf(document, languageOf(named[0].label)).catch(() => []);
  const found = named.flatMap(({ id, label }) => {
    const article = articles.find((one) => one.id === id);
    return article ? [{ document_id: document, passage_id: id, label, title: article.title }] : [];
  });
  if (found.length) draw(item, text, found);
}

function draw(item, reply, cited) {
  const buttons = cited.map((one) => {
    const button = el("button", { type: "button" }, t("citations.open", one).trim());
    button.addEventListener("click", () => openPassage({ ...one, locale: languageOf(one.label) }, reply));
    return el("li", {}, button);
  });
  putUnder(item, el("ul", { class: "cites", "aria-label": t("citations.label") }, ...buttons));
}

/** The passages that a reply names in square brackets: [{id, label}], each once. */
function marksOf(text) {
  const kinds = entry("citations.marks").map(([kind, pattern]) => [kind, new RegExp(`^${pattern}`, "i")]);
  const labels = [...text.matchAll(MARK)].flatMap(([, inside]) => inside.split(/[,;·]/)).map((label) => label.trim());
  const found = labels.flatMap((label) => {
    for (const [kind, pattern] of kinds) {
      const [whole, ...numbers] = label.match(pattern) ?? [];
      if (whole) return [{ id: [kind, ...numbers.filter(Boolean)].join("-"), label: whole }];
    }
    return [];
  });
  return found.filter(({ id }, at) => found.findIndex((one) => one.id === id) === at);
}

function articlesOf(document, language) {
  const key = `${document}.${language}`;
  if (!read.has(key)) {
    const asked = api.documentOf(document, language).then(({ articles }) => articles);
    asked.catch(() => read.delete(key));
    read.set(key, asked);
  }
  return read.get(key);
}
