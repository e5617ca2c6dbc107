export { CBot, type Options } from "./client.js";
export { ConnectionLost, Problem, TurnFailed } from "./errors.js";
export { SseParser, StreamStalled, readEvents, type RawEvent } from "./sse.js";
export type { Listener, Saying } from "./turn.js";
export type { Answer, Body, ChatReply, Query, Resource, Schemas, Snapshot, TurnError, TurnEvent } from "./types.js";
