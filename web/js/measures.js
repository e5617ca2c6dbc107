// The self-report measures: offered before the first message and after the end, answered item by item, left at any time.
// Nothing is sent before all items are answered and the result is asked for.

import * as api from "./api.js";
import { contactList } from "./contacts.js";
import { locale, t } from "./messages.js";
import { putText } from "./numbers.js";
import { wordError } from "./problems.js";
import { load, save } from "./storage.js";
import { $, busy, el } from "./view.js";

/** Results of one measure that the small series shows. */
const SHOWN = 5;
/** The place before the first item: what the measure is, and what it is not. */
const INTRO = -1;
let taken = () => {};
let left = () => {};
/** What is offered: {id, moment, left: [measure]}; null while nothing is. */
let offer = null;
/** The measure being answered: {key, moment, measure, about, answers, at}; kept while the dialog is closed for a moment. */
let run = null;
/** The measures' texts in one language, asked for once: {locale, told}, a promise. */
let read = { locale: "" };

export function prepareMeasures({ onTaken, onLeft }) {
  taken = onTaken;
  left = onLeft;
  $("measures-yes").addEventListener("click", () => busy($("measures-yes"), begin));
  $("measures-no").addEventListener("click", leave);
  $("measure").querySelector("[data-close]").addEventListener("click", () => $("measure").close());
  $("measure").addEventListener("close", () => !offer && left()); // The button that opened it is gone.
}

const skipped = (id, moment) => `measures.${id}.${moment}`;

/** @param {boolean} free no turn is under way */
export function drawMeasures(id, snapshot, free) {
  const asked = snapshot?.measures;
  const open = asked && (!asked.until || new Date(asked.until) > new Date());
  const shown = free && open && load(skipped(id, asked.moment)) !== true;
  const before = offer?.key;
  offer = shown ? { ...asked, id, key: JSON.stringify([id, asked.moment, asked.left, locale()]) } : null;
  $("measures").hidden = !offer;
  if (!offer || offer.key === before) return;
  const place = offer.moment === "end" ? $("closed-new") : $("closed");
  if ($("measures").nextElementSibling !== place) place.before($("measures"));
  $("measures-heading").textContent = t(offer.moment === "end" ? "measures.end_heading" : "measures.start_heading");
  $("measures-text").textContent = t("measures.text");
  $("measures-yes").textContent = t("measures.yes");
  $("measures-no").textContent = t("measures.no");
  drawSeries(offer.key);
}

function texts() {
  if (read.locale === locale()) return read.told;
  const asked = { locale: locale(), told: api.measures(locale()) };
  asked.told.catch(() => read === asked && (read = { locale: "" }));
  read = asked;
  return asked.told;
}

/** The earlier results, small; without an answer nothing is shown. */
async function drawSeries(key) {
  $("measures-series").replaceChildren();
  const [{ measures }, { results }] = await Promise.all([texts(), api.myMeasures()]).catch(() => [{ measures: [] }, { results: [] }]);
  if (offer?.key !== key) return;
  const lines = measures.map(({ id, name }) => [name, results.filter((one) => one.measure === id).slice(-SHOWN)]);
  $("measures-series").replaceChildren(...lines.filter(([, own]) => own.length).map(([name, own]) => el("p", { class: "hint" }, wordSeries(name, own))));
}

const day = (at) => new Date(at).toLocaleDateString(locale(), { month: "long", day: "numeric" });
const wordSeries = (name, results) =>
  t("measures.series", { name, results: results.map(({ at, total }) => t("measures.point", { day: day(at), total })).join(" → ") });

async function begin() {
  const { id, key, moment, left: [first] } = offer;
  try {
    const { about, measures } = await texts();
    if (offer?.key !== key) return;
    if (run?.key !== key) run = { id, key, moment, about, measure: measures.find((one) => one.id === first), answers: [], at: INTRO, locale: locale() };
  } catch (error) {
    $("measures-text").textContent = wordError(error, "errors.failed");
    return;
  }
  if (!$("measure").open) $("measure").showModal();
  draw();
}

