// Names for what the description generates (src/api.d.ts).

import type { components, operations } from "./api.js";

export type Schemas = components["schemas"];
export type Operation = keyof operations;

/** The JSON that an operation takes. */
export type Body<O extends Operation> = operations[O] extends {
  requestBody: { content: { "application/json": infer B } };
}
  ? B
  : never;

type Responses<O extends Operation> = operations[O]["responses"];
type Success = 200 | 201 | 202 | 204;

/** What an operation answers with, whichever of its successful statuses it has; undefined where there is no body. */
export type Answer<O extends Operation> = {
  [S in keyof Responses<O> & Success]: Responses<O>[S] extends { content: { "application/json": infer J } } ? J : undefined;
}[keyof Responses<O> & Success];

/** An operation's query parameters. */
export type Query<O extends Operation> = operations[O]["parameters"] extends { query?: infer Q } ? NonNullable<Q> : never;

export type ChatReply = Schemas["ChatReply"];
export type ProblemBody = Schemas["Problem"];
export type Resource = Schemas["ResourceView"];
export type Snapshot = Schemas["StateSnapshot"];

/** One event of a turn; a switch on `event` narrows `data`. */
export type TurnEvent = Schemas["TurnEvent"];
export type TurnError = Schemas["ErrorData"];
