// Keeps the page's own files, so that it opens without a connection and shows the numbers of help. Only the files named
// here are ever kept: no answer of the server and nothing that somebody wrote. Everything else goes to the network untouched.

/** The digest of the files below in a deployed page (infra/hosting/worker.py): another one makes browsers keep them anew. */
const VERSION = "unstaged";
const FILES = [
  "config.json", "icon.svg", "icons/192.png", "index.html", "js/account.js", "js/api.js", "js/auth/firebase.js",
  "js/auth/index.js", "js/auth/local.js", "js/booking_card.js", "js/bookings.js", "js/chat.js", "js/citations.js",
  "js/closing.js", "js/composer.js", "js/config.js", "js/consents.js", "js/contacts.js", "js/conversations.js",
  "js/documents.js", "js/ending.js", "js/history.js", "js/http.js", "js/live.js", "js/log.js", "js/main.js",
  "js/measures.js", "js/messages.js", "js/numbers.js", "js/offline.js", "js/passage.js", "js/plan.js",
  "js/planning.js", "js/problems.js", "js/service.js", "js/settings.js", "js/skip.js", "js/snapshot.js", "js/sse.js",
  "js/starters.js", "js/storage.js", "js/strip.js", "js/trial.js", "js/turn.js", "js/view.js", "js/welcome.js", "locales/en.json",
  "locales/ko.json", "manifest.webmanifest", "style.css",
];
const KEPT = `shell-${VERSION}`;
/** A page that the network does not bring in this time opens from what is kept. */
const SLOW_MS = 4000;

const ROOT = new URL(self.registration.scope);
const names = new Map(["", ...FILES].map((name) => [new URL(name, ROOT).pathname, name]));
/** The pages that were opened from what is kept; their files come from there, too, so that no two versions mix. */
const opened = new Set();

self.addEventListener("install", (event) => event.waitUntil(keepAll()));
self.addEventListener("activate", (event) => event.waitUntil(dropOlder()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const name = url.origin === ROOT.origin && !url.search ? names.get(url.pathname) : undefined;
  if (request.method !== "GET" || name === undefined) return;
  event.respondWith(request.mode === "navigate" ? page(event, name) : file(event, name));
});

async function keepAll() {
  const kept = await caches.open(KEPT);
  await kept.addAll([...names.values()].map((name) => new Request(new URL(name, ROOT), { cache: "reload" })));
  await self.skipWaiting();
}

async function dropOlder() {
  const older = (await caches.keys()).filter((name) => name.startsWith("shell-") && name !== KEPT);
  await Promise.all(older.map((name) => caches.delete(name)));
  await self.clients.claim();
}

const kept = async (name) => (await caches.open(KEPT)).match(new URL(name, ROOT));

/** From the network, and kept for the next time. */
async function fetched(event, name) {
  const response = await fetch(event.request);
  if (response.ok) {
    const copy = response.clone();
    event.waitUntil(caches.open(KEPT).then((shell) => shell.put(new URL(name, ROOT), copy)));
  }
  return response;
}

async function page(event, name) {
  const own = await kept(name);
  if (!own) return fetch(event.request);
  const late = new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  const asked = fetched(event, name);
  event.waitUntil(asked.catch(() => {})); // It may come, or fail, after the page is there.
  const response = await Promise.race([asked, late]).catch(() => null);
  if (response?.ok) return response;
  opened.add(event.resultingClientId);
  return own;
}

async function file(event, name) {
  const own = await kept(name);
  if (own && opened.has(event.clientId)) return own;
  try {
    const response = await fetched(event, name);
    return response.ok || !own ? response : own;
  } catch (error) {
    if (own) return own;
    throw error;
  }
}
