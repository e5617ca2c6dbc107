// The button that declines what the newest reply asks for. What is declined goes as a field of its own; the words are for people.

import { t } from "./messages.js";
import { $ } from "./view.js";

let asked = null;

export function prepareSkip(onSkip) {
  $("skip-ask").addEventListener("click", () => asked && onSkip(t("skip.said"), asked.slot));
}

/** @param {boolean} free no turn is under way */
export function drawSkip(snapshot, free) {
  asked = (snapshot?.status !== "completed" && snapshot?.asks) || null;
  $("skip-ask").hidden = !asked || !free;
  $("skip-ask").setAttribute("aria-label", asked ? t("skip.label", { what: asked.label }) : t("skip.button"));
}