/** Skips what is offered, or stops in the middle: nothing is stored. */
function leave() {
  if (offer) save(skipped(offer.id, offer.moment), true);
  offer = run = null;
  $("measures").hidden = true;
  if ($("measure").open) $("measure").close();
  else left();
}

function show(heading, ...parts) {
  $("measure-heading").textContent = run?.measure.name ?? $("measure-heading").textContent;
  $("measure-body").replaceChildren(heading, ...parts);
  $("measure").scrollTop = 0;
  heading.focus();
}

const button = (words, press, properties = {}) => {
  const made = el("button", { type: "button", class: "outline", ...properties }, words);
  made.addEventListener("click", () => busy(made, press));
  return made;
};

const go = (at) => {
  run.at = at;
  draw();
};

function draw() {
  const { measure, answers, at, about } = run;
  const all = measure.items.length;
  const back = at > INTRO ? button(t("measures.back"), () => go(at - 1), { class: "text" }) : null;
  const ways = el("div", { class: "choices" }, back, button(t("measures.stop"), leave, { class: "text" }));
  if (at === INTRO) {
    const intro = el("p", { tabIndex: -1 }, about);
    const begun = el("div", { class: "answers" }, button(t("measures.begin"), () => go(0), { class: "primary" }));
    return show(intro, begun, ways, el("p", { class: "hint" }, t("measures.source", measure)));
  }
  const bar = el("progress", { max: all, value: at, "aria-hidden": "true" });
  if (at === all) {
    const asked = el("p", { class: "measure-item", tabIndex: -1 }, t("measures.all_answered"));
    return show(asked, bar, el("div", { class: "answers" }, button(t("measures.result"), send, { class: "primary" })), ways);
  }
  const item = el(
    "p",
    { class: "measure-item", tabIndex: -1, id: "measure-item" },
    el("small", {}, t("measures.progress", { n: at + 1, all })),
    measure.items[at],
  );
  const choices = measure.answers.map((words, value) =>
    button(words, () => answer(value), { "aria-pressed": String(answers[at] === value) }),
  );
  const group = el("div", { class: "answers", role: "group", "aria-labelledby": "measure-item" }, ...choices);
  show(item, bar, el("p", { class: "hint" }, measure.instruction), group, ways);
}

function answer(value) {
  run.answers[run.at] = value;
  go(run.at + 1);
}

async function send() {
  const { id, moment, measure, answers, locale: shownIn } = run;
  try {
    const told = await api.takeMeasure(id, { measure: measure.id, moment, answers, locale: shownIn });
    drawResult(told);
    run = null;
    taken(id, told);
  } catch (error) {
    const why = el("p", { role: "alert", tabIndex: -1 }, wordError(error, "errors.failed"));
    show(why, ...(error.resources?.length ? [contactList(error.resources)] : []), button(t("measures.back"), draw));
  }
}

function drawResult({ result, words, about, earlier, help, state_snapshot: snapshot }) {
  const next = snapshot.measures?.left[0];
  const over = snapshot.status === "completed";
  const close = button(t(over ? "dialog.close" : "measures.close"), () => $("measure").close(), { class: next ? "outline" : "primary" });
  if (help) {
    const message = el("p", { class: "measure-help", tabIndex: -1 });
    putText(message, help.message);
    const anew = over ? button(t("list.new"), openNew) : null;
    return show(message, contactList(help.resources), el("div", { class: "choices" }, anew, close));
  }
  const said = el("p", { class: "measure-item", tabIndex: -1 }, words);
  const total = el("p", {}, t("measures.total", result));
  const before = earlier ? el("p", {}, t("measures.earlier", { day: day(earlier.at), total: earlier.total })) : null;
  const more = next ? button(t("measures.next"), begin) : null;
  show(said, ...[total, before].filter(Boolean), el("p", { class: "hint" }, about), el("div", { class: "choices" }, more, close));
}

/** An ended conversation hears no answer to the direct question: a new one does. */
function openNew() {
  $("measure").close();
  $("closed-new").click();
}
