// One turn, from the message to its finished reply, over as many connections as that takes. The message id makes every
// repetition harmless (one reply per message id), so a lost stream is followed by its address, and re-posted if unknown there.

import { AuthProblem } from "./auth/index.js";
import { followTurn, NoConnection, postTurn, Problem } from "./api.js";
import { readEvents } from "./sse.js";

/** The server pings every 10 s: three of them missing means that the line is dead. */
const SILENCE_MS = 35_000;
const WAITS_MS = [400, 1_000, 2_000, 4_000, 8_000, 8_000];

/** A UUID; browsers withhold randomUUID() from plain-http pages other than localhost, such as a phone on the local network. */
export function newMessageId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The turn itself failed, and the server said so inside the stream. */
export class TurnFailed extends Error {
  constructor({ code, detail, retryable, resources }) {
    super(code);
    this.resources = resources ?? [];
    this.code = code ?? "";
    this.detail = typeof detail === "string" ? detail : "";
    this.retryable = retryable !== false;
  }
}

class StreamLost extends Error {}

/**
 * @param {{conversationId: string, messageId: string, text: string, declines?: string, sent: boolean}} turn
 *   declines: what the message declines to tell, by the server's name for it
 *   sent: an earlier page or attempt has posted it already
 * @param {{status(label: string): void, retrying(label: string): void, text(text: string): void, waiting(resources: object[]): void}} show
 * @returns the data of `done`
 */
export async function runTurn(turn, show) {
  const seen = { id: "", text: "" };
  let follow = turn.sent;
  for (let attempt = 0; ; attempt += 1) {
    const before = seen.id;
    try {
      return await connect(turn, seen, follow, show);
    } catch (error) {
      if (follow && error instanceof Problem && error.status === 404) {
        follow = false; // The server never got it: post it again.
        continue;
      }
      if (!isConnectionTrouble(error)) throw error;
      if (seen.id !== before) attempt = 0;
      if (attempt >= WAITS_MS.length) throw error;
      if (!(error instanceof Problem)) follow = true; // A refusal was not stored, or is met again: the id makes both harmless.
      show.waiting(error.resources ?? []);
      await pause(Math.max(WAITS_MS[attempt], (error.retryAfter ?? 0) * 1000));
    }
  }
}

function isConnectionTrouble(error) {
  if (error instanceof Problem) return [408, 502, 503, 504].includes(error.status) || error.code === "turn_pending";
  if (error instanceof TurnFailed) return error.code === "shutting_down"; // Another instance answers the same message.
  return error instanceof NoConnection || error instanceof StreamLost;
}

async function connect(turn, seen, follow, show) {
  const cut = new AbortController();
  try {
    const response = follow
      ? await followTurn(turn.conversationId, turn.messageId, seen.id, cut.signal)
      : await postTurn(turn.conversationId, bodyOf(turn), cut.signal);
    if (!(response.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
      if (response.status === 202) throw new StreamLost(); // Accepted, no result yet: ask again.
      return await response.json();
    }
    return await readTurn(response.body, seen, show);
  } catch (error) {
    if ([Problem, TurnFailed, NoConnection, AuthProblem].some((known) => error instanceof known)) throw error;
    throw new StreamLost(error.message);
  } finally {
    cut.abort();
  }
}

function bodyOf({ messageId, text, declines }) {
  return { message_id: messageId, text, ...(declines && { declines }) };
}

async function readTurn(body, seen, show) {
  let first = true;
  for await (const { id, event, data } of readEvents(body, SILENCE_MS)) {
    // A stream that does not go on behind Last-Event-ID tells the reply from its beginning again.
    if (first && id && !isAfter(id, seen.id)) seen.text = "";
    first = false;
    if (id) seen.id = id;
    const payload = JSON.parse(data);
    if (event === "done") return payload;
    if (event === "error") throw new TurnFailed(payload);
    if (event === "agent_start") show.status(payload.label ?? "");
    if (event === "agent_retry") show.retrying(payload.label ?? "");
    if (event === "token") seen.text += payload.text;
    if (event === "replace") seen.text = payload.text;
    if (event === "token" || event === "replace") show.text(seen.text);
  }
  throw new StreamLost();
}

/** Event ids are `{seq}.{n}`. */
function isAfter(id, last) {
  if (!last) return false;
  const [seq, n] = id.split(".").map(Number);
  const [lastSeq, lastN] = last.split(".").map(Number);
  return seq === lastSeq && n > lastN;
}

/** Waits, but no longer than until the browser is online again. */
function pause(ms) {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      removeEventListener("online", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    addEventListener("online", finish);
  });
}
