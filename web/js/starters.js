// Sentences to begin with, below the greeting: a press puts one into the text box, where it is changed or sent.

import { fillComposer } from "./composer.js";
import { entry, locale } from "./messages.js";
import { $, el } from "./view.js";

const LISTS = { counseling: "starters.counseling", agreement: "starters.agreement", booking: "starters.booking" };
let drawn = "";

/** @param {boolean} fresh nothing was said yet, and no danger is known */
export function drawStarters(snapshot, fresh) {
  const sentences = (fresh && entry(LISTS[snapshot?.service ?? "counseling"])) || [];
  $("starters").hidden = !sentences.length;
  const key = JSON.stringify([locale(), sentences]);
  if (key === drawn) return;
  drawn = key;
  $("starters-list").replaceChildren(...sentences.map((sentence) => el("li", {}, starter(sentence, sentences))));
}

function starter(sentence, all) {
  const button = el("button", { type: "button", class: "outline" }, sentence);
  button.addEventListener("click", () => fillComposer(sentence, all));
  return button;
}
