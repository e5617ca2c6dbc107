import { ConnectionLost, Problem } from "./errors.js";
import { runTurn, type Listener, type Saying } from "./turn.js";
import type { Answer, Body, ChatReply, Operation, ProblemBody, Query } from "./types.js";

export interface Options {
  /** The address of the function `chat`, without a slash at its end. */
  address: string;
  /** Firebase's `user.getIdToken`; `renew` is true after the server refused the last one. */
  token(renew: boolean): Promise<string>;
  /** For the words of errors. */
  language?: "ko" | "en";
  /** Firebase App Check, where the deployment asks for it. */
  appCheck?(): Promise<string>;
  fetch?: typeof fetch;
  pause?(ms: number): Promise<void>;
}

interface Call {
  body?: unknown;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

const EVENTS = "text/event-stream";

/** A client of one user. Every method throws a `Problem` when the server refuses. */
export class CBot {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  consents = (locale: "ko" | "en") => this.#json<"list_consents">("GET", "/api/consents", { query: { locale } });
  create = (body: Body<"create_conversation">) =>
    this.#json<"create_conversation">("POST", "/api/conversations", { body });
  conversations = (query: Query<"list_conversations"> = {}) =>
    this.#json<"list_conversations">("GET", "/api/conversations", { query });
  conversation = (id: string) => this.#json<"get_conversation">("GET", at(id));
  messages = (id: string, query: Query<"list_messages"> = {}) =>
    this.#json<"list_messages">("GET", at(id, "/messages"), { query });
  end = (id: string) => this.#json<"end_conversation">("POST", at(id, "/end"));
  /** Resolves to help where the comment told of a danger: show it. Otherwise to undefined. */
  rate = (id: string, body: Body<"rate_conversation">) =>
    this.#json<"rate_conversation">("POST", at(id, "/satisfaction"), { body });
  measures = (locale: "ko" | "en") => this.#json<"list_measures">("GET", "/api/measures", { query: { locale } });
  takeMeasure = (id: string, body: Body<"take_measure">) =>
    this.#json<"take_measure">("POST", at(id, "/measures"), { body });
  export = (id: string) => this.#json<"export_conversation">("GET", at(id, "/export"));
  delete = (id: string) => this.#json<"delete_conversation">("DELETE", at(id));
  myConsents = () => this.#json<"get_my_consents">("GET", "/api/me/consents");
  changeMyConsents = (body: Body<"change_my_consents">) =>
    this.#json<"change_my_consents">("PUT", "/api/me/consents", { body });
  deleteMe = () => this.#json<"delete_me">("DELETE", "/api/me");

  /**
   * Sends a message and returns its reply, over as many connections as that takes.
   *
   * Keep `messageId` and `text` before the call and forget them after it: a program that was killed in between calls
   * it again with `sent`, and gets the one reply.
   */
  say(conversationId: string, message: Body<"chat">, listener: Listener = {}, saying: Saying = {}): Promise<ChatReply> {
    const { signal } = saying;
    const line = {
      send: () => this.#call("POST", at(conversationId, "/chat"), { body: message, headers: { Accept: EVENTS }, signal }),
      follow: (lastEventId: string) =>
        this.#call("GET", at(conversationId, `/turns/${encodeURIComponent(message.message_id)}`), {
          headers: { Accept: EVENTS, ...(lastEventId && { "Last-Event-ID": lastEventId }) },
          signal,
        }),
      pause: this.#options.pause ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))),
    };
    return runTurn(line, listener, saying);
  }

  async #json<O extends Operation>(method: string, path: string, call: Call = {}): Promise<Answer<O>> {
    const text = await (await this.#call(method, path, call)).text();
    return (text ? JSON.parse(text) : undefined) as Answer<O>;
  }

  async #call(method: string, path: string, call: Call): Promise<Response> {
    for (let renew = false; ; renew = true) {
      const response = await this.#reach(method, path, call, await this.#options.token(renew));
      if (response.ok) return response;
      if (response.status !== 401 || renew) {
        const body = (await response.json().catch(() => ({}))) as Partial<ProblemBody>;
        throw new Problem(response.status, body, response.headers.get("Retry-After"));
      }
    }
  }

  async #reach(method: string, path: string, call: Call, token: string): Promise<Response> {
    const { address, appCheck, language = "ko", fetch: reach = fetch } = this.#options;
    const headers: Record<string, string> = {
      Accept: "application/json",
      "Accept-Language": language,
      Authorization: `Bearer ${token}`,
      ...(call.body !== undefined && { "Content-Type": "application/json" }),
      ...(appCheck && { "X-Firebase-AppCheck": await appCheck() }),
      ...call.headers,
    };
    try {
      return await reach(address + path + queryOf(call.query), {
        method,
        headers,
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        ...(call.signal && { signal: call.signal }),
      });
    } catch (error) {
      throw new ConnectionLost(error instanceof Error ? error.message : String(error));
    }
  }
}

const at = (id: string, rest = "") => `/api/conversations/${encodeURIComponent(id)}${rest}`;

function queryOf(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length > 0 ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}
