// The documents that can be asked about: the service's agreement and the user's own; uploaded, looked into, deleted.

import * as api from "./api.js";
import { locale, t } from "./messages.js";
import { openPassage } from "./passage.js";
import { wordUnlessGone } from "./problems.js";
import { $, busy, confirmed, el, prepareDialog } from "./view.js";

const SERVICE = "service";
const LARGEST = 2 * 1024 * 1024;
const LABELS = { article: "documents.article", exhibit: "documents.exhibit", paragraph: "documents.paragraph" };
let ask = () => {};
let uploading = false;
/** Counts the looks at the list: an older answer is not drawn over a newer one. */
let looks = 0;

export function prepareDocuments({ onAsk }) {
  ask = onAsk;
  prepareDialog($("documents"));
  $("open-documents").addEventListener("click", openDocuments);
  $("documents-pick").addEventListener("click", () => $("documents-file").click());
  $("documents-file").addEventListener("change", () => {
    const files = [...$("documents-file").files];
    $("documents-file").value = ""; // The same file may be chosen once more.
    take(files);
  });
  prepareDrop($("documents-drop"));
}

/** Files may be dropped anywhere on the sheet: one dropped beside the area must not replace the page. */
function prepareDrop(area) {
  const over = (on) => area.classList.toggle("over", on);
  $("documents").addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  $("documents").addEventListener("dragleave", () => over(false));
  $("documents").addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    take([...event.dataTransfer.files]);
  });
}

async function openDocuments() {
  if ($("drawer").open) $("drawer").close();
  $("documents-list").replaceChildren();
  say("");
  $("documents").showModal();
  await refresh(t("documents.loading"));
}

function say(note, trouble = "") {
  $("documents-note").textContent = note;
  $("documents-trouble").textContent = trouble;
}

async function refresh(note, open = null) {
  const mine = (looks += 1);
  say(note);
  try {
    const [shipped, { documents, limit }] = await Promise.all([api.documentOf(SERVICE, locale()), api.documents()]);
    if (mine !== looks) return;
    $("documents-list").replaceChildren(...[...documents, shipped].map((one) => row(one, one.document_id === open)));
    if (note === t("documents.loading") && !uploading) say(t("documents.kept", { n: documents.length, limit }));
  } catch (error) {
    if (mine === looks && !uploading) say("", wordUnlessGone(error, "documents.gone", "documents.failed"));
  }
}

function row(one, open) {
  const { document_id: id, title, passages } = one;
  const articles = el("ul", { class: "articles" });
  const details = el("details", {}, el("summary", {}, t("documents.articles", { n: passages })), articles);
  details.addEventListener("toggle", () => details.open && !articles.childElementCount && drawArticles(one, articles));
  details.open = open;
  const actions = [button("documents.ask", "outline", () => asked(id)), ...(id === SERVICE ? [] : [remover(one)])];
  return el("li", { "data-document": id }, el("h3", {}, title), el("p", { class: "hint" }, wordOrigin(one)), details, ...actions);
}

function button(key, style, press) {
  const made = el("button", { type: "button", class: style }, t(key));
  made.addEventListener("click", () => busy(made, press));
  return made;
}

function asked(id) {
  $("documents").close();
  ask(id === SERVICE ? undefined : id);
}

function wordOrigin({ version, upload }) {
  if (!upload) return t("documents.shipped", { version });
  const { file_name: file, size, created_at: at, expire_at: until } = upload;
  return t("documents.own", { file, size: wordSize(size), day: day(at), until: day(until) });
}

const day = (at) => new Date(at).toLocaleDateString(locale(), { year: "numeric", month: "long", day: "numeric" });

function wordSize(bytes) {
  const [unit, amount] = bytes < 1024 ** 2 ? ["kilobyte", Math.max(1, bytes / 1024)] : ["megabyte", bytes / 1024 ** 2];
  return new Intl.NumberFormat(locale(), { style: "unit", unit, maximumFractionDigits: unit === "megabyte" ? 1 : 0 }).format(amount);
}

async function drawArticles({ document_id: id, locale: language, articles: known }, list) {
  try {
    const articles = known ?? (await api.documentOf(id, language)).articles;
    list.replaceChildren(...articles.flatMap((one, at) => [chapter(one, articles[at - 1]), article(id, language, one)]).filter(Boolean));
  } catch (error) {
    list.replaceChildren(el("li", { role: "alert" }, wordUnlessGone(error, "documents.gone", "documents.failed")));
  }
}

const chapter = ({ heading }, before) => (heading && heading !== before?.heading ? el("li", { class: "hint" }, heading) : null);

function article(id, language, { id: passage, kind, number, title }) {
  const [n, m] = number.split(/\D+/).filter(Boolean);
  const label = kind === "article" && m ? t("documents.article_part", { n, m }) : t(LABELS[kind], { n: kind === "article" && n ? n : number });
  const made = el("button", { type: "button", class: "link" }, t("citations.open", { label, title }).trim());
  made.addEventListener("click", () => openPassage({ document_id: id, passage_id: passage, label, title, locale: language }));
  return el("li", {}, made);
}

async function take(files) {
  if (uploading || !files.length) return;
  if (files.length > 1) return say("", t("documents.one"));
  const [file] = files;
  if (file.size > LARGEST) return say("", t("documents.too_large"));
  uploading = true;
  await busy($("documents-pick"), () => upload(file));
}

async function upload(file) {
  const bar = $("documents-progress");
  say(t("documents.sending", { name: file.name }));
  bar.value = 0;
  bar.hidden = false;
  let kept = null;
  try {
    kept = await api.uploadDocument(file, (share) => {
      bar.value = share;
      if (share === 1) say(t("documents.reading", { name: file.name }));
    });
  } catch (error) {
    say("", wordUnlessGone(error, "documents.gone", "errors.failed"));
  } finally {
    bar.hidden = true;
    uploading = false;
  }
  if (kept) await refresh(t("documents.uploaded", { title: kept.title }), kept.document_id);
}

function remover({ document_id: id, title }) {
  const made = button("documents.delete", "outline danger", async () => {
    const words = { heading: t("documents.delete_confirm"), text: t("documents.delete_text", { title }), yes: t("settings.delete_yes") };
    if (!(await confirmed({ ...words, danger: true }))) return;
    try {
      await api.deleteDocument(id);
    } catch (error) {
      return say("", wordUnlessGone(error, "documents.gone", "errors.failed"));
    }
    await refresh(t("documents.deleted"));
    $("documents-pick").focus(); // The button that was pressed is gone.
  });
  made.setAttribute("aria-label", t("documents.delete_label", { title }));
  return made;
}
