// Preloaded into Firebase's emulators. Before the Auth emulator answers it checks, for each parameter of its API by itself,
// that the description of that API is a valid JSON schema. It is, and the check takes ten of twelve seconds.
const { default: Ajv } = require("ajv");

Ajv.prototype.validateSchema = () => true;
