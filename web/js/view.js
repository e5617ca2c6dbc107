// Small pieces of page: finding and making elements (text only ever through textContent), toast, confirmation, dialogs, files.

import { t } from "./messages.js";

export const $ = (id) => document.getElementById(id);

/** An element with properties and children; a string child becomes text, never markup. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") node.className = value;
    else if (name.startsWith("data-") || name.startsWith("aria-") || name === "role") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export function icon(name) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const use = document.createElementNS(ns, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

const SCREENS = ["loading", "stories", "welcome", "chat"];

export function showScreen(name) {
  const before = document.body.dataset.screen;
  document.body.dataset.screen = name;
  for (const screen of SCREENS) $(screen).hidden = screen !== name;
  // From the list of stories to the form and back: the link that had the focus is gone.
  if ([before, name].sort().join() === "stories,welcome") $(`${name}-heading`).focus({ preventScroll: true });
}

let toastTimer;

export function toast(text) {
  $("toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => ($("toast").textContent = ""), 5000);
}

/** Dialogs close by their button, by Escape (the browser's own) and by a press beside them. */
export function prepareDialog(dialog) {
  dialog.querySelector("[data-close]")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

/**
 * Asks yes or no; Escape is no.
 * @param {{staying?: boolean, more?: Node[]}} question staying: a no stands out, not the yes; more: shown below the text
 */
export function confirmed({ heading, text, yes, no = t("dialog.cancel"), danger = false, staying = false, more = [] }) {
  const dialog = $("confirm");
  $("confirm-heading").textContent = heading;
  $("confirm-text").textContent = text;
  $("confirm-yes").textContent = yes;
  $("confirm-no").textContent = no;
  $("confirm-yes").className = staying ? "outline" : danger ? "primary danger" : "primary";
  $("confirm-no").className = staying ? "primary" : "outline";
  $("confirm-more").replaceChildren(...more);
  dialog.returnValue = "";
  dialog.showModal();
  $("confirm-no").focus();
  return new Promise((resolve) => {
    $("confirm-yes").onclick = () => dialog.close("yes");
    $("confirm-no").onclick = () => dialog.close("no");
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
  });
}

export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** For a button whose work takes a moment: not pressed twice. */
export async function busy(button, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}
