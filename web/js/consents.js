// What is agreed to, in the server's own words: shown whole, given by its version, asked for anew, withdrawn.

import * as api from "./api.js";
import { locale, t } from "./messages.js";
import { wordError } from "./problems.js";
import { $, busy, el, prepareDialog } from "./view.js";

let read = { locale: "", consents: [] };
let again = () => {};

/** The texts in the page's language; one list a language is enough, since a text that changed is refused by its version. */
export async function consentTexts() {
  if (read.locale !== locale()) read = { locale: locale(), consents: (await api.consents(locale())).consents };
  return read.consents;
}

/** Forgets what was read: the server has a newer text. */
export const forgetTexts = () => (read = { locale: "", consents: [] });

export const versionsOf = (consents) => Object.fromEntries(consents.map(({ id, version }) => [id, version]));

/** The whole text of a consent, folded up. */
export function wholeText({ id, title, version, text }) {
  const words = el("summary", {}, t("consent.whole", { title }));
  return el("details", { "data-consent": id }, words, ...blocks(text), el("p", { class: "hint" }, t("consent.version", { version })));
}

const ITEM = /^• /;
/** What an item is about stands before its first colon. */
const ABOUT = /^([^:]{1,48}): (.+)$/;

/** The text's paragraphs and its lists, which the server marks by "• ". */
function blocks(text) {
  const made = [];
  for (const line of text.split("\n").filter((one) => one.trim())) {
    if (!ITEM.test(line)) made.push(el("p", {}, line));
    else if (made.at(-1)?.tagName === "UL") made.at(-1).append(item(line));
    else made.push(el("ul", {}, item(line)));
  }
  return made;
}

function item(line) {
  const words = line.replace(ITEM, "");
  const [, about, rest] = words.match(ABOUT) ?? [];
  return about ? el("li", {}, el("b", {}, about), ` ${rest}`) : el("li", {}, words);
}

export function prepareConsents() {
  prepareDialog($("consent"));
  $("consent-form").addEventListener("change", drawAsked);
  $("consent-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy($("consent-yes"), agree);
  });
}

/**
 * Asks for what is due, each by itself; once all of it is given, the conversation goes on.
 * @param {string[]} missing what the conversation said that it lacks, whatever stands for the person by now
 */
export async function askForConsents(goOn, missing = []) {
  again = goOn;
  forgetTexts();
  try {
    const [texts, { consents }] = await Promise.all([consentTexts(), api.myConsents()]);
    const open = new Set([...missing, ...consents.filter(({ due }) => due).map(({ id }) => id)]);
    const due = texts.filter(({ id }) => open.has(id));
    if (!due.length) return again(); // Given meanwhile, in another window.
    $("consent-list").replaceChildren(...due.map(asked));
    $("consent-note").textContent = "";
    drawAsked();
    $("consent").showModal();
  } catch (error) {
    return error;
  }
}

function asked(consent) {
  const box = el("input", { type: "checkbox", name: consent.id });
  return el("div", { class: "consents" }, el("label", {}, box, el("span", {}, el("b", {}, consent.title))), wholeText(consent));
}

const boxes = () => [...$("consent-list").querySelectorAll("input")];

function drawAsked() {
  $("consent-yes").disabled = !boxes().every((box) => box.checked);
}

async function agree() {
  const due = new Set(boxes().map((box) => box.name));
  const versions = versionsOf(read.consents.filter(({ id }) => due.has(id)));
  try {
    await api.changeConsents({ consents: Object.fromEntries([...due].map((id) => [id, true])), versions });
  } catch (error) {
    $("consent-note").textContent = wordError(error, "errors.failed");
    return;
  }
  $("consent").close();
  $("consent-list").replaceChildren();
  again();
}

/** Withdraws all; returns what the server says of what stays. */
export async function withdrawAll() {
  const consents = await consentTexts();
  const { note } = await api.changeConsents({ consents: Object.fromEntries(consents.map(({ id }) => [id, false])) });
  return note;
}
