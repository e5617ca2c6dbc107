// A plan in the making takes seconds, and the reply before it cannot tell its end: the page asks until it is there.

import { conversation } from "./api.js";

const ASK_EVERY_MS = 4_000;
const MOST_TIMES = 30;

let waiting = null;

/** @param {{id: string, snapshot: object}} here the conversation in view; `onView` is told what it is like now */
export function awaitPlan({ id, snapshot }, onView) {
  const planning = snapshot?.status !== "completed" && snapshot?.plan_status === "planning";
  if (planning && waiting?.id === id) return;
  leavePlan();
  if (!planning) return;
  waiting = { id, asked: 0, timer: setInterval(ask, ASK_EVERY_MS) };

  async function ask() {
    const mine = waiting;
    mine.asked += 1;
    if (mine.asked >= MOST_TIMES) clearInterval(mine.timer);
    const view = await conversation(id).catch(() => null); // The next time may work.
    if (view && waiting === mine) onView(view);
  }
}

export function leavePlan() {
  clearInterval(waiting?.timer);
  waiting = null;
}
