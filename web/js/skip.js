// The button that skips what the newest reply asks. What is declined of the user's details goes as a field of its own; the words
// are for people.

import { t } from "./messages.js";
import { $ } from "./view.js";

let asked = null; // {slot, label}, or {} if the question is not about a detail

export function prepareSkip(onSkip) {
  $("skip-ask").addEventListener("click", () => asked && onSkip(t("skip.said"), asked.slot));
}

/** @param {boolean} free no turn is under way */
export function drawSkip(snapshot, free) {
  asked = (snapshot?.status !== "completed" && (snapshot?.asks || (snapshot?.may_skip && {}))) || null;
  $("skip-ask").hidden = !asked || !free;
  $("skip-ask").setAttribute("aria-label", asked?.label ? t("skip.label", { what: asked.label }) : t("skip.button"));
}
