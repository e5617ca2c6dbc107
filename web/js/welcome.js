// The first screen: who one talks to, which service begins, whether to go on from last time, age, and three separate consents.

import * as api from "./api.js";
import { consentTexts, forgetTexts, versionsOf, wholeText } from "./consents.js";
import { locale, t } from "./messages.js";
import { dialled, putText } from "./numbers.js";
import { wordError } from "./problems.js";
import { keepStory, offersStories } from "./trial.js";
import { $, busy, el, icon, showScreen } from "./view.js";

const COUNSELING = "counseling";
const CONSENTS = ["terms", "sensitive_data", "overseas_transfer"];
let created = () => {};
let opened = 0;
/** The user has a conversation to go on from. */
let goesOn = false;
let proposed = COUNSELING;
/** The own document that the next conversation is about, and that of the screen in view; undefined is the agreement. */
let about;
let asked;
/** The story that is to be played, of a start without a model. */
let story;
/** What the person reads here and agrees to; nothing can be agreed to before it is there. */
let texts = [];

export function prepareWelcome({ onCreated }) {
  created = onCreated;
  $("start-form").addEventListener("change", () => {
    $("refused").replaceChildren();
    drawWelcome();
  });
  $("start-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (complete()) busy($("start"), start);
  });
}

/** @param {{id: string, locale: string, title: string, sentence: string, session_type: string}=} chosenStory */
export function openWelcome(chosenStory) {
  story = chosenStory;
  for (const name of CONSENTS) $("start-form").elements[name].checked = false;
  $("refused").replaceChildren();
  $("start-form").elements.service.value = story ? COUNSELING : proposed;
  proposed = COUNSELING;
  asked = about;
  about = undefined;
  $("start-form").elements.counseling_level.value = "open";
  $("level").open = false;
  goesOn = false;
  showScreen("welcome");
  drawWelcome();
  $("main").scrollTop = 0;
  offerToGoOn();
}

/** Offers to go on from the last conversation once its closing is there; without an answer the form is as for anybody. */
async function offerToGoOn() {
  const mine = (opened += 1);
  const { profile } = await api.me().catch(() => ({}));
  if (mine !== opened || story || !profile?.last_session) return;
  $("start-form").elements.session_type.value = "follow_up";
  goesOn = true;
  drawStart();
}

/** The next new conversation is proposed to begin with this service, and with questions on this document. */
export function chooseService(name, document) {
  proposed = name;
  about = document;
}

const chosen = () => new FormData($("start-form"));

function complete() {
  const form = chosen();
  return texts.length > 0 && form.has("age_band") && CONSENTS.every((name) => form.has(name));
}

async function showTexts() {
  const shown = texts;
  try {
    texts = await consentTexts();
    if (texts === shown) return;
  } catch (error) {
    texts = [];
    $("refused").replaceChildren(el("p", {}, wordError(error, "errors.failed")));
    return;
  }
  for (const text of texts) $(`whole-${text.id}`)?.replaceChildren(wholeText(text));
  drawStart();
}

export function drawWelcome() {
  if (document.body.dataset.screen === "welcome") showTexts();
  drawStart();
}

function drawStart() {
  const counseling = chosen().get("service") === COUNSELING && !story; // A story has its own answers to the rest.
  $("other-story").hidden = !offersStories();
  $("welcome-heading").textContent = story?.title ?? t("welcome.heading");
  $("welcome-lead").textContent = story?.sentence ?? t("welcome.lead");
  $("service").hidden = Boolean(story);
  $("level").hidden = !counseling;
  $("again").hidden = !counseling || !goesOn;
  $("start").disabled = !complete();
  $("start-hint").hidden = complete();
  $("start").textContent = t("welcome.start");
}

async function start() {
  $("start").textContent = t("welcome.starting");
  $("refused").replaceChildren();
  const form = chosen();
  const played = story;
  try {
    const conversation = await api.create({
      service: form.get("service"),
      document_id: form.get("service") === "agreement" ? asked : undefined,
      locale: played?.locale ?? locale(),
      session_type: played?.session_type ?? ($("again").hidden ? "first_session" : form.get("session_type")),
      age_band: form.get("age_band"),
      counseling_level: ($("level").hidden ? 0 : Number(form.get("counseling_level"))) || undefined, // Left open, the server finds it.
      consents: Object.fromEntries(CONSENTS.map((name) => [name, form.has(name)])),
      versions: versionsOf(texts),
    });
    if (played) keepStory(conversation.conversation_id, played.id);
    created(conversation);
  } catch (error) {
    refuse(error);
  } finally {
    drawWelcome();
  }
}

/** Why a guardian is needed, and whom a child can turn to without one. */
function guardianRule(detail) {
  const urgent = el("p");
  putText(urgent, t("welcome.refused_urgent"));
  return [
    el("h2", {}, t("welcome.refused_heading")),
    el("p", {}, detail || t("welcome.refused_text")),
    ...(chosen().get("age_band") === "under_14" ? [] : [el("p", {}, t("welcome.refused_stated"))]),
    el("a", { class: "call", href: dialled("1388") }, icon("call"), t("welcome.refused_call")),
    el("p", {}, t("welcome.refused_other")),
    urgent,
  ];
}

function refuse(error) {
  if (error.code === "consent_required") {
    forgetTexts(); // A text was changed while this page stood open: it is shown, and agreed to anew.
    for (const name of CONSENTS) $("start-form").elements[name].checked = false;
  }
  if (error.code !== "guardian_required") {
    $("refused").append(el("p", {}, wordError(error, "errors.failed")));
    return;
  }
  $("refused").append(...guardianRule(error.detail));
  $("refused").scrollIntoView({ block: "center" });
}
