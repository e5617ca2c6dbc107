// The end: the question whether to, and after it thanks, what the conversation leaves, one rating, and the way to a new conversation.

import * as api from "./api.js";
import { drawClosing } from "./closing.js";
import { contactList, fillContacts } from "./contacts.js";
import { t } from "./messages.js";
import { wordError } from "./problems.js";
import { load, save } from "./storage.js";
import { $, busy, confirmed, el, toast } from "./view.js";

const POINTS = [1, 2, 3, 4, 5];
let conversationId = null;

export function prepareEnding({ onNew }) {
  $("stars").append(
    ...POINTS.map((n) => el("label", {}, el("input", { type: "radio", name: "rating", value: String(n) }), el("span", {}, String(n)))),
  );
  $("stars").addEventListener("change", () => ($("rate").disabled = false));
  $("rating").addEventListener("submit", (event) => {
    event.preventDefault();
    busy($("rate"), rate);
  });
  $("closed-new").addEventListener("click", onNew);
}

/** Asks whether to end; going on is what stands out, and in danger the lines of help stand before either. */
export function wantsToEnd(snapshot) {
  const contacts = snapshot?.risk?.resources ?? [];
  const more = contacts.length ? [el("p", { class: "urgent" }, t("end.confirm_help")), contactList(contacts)] : [];
  const words = { heading: t("end.confirm_heading"), text: t("end.confirm_text"), yes: t("end.confirm_yes"), no: t("end.confirm_no") };
  return confirmed({ ...words, more, staying: true });
}

export function drawEnding(id, ended) {
  const first = ended && ($("closed").hidden || conversationId !== id);
  conversationId = id;
  $("closed").hidden = !ended;
  drawClosing(id, ended);
  for (const input of $("stars").querySelectorAll("input")) input.setAttribute("aria-label", t("rating.of", { n: input.value }));
  if (!ended) return;
  const rated = load(`rated.${id}`) === true;
  $("rating").hidden = rated;
  $("thanks").textContent = rated ? t("rating.thanks") : "";
  if (!first) return;
  $("rating").reset();
  $("rate").disabled = true;
  showHelp([]);
  $("closed-heading").focus({ preventScroll: true });
}

export function leaveEnding() {
  drawClosing(null, false);
}

async function rate() {
  const id = conversationId;
  const rating = Number(new FormData($("rating")).get("rating"));
  const comment = $("comment").value.trim();
  let resources = [];
  try {
    ({ resources = [] } = await api.rate(id, comment ? { rating, comment } : { rating }));
  } catch (error) {
    resources = error.resources ?? [];
    if (error.status !== 409) {
      toast(wordError(error, "errors.failed"));
      return showHelp(resources);
    }
  }
  save(`rated.${id}`, true);
  drawEnding(id, true);
  showHelp(resources);
}

/** Who can help: the comment told of a danger, whether it was taken or not. */
function showHelp(contacts) {
  $("rating-help").hidden = !contacts.length;
  fillContacts($("rating-contacts"), contacts);
  if (contacts.length) $("rating-help").scrollIntoView({ block: "nearest" });
}
