// The recorded streams of clients/contract, through the parser and through a whole turn.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { CBot, SseParser, TurnFailed, type TurnEvent } from "../src/index.js";

interface Expected {
  id: string;
  event: string;
  data: unknown;
}

interface Connection {
  method: "POST" | "GET";
  last_event_id: string | null;
  stream?: string;
  chunks?: number[];
  events?: Expected[];
  answer?: { status: number; retry_after: number | null; problem: object };
}

interface Scenario {
  about: string;
  sent?: boolean;
  connections: Connection[];
  shown: string[];
  ends: "done" | "error";
}

const FOLDER = new URL("../../../contract/", import.meta.url);
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const KNOWN = ["agent_start", "agent_retry", "agent_done", "token", "replace", "done", "error"];
const scenarioOf = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf-8")) as Scenario;
const bytesOf = ({ stream = "" }: Connection) => new Uint8Array(readFileSync(new URL(stream, FOLDER)));

function pieces(bytes: Uint8Array, sizes: number[]): Uint8Array[] {
  const found = [];
  let from = 0;
  for (const size of sizes) found.push(bytes.subarray(from, (from += size)));
  return [...found, bytes.subarray(from)];
}

function parsed(chunks: Uint8Array[]): Expected[] {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.feed(chunk)).map((raw) => ({ ...raw, data: JSON.parse(raw.data) as unknown }));
}

function responseOf(connection: Connection): Response {
  if (connection.answer) {
    const { status, retry_after, problem } = connection.answer;
    const headers = { "Content-Type": "application/problem+json", ...(retry_after && { "Retry-After": `${retry_after}` }) };
    return new Response(JSON.stringify(problem), { status, headers });
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces(bytesOf(connection), connection.chunks ?? [])) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
}

for (const name of NAMES) {
  test(`${name}: the parser gives the expected events, wherever the stream is cut`, () => {
    for (const connection of scenarioOf(name).connections.filter(({ stream }) => stream)) {
      const bytes = bytesOf(connection);
      const cuts = [connection.chunks ?? [], [...bytes].map(() => 1), [7, 1, 64, 3, 2]];
      for (const sizes of cuts) assert.deepEqual(parsed(pieces(bytes, sizes)), connection.events);
    }
  });

  test(`${name}: a turn shows and returns what it should, on these connections and no other`, async () => {
    const { connections, shown, ends, sent = false } = scenarioOf(name);
    const left = [...connections];
    const texts: string[] = [];
    const events: TurnEvent[] = [];
    const pauses: number[] = [];
    const client = new CBot({
      address: "http://cbot.invalid",
      token: async () => "token",
      pause: async (ms) => void pauses.push(ms),
      fetch: async (_address, init) => {
        const connection = left.shift();
        assert.ok(connection, "one connection too many");
        const asked = new Headers(init?.headers);
        assert.equal(init?.method, connection.method);
        assert.equal(asked.get("Last-Event-ID"), connection.last_event_id);
        return responseOf(connection);
      },
    });
    const message = { message_id: "0f8fad5b-d9cb-469f-a165-70867728950e", text: "요즘 잠을 잘 못 자요." };
    const listener = { text: (text: string) => void texts.push(text), event: (event: TurnEvent) => void events.push(event) };
    const outcome = await client.say("c1", message, listener, { sent }).catch((error: unknown) => error);
    const last = connections.at(-1)?.events?.at(-1);
    if (ends === "done") assert.deepEqual(outcome, last?.data);
    else assert.ok(outcome instanceof TurnFailed && outcome.code === (last?.data as { code: string }).code);
    assert.deepEqual(texts, shown);
    assert.deepEqual(left, []);
    const toldToWait = Math.max(0, ...connections.map(({ answer }) => answer?.retry_after ?? 0));
    assert.ok(toldToWait === 0 || Math.max(...pauses) >= toldToWait * 1000);
    const told = connections.flatMap(({ events: all = [] }) => all).filter(({ event }) => KNOWN.includes(event));
    assert.deepEqual(events.map(({ event }) => event), told.map(({ event }) => event));
  });
}

test("a turn whose signal is aborted stops listening and asks no further", async () => {
  const leaving = new AbortController();
  let asked = 0;
  const client = new CBot({
    address: "http://cbot.invalid",
    token: async () => "token",
    pause: async () => undefined,
    fetch: async (_address, init) => {
      asked += 1;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('id: 1.0\nevent: token\ndata: {"text":"잠"}\n\n'));
          init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  const message = { message_id: "0f8fad5b-d9cb-469f-a165-70867728950e", text: "요즘 잠을 잘 못 자요." };
  const saying = client.say("c1", message, { text: () => leaving.abort(new Error("left")) }, { signal: leaving.signal });
  await assert.rejects(saying, /left/);
  assert.equal(asked, 1);
});
