// What an ended conversation leaves its user: asked for until it is there, and shown as text.

import * as api from "./api.js";
import { saidAnything } from "./log.js";
import { t } from "./messages.js";
import { $, el } from "./view.js";

/** Pauses between two looks, in milliseconds: a minute and a half in all. The closing takes seconds as a rule. */
const PAUSES = [500, 500, 1000, 1000, 2000, 3000, 5000, 8000, 10_000, 15_000, 20_000, 25_000];
/** While the AI cannot be reached a look is taken at longer and longer intervals, for as long as the page is open. */
const LONGEST_PAUSE = 600_000;

/** Told when a closing is there: the list then has its title. */
let came = () => {};

export function prepareClosing(onCame) {
  came = onCame;
}

/** Ends the pause between two looks. */
let look = () => {};

/** The ended conversation in view: {id, state: "asking" | "waiting" | "late" | "there" | "none", closing}. */
let shown = null;

export function drawClosing(id, ended) {
  if (!ended) shown = null;
  else if (shown?.id !== id) {
    shown = { id, state: "asking", closing: null };
    follow(shown);
  }
  draw();
}

/** The closing is there, as the server says unasked: it is looked for at once. */
export function closingCame(id) {
  if (shown?.id === id && !shown.closing) look();
}

async function follow(mine) {
  for (let looks = 0, pause = 0; ; looks += 1) {
    const found = await ask(mine.id);
    if (shown !== mine) return; // Another conversation is in view.
    if (found.closing && !mine.closing && looks > 0) came();
    if (found.closing) Object.assign(mine, { state: "there", closing: found.closing });
    else if (found.gone || !saidAnything()) mine.state = "none"; // Of a conversation without a word nothing is kept.
    else if (mine.state !== "there") mine.state = looks < PAUSES.length ? "waiting" : "late";
    draw();
    if (mine.state === "none" || (mine.closing && !mine.closing.to_follow)) return;
    pause = PAUSES[looks] ?? Math.min(2 * pause, LONGEST_PAUSE);
    await seenAfter(pause);
    if (shown !== mine) return;
  }
}

/** Waits, and then until the page is looked at. */
async function seenAfter(ms) {
  await new Promise((resolve) => {
    look = resolve;
    setTimeout(resolve, ms);
  });
  if (!document.hidden) return;
  await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

async function ask(id) {
  try {
    return await api.conversation(id);
  } catch (error) {
    return { closing: null, gone: error.status === 404 }; // A lost connection is looked past: the next look may work.
  }
}

function draw() {
  const state = shown?.state ?? "none";
  $("gist").hidden = state === "none" || state === "asking";
  $("gist").setAttribute("aria-busy", String(state === "waiting"));
  const text = { waiting: t("closing.waiting"), late: t("closing.late") }[state] ?? "";
  if ($("gist-state").textContent !== text) $("gist-state").textContent = text;
  $("gist-parts").replaceChildren(...(state === "there" ? parts(shown.closing) : []));
}

function parts({ summary, goals, next_session: next }) {
  return [
    el("p", { class: "gist-summary" }, summary),
    ...(goals.length ? [el("h4", {}, t("closing.goals")), el("ul", {}, ...goals.map((goal) => el("li", {}, goal)))] : []),
    ...(next ? [el("h4", {}, t("closing.next")), el("p", {}, next)] : []),
  ];
}
