// Calls to the server as the user who is signed in, nothing about the page.

import { auth } from "./auth/index.js";
import { config } from "./config.js";
import { json as read, NoConnection, Problem, problem, reach } from "./http.js";
import { locale } from "./messages.js";

export { NoConnection, Problem };

/** What a call needs: where the chat function answers, and who asks. */
const ready = () => Promise.all([config(), auth()]);

/** From here on this page's user is staff in a role; where the host has accounts, somebody must be signed in to one. */
export async function signInAs(role) {
  const user = await auth();
  await user.asStaff(role);
  return user;
}

/** After the user's data are gone, the next call is somebody new. */
export const removeAccount = async () => (await auth()).remove();

/** One call with a valid token; a token that ran out is renewed once, and the same is sent again. */
export async function call(method, path, { body, accept = "application/json", headers = {}, signal } = {}) {
  const [{ api }, user] = await ready();
  let token = await user.token();
  for (let attempt = 0; ; attempt += 1) {
    const response = await reach(api + path, {
      method,
      signal,
      headers: {
        Accept: accept,
        "Accept-Language": locale(),
        Authorization: `Bearer ${token}`,
        ...(await user.headers()),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.ok) return response;
    if (response.status !== 401 || attempt > 0) throw await problem(response);
    token = await user.token(token);
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
  const [{ api }, user] = await ready();
  let token = await user.token();
  for (let attempt = 0; ; attempt += 1) {
    const bearer = { Authorization: `Bearer ${token}`, ...(await user.headers()) };
    const { status, body } = await sendFile(`${api}/api/documents`, file, bearer, onProgress);
    if (status >= 200 && status < 300) return body;
    if (status !== 401 || attempt > 0) throw new Problem(status, body);
    token = await user.token(token);
  }
}

/** One POST that says how far it is, which fetch does not. */
function sendFile(address, file, bearer, onProgress) {
  const form = new FormData();
  form.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "json";
    const headers = { Accept: "application/json", "Accept-Language": locale(), ...bearer };
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

/** What a local server tells of itself; the deployed one says all in config.json. */
export async function info() {
  const told = await config();
  return told.info ? reach(told.info).then(read) : told;
}
