// Calls to the server: bearer token, problem+json, nothing about the page.

import { locale } from "./messages.js";
import { forget, load, save } from "./storage.js";

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

/** Where the chat function answers: this page's own address unless its server names another. */
let functionAddress = "";
let token = null;
let role = null;
let signingIn = null;

async function signIn() {
  signingIn ??= (async () => {
    const kept = role ? `uid.${role}` : "uid";
    const uid = load(kept);
    const response = await reach("/local/sign-in", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...(uid && { uid }), ...(role && { role }) }),
    });
    if (!response.ok) throw await problem(response);
    const body = await response.json();
    token = body.id_token;
    save(kept, body.uid);
  })().finally(() => {
    signingIn = null;
  });
  return signingIn;
}

/** From the next sign-in on, this page's user is staff in a role. Only a local server gives one for the asking. */
export function signInAs(wanted) {
  token = null;
  role = wanted;
}

/** After the user's data are gone, the next call is somebody new. */
export function signOut() {
  token = null;
  forget("uid");
}

async function reach(path, options) {
  try {
    return await fetch(path, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new NoConnection(error.message);
  }
}

async function problem(response) {
  const body = await response.json().catch(() => ({}));
  const header = response.headers.get("Retry-After");
  return new Problem(response.status, { retry_after: header, ...body });
}

/** One call with a valid token; a token that ran out is renewed once. */
export async function call(method, path, { body, accept = "application/json", headers = {}, signal } = {}) {
  if (!token) await signIn();
  for (let attempt = 0; ; attempt += 1) {
    const used = token;
    const response = await reach(functionAddress + path, {
      method,
      signal,
      headers: {
        Accept: accept,
        "Accept-Language": locale(),
        Authorization: `Bearer ${used}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.ok) return response;
    if (response.status !== 401 || attempt > 0) throw await problem(response);
    if (token === used) await signIn();
  }
}

async function json(method, path, options) {
  const response = await call(method, path, options);
  const text = await response.text();
  return text ? JSON.parse(text) : {};
}

const at = (id, rest = "") => `/api/conversations/${encodeURIComponent(id)}${rest}`;
/** What is gone already, by an answer that got lost, need not be deleted. */
const unlessGone = (error) => {
  if (error.status !== 404) throw error;
};
const query = (name, value) => (value == null ? "" : `?${name}=${encodeURIComponent(value)}`);

export const create = (body) => json("POST", "/api/conversations", { body });
export const conversations = (before) => json("GET", `/api/conversations${query("before", before)}`);
export const conversation = (id) => json("GET", at(id));
export const messages = (id, after) => json("GET", at(id, `/messages${query("after", after)}`));
export const end = (id) => json("POST", at(id, "/end"));
export const rate = (id, body) => json("POST", at(id, "/satisfaction"), { body });
export const remove = (id) => json("DELETE", at(id)).catch(unlessGone);
export const me = () => json("GET", "/api/me");
export const consents = (language) => json("GET", `/api/consents${query("locale", language)}`);
export const measures = (language) => json("GET", `/api/measures${query("locale", language)}`);
export const myMeasures = () => json("GET", "/api/me/measures");
export const takeMeasure = (id, body) => json("POST", at(id, "/measures"), { body });
export const myConsents = () => json("GET", "/api/me/consents");
export const changeConsents = (body) => json("PUT", "/api/me/consents", { body });
export const safetyPlan = () => json("GET", "/api/safety-plan");
export const changeSafetyPlan = (body) => json("PUT", "/api/safety-plan", { body });
export const deleteSafetyPlan = () => json("DELETE", "/api/safety-plan");
export const exportedMe = () => call("GET", "/api/me/export").then((response) => response.blob());
export const removeMe = () => json("DELETE", "/api/me");
export const exported = (id) => call("GET", at(id, "/export")).then((response) => response.blob());

const documentAt = (id, rest = "") => `/api/documents/${encodeURIComponent(id)}${rest}`;
export const documents = () => json("GET", "/api/documents");
export const documentOf = (id, language) => json("GET", documentAt(id, query("locale", language)));
export const passage = (id, passageId, language) => json("GET", documentAt(id, `/passages/${encodeURIComponent(passageId)}${query("locale", language)}`));
export const deleteDocument = (id) => json("DELETE", documentAt(id)).catch(unlessGone);

/** @param {(share: number) => void} onProgress how much of the file is sent, from 0 to 1 */
export async function uploadDocument(file, onProgress) {
  if (!token) await signIn();
  for (let attempt = 0; ; attempt += 1) {
    const used = token;
    const { status, body } = await sendFile(file, used, onProgress);
    if (status >= 200 && status < 300) return body;
    if (status !== 401 || attempt > 0) throw new Problem(status, body);
    if (token === used) await signIn();
  }
}

/** One POST that says how far it is, which fetch does not. */
function sendFile(file, bearer, onProgress) {
  const form = new FormData();
  form.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${functionAddress}/api/documents`);
    request.responseType = "json";
    const headers = { Accept: "application/json", "Accept-Language": locale(), Authorization: `Bearer ${bearer}` };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => total && onProgress(loaded / total));
    request.addEventListener("load", () => resolve({ status: request.status, body: request.response ?? {} }));
    request.addEventListener("error", () => reject(new NoConnection()));
    request.send(form);
  });
}

export const bookings = () => json("GET", "/api/bookings");
export const cancelBooking = (id) => json("DELETE", `/api/bookings/${encodeURIComponent(id)}`).catch(unlessGone);
export const calendarFile = (id) => call("GET", `/api/bookings/${encodeURIComponent(id)}.ics`, { accept: "text/calendar" }).then((response) => response.blob());

const review = (id, rest = "") => `/api/review/${encodeURIComponent(id)}${rest}`;
export const reviews = (status, after) => json("GET", `/api/review?status=${status}${after ? `&after=${encodeURIComponent(after)}` : ""}`);
export const reviewOf = (id, purpose) => json("GET", review(id, query("purpose", purpose)));
export const markReviewed = (id, body) => json("POST", review(id, "/seen"), { body });

const EVENTS = "text/event-stream";
export const postTurn = (id, body, signal) => call("POST", at(id, "/chat"), { body, accept: EVENTS, signal });
export const followTurn = (id, messageId, lastEventId, signal) =>
  call("GET", at(id, `/turns/${encodeURIComponent(messageId)}`), {
    accept: EVENTS,
    signal,
    headers: lastEventId ? { "Last-Event-ID": lastEventId } : {},
  });

/** What the page needs to know of the server; an absent answer is not an error (another host may not have it). */
export async function info() {
  const response = await reach("/local/info", {});
  if (!response.ok) return {};
  const told = await response.json();
  functionAddress = told.api ?? "";
  return told;
}
