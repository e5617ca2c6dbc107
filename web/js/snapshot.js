// Draws the state_snapshot: where the session stands, a proposal to wrap up, people to turn to.

import { setContacts } from "./contacts.js";
import { t } from "./messages.js";
import { drawService } from "./service.js";
import { drawStrip } from "./strip.js";
import { $ } from "./view.js";

/** While somebody is in danger, nothing on the page invites to stop, nor to anything but help. */
const IN_DANGER = ["crisis", "imminent"];

export const inDanger = (snapshot) => IN_DANGER.includes(snapshot?.risk?.level);

/** Whether a proposal to close waits for an answer. */
export function proposesWrapUp(snapshot) {
  if (!snapshot || snapshot.status === "completed" || inDanger(snapshot)) return false;
  return snapshot.wrap_up?.stage === "proposed";
}

export function drawSnapshot(snapshot) {
  drawProgress(snapshot);
  wordProposal(snapshot?.wrap_up?.aim === "end");
  const resources = snapshot?.risk?.resources ?? [];
  setContacts(resources);
  drawStrip(resources);
}

/** A yes to the end closes the conversation at once, so the question and its answer say that and not "wrap up". */
function wordProposal(ends) {
  $("wrap-up-heading").textContent = t(ends ? "end.confirm_heading" : "wrap_up.heading");
  $("wrap-up-text").textContent = t(ends ? "end.confirm_text" : "wrap_up.text");
  $("wrap-yes").textContent = t(ends ? "wrap_up.yes_end" : "wrap_up.yes");
  $("wrap-no").textContent = t("wrap_up.no");
  $("wrap-yes").className = ends ? "outline" : "primary"; // The end is theirs: neither answer is urged.
}

function drawProgress(snapshot) {
  const ended = snapshot?.status === "completed";
  const part = Number(snapshot?.part) || 1;
  for (const item of $("parts").children) {
    const own = Number(item.dataset.part);
    const passed = ended || own < part;
    const current = !ended && own === part;
    item.classList.toggle("passed", passed);
    if (current) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    item.querySelector(".state").textContent = passed ? t("progress.passed") : current ? t("progress.current") : "";
  }
  $("bar").value = ended ? 1 : Math.min(1, Math.max(0, Number(snapshot?.progress) || 0));
  $("task").textContent = ended ? t("progress.ended") : now(snapshot);
  $("end").hidden = ended;
  drawService(snapshot, ended);
}

/** The closing may have been agreed to while its Part and task are still to come: that alone says so. */
function now(snapshot) {
  const title = snapshot?.task?.title;
  const closing = snapshot?.status === "wrapping_up" ? t("progress.wrapping_up") : "";
  return [closing, title ? t("progress.now", { title }) : ""].filter(Boolean).join(" · ");
}
