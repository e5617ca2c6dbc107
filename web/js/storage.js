// What this browser remembers, so that a reload or a lost connection loses nothing. Without storage (private mode,
// quota) it remembers for as long as the page lives.

const PREFIX = "cbot.";
const memory = new Map();

export function load(key) {
  try {
    const stored = localStorage.getItem(PREFIX + key);
    if (stored !== null) return JSON.parse(stored);
  } catch {
    // Blocked or damaged storage is the same as none.
  }
  return memory.has(key) ? memory.get(key) : null;
}

export function save(key, value) {
  memory.set(key, value);
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // The memory copy holds for this page.
  }
}

export function forget(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Nothing was stored.
  }
}

export function forgetConversation(id) {
  for (const kind of ["draft", "pending", "greeting", "snapshot", "rated", "service", "cites", "story", "typed"]) forget(`${kind}.${id}`);
  if (load("current") === id) forget("current");
}

/** Everything but the language of the page. */
export function forgetEverything() {
  const locale = load("locale");
  memory.clear();
  try {
    Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).forEach((key) => localStorage.removeItem(key));
  } catch {
    // Nothing was stored.
  }
  if (locale) save("locale", locale);
}
