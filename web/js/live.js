// The state of the conversation in view, as the server changes it without being asked: a plan that is ready, a proposal
// to close, a closing, a turn taken on another device. Firestore pushes it; where it cannot, the page asks now and then.

import { conversation } from "./api.js";
import { auth } from "./auth/index.js";

const ASK_EVERY_MS = 20_000;
/** So long without a word of Firestore, and the page asks beside the listener: a network may block it in silence. */
const PATIENCE_MS = 10_000;

let stop = () => {};

/**
 * Follows one conversation, and no other any more.
 * @param {(view: {status: string, state_snapshot: object, closing: object | null, last_message: string}) => void} onView
 */
export function follow(id, onView) {
  leave();
  const mine = { asking: null, ended: false, unlisten: () => {} };
  stop = () => {
    mine.ended = true;
    clearInterval(mine.asking);
    mine.unlisten();
  };
  listen(mine, id, onView);
}

export function leave() {
  stop();
  stop = () => {};
}

async function listen(mine, id, onView) {
  const ask = () => askNow(mine, id, onView);
  const askOften = () => {
    if (!mine.ended) mine.asking ??= setInterval(ask, ASK_EVERY_MS);
  };
  const heard = (view) => {
    clearTimeout(late);
    clearInterval(mine.asking);
    mine.asking = null;
    if (!mine.ended) onView(view);
  };
  const late = setTimeout(askOften, PATIENCE_MS);
  try {
    const door = await auth();
    if (!door.listen) return;
    const unlisten = await door.listen(id, heard, askOften);
    if (mine.ended) unlisten();
    else mine.unlisten = unlisten;
  } catch {
    askOften();
  }
}

async function askNow(mine, id, onView) {
  if (document.hidden || !navigator.onLine) return;
  try {
    const view = await conversation(id);
    if (!mine.ended) onView(view);
  } catch (error) {
    if (error.status === 404 && !mine.ended) leave();
  }
}
