// Reads a text/event-stream (WHATWG HTML, "Server-sent events") from bytes. EventSource is no use here: it can neither
// POST nor send an Authorization header.

/** One event as the stream holds it; `data` is not parsed yet. */
export interface RawEvent {
  id: string;
  event: string;
  data: string;
}

/** The stream went silent for longer than the server's pings allow. */
export class StreamStalled extends Error {}

/** Turns chunks into events, wherever the chunks were cut: inside a UTF-8 character, a line end or a field. */
export class SseParser {
  #decoder = new TextDecoder("utf-8");
  #rest = "";
  #afterCr = false;
  #data: string[] = [];
  #event = "";
  #id = "";

  /** Returns the events that these bytes completed. */
  feed(bytes: Uint8Array): RawEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#afterCr && text) {
      if (text.startsWith("\n")) text = text.slice(1);
      this.#afterCr = false;
    }
    // A CR at the very end may be half of a CRLF: it ends its line now, and an LF that follows is dropped.
    if (text.endsWith("\r")) this.#afterCr = true;
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    const events: RawEvent[] = [];
    for (const line of lines) {
      if (line === "") this.#dispatch(events);
      else this.#field(line);
    }
    return events;
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
  }

  #dispatch(events: RawEvent[]): void {
    if (this.#data.length > 0) {
      events.push({ id: this.#id, event: this.#event || "message", data: this.#data.join("\n") });
    }
    this.#data = [];
    this.#event = "";
  }
}

/** Yields the events of a body; throws `StreamStalled` when no byte, not even a ping, arrives for so long. */
export async function* readEvents(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<RawEvent> {
  const reader = body.getReader();
  const parser = new SseParser();
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read());
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamStalled()), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
