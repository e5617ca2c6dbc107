// `node build.mjs FOLDER`: the parts of the Firebase SDK that the page uses, as ES modules of our own origin.
// What no page imports is left out, which halves the size (docs/decisions/0052).
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

await build({
  entryPoints: ["auth.js", "firestore.js", "app_check.js"].map(here),
  outdir: process.argv[2],
  alias: { re2js: here("no_re2.js") },
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  target: "es2022",
  chunkNames: "shared-[hash]",
  legalComments: "eof",
  logLevel: "warning",
});
