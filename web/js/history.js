// The messages of a conversation as the server keeps them.

import { messages } from "./api.js";

export async function wholeHistory(id) {
  const all = [];
  for (let after = null; ; ) {
    const page = await messages(id, after);
    all.push(...page.messages);
    if (page.next == null || page.next === after) return all;
    after = page.next;
  }
}

/** A greeting has no message id; it is told apart by its number. */
export const idOf = ({ message_id: messageId, seq }) => messageId ?? `seq-${seq}`;
