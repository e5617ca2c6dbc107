// One turn, from the message to its finished reply, over as many connections as that takes. The message id makes every
// repetition harmless (one reply per message id), so a lost stream is followed by its address, and sent again if it is
// unknown there.

import { ConnectionLost, Problem, TurnFailed } from "./errors.js";
import { readEvents } from "./sse.js";
import type { ChatReply, Resource, TurnEvent } from "./types.js";

/** The server pings every 10 s: three of them missing means that the line is dead. */
const SILENCE_MS = 35_000;
const WAITS_MS = [400, 1_000, 2_000, 4_000, 8_000, 8_000];
const KNOWN = new Set<string>(["agent_start", "agent_retry", "agent_done", "token", "replace", "done", "error"]);

/** What a screen does while the turn runs; all of it may be left out. */
export interface Listener {
  /** What is being done, in words for a person. */
  status?(label: string): void;
  /** All of the reply that is there so far. */
  text?(text: string): void;
  /** The line broke or the server is busy; it goes on by itself. Show `resources` where there are any. */
  waiting?(resources: readonly Resource[]): void;
  event?(event: TurnEvent): void;
}

/** How a turn reaches the server. */
export interface Line {
  send(): Promise<Response>;
  follow(lastEventId: string): Promise<Response>;
  pause(ms: number): Promise<void>;
}

export interface Saying {
  /** An earlier run of the program has perhaps sent the message: ask for its turn first. */
  sent?: boolean;
  /** Stops listening. The server answers the message all the same: say it again with `sent` to get the reply. */
  signal?: AbortSignal;
}

/** Returns the reply; throws a `Problem`, `TurnFailed`, the signal's reason, or `ConnectionLost` when the line stayed dead. */
export async function runTurn(line: Line, listener: Listener, { sent = false, signal }: Saying): Promise<ChatReply> {
  const seen = { id: "", text: "" };
  let follow = sent;
  for (let attempt = 0; ; attempt += 1) {
    const before = seen.id;
    try {
      return await connect(follow ? await line.follow(seen.id) : await line.send(), seen, listener);
    } catch (error) {
      signal?.throwIfAborted();
      if (follow && error instanceof Problem && error.status === 404) {
        follow = false; // The server never got it: send it again.
        continue;
      }
      if (!isPassing(error)) throw error;
      if (seen.id !== before) attempt = 0;
      const wait = WAITS_MS[attempt];
      if (wait === undefined) throw error;
      if (!(error instanceof Problem)) follow = true; // A refused message was not stored.
      listener.waiting?.(error instanceof Problem || error instanceof TurnFailed ? error.resources : []);
      await line.pause(Math.max(wait, error instanceof Problem ? error.retryAfterS * 1000 : 0));
      signal?.throwIfAborted();
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof Problem) return [408, 502, 503, 504].includes(error.status);
  if (error instanceof TurnFailed) return error.code === "shutting_down"; // Another instance answers the same message.
  return error instanceof ConnectionLost;
}

async function connect(response: Response, seen: Seen, listener: Listener): Promise<ChatReply> {
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    if (response.status === 202) throw new ConnectionLost("not answered yet");
    return (await response.json()) as ChatReply;
  }
  if (response.body === null) throw new ConnectionLost("no body");
  try {
    return await read(response.body, seen, listener);
  } catch (error) {
    if (error instanceof TurnFailed) throw error;
    throw new ConnectionLost(error instanceof Error ? error.message : String(error));
  }
}

interface Seen {
  id: string;
  text: string;
}

async function read(body: ReadableStream<Uint8Array>, seen: Seen, listener: Listener): Promise<ChatReply> {
  let first = true;
  for await (const raw of readEvents(body, SILENCE_MS)) {
    if (!KNOWN.has(raw.event)) continue; // Events may be added at any time.
    const event = { ...(raw.id && { id: raw.id }), event: raw.event, data: JSON.parse(raw.data) as unknown } as TurnEvent;
    // A stream that does not go on behind Last-Event-ID tells the reply from its beginning again.
    if (first && raw.id && !isAfter(raw.id, seen.id)) seen.text = "";
    first = false;
    if (raw.id) seen.id = raw.id;
    listener.event?.(event);
    switch (event.event) {
      case "done":
        return event.data;
      case "error":
        throw new TurnFailed(event.data);
      case "agent_start":
      case "agent_retry":
        listener.status?.(event.data.label);
        break;
      case "token":
        seen.text += event.data.text;
        listener.text?.(seen.text);
        break;
      case "replace":
        seen.text = event.data.text;
        listener.text?.(seen.text);
        break;
      case "agent_done":
        break;
    }
  }
  throw new ConnectionLost("the stream ended before its last event");
}

/** Event ids are `{seq}.{n}`. */
function isAfter(id: string, last: string): boolean {
  const [seq, n] = id.split(".").map(Number);
  const [lastSeq, lastN] = last.split(".").map(Number);
  return seq === lastSeq && n !== undefined && lastN !== undefined && n > lastN;
}
