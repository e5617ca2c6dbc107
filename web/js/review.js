// The reviewers' page: the queue, one session of it (#/<conversation>), and its being marked as seen.

import * as api from "./api.js";
import { auth } from "./auth/index.js";
import { locale, preferredLocale, t, useLocale } from "./messages.js";
import { wordError } from "./problems.js";
import { $, busy, el, toast } from "./view.js";

const SHOWS = ["show-open", "show-seen", "show-aside"];
const PURPOSE = "cbot.purpose";
const PRESSING = ["imminent", "abuse_now", "attempted", "harm_to_others", "crisis"];
let status = "open";
let next = null;
let shown = null;

const moment = (at) => new Date(at).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
const reason = (name) => t(`reasons.${name}`);

function reasons(entry) {
  return entry.flags.map((flag) =>
    el(
      "li",
      { class: PRESSING.includes(flag.reason) ? "pressing" : "" },
      t("review.flag", { reason: reason(flag.reason), count: flag.count }),
      flag.rules.length ? el("small", {}, ` ${flag.rules.join(", ")}`) : null,
    ),
  );
}

function state(entry) {
  if (entry.status === "set_aside") return t("review.closed_to_staff");
  return entry.status === "open" ? t("review.waiting", { at: moment(entry.waiting_since) }) : t("review.seen_at", { at: moment(entry.seen_at) });
}

function facts(entry) {
  return [
    state(entry),
    t(`ages.${entry.age_group}`),
    entry.ended ? t("review.ended") : null,
    entry.after_end ? t("review.after_end") : null,
    entry.follow_through ? t("review.follow_through") : null,
  ].filter(Boolean).join(" · ");
}

function card(entry) {
  const open = el(
    "button",
    { type: "button", class: "open" },
    el("b", {}, reason(entry.priority)),
    el("small", {}, facts(entry)),
  );
  open.addEventListener("click", () => (location.hash = `#/${entry.conversation_id}`));
  return el("li", { "data-id": entry.conversation_id }, open, el("ul", { class: "reasons" }, ...reasons(entry)));
}

async function list(after = null) {
  $("queue-note").textContent = t("app.loading");
  try {
    const page = await api.reviews(status, after);
    if (!after) $("entries").replaceChildren();
    $("entries").append(...page.entries.map(card));
    next = page.next;
    $("queue-note").textContent = $("entries").children.length ? "" : t("review.none");
  } catch (error) {
    $("queue-note").textContent = wordError(error, "errors.failed");
  }
  $("more").hidden = !next;
}

function choose(wanted) {
  status = wanted;
  for (const button of SHOWS.map($)) button.setAttribute("aria-pressed", String(button.dataset.status === wanted));
  return list();
}

function message(one) {
  return el(
    "li",
    { class: `message ${one.role}${one.flagged ? " flagged" : ""}` },
    el("span", { class: "unseen" }, t(one.role === "user" ? "review.user" : "review.counselor")),
    el("p", { class: "bubble" }, one.text),
    el("time", { dateTime: one.created_at }, `${one.seq} · ${moment(one.created_at)}`),
    one.flagged ? el("span", { class: "mark" }, t("review.flagged")) : null,
  );
}

const MEASURES = { phq9: "PHQ-9", gad7: "GAD-7" };

function result(one) {
  const words = { ...one, name: MEASURES[one.measure], when: t(one.moment === "end" ? "review.measure_end" : "review.measure_start"), at: moment(one.at) };
  const harm = one.self_harm ? el("p", {}, t("review.measure_self_harm", one)) : null;
  return el("li", {}, el("b", {}, t("review.measure", words)), harm);
}

const wordSpan = ({ first, last }) => (first === last ? String(first) : `${first}–${last}`);

