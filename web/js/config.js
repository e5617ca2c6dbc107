// What this host says about itself: config.json. The file in web/ is for one machine; `make stage` writes another for Hosting.

import { json, reach } from "./http.js";

let kept = null;

/**
 * @returns {Promise<{auth: "local" | "firebase", api: string, info?: string, firebase?: object, database?: string,
 *   google?: boolean, app_check?: string, emulators?: {auth: string, firestore: string}}>}
 *   api: where the chat function answers, "" for this page's own address; Hosting would buffer a stream
 *   info: where a local server tells its version and whether it is a demo
 *   app_check: the site key of reCAPTCHA Enterprise
 */
export function config() {
  kept ??= reach(new URL("../config.json", import.meta.url)).then(json);
  kept.catch(() => (kept = null)); // The next call asks again.
  return kept;
}
