// `node lock.mjs FOLDER…`: renews package-lock.json, and leaves no address of a registry or of anybody else in it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

for (const folder of process.argv.slice(2)) {
  execFileSync("npm", ["install", "--package-lock-only"], { cwd: folder, stdio: "inherit" });
  const file = `${folder}/package-lock.json`;
  const lock = JSON.parse(readFileSync(file, "utf8"));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.extraneous) delete lock.packages[path];
    delete entry.resolved;
    delete entry.funding;
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