function drawOne(found) {
  shown = found;
  const entry = found.entry;
  $("one-heading").textContent = reason(entry.priority);
  $("one-reasons").replaceChildren(...reasons(entry));
  $("one-state").textContent = `${facts(entry)} · ${t("review.id", { id: entry.conversation_id })}`;
  $("one-messages").replaceChildren(...found.messages.map(message));
  $("one-measures-part").hidden = !found.measures?.length;
  $("one-measures").replaceChildren(...(found.measures ?? []).map(result));
  $("one-judgements-part").hidden = !found.judgements.length;
  $("one-judgements").replaceChildren(
    ...found.judgements.map((one) =>
      el("li", {}, el("b", {}, t("review.total", { seq: one.seq, total: one.total })), el("p", {}, one.improvements.join("\n"))),
    ),
  );
  $("one-notes-part").hidden = !found.notes.length;
  $("one-notes").replaceChildren(
    ...found.notes.map((one) =>
      el("li", {}, el("p", {}, one.note), el("small", {}, t("review.note_by", { by: one.by, at: moment(one.at), seq: one.upto_seq }))),
    ),
  );
  $("one-shown").textContent = t("review.shown", { turns: found.shown.map(wordSpan).join(", ") });
  $("one-withdrawn").hidden = !found.withdrawn;
  $("seen-form").hidden = found.withdrawn && entry.status !== "open"; // Nothing was shown; that can be noted once.
  $("one-shown").hidden = found.withdrawn;
  $("mark").textContent = t(found.withdrawn ? "review.aside_button" : "review.mark_button");
  $("clear-part").hidden = !found.clearable;
  $("clear-later").hidden = found.withdrawn || !entry.follow_through || found.clearable;
  $("clear").checked = false;
  $("note").value = "";
  $("seen-note").textContent = "";
}

/** Why somebody looks is asked once a visit: it holds for this tab, a reload included, where the browser keeps it. */
function keepPurpose() {
  try {
    sessionStorage.setItem(PURPOSE, $("purpose").value);
  } catch {
    // The choice holds for as long as the page lives.
  }
}

function keptPurpose() {
  try {
    const kept = sessionStorage.getItem(PURPOSE);
    if ([...$("purpose").options].some((option) => option.value === kept)) $("purpose").value = kept;
  } catch {
    // Nothing is kept: the first is chosen.
  }
}

async function route() {
  const [, id] = location.hash.match(/^#\/(.+)$/) ?? [];
  if (!id) {
    shown = null;
    $("one").hidden = true;
    $("queue").hidden = false;
    await list();
    $("queue-heading").focus();
    return;
  }
  try {
    drawOne(await api.reviewOf(decodeURIComponent(id), $("purpose").value));
  } catch (error) {
    toast(wordError(error, "errors.failed"));
    location.hash = "";
    return;
  }
  $("queue").hidden = true;
  $("one").hidden = false;
  $("one-heading").focus();
}

async function mark() {
  const note = $("note").value.trim();
  if (!note) {
    $("seen-note").textContent = t("review.note_missing");
    $("note").focus();
    return;
  }
  const seen = { note, look: shown.look, clear_risk: $("clear").checked };
  try {
    await api.markReviewed(shown.entry.conversation_id, seen);
  } catch (error) {
    $("seen-note").textContent = wordError(error, "errors.failed");
    return;
  }
  toast(t(shown.withdrawn ? "review.put_aside" : "review.marked"));
  location.hash = "";
}

async function start() {
  await useLocale(preferredLocale());
  document.title = t("review.title");
  for (const button of SHOWS.map($)) button.addEventListener("click", () => choose(button.dataset.status));
  keptPurpose();
  $("purpose").addEventListener("change", keepPurpose);
  $("reload").addEventListener("click", () => list());
  $("more").addEventListener("click", () => busy($("more"), () => list(next)));
  $("back").addEventListener("click", () => (location.hash = ""));
  $("seen-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy($("mark"), mark);
  });
  $("staff-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy($("staff-go"), signIn);
  });
  $("staff-out").addEventListener("click", () => busy($("staff-out"), signOut));
  addEventListener("hashchange", route);
  await enter();
}

/** Where the host has accounts, staff sign in with theirs; a local server makes anybody a reviewer. */
async function enter() {
  try {
    const user = await api.signInAs("reviewer");
    $("staff-out").hidden = !user.accounts;
    $("staff").hidden = true;
    await route();
  } catch (error) {
    $("queue").hidden = true;
    $("staff").hidden = false;
    $("staff-note").textContent = error.code === "sign_in" ? "" : wordError(error, "errors.failed");
  }
}

async function signIn() {
  const user = await auth();
  try {
    await user.enter($("staff-email").value.trim(), $("staff-password").value);
  } catch (error) {
    $("staff-note").textContent = wordError(error, "errors.failed");
    return;
  }
  $("staff-form").reset();
  await enter();
}

async function signOut() {
  await (await auth()).signOut();
  location.assign(location.pathname);
}

start();
