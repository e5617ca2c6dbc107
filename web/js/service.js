// Which service a conversation was opened in, and which one gave its newest reply.

import { t } from "./messages.js";
import { load, save } from "./storage.js";
import { $ } from "./view.js";

const COUNSELING = "counseling";
const NOW = { agreement: "service.now_agreement", booking: "service.now_booking" };
let opened = COUNSELING;

const serviceOf = (snapshot) => snapshot?.service ?? COUNSELING;

/** Remembers where a new conversation begins: later snapshots name the service of the newest reply. */
export function keepOpened(id, snapshot) {
  if (serviceOf(snapshot) !== COUNSELING) save(`service.${id}`, serviceOf(snapshot));
}

export function useOpened(id) {
  opened = load(`service.${id}`) ?? COUNSELING;
}

/** A user who came for another service is not offered the measures of a counselling. */
export const openedInCounseling = () => opened === COUNSELING;

/** Says who answers if it is not the counselling; a conversation opened elsewhere has no Parts to show. */
export function drawService(snapshot, ended) {
  const plain = opened !== COUNSELING;
  $("progress").classList.toggle("plain", plain);
  $("parts").hidden = plain;
  $("bar").hidden = plain;
  const text = ended ? "" : answering(snapshot);
  $("task").classList.toggle("aside", text !== "");
  if (text) $("task").textContent = text;
}

/** Who answers, in a sentence; "" for the counselling. */
export function answering(snapshot) {
  const key = NOW[serviceOf(snapshot)];
  return key ? t(key) : "";
}
