// The messages on the page: bubbles, the reply that is being written, day lines, scrolling.

import { contactList } from "./contacts.js";
import { locale, t } from "./messages.js";
import { learn, putText } from "./numbers.js";
import { $, el } from "./view.js";

const NEAR_END_PX = 96;
let lastDay = "";
let following = true;
let placed = false;

const list = () => $("messages");
const find = (key) => list().querySelector(`[data-key="${CSS.escape(key)}"]`);
const keyOf = (role, messageId) => `${role}:${messageId}`;

function nearEnd() {
  const { scrollHeight, scrollTop, clientHeight } = $("scroll");
  return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
}

export function prepareLog() {
  $("scroll").addEventListener("scroll", () => {
    if (placed) return void (placed = false);
    following = nearEnd();
    $("latest").hidden = following;
  });
  $("latest").addEventListener("click", () => toEnd(true));
  for (const gesture of ["wheel", "touchmove"]) $("scroll").addEventListener(gesture, fold, { passive: true });
  // The keyboard of a phone, a growing text box or a card make the log smaller: stay at the end if there.
  new ResizeObserver(() => toEnd()).observe($("scroll"));
}

/** Once somebody talks or reads back, the head of the chat is one line: the room is for the talk. */
const fold = () => $("chat").classList.add("folded");

export const saidAnything = () => list().querySelector(".message.user") !== null;

/** What the user has sent, oldest first. */
export const saidTexts = () => [...list().querySelectorAll(".message.user .bubble")].map((bubble) => bubble.textContent);

export function clearLog() {
  $("chat").classList.remove("folded");
  list().replaceChildren();
  lastDay = "";
  following = true;
  $("latest").hidden = true;
  setStatus("");
}

export function toEnd(force = false) {
  if (force) following = true;
  if (following) $("scroll").scrollTop = $("scroll").scrollHeight;
  $("latest").hidden = nearEnd();
}

/** After going to the end: back up to where this began, if what follows it pushed that out of sight. */
export function keepInSight(node) {
  if (!following || !node) return;
  const above = node.getBoundingClientRect().top - $("scroll").getBoundingClientRect().top;
  if (above >= 0) return;
  following = false;
  placed = true; // However near the end it is: the change of size that is still to be told must not go there again.
  $("scroll").scrollTop += above - 16;
  $("latest").hidden = nearEnd();
}

export const replyTo = (messageId) => find(keyOf("counselor", messageId));

export const toMessage = (messageId) => find(keyOf("user", messageId));

/** Whether the newest message on the page is the one that a list shows the beginning of. */
export function shownLast(preview) {
  const shown = [...list().querySelectorAll(".message .bubble")].at(-1)?.textContent ?? "";
  return shown.startsWith(preview.replace(/…$/, ""));
}

export const hasMessage = (role, messageId) => find(keyOf(role, messageId)) !== null;

/** Draws a message once: a second call with the same role and id changes the first one's text. */
export function putMessage({ role, messageId, text, at, state = "done" }) {
  const key = keyOf(role, messageId);
  let item = find(key);
  if (!item) {
    if (at || state === "streaming") dayLine(at ?? Date.now());
    const who = t(role === "user" ? "chat.me" : "chat.counselor");
    item = el(
      "li",
      { class: `message ${role}`, "data-key": key },
      el("span", { class: "unseen" }, t("chat.said", { who })),
      el("p", { class: "bubble" }),
    );
    list().append(item);
    if (role === "user") fold();
  }
  item.dataset.state = state;
  const bubble = item.querySelector(".bubble");
  if (role === "counselor") putText(bubble, text ?? "");
  else bubble.textContent = text || t("chat.not_kept");
  if (at && !item.querySelector("time")) putTime(item, at);
  toEnd();
  return item;
}

/** Puts something under a reply, in place of what was there. */
export function putUnder(item, node) {
  item.querySelector(":scope > ul")?.remove();
  item.querySelector(".bubble").after(node);
  toEnd();
}

export function dropMessage(role, messageId) {
  find(keyOf(role, messageId))?.remove();
}

/** Says under a message of the user why it has no answer, with what can be done about it, and first of all who can help. */
export function putFailure(messageId, text, actions, contacts = []) {
  clearFailure(messageId);
  const buttons = actions.map(({ label, primary, run }) => {
    const button = el("button", { type: "button", class: primary ? "outline" : "text" }, label);
    button.addEventListener("click", run);
    return button;
  });
  const item = find(keyOf("user", messageId));
  const why = el("div", { role: "alert" });
  if (contacts.length) {
    why.append(el("p", { class: "urgent" }, t("help.unanswered")), contactList(contacts));
  }
  learn(contacts);
  const reason = el("p");
  putText(reason, text);
  why.append(reason);
  item.append(el("div", { class: "failure" }, why, el("div", { class: "choices" }, ...buttons)));
  item.dataset.state = "failed";
  item.scrollIntoView({ block: "nearest" });
}

export function clearFailure(messageId) {
  const item = find(keyOf("user", messageId));
  item?.querySelector(".failure")?.remove();
  if (item) item.dataset.state = "done";
}

export function setStatus(text) {
  if ($("status").textContent === text) return;
  $("status").textContent = text;
  toEnd();
}

/** For screen readers: a finished reply at once, not its tokens; before it what has changed with it. */
export function speak(text, before = "") {
  $("spoken").textContent = [before, t("chat.reply_arrived", { text })].filter(Boolean).join(" ");
}

function dayLine(at) {
  const day = new Date(at).toLocaleDateString(locale(), { month: "long", day: "numeric", weekday: "long" });
  if (day !== lastDay) list().append(el("li", { class: "day" }, day));
  lastDay = day;
}

/** A minute is told once, below its last message. */
function putTime(item, at) {
  const time = el("time", { dateTime: new Date(at).toISOString() }, clock(at));
  const before = item.previousElementSibling?.querySelector("time");
  if (before?.textContent === time.textContent) before.hidden = true;
  item.append(time);
}

const clock = (at) => new Date(at).toLocaleTimeString(locale(), { hour: "numeric", minute: "2-digit" });
