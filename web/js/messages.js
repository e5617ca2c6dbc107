// The page's sentences: locales/<locale>.json, in the markup by data-t, data-t-label and data-t-placeholder.

import { load, save } from "./storage.js";

const LOCALES = ["ko", "en"];
let table = {};
let current = "ko";

export const locale = () => current;

export function preferredLocale() {
  const chosen = load("locale");
  if (LOCALES.includes(chosen)) return chosen;
  return navigator.languages?.[0]?.toLowerCase().startsWith("en") ? "en" : "ko";
}

export async function useLocale(wanted) {
  const response = await fetch(new URL(`../locales/${wanted}.json`, import.meta.url));
  if (!response.ok) throw new Error(`locale ${wanted}: ${response.status}`);
  table = await response.json();
  current = wanted;
  document.documentElement.lang = wanted;
  document.title = t("app.title");
  translate(document);
}

export function chooseLocale(wanted) {
  save("locale", wanted);
  return useLocale(wanted);
}

/** The entry as it stands (a list, say), or undefined. */
export function entry(key) {
  return key.split(".").reduce((at, name) => at?.[name], table);
}

export function t(key, values = {}) {
  const text = entry(key);
  if (typeof text !== "string") return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

function translate(root) {
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
  for (const node of root.querySelectorAll("[data-t-placeholder]")) node.placeholder = t(node.dataset.tPlaceholder);
}
