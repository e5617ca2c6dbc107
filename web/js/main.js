// Starts the page and ties its parts together: which screen, for which address (#/new, #/begin, #/begin/<story>,
// #/<conversation>). Without a model #/new is the list of stories, otherwise it is the form as well.

import { drawAccount, prepareAccount } from "./account.js";
import * as api from "./api.js";
import { currentId, drawState, leaveChat, openKnown, openNew, prepareChat } from "./chat.js";
import { prepareContacts } from "./contacts.js";
import { prepareBookings } from "./bookings.js";
import { prepareConsents } from "./consents.js";
import { drawList, prepareList, refreshList } from "./conversations.js";
import { prepareDocuments } from "./documents.js";
import { preferredLocale, t, useLocale } from "./messages.js";
import { drawOffline, hideUnreachable, prepareOffline, showUnreachable } from "./offline.js";
import { preparePassage } from "./passage.js";
import { preparePlan } from "./plan.js";
import { wordError } from "./problems.js";
import { prepareSettings, setVersion } from "./settings.js";
import { forgetConversation, load } from "./storage.js";
import { drawStories, openStories, prepareStories, storyOf, useTrial } from "./trial.js";
import { $, showScreen, toast } from "./view.js";
import { chooseService, drawWelcome, openWelcome, prepareWelcome } from "./welcome.js";

const NEW = "#/new";
const BEGIN = "#/begin";
let server = {};

const wanted = () => {
  const [, id] = location.hash.match(/^#\/(.+)$/) ?? [];
  if (id) return decodeURIComponent(id);
  return load("current") ?? "new";
};

function goTo(hash) {
  if (location.hash === hash) route();
  else location.hash = hash;
}

async function route() {
  const id = wanted();
  if (id === currentId()) return;
  leaveChat();
  removeEventListener("online", again);
  const [place, story] = id.split("/");
  const fresh = place === "new" || place === "begin";
  if (fresh && navigator.onLine) {
    if (server.demo && place === "new") openStories();
    else openWelcome(await storyOf(story));
    drawList();
    return;
  }
  showScreen("loading");
  hideUnreachable();
  if (fresh) return unreachable(t("app.failed"));
  $("loading-text").textContent = t("app.loading");
  try {
    await openKnown(id);
    drawList();
  } catch (error) {
    missing(id, error);
  }
}

function missing(id, error) {
  if (error.status === 404) {
    forgetConversation(id);
    toast(t("errors.not_found"));
    goTo(NEW);
    return;
  }
  unreachable(error instanceof api.NoConnection ? t("app.failed") : wordError(error, "app.failed"));
}

function unreachable(text) {
  showUnreachable(text);
  addEventListener("online", again, { once: true });
}

/** What a start without a connection could not learn of its server, it learns by a new start. */
function again() {
  if (!server.version) return location.reload();
  refreshList();
  route();
}

function created(conversation) {
  openNew(conversation);
  history.pushState(null, "", `#/${encodeURIComponent(conversation.conversation_id)}`);
  refreshList();
}

function drawDemo() {
  $("demo").hidden = !server.demo;
  $("demo-badge").hidden = !server.demo;
}

function translated() {
  drawDemo();
  drawOffline();
  drawAccount();
  drawWelcome();
  drawStories();
  drawState();
  drawList();
}

async function start() {
  await useLocale(preferredLocale());
  const onNew = () => goTo(NEW);
  prepareContacts();
  prepareOffline();
  prepareConsents();
  preparePlan();
  preparePassage();
  prepareDocuments({ onAsk: (id) => { chooseService("agreement", id); goTo(BEGIN); } });
  prepareBookings();
  prepareList({ onNew });
  prepareStories();
  prepareWelcome({ onCreated: created });
  prepareChat({ onChange: refreshList, onNew });
  prepareSettings({ onLocale: translated, onGone: () => { leaveChat(); goTo(NEW); refreshList(); } });
  $("reload").addEventListener("click", again);
  addEventListener("hashchange", route);
  $("skip").addEventListener("click", (event) => {
    event.preventDefault(); // The address belongs to the conversation in view.
    $("main").focus();
  });
  prepareAccount();
  server = await api.info().catch(() => ({}));
  setVersion(server.version);
  useTrial(server.demo);
  drawDemo();
  await Promise.all([refreshList(), route()]);
}

start();
