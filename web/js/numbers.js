// Numbers of help: read out of what a resource gives, and dialled.

export const isAddress = (number) => /^https:/.test(number);

/** "112 / 119" is two numbers, "116 123" is one; what is no number at all is not dialled. */
export const numbersOf = (number) => [...new Set(String(number ?? "").match(/\d(?:[\d-]| (?=\d))*\d/g) ?? [])];

export const dialled = (number) => `tel:${number.replace(/[ -]/g, "")}`;
