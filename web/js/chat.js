// One conversation on the page: opens it, runs its turns, and keeps a message until its reply is there.

import * as api from "./api.js";
import { drawBookingCard, prepareBookingCard } from "./booking_card.js";
import { documentsOf, recallCitations, takeCitations } from "./citations.js";
import { blockSending, clearDraft, focusComposer, openDraft, prepareComposer, refreshComposer, takeBack } from "./composer.js";
import { askForConsents } from "./consents.js";
import { closingCame } from "./closing.js";
import { drawEnding, leaveEnding, prepareEnding, wantsToEnd } from "./ending.js";
import { idOf, wholeHistory } from "./history.js";
import { follow, leave } from "./live.js";
import {
  clearFailure, clearLog, dropMessage, hasMessage, keepInSight, prepareLog, putFailure, putMessage, replyTo, saidAnything, setStatus, shownLast, speak,
  toEnd, toMessage,
} from "./log.js";
import { drawMeasures, prepareMeasures } from "./measures.js";
import { t } from "./messages.js";
import { awaitPlan, leavePlan } from "./planning.js";
import { wordError } from "./problems.js";
import { answering, keepOpened, openedInCounseling, useOpened } from "./service.js";
import { drawSkip, prepareSkip } from "./skip.js";
import { atRisk, drawSnapshot, proposesWrapUp } from "./snapshot.js";
import { drawStarters } from "./starters.js";
import { forget, load, save } from "./storage.js";
import { drawTrial, hasStory, leaveTrial, noteSent, prepareTrial } from "./trial.js";
import { newMessageId, runTurn } from "./turn.js";
import { $, showScreen, toast } from "./view.js";

/** The conversation in view: {id, snapshot, turn: "none" | "running" | "failed"}; replaced when another one is opened. */
let here = null;
let changed = () => {};

export const currentId = () => here?.id ?? null;

export function prepareChat({ onChange, onNew }) {
  changed = onChange;
  prepareLog();
  prepareComposer(send);
  prepareEnding({ onNew, onClosing: onChange });
  const answer = ({ currentTarget }) => send(currentTarget.textContent, { keepDraft: true });
  $("wrap-yes").addEventListener("click", answer);
  $("wrap-no").addEventListener("click", answer);
  prepareSkip((text, declines) => send(text, { keepDraft: true, declines }));
  prepareBookingCard((text) => send(text, { keepDraft: true }));
  prepareTrial((text) => send(text, { keepDraft: true, keepFocus: true }));
  $("end").addEventListener("click", askToEnd);
  prepareMeasures({ onTaken: measured, onLeft: focusComposer });
}

export function leaveChat() {
  here = null;
  leave();
  leavePlan();
  leaveTrial();
  leaveEnding();
}

/** Opens a conversation that was just created. */
export function openNew({ conversation_id: id, greeting, state_snapshot: snapshot }) {
  save(`greeting.${id}`, { text: greeting.text, at: new Date().toISOString() });
  keepOpened(id, snapshot);
  begin(id, snapshot);
  drawGreeting([]);
  ready();
}

/** Opens a conversation of before: history, state, and the turn that was under way. */
export async function openKnown(id) {
  const [view, history] = await Promise.all([api.conversation(id), wholeHistory(id)]);
  const { status, part, progress, state_snapshot: snapshot } = view;
  begin(id, snapshot ?? { ...load(`snapshot.${id}`), status, part, progress });
  drawGreeting(history);
  drawHistory(history);
  ready();
  resume(history);
}

function begin(id, snapshot) {
  here = { id, snapshot, turn: "none" };
  save("current", id);
  useOpened(id);
  clearLog();
  showScreen("chat");
  openDraft(id);
  drawState();
  follow(id, changedElsewhere);
}

/** The server changed the conversation by itself, or it was gone on with on another device. A turn tells its own end. */
function changedElsewhere(view) {
  const mine = here;
  if (!mine || view.conversation_id !== mine.id || mine.turn !== "none") return;
  const ended = mine.snapshot?.status !== "completed" && view.status === "completed";
  mine.snapshot = view.state_snapshot;
  save(`snapshot.${mine.id}`, mine.snapshot);
  drawState();
  if (view.closing) closingCame(mine.id);
  if (ended) changed();
  if (!shownLast(view.last_message)) catchUp(mine);
}

