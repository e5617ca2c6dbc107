// Sign-in by Firebase: anonymous first; an account may be linked later, which keeps the user's id and so all they have.
//
// This browser has two places for a user. Signing in to an existing account takes the place that is free, so the
// anonymous user who did it keeps theirs, and both can be returned to (docs/decisions/0052).

import { NoConnection } from "../http.js";
import { locale } from "../messages.js";
import { load, save } from "../storage.js";
import { AuthProblem, loaded } from "./index.js";

const PLACES = ["first", "second"];
/** Firebase's codes of what a person can do something about; the words are under `errors`. */
const CODES = {
  "auth/email-already-in-use": "account_exists",
  "auth/credential-already-in-use": "account_exists",
  "auth/invalid-credential": "wrong_password",
  "auth/wrong-password": "wrong_password",
  "auth/user-not-found": "wrong_password",
  "auth/invalid-email": "invalid_email",
  "auth/missing-email": "invalid_email",
  "auth/weak-password": "weak_password",
  "auth/password-does-not-meet-requirements": "weak_password",
  "auth/missing-password": "weak_password",
  "auth/too-many-requests": "too_many_tries",
  "auth/popup-blocked": "popup_blocked",
  "auth/popup-closed-by-user": "popup_closed",
  "auth/cancelled-popup-request": "popup_closed",
  "auth/user-disabled": "account_disabled",
};
/** The account or its sign-in is no more; Firebase then forgets the user by itself. */
const GONE = ["auth/user-token-expired", "auth/user-disabled", "auth/user-not-found", "auth/invalid-user-token"];

export async function open(told) {
  const sdk = await loaded(import("../../vendor/auth.js"));
  const auth = new FirebaseAuth(sdk, told);
  await auth.begin();
  return auth;
}

class FirebaseAuth {
  accounts = true;
  #sdk;
  #told;
  #places = new Map();
  #listeners = [];
  #entering = null;
  #proofs = null;
  #staff = false;
  /** The e-mail of the account whose sign-in ended by itself: nobody new takes its place unasked. */
  #ended = "";

  constructor(sdk, told) {
    this.#sdk = sdk;
    this.#told = told;
  }

