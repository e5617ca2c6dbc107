// Settings: language of the page, and the rights over one's own data.

import * as api from "./api.js";
import { currentId } from "./chat.js";
import { withdrawAll } from "./consents.js";
import { chooseLocale, locale, t } from "./messages.js";
import { wordError } from "./problems.js";
import { forgetConversation, forgetEverything } from "./storage.js";
import { $, busy, confirmed, prepareDialog, saveFile, toast } from "./view.js";

let version = "";

export function prepareSettings({ onLocale, onGone }) {
  prepareDialog($("settings"));
  $("open-settings").addEventListener("click", () => {
    drawSettings();
    $("settings").showModal();
  });
  $("settings").addEventListener("change", async (event) => {
    if (event.target.name !== "language") return;
    await chooseLocale(event.target.value);
    onLocale();
    drawSettings();
  });
  $("export").addEventListener("click", () => attempt($("export"), download));
  $("export-all").addEventListener("click", () => attempt($("export-all"), downloadAll));
  $("withdraw").addEventListener("click", () => attempt($("withdraw"), withdraw));
  $("delete").addEventListener("click", () => attempt($("delete"), () => remove(onGone)));
  $("delete-all").addEventListener("click", () => attempt($("delete-all"), () => removeAll(onGone)));
}

export function setVersion(text) {
  version = text ?? "";
}

function drawSettings() {
  for (const input of $("settings").querySelectorAll("[name=language]")) input.checked = input.value === locale();
  const none = currentId() === null;
  $("export").disabled = none;
  $("delete").disabled = none;
  $("settings-note").textContent = none ? t("settings.no_conversation") : "";
  $("version").textContent = version ? t("settings.version", { version }) : "";
}

function attempt(button, work) {
  return busy(button, async () => {
    try {
      await work();
    } catch (error) {
      $("settings-note").textContent = wordError(error, "errors.failed");
    }
  });
}

async function download() {
  const id = currentId();
  saveFile(await api.exported(id), `cbot-${id}.json`);
  $("settings-note").textContent = t("settings.exported");
}

async function downloadAll() {
  saveFile(await api.exportedMe(), "cbot-me.json");
  $("settings-note").textContent = t("settings.exported_all");
}

async function withdraw() {
  const words = { heading: t("settings.withdraw_confirm"), text: t("settings.withdraw_text"), yes: t("settings.withdraw_yes") };
  if (!(await confirmed({ ...words, danger: true }))) return;
  $("settings-note").textContent = await withdrawAll();
}

async function remove(onGone) {
  const id = currentId();
  const words = { heading: t("settings.delete_confirm"), text: t("settings.delete_text"), yes: t("settings.delete_yes") };
  if (!(await confirmed({ ...words, danger: true }))) return;
  await api.remove(id);
  forgetConversation(id);
  gone(onGone, "settings.deleted");
}

async function removeAll(onGone) {
  const words = { heading: t("settings.delete_all_confirm"), text: t("settings.delete_all_text"), yes: t("settings.delete_yes") };
  if (!(await confirmed({ ...words, danger: true }))) return;
  await api.removeMe();
  await api.removeAccount();
  forgetEverything();
  gone(onGone, "settings.deleted_all");
}

function gone(onGone, message) {
  $("settings").close();
  onGone();
  toast(t(message));
}
