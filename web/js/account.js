// The account in the settings: link one, sign in to another, sign out. Nothing is shown where the host has no accounts.

import * as api from "./api.js";
import { auth } from "./auth/index.js";
import { entry, t } from "./messages.js";
import { wordError } from "./problems.js";
import { forget, forgetConversation, forgetEverything } from "./storage.js";
import { $, busy, confirmed, el, toast } from "./view.js";

/** What the form does: "link" gives the anonymous user an account, "enter" signs in to an existing one. */
const MODES = {
  link: { text: "account.link_text", go: "account.link", other: "account.have_one" },
  enter: { text: "account.enter_text", go: "account.enter", other: "account.have_none" },
};
let mode = "link";
let door = null;

export function prepareAccount() {
  $("open-settings").addEventListener("click", join);
  $("account-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt($("account-go"), mode === "link" ? link : enter);
  });
  $("account-other-form").addEventListener("click", () => change(mode === "link" ? "enter" : "link"));
  $("account-forgotten").addEventListener("click", () => attempt($("account-forgotten"), forgotten));
  $("account-google").addEventListener("click", () => attempt($("account-google"), google));
  $("account-out").addEventListener("click", () => attempt($("account-out"), leave));
  $("account-use").addEventListener("click", () => {
    door.useOther();
    anew();
  });
  join();
}

/** Without a connection the sheet has no account; the next time it opens it may. */
async function join() {
  if (door) return;
  door = await auth().catch(() => null);
  door?.onChange(drawAccount);
  drawAccount();
}

function change(wanted) {
  mode = wanted;
  say("");
  drawAccount();
  $("account-email").focus();
}

/** Also when the settings open and when the language changes. */
export function drawAccount() {
  const shown = door?.accounts === true;
  $("account").hidden = !shown;
  if (!shown) return;
  const user = door.user();
  if (door.ended) mode = "enter";
  const linked = user !== null && !user.anonymous;
  if (door.ended && !$("account-email").value) $("account-email").value = door.ended;
  $("account-text").textContent = door.ended ? t("errors.signed_out") : linked ? t("account.linked", { email: user.email }) : t(MODES[mode].text);
  $("account-form").hidden = linked;
  $("account-password").autocomplete = mode === "link" ? "new-password" : "current-password";
  $("account-password-hint").hidden = mode !== "link";
  $("account-go").textContent = t(MODES[mode].go);
  $("account-other-form").textContent = t(MODES[mode].other);
  $("account-forgotten").hidden = mode === "link";
  $("account-google").hidden = linked || mode !== "link" || !door.google;
  $("account-out").hidden = user === null && !door.ended;
  $("account-out").className = linked ? "outline" : "text";
  drawOther(door.other());
}

function drawOther(other) {
  $("account-other").hidden = other === null;
  if (other === null) return;
  $("account-other-text").textContent = other.anonymous ? t("account.other_anonymous") : t("account.other_linked", other);
}

function say(text) {
  $("account-note").textContent = text;
}

function attempt(button, work) {
  return busy(button, async () => {
    say("");
    try {
      await work();
    } catch (error) {
      say(word(error));
    }
  });
}

const word = (error) => (error instanceof api.NoConnection ? t("app.failed") : wordError(error, "errors.failed"));

const written = () => ({ email: $("account-email").value.trim(), password: $("account-password").value });

async function link() {
  const { email, password } = written();
  try {
    await door.link(email, password);
  } catch (error) {
    // Where Firebase hides which addresses have an account, linking one that has is an invalid credential.
    if (!["account_exists", "wrong_password"].includes(error.code)) throw error;
    return chooseExisting(email, (instead) => door.enter(email, password, instead));
  }
  done();
}

async function google() {
  try {
    await door.linkGoogle();
  } catch (error) {
    if (error.code === "popup_closed") return;
    if (error.code !== "account_exists" || !error.credential) throw error;
    return chooseExisting("Google", (instead) => door.enterWith(error.credential, instead));
  }
  done();
}

function done() {
  $("account-form").reset();
  drawAccount();
  say("");
  toast(t("account.done"));
}

/** Two accounts cannot become one. To go there loses nothing: who is here keeps their place in this browser. */
async function chooseExisting(email, go) {
  const words = { heading: t("account.exists"), text: t("account.exists_text", { email }), yes: t("account.exists_yes"), no: t("account.stay") };
  if (!(await confirmed({ ...words, staying: true }))) return;
  mode = "enter";
  drawAccount();
  await go(await hasNothing());
  anew();
}

/** Whether nobody would want to come back here: an anonymous user without a conversation, a document and a plan. */
async function hasNothing() {
  try {
    const [{ conversations }, { documents }, { plan }] = await Promise.all([api.conversations(), api.documents(), api.safetyPlan()]);
    return conversations.length === 0 && documents.length === 0 && plan === null;
  } catch {
    return false;
  }
}

async function enter() {
  const { email, password } = written();
  await door.enter(email, password, !door.ended && (await hasNothing()));
  anew();
}

async function forgotten() {
  const { email } = written();
  await door.forgotten(email);
  say(t("account.mail_sent", { email }));
}

async function leave() {
  if (door.user()?.anonymous && !(await confirmed(losing()))) return;
  const mine = door.other() ? await conversationsOf() : null;
  await door.signOut();
  if (mine) mine.forEach(forgetConversation);
  else forgetEverything();
  anew();
}

/** Everything of this user that the browser remembers goes by its conversation; the other user's drafts stay. */
async function conversationsOf() {
  const ids = [];
  for (let before = null; ; ) {
    const page = await api.conversations(before).catch(() => null);
    if (!page) return null; // Then everything goes: what stays must not be theirs.
    ids.push(...page.conversations.map(({ conversation_id: id }) => id));
    if (page.next == null) return ids;
    before = page.next;
  }
}

/** What signing out takes from a user without an account. */
function losing() {
  const more = [el("ul", { class: "ways" }, ...entry("account.lose_ways").map((way) => el("li", {}, way)))];
  const words = { heading: t("account.lose"), text: t("account.lose_text"), yes: t("account.lose_yes"), no: t("account.stay") };
  return { ...words, more, danger: true, staying: true };
}

/** Another user: nothing of the page that stands here is theirs. */
function anew() {
  forget("current");
  location.assign(location.pathname);
}
