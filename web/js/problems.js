// Says an error in the reader's language.

import { NoConnection, Problem } from "./api.js";
import { entry, t } from "./messages.js";

/** For what lies outside the conversations: nothing was written that could be kept, and what is not found is no conversation. */
export function wordUnlessGone(error, gone, general) {
  if (error instanceof NoConnection) return t("app.failed");
  return error.status === 404 ? t(gone) : wordError(error, general);
}

/** Seconds that are told as such; a wait until tomorrow has words of its own. */
const LONGEST_COUNTED = 600;

/** The page's sentence for a known code, else the server's detail, else a general one. */
export function wordError(error, general = "errors.generic") {
  if (error instanceof NoConnection) return t("errors.network");
  const own = error.code && entry(`errors.${error.code}`);
  // An unknown code and no words: an error of this page itself, or a stream that could not be kept up.
  const text = own || error.detail || (error instanceof Problem || error.code ? t(general) : t("errors.network"));
  const soon = error.retryAfter > 0 && error.retryAfter <= LONGEST_COUNTED;
  return soon ? `${text} ${t("errors.wait", { seconds: error.retryAfter })}` : text;
}