/** Draws the turns of another device. What has no message id, such as the greeting, stands here under another name. */
async function catchUp(mine) {
  const history = await wholeHistory(mine.id).catch(() => []);
  if (here === mine && mine.turn === "none") drawHistory(history.filter((message) => message.message_id));
}

function drawHistory(history) {
  const stored = history.map((message) => ({ ...message, messageId: idOf(message) }));
  for (const { role, messageId, text, created_at: at } of stored) putMessage({ role, messageId, text, at });
  const replies = stored.filter(({ role }) => role === "counselor");
  for (const [reply, document] of documentsOf(replies, here.snapshot.document_id ?? "service")) recallCitations(here.id, document, reply);
}

function drawGreeting(history) {
  const greeting = load(`greeting.${here.id}`);
  const stored = history.length > 0 && history[0].role === "counselor";
  if (greeting && !stored) putMessage({ role: "counselor", messageId: "greeting", ...greeting });
}

function ready() {
  drawState();
  toEnd(true);
  if (!saidAnything()) keepInSight($("messages").lastElementChild); // The greeting says what this is: it is read first.
  focusComposer();
}

function resume(history) {
  const pending = load(`pending.${here.id}`);
  if (!pending) return;
  const { message_id: messageId, text, declines } = pending;
  const asked = history.find((message) => message.role === "user" && message.message_id === messageId);
  const answered = history.some(({ role, seq, message_id: id }) => role === "counselor" && (id === messageId || (asked && seq === asked.seq)));
  if (answered) forget(`pending.${here.id}`);
  else run({ messageId, text, declines, sent: true });
}

function send(text, { keepDraft = false, keepFocus = false, declines } = {}) {
  if (!here || here.turn !== "none" || here.snapshot?.status === "completed") return;
  const turn = { messageId: newMessageId(), text, declines, sent: false };
  save(`pending.${here.id}`, { message_id: turn.messageId, text, declines });
  if (!keepDraft) clearDraft();
  noteSent(here.id, { typed: !keepDraft });
  run(turn);
  if (!keepFocus) focusComposer();
}

async function run({ messageId, text, declines, sent }) {
  const mine = here;
  const shown = () => here === mine; // Otherwise another conversation is in view: work on, draw nothing.
  mine.turn = "running";
  if (!hasMessage("user", messageId)) putMessage({ role: "user", messageId, text, at: new Date().toISOString() });
  clearFailure(messageId);
  drawState();
  setStatus(t("chat.typing"));
  toEnd(true);
  const show = {
    status: (label) => shown() && setStatus(label),
    retrying: (label) => shown() && setStatus(t("chat.retrying", { label: label || t("chat.typing") })),
    waiting: (resources) => {
      if (!shown()) return;
      setStatus(t("chat.reconnecting"));
      if (resources.length) putFailure(messageId, t("chat.reconnecting"), [], resources); // Help does not wait for the next try.
    },
    text: (partial) => {
      if (!shown() || !partial) return;
      putMessage({ role: "counselor", messageId, text: partial, state: "streaming" });
      setStatus("");
    },
  };
  try {
    const done = await runTurn({ conversationId: mine.id, messageId, text, declines, sent }, show);
    forget(`pending.${mine.id}`);
    save(`snapshot.${mine.id}`, done.state_snapshot);
    if (shown()) finish(mine, messageId, done);
  } catch (error) {
    if (shown()) fail(mine, { messageId, text, declines }, error);
  }
  changed();
}

function finish(mine, messageId, done) {
  mine.turn = "none";
  const before = answering(mine.snapshot);
  mine.snapshot = done.state_snapshot;
  setStatus("");
  clearFailure(messageId);
  putMessage({ role: "counselor", messageId, text: done.reply, at: new Date().toISOString() });
  takeCitations(mine.id, { ...done, messageId });
  const answers = answering(mine.snapshot);
  speak(done.reply, answers === before ? "" : answers);
  drawState();
  toEnd();
  keepInSight(replyTo(messageId)); // The strip made the log smaller, or the closing words came below it.
}

