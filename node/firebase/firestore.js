// Follows the client's view of a conversation, and reads nothing else of Firestore.
import { connectFirestoreEmulator, doc, initializeFirestore, onSnapshot, setLogLevel } from "firebase/firestore";

setLogLevel("silent"); // A lost connection is told to the page, which goes on without.

const DEFAULT = "(default)";
const opened = new Map();

function database(app, { database: name = DEFAULT, emulators }) {
  if (!opened.has(app)) {
    const found = initializeFirestore(app, {}, name);
    if (emulators) connectFirestoreEmulator(found, ...hostAndPort(emulators.firestore));
    opened.set(app, found);
  }
  return opened.get(app);
}

function hostAndPort(address) {
  const { hostname, port } = new URL(`http://${address}`);
  return [hostname, Number(port)];
}

const moment = (value) => (typeof value?.toDate === "function" ? value.toDate().toISOString() : value);

/**
 * @param {(view: object) => void} onView told each state of `conversations/{id}`, times as text like the API's
 * @param {() => void} onLost told once if the listener is refused or ends
 * @returns {() => void} how to stop
 */
export function follow(app, told, id, onView, onLost) {
  return onSnapshot(
    doc(database(app, told), "conversations", id),
    (found) => found.exists() && onView(Object.fromEntries(Object.entries(found.data()).map(([name, value]) => [name, moment(value)]))),
    onLost,
  );
}
