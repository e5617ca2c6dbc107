// A whole session against the server at CLIENT_ADDRESS, with the messages in CLIENT_LINES.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { CBot, Problem, type Snapshot } from "../src/index.js";

const ADDRESS = process.env["CLIENT_ADDRESS"] ?? "";
const LINES = JSON.parse(process.env["CLIENT_LINES"] ?? "[]") as string[];
const WITHIN_MS = 60_000;

async function signIn(): Promise<string> {
  const response = await fetch(`${ADDRESS}/local/sign-in`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  return ((await response.json()) as { id_token: string }).id_token;
}

async function eventually<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const until = Date.now() + WITHIN_MS; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = await look();
    if (found) return found;
  }
  throw new Error("it did not come in time");
}

test("a client talks a whole session: consents, stream, the same message again, the end, a rating, erasure", async () => {
  const fresh = await signIn();
  const asked: boolean[] = [];
  const token = async (renew: boolean) => {
    asked.push(renew);
    return renew || asked.includes(true) ? fresh : "a.token.that-ran-out";
  };
  const client = new CBot({ address: ADDRESS, token, language: "ko" });

  const { consents } = await client.consents("ko");
  const versions = Object.fromEntries(consents.map(({ id, version }) => [id, version]));
  assert.equal(asked.includes(true), false, "the texts are public");
  const given = { terms: true, sensitive_data: true, overseas_transfer: true };
  const opening = { locale: "ko", age_band: "adult", consents: given, versions } as const;

  const refused = await client.create({ ...opening, consents: {} }).catch((error: unknown) => error);
  assert.ok(refused instanceof Problem && refused.status === 403 && refused.code === "consent_required");
  assert.equal(refused.body.consents?.length, 3);
  assert.deepEqual(asked.filter(Boolean), [true], "the token that ran out was renewed once");

  const { conversation_id: id, greeting } = await client.create(opening);
  assert.match(greeting.text, /AI/);

  let snapshot: Snapshot | undefined;
  for (const text of LINES) {
    const message = { message_id: randomUUID(), text };
    const shown: string[] = [];
    const statuses: string[] = [];
    const listener = { text: (all: string) => void shown.push(all), status: (label: string) => void statuses.push(label) };
    const reply = await client.say(id, message, listener);
    assert.equal(shown.at(-1), reply.reply, "what was streamed is what was stored");
    assert.ok(statuses.length > 0);
    assert.deepEqual(await client.say(id, message, {}, { sent: true }), reply, "the turn's address has the same reply");
    snapshot = reply.state_snapshot;
    if (snapshot.plan_status === "planning") {
      await eventually(async () => (await client.conversation(id)).state_snapshot.plan_status !== "planning");
    }
  }
  assert.equal(snapshot?.part, 2);

  const { messages } = await client.messages(id, { limit: 100 });
  assert.deepEqual(messages.filter(({ role }) => role === "user").map(({ text }) => text), LINES);

  assert.equal((await client.end(id)).state_snapshot.status, "completed");
  const late = await client.say(id, { message_id: randomUUID(), text: "하나만 더요." }).catch((error: unknown) => error);
  assert.ok(late instanceof Problem && late.code === "session_ended");
  assert.ok((await eventually(async () => (await client.conversation(id)).closing)).summary);
  await client.rate(id, { rating: 5, comment: "" });

  await client.delete(id);
  const gone = await client.conversation(id).catch((error: unknown) => error);
  assert.ok(gone instanceof Problem && gone.status === 404);
});
