// Draws the state_snapshot: where the session stands, a proposal to wrap up, people to turn to.

import { setContacts } from "./contacts.js";
import { t } from "./messages.js";
import { drawService } from "./service.js";
import { drawStrip } from "./strip.js";
import { $ } from "./view.js";

const LAST_PART = 3;
/** While somebody is in danger, nothing on the page invites to stop, nor to anything but help. */
const IN_DANGER = ["crisis", "imminent"];

export const inDanger = (snapshot) => IN_DANGER.includes(snapshot?.risk?.level);

/** Lines of help are shown: nothing asks for points or invites to small talk. */
export const atRisk = (snapshot) => (snapshot?.risk?.resources ?? []).length > 0;

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

/**
 * The newest reply asks the question; the card only answers it, and is named for those who do not see the reply above it.
 * A yes to the end closes the conversation at once, so the answers say that and not "wrap up".
 */
function wordProposal(ends) {
  $("wrap-up-heading").textContent = t(ends ? "end.confirm_heading" : "wrap_up.heading");
  $("wrap-yes").textContent = t(ends ? "wrap_up.yes_end" : "wrap_up.yes");
  $("wrap-no").textContent = t("wrap_up.no");
  $("wrap-yes").className = ends ? "outline" : "primary"; // The end is theirs: neither answer is urged.
}

function drawProgress(snapshot) {
  const ended = snapshot?.status === "completed";
  const part = Number(snapshot?.part) || 1;
  for (const item of $("parts").children) {
    const own = Number(item.dataset.part);
    const here = own === part;
    const passed = own < part || (ended && here && part === LAST_PART);
    const current = !ended && here;
    item.classList.toggle("passed", passed);
    item.classList.toggle("here", here);
    if (current) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    item.querySelector(".state").textContent = stateOf({ passed, current, here });
  }
  $("bar").value = Math.min(1, Math.max(0, Number(snapshot?.progress) || 0));
  $("task").textContent = ended ? t("progress.ended") : now(snapshot);
  $("end").hidden = ended;
  drawService(snapshot, ended);
}

function stateOf({ passed, current, here }) {
  if (passed) return t("progress.passed");
  if (current) return t("progress.current");
  return here ? t("progress.stopped") : "";
}

/** The closing may have been agreed to while its Part and task are still to come: that alone says so. */
function now(snapshot) {
  const title = snapshot?.task?.title;
  const closing = snapshot?.status === "wrapping_up" ? t("progress.wrapping_up") : "";
  const now = snapshot?.plan_status === "planning" ? t("progress.planning") : title ? t("progress.now", { title }) : "";
  return [closing, now].filter(Boolean).join(" · ");
}
