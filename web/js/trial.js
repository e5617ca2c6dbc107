// A start without a model: the stories to choose from, the client's next line as a button, and, below an answer to any
// other text, that nobody read it, and whom to turn to.

import { everybody, fillContacts } from "./contacts.js";
import { json, reach } from "./http.js";
import { keepInSight, saidTexts, toEnd } from "./log.js";
import { locale, t } from "./messages.js";
import { load, save } from "./storage.js";
import { $, el, showScreen } from "./view.js";

const KEY = "GEMINI_API_KEY=… make run";
const OWN_MODEL = "GEMINI_API_KEY=any GOOGLE_GEMINI_BASE_URL=… CBOT_MODEL=… make run";

let on = false;
let stories = [];
/** What the server was asked of last: the conversation and how much was said in it. */
let asked = "";
/** What was asked of when the background work was done, which the next line of a fast reader must not overtake. */
let settled = "";
let running = false;
let planning = false;

/** @param {boolean} demo the server has no model */
export function useTrial(demo) {
  on = demo === true;
}

export const offersStories = () => on;

// The list ----------------------------------------------------------------------------------------------------------------

export function prepareStories() {
  $("stories-list").addEventListener("click", (event) => event.target.closest("a") && ($("main").scrollTop = 0));
}

export async function openStories() {
  showScreen("stories");
  $("main").scrollTop = 0;
  await read();
  drawStories();
}

async function read() {
  if (stories.length || !on) return;
  const told = await reach("/trial/stories").then(json).catch(() => ({ stories: [] }));
  stories = told.stories;
}

/** @returns the story of an address; undefined if there is none */
export async function storyOf(id) {
  if (id) await read();
  return stories.find((story) => story.id === id);
}

export function drawStories() {
  const shown = stories.filter((story) => story.locale === locale());
  $("stories-list").replaceChildren(...shown.map((story) => el("li", {}, link(story))));
  $("stories-trouble").textContent = stories.length ? "" : t("trial.failed");
  $("stories-key").replaceChildren(wayToAModel());
}

function link({ id, title, sentence }) {
  return el("a", { class: "story", href: `#/begin/${encodeURIComponent(id)}` }, el("b", {}, title), el("span", {}, sentence));
}

function wayToAModel() {
  const command = (text) => el("pre", {}, el("code", { lang: "en" }, text));
  return el(
    "details",
    { class: "key" },
    el("summary", {}, t("trial.key")),
    el("p", {}, t("trial.key_text")),
    command(KEY),
    el("p", {}, t("trial.key_own")),
    command(OWN_MODEL),
    el("p", {}, t("trial.key_more")),
  );
}

// In a conversation -------------------------------------------------------------------------------------------------------

export const keepStory = (id, story) => save(`story.${id}`, story);

export const hasStory = (id) => on && load(`story.${id}`) !== null;

/** @param {(text: string) => void} onLine sends the client's next line */
export function prepareTrial(onLine) {
  $("next-line").addEventListener("click", () => {
    if ($("next-line").getAttribute("aria-disabled") !== "true") onLine($("next-text").textContent);
  });
}

/** The newest message was typed, or it is the answer of a button, which needs no reader. */
export const noteSent = (id, { typed }) => on && save(`typed.${id}`, typed);

export function leaveTrial() {
  asked = "";
  for (const part of ["next", "unread"]) $(part).hidden = true;
  $("unread-said").textContent = "";
}

/** @param {boolean} free no turn is under way */
export function drawTrial(id, snapshot, free) {
  if (!on) return;
  if ($("text").placeholder === t("chat.placeholder")) $("text").placeholder = t("trial.placeholder");
  running = !free;
  planning = snapshot?.plan_status === "planning";
  drawBusy();
  if (snapshot?.status === "completed") $("next").hidden = true;
  if (!free) {
    $("unread").hidden = true;
    $("unread-said").textContent = "";
  } else ask(id, snapshot?.status === "completed");
}

async function ask(id, ended) {
  const said = saidTexts();
  const key = JSON.stringify([id, said.length, ended, locale()]);
  if (key === asked) return;
  asked = key;
  drawBusy(); // Until it is known what comes next, the line above the text box is the one that was just sent.
  const story = load(`story.${id}`);
  const talk = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ story, said }) };
  const place = await reach("/trial/talk", talk).then(json).catch(() => null); // The talk itself goes on without it.
  if (key !== asked) return;
  if (!place) return void (asked = ""); // The next time may work.
  drawNext(story && !ended, place.next);
  drawUnread(said.length > 0 && load(`typed.${id}`) === true && !place.read);
  drawBusy();
  if (!said.length) keepInSight($("messages").lastElementChild);
  await reach("/trial/settled").catch(() => null);
  settled = key;
  drawBusy();
}

/** A button that were disabled would lose the focus of who goes through the story by the keyboard. */
function drawBusy() {
  const waits = planning || settled !== asked;
  $("next-line").setAttribute("aria-disabled", String(running || waits));
  $("reminder").textContent = t(waits && !running && !$("next").hidden ? "trial.waiting" : "trial.reminder");
}

function drawNext(plays, line) {
  $("next").hidden = !plays;
  $("next-line").hidden = !line;
  $("next-text").textContent = line ?? "";
  $("next-over").hidden = Boolean(line);
}

function drawUnread(shown) {
  const fresh = shown && ($("unread").hidden || $("unread").lang !== locale()); // What is open in it stays open.
  $("unread").hidden = !shown;
  $("unread-said").textContent = shown ? t("trial.unread") : "";
  if (!fresh) return;
  $("unread").lang = locale();
  fillContacts($("unread-contacts"), everybody());
  $("unread-key").replaceChildren(wayToAModel());
  toEnd();
  keepInSight($("messages").lastElementChild); // The answer is read first.
}
