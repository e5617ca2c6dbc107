// The help strip above the text box: one press calls, for as long as the conversation's risk is open.

import { entry, locale, t } from "./messages.js";
import { dialled, isAddress, numbersOf } from "./numbers.js";
import { offerPlan } from "./plan.js";
import { $, el } from "./view.js";

let drawn = "";

/** @param {{name: string, number: string}[]} resources the server's own order: the most urgent first */
export function drawStrip(resources) {
  const key = JSON.stringify([locale(), resources]);
  if (key === drawn) return; // Drawing it anew would take the focus away, or a button from under a finger.
  drawn = key;
  const buttons = resources.filter(({ number }) => !isAddress(number)).flatMap(callButtons);
  $("strip-list").replaceChildren(...buttons);
  $("strip").hidden = buttons.length === 0;
  if (buttons.length) offerPlan($("strip-list"));
  $("strip-said").textContent = buttons.length ? t("help.strip_said") : ""; // A live region: said when it changes, so once.
}

function callButtons({ name, number }) {
  return numbersOf(number).map((one) => {
    const short = shortName(one);
    const whole = el("span", { class: "unseen" }, ` ${t("help.call_short", { name })}`);
    return el("li", {}, el("a", { href: dialled(one) }, el("b", {}, one), short ? el("small", {}, ` ${short}`) : null, whole));
  });
}

const shortName = (number) => entry("help.short")?.find((line) => line.number === number)?.name;
