// What an ended conversation leaves its user: asked for until it is there, and shown as text.

import * as api from "./api.js";
import { t } from "./messages.js";
import { $, el } from "./view.js";

/** Pauses between two looks, in milliseconds: a minute and a half in all. The closing takes seconds as a rule. */
const PAUSES = [500, 500, 1000, 1000, 2000, 3000, 5000, 8000, 10_000, 15_000, 20_000, 25_000];

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

async function follow(mine) {
  for (const pause of [...PAUSES, null]) {
    const found = await look(mine.id);
    if (shown !== mine) return; // Another conversation is in view.
    if (found.closing) Object.assign(mine, { state: "there", closing: found.closing });
    else if (found.gone || !saidAnything()) mine.state = "none"; // Of a conversation without a word nothing is kept.
    else mine.state = pause === null ? "late" : "waiting";
    draw();
    if (mine.state !== "waiting") return;
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (shown !== mine) return;
  }
}

async function look(id) {
  try {
    return await api.conversation(id);
  } catch (error) {
    return { closing: null, gone: error.status === 404 }; // A lost connection is looked past: the next look may work.
  }
}

const saidAnything = () => $("messages").querySelector(".message.user") !== null;

function draw() {
  const state = shown?.state ?? "none";
  $("gist").hidden = state === "none" || state === "asking";
  $("gist").setAttribute("aria-busy", String(state === "waiting"));
  $("gist-state").textContent = { waiting: t("closing.waiting"), late: t("closing.late") }[state] ?? "";
  $("gist-parts").replaceChildren(...(state === "there" ? parts(shown.closing) : []));
}

function parts({ summary, goals, next_session: next }) {
  return [
    el("p", { class: "gist-summary" }, summary),
    ...(goals.length ? [el("h4", {}, t("closing.goals")), el("ul", {}, ...goals.map((goal) => el("li", {}, goal)))] : []),
    ...(next ? [el("h4", {}, t("closing.next")), el("p", {}, next)] : []),
  ];
}
