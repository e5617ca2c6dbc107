import type { ProblemBody, Resource, TurnError } from "./types.js";

/** The server refused, in its own words (RFC 9457). */
export class Problem extends Error {
  readonly code: string;
  readonly detail: string;
  /** Whom to turn to: the refused message told of a danger. Show them. */
  readonly resources: readonly Resource[];
  readonly retryAfterS: number;

  constructor(
    readonly status: number,
    readonly body: Partial<ProblemBody>,
    retryAfterHeader: string | null,
  ) {
    super(body.code ?? `http_${status}`);
    this.code = body.code ?? "";
    this.detail = body.detail ?? "";
    this.resources = body.resources ?? [];
    this.retryAfterS = Number(retryAfterHeader) || body.retry_after || 0;
  }
}

/** The turn got no reply, and the stream said so. */
export class TurnFailed extends Error {
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly resources: readonly Resource[];

  constructor({ code, detail, retryable, resources }: TurnError) {
    super(code);
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
    this.resources = resources ?? [];
  }
}

/** No answer came, or the stream broke before its last event. */
export class ConnectionLost extends Error {}
