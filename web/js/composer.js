// The text box: grows, counts, keeps a draft. With a keyboard Enter sends, but never in the middle of composing a Korean
// syllable; on a touch screen, whose keyboard has no Shift+Enter, it makes a new line.

import { t } from "./messages.js";
import { forget, load, save } from "./storage.js";
import { $ } from "./view.js";

const LIMIT = 4000;
const COUNT_FROM = 3500;

/** By the main pointer: a laptop with a touch screen keeps its keyboard. */
const touch = matchMedia("(pointer: coarse)");

let draftKey = null;
let blocked = false;

/** The server counts characters (code points), not UTF-16 units. */
const length = (text) => [...text].length;

export function prepareComposer(onSend) {
  const box = $("text");
  box.addEventListener("input", () => {
    keepDraft();
    refreshComposer();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || touch.matches) return;
    // Safari ends the composition before this keydown and marks it only by key code 229.
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit(onSend);
  });
  $("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    submit(onSend);
  });
  touch.addEventListener("change", refreshComposer);
}

function submit(onSend) {
  const text = $("text").value.trim();
  if (blocked || !text || length(text) > LIMIT) return;
  onSend(text);
}

export function openDraft(conversationId) {
  draftKey = `draft.${conversationId}`;
  $("text").value = load(draftKey) ?? "";
  $("text").placeholder = t("chat.placeholder");
  refreshComposer();
}

export function clearDraft() {
  $("text").value = "";
  $("text").placeholder = t("chat.placeholder");
  forget(draftKey);
  refreshComposer();
}

/** Puts text back to be edited, before whatever was typed meanwhile. */
export function takeBack(text) {
  const box = $("text");
  box.value = box.value ? `${text}\n${box.value}` : text;
  keepDraft();
  refreshComposer();
  box.focus();
}

/** Puts a sentence there to be changed or sent; another one of the same list gives way to it, other words stay. */
export function fillComposer(text, list) {
  const box = $("text");
  box.value = list.includes(box.value) ? text : [box.value, text].filter(Boolean).join("\n");
  keepDraft();
  refreshComposer();
  box.focus();
}

/** While a turn is under way one can write, but not send. */
export function blockSending(on) {
  blocked = on;
  refreshComposer();
}

export function focusComposer() {
  // On a touch screen, focus would open the keyboard over the conversation.
  if (!touch.matches) $("text").focus({ preventScroll: true });
}

/** Goes to the text box with an example of what to write, which stands there until something is sent. */
export function hintComposer(example) {
  $("text").placeholder = example;
  $("text").focus();
}

function keepDraft() {
  if ($("text").value) save(draftKey, $("text").value);
  else forget(draftKey);
}

export function refreshComposer() {
  const box = $("text");
  const left = LIMIT - length(box.value.trim());
  const count = $("count");
  count.textContent = left < 0 ? t("chat.count_over", { n: -left }) : left <= LIMIT - COUNT_FROM ? t("chat.count_left", { n: left }) : "";
  count.classList.toggle("over", left < 0);
  box.setAttribute("aria-invalid", String(left < 0));
  $("send").disabled = blocked || left < 0 || left === LIMIT;
  box.enterKeyHint = touch.matches ? "enter" : "send";
  $("input-hint").textContent = t(touch.matches ? "chat.input_hint_touch" : "chat.input_hint");
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
