// People to turn to: the server's resources when it names some, and always the page's own.

import { entry, t } from "./messages.js";
import { dialled, isAddress, learn, numbersOf, waysTo } from "./numbers.js";
import { $, el, icon, prepareDialog } from "./view.js";

let urgent = [];

export function prepareContacts() {
  prepareDialog($("help"));
  for (const id of ["open-help", "welcome-help", "stories-help"]) $(id).addEventListener("click", openHelp);
}

/** What the server holds fit for this conversation now; it stands first in the help dialog. */
export function setContacts(resources) {
  urgent = resources;
  learn(resources);
}

function openHelp() {
  fillContacts($("help-list"), everybody());
  $("help").showModal();
}

/** All whom the help dialog names. */
export function everybody() {
  const own = entry("help.resources") ?? [];
  const named = new Set(urgent.flatMap((contact) => waysTo(contact.number)));
  return inOrder([...urgent, ...own.filter((contact) => !waysTo(contact.number).some((way) => named.has(way)))]);
}

/** Emergency numbers follow the first line, so that they are in sight without scrolling. */
function inOrder([first, ...rest]) {
  const emergency = ({ hours }) => hours === "emergency";
  return [first, ...rest.filter(emergency), ...rest.filter((contact) => !emergency(contact))];
}

export function fillContacts(list, contacts) {
  list.replaceChildren(...contacts.map((contact) => el("li", {}, describe(contact), el("span", { class: "calls" }, ...links(contact)))));
}

/** The same list, to be placed where it is needed. */
export function contactList(contacts) {
  const list = el("ul", { class: "contacts" });
  fillContacts(list, contacts);
  return list;
}

function describe({ name, hours }) {
  const when = wordHours(hours);
  return el("span", { class: "contact" }, el("b", {}, name), when ? el("small", {}, when) : null);
}

function wordHours(hours) {
  if (!hours) return "";
  if (/^24\s*(h|\/)/i.test(hours)) return t("help.always");
  return hours === "emergency" ? t("help.emergency") : hours;
}

function links({ name, number }) {
  if (isAddress(number)) return [el("a", { href: number, target: "_blank", rel: "noopener noreferrer" }, new URL(number).host)];
  const numbers = numbersOf(number);
  if (!numbers.length) return [el("span", {}, String(number ?? ""))];
  return numbers.map((one) =>
    el("a", { href: dialled(one), "aria-label": t("help.call", { name, number: one }) }, icon("call"), one),
  );
}
