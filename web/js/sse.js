// Reads a text/event-stream (WHATWG HTML, "Server-sent events") from bytes. EventSource is no use here: it can neither
// POST nor send an Authorization header.

/**
 * Turns chunks into events, wherever the chunks were cut: inside a UTF-8 character, a line end or a field.
 * An event that its blank line has not ended is never given out.
 */
export class SseParser {
  #decoder = new TextDecoder("utf-8");
  #rest = "";
  #afterCr = false;
  #data = [];
  #event = "";
  lastId = "";

  /**
   * @param {Uint8Array} bytes
   * @returns {{id: string, event: string, data: string}[]} the events that these bytes completed
   */
  feed(bytes) {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#afterCr && text) {
      if (text[0] === "\n") text = text.slice(1);
      this.#afterCr = false;
    }
    // A CR at the very end may be half of a CRLF: it ends its line now, and an LF that follows is dropped.
    if (text.endsWith("\r")) this.#afterCr = true;
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop();
    const events = [];
    for (const line of lines) {
      if (line === "") this.#dispatch(events);
      else this.#field(line);
    }
    return events;
  }

  #field(line) {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.lastId = value;
  }

  #dispatch(events) {
    if (this.#data.length) {
      events.push({ id: this.lastId, event: this.#event || "message", data: this.#data.join("\n") });
    }
    this.#data = [];
    this.#event = "";
  }
}

/** The stream went silent for longer than the server's pings allow. */
export class StreamStalled extends Error {}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} silenceMs give up when no byte, not even a ping, arrives for so long
 */
export async function* readEvents(body, silenceMs) {
  const reader = body.getReader();
  const parser = new SseParser();
  try {
    for (;;) {
      const { done, value } = await withDeadline(reader.read(), silenceMs);
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function withDeadline(promise, ms) {
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new StreamStalled()), ms);
  });
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer));
}
