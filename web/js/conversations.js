// The list of one's own conversations: beside the chat on a wide page, in a drawer on a narrow one.

import * as api from "./api.js";
import { currentId } from "./chat.js";
import { locale, t } from "./messages.js";
import { $, el, prepareDialog } from "./view.js";

const wide = matchMedia("(min-width: 60rem)");
let known = [];
let next = null;
let failed = false;

export function prepareList({ onNew }) {
  prepareDialog($("drawer"));
  $("open-list").addEventListener("click", () => $("drawer").showModal());
  $("close-list").addEventListener("click", closeDrawer);
  $("list-more").addEventListener("click", () => read(next));
  $("new-conversation").addEventListener("click", () => {
    closeDrawer();
    onNew();
  });
  $("conversations").addEventListener("click", (event) => event.target.closest("a") && closeDrawer());
  wide.addEventListener("change", place);
  place();
}

function place() {
  closeDrawer();
  (wide.matches ? $("side") : $("drawer")).append($("list"));
}

function closeDrawer() {
  if ($("drawer").open) $("drawer").close();
}

export const refreshList = () => read(null);

async function read(before) {
  try {
    const page = await api.conversations(before);
    known = before ? [...known, ...page.conversations] : page.conversations;
    next = page.next ?? null;
    failed = false;
  } catch {
    failed = true; // The chat works without its list; the list says so.
  }
  drawList();
}

export function drawList() {
  $("conversations").replaceChildren(...known.map(row));
  $("list-note").hidden = !failed && known.length > 0;
  $("list-note").textContent = t(failed ? "list.failed" : "list.empty");
  $("list-more").hidden = next === null;
  document.body.dataset.list = known.length ? "some" : "empty";
}

function row({ conversation_id: id, title, status, updated_at: at }) {
  const date = new Date(at);
  const day = Number.isNaN(date.getTime()) ? "" : date.toLocaleDateString(locale(), { month: "long", day: "numeric" });
  const link = el(
    "a",
    { href: `#/${encodeURIComponent(id)}` },
    el("b", {}, title || t("list.untitled", { date: day })),
    el("small", {}, [t(`list.${status}`), title ? day : ""].filter(Boolean).join(" · ")),
  );
  if (id === currentId()) link.setAttribute("aria-current", "page");
  return el("li", {}, link);
}
