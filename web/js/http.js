// One exchange with a server and its two ways to fail; knows nothing of users.

import { locale } from "./messages.js";

/** The server refused, in its own words (RFC 9457). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.code ?? `http_${status}`);
    this.status = status;
    this.code = body.code ?? "";
    this.detail = localised(body.detail) ?? "";
    this.retryAfter = Number(body.retry_after) || 0;
    this.resources = body.resources ?? []; // Whom to turn to: the message that was refused told of a danger.
    this.consents = (body.consents ?? []).map(({ id }) => id);
  }
}

/** No answer came at all. */
export class NoConnection extends Error {}

const localised = (text) => (text && typeof text === "object" ? (text[locale()] ?? text.ko) : text);

export async function reach(address, options = {}) {
  try {
    return await fetch(address, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new NoConnection(error.message);
  }
}

export async function problem(response) {
  const body = await response.json().catch(() => ({}));
  const header = response.headers.get("Retry-After");
  return new Problem(response.status, { retry_after: header, ...body });
}

export async function json(response) {
  if (!response.ok) throw await problem(response);
  return response.json();
}
