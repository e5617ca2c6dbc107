// The sign-in of one machine: its server gives anybody a token for the asking.

import { json, reach } from "../http.js";
import { forget, load, save } from "../storage.js";

export function open() {
  return new LocalAuth();
}

class LocalAuth {
  accounts = false;
  #token = null;
  #role = null;
  #signingIn = null;

  user() {
    const uid = load(this.#kept);
    return uid ? { uid, anonymous: true, email: "" } : null;
  }

  async token(instead) {
    if (!this.#token || this.#token === instead) await this.#signIn();
    return this.#token;
  }

  async headers() {
    return {};
  }

  async signOut() {
    this.#token = null;
    forget(this.#kept);
  }

  remove() {
    return this.signOut();
  }

  onChange() {}

  /** From the next sign-in on, this page's user is staff in a role. */
  async asStaff(role) {
    this.#token = null;
    this.#role = role;
  }

  get #kept() {
    return this.#role ? `uid.${this.#role}` : "uid";
  }

  #signIn() {
    this.#signingIn ??= this.#ask().finally(() => (this.#signingIn = null));
    return this.#signingIn;
  }

  async #ask() {
    const uid = load(this.#kept);
    const body = await reach("/local/sign-in", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...(uid && { uid }), ...(this.#role && { role: this.#role }) }),
    }).then(json);
    this.#token = body.id_token;
    save(this.#kept, body.uid);
  }
}
