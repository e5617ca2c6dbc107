// The booking in work, above the text box: its values so far, and buttons that answer the question whether to go through with it.

import { saveCalendarFile, wordLength, wordWay } from "./bookings.js";
import { hintComposer } from "./composer.js";
import { locale, t } from "./messages.js";
import { wordError } from "./problems.js";
import { inDanger } from "./snapshot.js";
import { $, busy, el, toast } from "./view.js";

const KINDS = { book: "booking.book", change: "booking.change", cancel: "booking.cancel" };
const DONE = { book: "booking.booked", change: "booking.changed", cancel: "booking.cancelled" };
const NAMES = {
  target: "booking.target",
  date: "booking.date",
  time: "booking.time",
  length_minutes: "booking.length_minutes",
  way: "booking.way",
  phone_number: "booking.phone_number",
  note: "booking.note",
};
let say = () => {};
let drawn = "";

export function prepareBookingCard(onSay) {
  say = onSay;
}

/** @param {boolean} free no turn is under way */
export function drawBookingCard(snapshot, free) {
  const card = shown(snapshot);
  const key = card ? JSON.stringify([locale(), card]) : "";
  $("booking").hidden = !card;
  if (key !== drawn) {
    drawn = key; // Drawing it anew would take the focus away, or a button from under a finger.
    if (card) draw(card);
  }
  for (const button of $("booking-choices").children) button.disabled = !free && card?.stage !== "EXECUTED";
}

/** A request that is done is shown under the reply that says so, and no longer. */
function shown(snapshot) {
  const card = snapshot?.booking;
  if (!card?.kind || snapshot.status === "completed" || inDanger(snapshot)) return null;
  if (["FILLING", "READY", "CONFIRMED"].includes(card.stage)) return card;
  return card.stage === "EXECUTED" && snapshot.service === "booking" ? card : null;
}

function draw(card) {
  const kind = t(card.stage === "EXECUTED" ? DONE[card.kind] : KINDS[card.kind]);
  const many = card.batch_total > 1;
  $("booking-heading").textContent = many ? t("booking.batch", { kind, total: card.batch_total, n: card.batch_progress }) : kind;
  $("booking-slots").replaceChildren(...rows(card));
  $("booking-errors").replaceChildren(...card.slot_errors.map(({ text }) => el("li", {}, text)));
  $("booking-errors").hidden = !card.slot_errors.length;
  $("booking-choices").replaceChildren(...choices(card));
  $("booking-choices").hidden = !$("booking-choices").childElementCount;
}

function rows({ kind, stage, slots, before, missing }) {
  const values = slots ?? {};
  const open = new Set(stage === "FILLING" ? missing : []);
  const given = Object.keys(NAMES).filter((name) => values[name] != null && values[name] !== "" && !open.has(name));
  const was = kind === "change" && before ? [pair(t("booking.before"), wordMoment(before))] : [];
  const now = given.map((name) => pair(t(NAMES[name]), wordSlot(name, values[name])));
  return [...was, ...now, ...[...open].map((name) => pair(t(NAMES[name]), t("booking.open"), "open"))];
}

const pair = (name, value, style = "") => el("div", { class: style }, el("dt", {}, name), el("dd", {}, value));

/** Dates and times are those of the booking's zone as they stand; no zone of the browser moves them. */
const moment = (date, time = "00:00") => new Date(`${date}T${time.slice(0, 5)}:00Z`);
const wordDate = (date) => moment(date).toLocaleDateString(locale(), { month: "long", day: "numeric", weekday: "short", timeZone: "UTC" });
const wordTime = (time) => moment("2000-01-01", time).toLocaleTimeString(locale(), { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
const wordMoment = ({ date, time }) => [date && wordDate(date), time && wordTime(time)].filter(Boolean).join(" ");

function wordSlot(name, value) {
  if (name === "date") return wordDate(value);
  if (name === "time") return wordTime(value);
  if (name === "length_minutes") return wordLength(value);
  return name === "way" ? wordWay(value) : String(value);
}

function choices({ stage, kind, booking_id: id }) {
  if (stage === "CONFIRMED") return [el("p", { class: "hint", role: "status" }, t("booking.confirming"))];
  if (stage === "EXECUTED") return kind === "cancel" || !id ? [] : [button("bookings.file", "outline", () => file(id))];
  if (stage !== "READY") return [];
  const keep = saying("booking.keep", "outline", "booking.keep_said");
  if (kind === "cancel") {
    // "Cancel" would be read as a yes to cancelling: each answer says what becomes of the booking.
    return [saying("booking.confirm_cancel", "primary", "booking.confirm_cancel_said"), keep];
  }
  return [
    saying("booking.confirm", "primary", "booking.confirm_said"),
    button("booking.edit", "outline", () => hintComposer(t("booking.edit_hint"))),
    kind === "change" ? keep : saying("booking.stop", "outline", "booking.stop_said"),
  ];
}

function button(key, style, press) {
  const made = el("button", { type: "button", class: style }, t(key));
  made.addEventListener("click", press);
  return made;
}

const saying = (key, style, words) => button(key, style, () => say(t(words)));

const file = (id) =>
  busy($("booking-choices").firstElementChild, async () => {
    try {
      await saveCalendarFile(id);
    } catch (error) {
      toast(wordError(error, "errors.failed"));
    }
  });