function fail(mine, { messageId, text, declines }, error) {
  mine.turn = "failed";
  setStatus("");
  dropMessage("counselor", messageId); // Half a reply is no reply; the retry tells the whole one.
  drawState();
  if (error.code === "session_ended") return closeAfterRefusal(mine, messageId, text, error.resources);
  const again = () => {
    removeEventListener("online", again);
    if (here !== mine || mine.turn !== "failed") return;
    // An id that stands for another text can never work: only then is a new one due.
    const conflict = error.code === "message_id_conflict";
    if (conflict) dropMessage("user", messageId);
    const next = conflict ? newMessageId() : messageId;
    save(`pending.${mine.id}`, { message_id: next, text, declines });
    run({ messageId: next, text, declines, sent: false });
  };
  const edit = () => {
    removeEventListener("online", again);
    if (here !== mine || mine.turn !== "failed") return;
    mine.turn = "none";
    forget(`pending.${mine.id}`);
    dropMessage("user", messageId);
    drawState();
    takeBack(text);
  };
  if (error.code === "consent_required") {
    const ask = async () => {
      const trouble = await askForConsents(again, error.consents);
      if (trouble) toast(wordError(trouble, "errors.failed"));
    };
    const choices = [{ label: t("consent.review"), primary: true, run: ask }, { label: t("chat.edit"), run: edit }];
    putFailure(messageId, t("consent.needed"), choices, error.resources);
    return;
  }
  const actions = [{ label: t("chat.retry"), primary: true, run: again }, { label: t("chat.edit"), run: edit }];
  const final = ["text_too_long", "empty_text", "invalid_request"].includes(error.code);
  putFailure(messageId, wordError(error), final ? actions.slice(1) : actions, error.resources);
  if (error instanceof api.NoConnection) addEventListener("online", again, { once: true });
}

function closeAfterRefusal(mine, messageId, text, resources) {
  mine.turn = "none";
  mine.snapshot = { ...mine.snapshot, status: "completed" };
  forget(`pending.${mine.id}`);
  save(`draft.${mine.id}`, text); // It can no longer be sent here, but it is not thrown away.
  putFailure(messageId, t("errors.session_ended"), [], resources);
  drawState();
  if (!resources?.length) return;
  toEnd();
  keepInSight(toMessage(messageId)); // The closing words have come below it.
}

async function askToEnd() {
  const mine = here;
  if (!mine || !(await wantsToEnd(mine.snapshot))) return;
  try {
    const { state_snapshot: snapshot, message } = await api.end(mine.id);
    if (here !== mine) return;
    mine.snapshot = snapshot ?? { ...mine.snapshot, status: "completed" };
    save(`snapshot.${mine.id}`, mine.snapshot);
    const text = message?.text ?? message;
    if (text) putMessage({ role: "counselor", messageId: "end", text, at: new Date().toISOString() });
    if (text) speak(text);
    drawState();
    toEnd(true);
    keepInSight(replyTo("end"));
  } catch (error) {
    toast(wordError(error, "errors.failed"));
  }
  changed();
}

/** A measure was answered; the direct question and the lines of help then stand in the talk as well. */
function measured(id, { help, state_snapshot: snapshot }) {
  if (here?.id !== id) return;
  here.snapshot = snapshot;
  save(`snapshot.${id}`, snapshot);
  if (help) putMessage({ role: "counselor", messageId: "measure", text: help.message, at: new Date().toISOString() });
  drawState();
  if (help) toEnd(true);
}

/** Draws everything that follows from the state; also after a change of language. */
export function drawState() {
  if (!here) return;
  const ended = here.snapshot?.status === "completed";
  drawSnapshot(here.snapshot);
  $("wrap-up").hidden = ended || here.turn !== "none" || !proposesWrapUp(here.snapshot);
  drawBookingCard(here.snapshot, here.turn === "none");
  drawSkip(here.snapshot, here.turn === "none" && !answering(here.snapshot)); // What it skips is asked by the counselling.
  $("composer").hidden = ended;
  $("reminder").hidden = ended;
  $("end").disabled = here.turn === "running";
  blockSending(here.turn !== "none");
  drawEnding(here.id, here.snapshot, ended && here.turn === "none");
  drawStarters(here.snapshot, !ended && here.turn === "none" && !saidAnything() && !atRisk(here.snapshot) && !hasStory(here.id));
  drawMeasures(here.id, here.snapshot, here.turn === "none" && openedInCounseling());
  drawTrial(here.id, here.snapshot, here.turn === "none");
  awaitPlan(here, changedElsewhere);
  refreshComposer();
}
