// In place of re2js, which Firestore needs for regular expressions in pipeline queries only: a third of its size.
export const RE2JS = {
  compile() {
    throw new Error("pipeline queries are not part of this build");
  },
};
