// Without a connection: the page's own files kept by the service worker, a line that says so, and the numbers of help.

import { fillContacts } from "./contacts.js";
import { entry, t } from "./messages.js";
import { $ } from "./view.js";

export function prepareOffline() {
  for (const change of ["online", "offline"]) addEventListener(change, drawOffline);
  drawOffline();
  // Only https and localhost have one. Without it the page works as well, but needs a connection to open.
  navigator.serviceWorker?.register("sw.js", { updateViaCache: "none" }).catch(() => {});
}

/** The chat says that its connection is gone; other screens say so where something needs it. */
export function drawOffline() {
  $("net").textContent = navigator.onLine ? "" : t("net.offline");
}

/** In place of a screen that cannot be shown: why, whom to call meanwhile, and the way to try again. */
export function showUnreachable(text) {
  $("loading-text").textContent = navigator.onLine ? text : t("app.offline");
  fillContacts($("meanwhile-list"), entry("help.resources") ?? []);
  $("meanwhile").hidden = false;
  $("reload").hidden = false;
}

export function hideUnreachable() {
  $("meanwhile").hidden = true;
  $("reload").hidden = true;
}
