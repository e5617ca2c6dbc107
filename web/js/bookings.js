// The user's booked sessions: when and how, as a calendar file, cancelled.

import * as api from "./api.js";
import { locale, t } from "./messages.js";
import { wordUnlessGone } from "./problems.js";
import { $, busy, confirmed, el, prepareDialog, saveFile } from "./view.js";

const WAYS = { chat: "booking.chat", phone: "booking.phone" };

export const wordWay = (way) => (WAYS[way] ? t(WAYS[way]) : (way ?? ""));
export const wordLength = (minutes) => t("booking.minutes", { n: minutes });

export function prepareBookings() {
  prepareDialog($("bookings"));
  $("open-bookings").addEventListener("click", openBookings);
}

/** Gives the calendar file of a booking. */
export async function saveCalendarFile(id) {
  saveFile(await api.calendarFile(id), t("bookings.file_name"));
}

async function openBookings() {
  if ($("drawer").open) $("drawer").close();
  $("bookings-list").replaceChildren();
  $("bookings").showModal();
  await refresh(t("bookings.loading"));
}

function say(note, trouble = "") {
  $("bookings-note").textContent = note;
  $("bookings-trouble").textContent = trouble;
}

async function refresh(note) {
  say(note);
  try {
    const { bookings, zone } = await api.bookings();
    $("bookings-list").replaceChildren(...bookings.map((one) => row(one, zone)));
    if (note === t("bookings.loading")) say(bookings.length ? "" : t("bookings.none"));
  } catch (error) {
    say("", wordUnlessGone(error, "bookings.failed", "bookings.failed"));
  }
}

/** In the service's zone, which is named where this browser is in another one. */
function wordWhen(at, zone) {
  const elsewhere = zone && zone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
  const timeZone = zone || undefined;
  const day = { year: "numeric", month: "long", day: "numeric", weekday: "long", timeZone };
  const time = { hour: "numeric", minute: "2-digit", timeZone, ...(elsewhere && { timeZoneName: "shortGeneric" }) };
  const moment = new Date(at);
  return `${moment.toLocaleDateString(locale(), day)} ${moment.toLocaleTimeString(locale(), time)}`;
}

function row({ booking_id: id, starts_at: at, length_minutes: length, way, phone_number: phone, note }, zone) {
  const when = wordWhen(at, zone);
  const how = [wordWay(way), phone].filter(Boolean).join(" ");
  const actions = [
    action("bookings.file", "bookings.file_label", "outline", when, () => saveCalendarFile(id)),
    action("bookings.cancel", "bookings.cancel_label", "outline danger", when, () => cancel(id, when)),
  ];
  return el(
    "li",
    { "data-booking": id },
    el("h3", {}, el("time", { dateTime: at }, when)),
    el("p", { class: "hint" }, t("bookings.details", { length: wordLength(length), way: how })),
    note ? el("p", {}, t("bookings.with_note", { note })) : null,
    el("div", { class: "choices" }, ...actions),
  );
}

function action(key, label, style, when, work) {
  const made = el("button", { type: "button", class: style, "aria-label": t(label, { when }) }, t(key));
  made.addEventListener("click", () =>
    busy(made, async () => {
      try {
        await work();
      } catch (error) {
        say("", wordUnlessGone(error, "bookings.failed", "errors.failed"));
      }
    }),
  );
  return made;
}

async function cancel(id, when) {
  const words = { heading: t("bookings.cancel_confirm"), text: t("bookings.cancel_text", { when }) };
  if (!(await confirmed({ ...words, yes: t("bookings.cancel_yes"), no: t("bookings.cancel_no"), danger: true }))) return;
  await api.cancelBooking(id);
  await refresh(t("bookings.cancelled"));
  $("bookings").querySelector("[data-close]").focus(); // The button that was pressed is gone.
}
