// The end: the question whether to, and after it thanks, what the conversation leaves, one rating, and the way to a new conversation.

import * as api from "./api.js";
import { drawClosing, prepareClosing } from "./closing.js";
import { contactList, fillContacts } from "./contacts.js";
import { t } from "./messages.js";
import { wordError } from "./problems.js";
import { atRisk } from "./snapshot.js";
import { load, save } from "./storage.js";
import { $, busy, confirmed, el, toast } from "./view.js";

const POINTS = [1, 2, 3, 4, 5];
let conversationId = null;
/** The conversation ended while lines of help were shown: no points are asked for, and words only if they like. */
let gentle = false;

export function prepareEnding({ onNew, onClosing }) {
  prepareClosing(onClosing);
  $("stars").append(
    ...POINTS.map((n) => el("label", {}, el("input", { type: "radio", name: "rating", value: String(n) }), el("span", {}, String(n)))),
  );
  $("stars").addEventListener("change", drawRate);
  $("comment").addEventListener("input", drawRate);
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

const points = () => Number(new FormData($("rating")).get("rating")) || undefined;

function drawRate() {
  $("rate").disabled = gentle ? !$("comment").value.trim() : !points();
}

/** After a crisis: thanks, the numbers below, and a place for words without points. */
function drawCare(snapshot) {
  gentle = atRisk(snapshot);
  $("closed-text").textContent = t(gentle ? "end.closed_text_care" : "end.closed_text");
  $("points").hidden = gentle;
  $("rating-gentle").hidden = !gentle;
  $("comment-label").textContent = t(gentle ? "rating.comment_gentle" : "rating.comment");
}

export function drawEnding(id, snapshot, ended) {
  const first = ended && ($("closed").hidden || conversationId !== id);
  conversationId = id;
  $("closed").hidden = !ended;
  drawClosing(id, ended);
  for (const input of $("stars").querySelectorAll("input")) input.setAttribute("aria-label", t("rating.of", { n: input.value }));
  if (!ended) return;
  drawCare(snapshot);
  const rated = load(`rated.${id}`) === true;
  $("rating").hidden = rated;
  $("thanks").textContent = rated ? t(gentle ? "rating.thanks_gentle" : "rating.thanks") : "";
  if (!first) return;
  $("rating").reset();
  drawRate();
  showHelp([]);
  $("closed-heading").focus({ preventScroll: true });
}

export function leaveEnding() {
  drawClosing(null, false);
}

async function rate() {
  const id = conversationId;
  const rating = gentle ? undefined : points();
  const comment = $("comment").value.trim();
  let resources = [];
  try {
    ({ resources = [] } = await api.rate(id, comment ? { rating, comment } : { rating })); // What is undefined is left out.
  } catch (error) {
    resources = error.resources ?? [];
    if (error.status !== 409) {
      toast(wordError(error, "errors.failed"));
      return showHelp(resources);
    }
  }
  save(`rated.${id}`, true);
  $("rating").hidden = true;
  $("thanks").textContent = t(gentle ? "rating.thanks_gentle" : "rating.thanks");
  showHelp(resources);
}

/** Who can help: the comment told of a danger, whether it was taken or not. */
function showHelp(contacts) {
  $("rating-help").hidden = !contacts.length;
  fillContacts($("rating-contacts"), contacts);
  if (contacts.length) $("rating-help").scrollIntoView({ block: "nearest" });
}
