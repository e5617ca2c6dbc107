// Who is signed in on this page: one interface, and the implementation that config.json names.

import { config } from "../config.js";
import { NoConnection } from "../http.js";

/**
 * @typedef {{uid: string, anonymous: boolean, email: string}} User
 * @typedef {object} Auth
 * @property {boolean} accounts whether an account can be linked and left; the local sign-in has none
 * @property {() => User | null} user who is signed in
 * @property {(instead?: string) => Promise<string>} token a valid token, signing in somebody new if nobody is;
 *   `instead`: a token that the server refused, so another one is made
 * @property {() => Promise<object>} headers further headers of each call (App Check)
 * @property {() => Promise<void>} signOut from then on the next call is somebody else's
 * @property {() => Promise<void>} remove after their data are gone: the account goes too, where it can
 * @property {(role: string) => Promise<void>} asStaff from then on staff is signed in, in a role
 * @property {(listener: (user: User | null) => void) => void} onChange told when another user is signed in
 * @property {(id: string, onView: (view: object) => void, onLost: () => void) => Promise<() => void>} [listen]
 *   follows a conversation's state as the database pushes it; returns how to stop
 */

/** The account refuses or needs something; `code` is worded under `errors`. */
export class AuthProblem extends Error {
  constructor(code, more = {}) {
    super(code);
    this.code = code;
    Object.assign(this, more);
  }
}

let chosen = null;

/** @returns {Promise<Auth>} */
export function auth() {
  chosen ??= choose();
  chosen.catch(() => (chosen = null));
  return chosen;
}

async function choose() {
  const told = await config();
  const { open } = await loaded(told.auth === "firebase" ? import("./firebase.js") : import("./local.js"));
  return open(told);
}

/** A module that cannot be fetched is a lost connection, and is asked for again. */
export async function loaded(module) {
  try {
    return await module;
  } catch (error) {
    throw new NoConnection(error.message);
  }
}