  async begin() {
    await Promise.all(PLACES.map((place) => this.#open(place)));
    const taken = PLACES.filter((place) => this.#places.get(place).currentUser);
    this.place = taken.includes(load("place")) ? load("place") : (taken[0] ?? PLACES[0]);
    this.#sdk.onAuthStateChanged(this.#auth, () => this.#tell());
    if (this.#told.app_check) this.#proofs = this.#prove();
  }

  async #prove() {
    const { prove } = await import("../../vendor/app_check.js");
    return new Map([...this.#places].map(([place, { app }]) => [place, prove(app, this.#told)]));
  }

  async #open(place) {
    const { initializeApp, initializeAuth, indexedDBLocalPersistence, browserLocalPersistence, connectAuthEmulator } = this.#sdk;
    const app = initializeApp(this.#told.firebase, place);
    const auth = initializeAuth(app, { persistence: [indexedDBLocalPersistence, browserLocalPersistence] });
    if (this.#told.emulators) connectAuthEmulator(auth, this.#told.emulators.auth, { disableWarnings: true });
    this.#places.set(place, auth);
    await auth.authStateReady();
  }

  get #auth() {
    return this.#places.get(this.place);
  }

  /** The e-mail of an account whose sign-in ended by itself, or "". */
  get ended() {
    return this.#ended;
  }

  get app() {
    return this.#auth.app;
  }

  get google() {
    return this.#told.google === true && !matchMedia("(display-mode: standalone)").matches;
  }

  user() {
    return seen(this.#auth.currentUser);
  }

  async token(instead) {
    if (this.#ended) throw new AuthProblem("signed_out");
    const user = this.#auth.currentUser ?? (await this.#enter());
    try {
      const token = await user.getIdToken();
      return token === instead ? await user.getIdToken(true) : token;
    } catch (error) {
      if (!GONE.includes(error.code)) throw problem(error);
      if (!user.isAnonymous) this.#ended = user.email;
      await this.#sdk.signOut(this.#auth);
      this.#tell(); // The SDK may have forgotten the user before it threw.
      return this.token();
    }
  }

  async headers() {
    if (!this.#proofs) return {};
    try {
      const proof = (await this.#proofs).get(this.place);
      return { "X-Firebase-AppCheck": await proof() };
    } catch {
      return {}; // Whether a call without a proof is answered is the server's to say.
    }
  }

  onChange(listener) {
    this.#listeners.push(listener);
  }

  #tell() {
    for (const listener of this.#listeners) listener(this.user());
  }

  #enter() {
    this.#entering ??= this.#try(() => this.#sdk.signInAnonymously(this.#auth)).finally(() => (this.#entering = null));
    return this.#entering.then(({ user }) => user);
  }

  async #try(work) {
    try {
      return await work();
    } catch (error) {
      throw problem(error);
    }
  }

  /** Gives the anonymous user an e-mail and a password; what they have stays theirs, under the same id. */
  async link(email, password) {
    await this.token();
    const { EmailAuthProvider, linkWithCredential, sendEmailVerification } = this.#sdk;
    const credential = EmailAuthProvider.credential(email, password);
    const { user } = await this.#try(() => linkWithCredential(this.#auth.currentUser, credential));
    this.#tell();
    this.#auth.languageCode = locale();
    await sendEmailVerification(user).catch(() => {}); // A forgotten password needs a right address; the account works without.
  }

  /** As `link`, with a Google account. If that has an account already, the problem brings what `enterWith` takes. */
  async linkGoogle() {
    await this.token();
    const { GoogleAuthProvider, linkWithPopup, browserPopupRedirectResolver } = this.#sdk;
    try {
      await linkWithPopup(this.#auth.currentUser, new GoogleAuthProvider(), browserPopupRedirectResolver);
    } catch (error) {
      throw problem(error, { credential: GoogleAuthProvider.credentialFromError(error) });
    }
    this.#tell();
  }

  /**
   * Signs in to an existing account; the page is to be loaded anew.
   * @param {boolean} instead the anonymous user has nothing to come back to and gives up their place
   */
  enter(email, password, instead = false) {
    return this.#enterPlace(instead, (auth) => this.#sdk.signInWithEmailAndPassword(auth, email, password));
  }

  enterWith(credential, instead = false) {
    return this.#enterPlace(instead, (auth) => this.#sdk.signInWithCredential(auth, credential));
  }

  /**
   * The page is for staff: their account is used, wherever it is, and the choice is not kept for the chat's page.
   * Whether the account has the role is the server's to say.
   */
  async asStaff() {
    this.#staff = true;
    const place = PLACES.find((one) => seen(this.#places.get(one).currentUser)?.anonymous === false);
    if (!place) throw new AuthProblem("sign_in");
    this.place = place;
  }

  /** An anonymous user keeps this place and the account takes the other; an account whose sign-in ended takes its own. */
  async #enterPlace(instead, signIn) {
    const place = this.user()?.anonymous && !instead ? this.#otherPlace : this.place;
    await this.#try(() => signIn(this.#places.get(place)));
    this.#ended = "";
    if (!this.#staff) save("place", place);
  }

  get #otherPlace() {
    return PLACES.find((place) => place !== this.place);
  }

  /** The user of the other place, who is one press away. */
  other() {
    return seen(this.#places.get(this.#otherPlace).currentUser);
  }

  /** The page is to be loaded anew. */
  useOther() {
    save("place", this.#otherPlace);
  }

  async forgotten(email) {
    this.#auth.languageCode = locale();
    try {
      await this.#sdk.sendPasswordResetEmail(this.#auth, email);
    } catch (error) {
      if (error.code !== "auth/user-not-found") throw problem(error); // Whether there is such an account is not said.
    }
  }

  async signOut() {
    this.#ended = "";
    await this.#try(() => this.#sdk.signOut(this.#auth));
  }

  async remove() {
    const user = this.#auth.currentUser;
    // Firebase deletes an account only soon after a sign-in; later the sign-in ends and the empty account stays.
    if (user) await this.#sdk.deleteUser(user).catch(() => {});
    await this.signOut();
  }

  async listen(id, onView, onLost) {
    const { follow } = await loaded(import("../../vendor/firestore.js"));
    return follow(this.app, this.#told, id, onView, onLost);
  }
}

const seen = (user) =>
  user && { uid: user.uid, anonymous: user.isAnonymous, email: user.email ?? user.providerData[0]?.email ?? "" };

function problem(error, more) {
  if (error instanceof NoConnection || error instanceof AuthProblem) return error;
  if (error.code === "auth/network-request-failed") return new NoConnection(error.message);
  return new AuthProblem(CODES[error.code] ?? "failed", { ...more, cause: error });
}
