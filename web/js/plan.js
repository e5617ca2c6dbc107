// The user's own safety plan on one card: read, changed, deleted. It stands beside the help lines, never for them.

import * as api from "./api.js";
import { contactList } from "./contacts.js";
import { t } from "./messages.js";
import { wordError } from "./problems.js";
import { $, busy, confirmed, el, prepareDialog } from "./view.js";

const STEPS = {
  signs: "plan.signs",
  alone: "plan.alone",
  company: "plan.company",
  helpers: "plan.helpers",
  professionals: "plan.professionals",
  surroundings: "plan.surroundings",
};
const LONGEST = 300;

export function preparePlan() {
  prepareDialog($("plan"));
  for (const button of document.querySelectorAll("[data-open-plan]")) button.addEventListener("click", openPlan);
  $("plan-form").addEventListener("submit", (event) => {
    event.preventDefault();
    busy($("plan-save"), save);
  });
  $("plan-delete").addEventListener("click", () => busy($("plan-delete"), remove));
}

/** Adds a button to the card after the numbers of the help strip, if there is a plan. */
export async function offerPlan(list) {
  const first = list.firstElementChild;
  const { plan } = await api.safetyPlan().catch(() => ({}));
  if (!plan || first !== list.firstElementChild || list.querySelector("button")) return; // Drawn anew meanwhile.
  const button = el("button", { type: "button" }, el("b", {}, t("plan.short")));
  button.addEventListener("click", openPlan);
  list.append(el("li", {}, button));
}

async function openPlan() {
  for (const id of ["drawer", "help"]) if ($(id).open) $(id).close();
  draw({ plan: null, resources: [] });
  $("plan").showModal();
  $("plan-save").disabled = true; // Until what is kept is there: an empty card would replace it.
  await attempt(async () => {
    draw(await api.safetyPlan());
    $("plan-save").disabled = false;
  });
}

function draw({ plan, resources }) {
  $("plan-steps").replaceChildren(...Object.keys(STEPS).map((step) => field(step, plan?.steps[step] ?? "", resources)));
  $("plan-delete").hidden = plan === null;
  $("plan-note").textContent = "";
  $("plan-help").replaceChildren();
}

function field(step, words, resources) {
  const area = el("textarea", { name: step, rows: 2, maxLength: LONGEST, value: words });
  const label = el("label", { class: "field" }, el("span", {}, t(STEPS[step])), area);
  return step === "professionals" ? el("div", {}, label, contactList(resources)) : label;
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    $("plan-note").textContent = wordError(error, "errors.failed");
  }
}

const save = () =>
  attempt(async () => {
    const form = $("plan-form").elements;
    const kept = await api.changeSafetyPlan({ steps: Object.fromEntries(Object.keys(STEPS).map((step) => [step, form[step].value])) });
    draw(kept);
    const left = kept.not_kept.map((step) => t(STEPS[step])).join(", ");
    $("plan-note").textContent = left ? t("plan.not_kept", { steps: left }) : t("plan.saved");
    if (kept.help) $("plan-help").replaceChildren(el("p", { class: "urgent" }, kept.help.message), contactList(kept.help.resources));
  });

async function remove() {
  const words = { heading: t("plan.delete_confirm"), text: t("plan.delete_text"), yes: t("settings.delete_yes") };
  if (!(await confirmed({ ...words, danger: true }))) return;
  await attempt(async () => {
    await api.deleteSafetyPlan();
    draw(await api.safetyPlan());
    $("plan-note").textContent = t("plan.deleted");
  });
}
