import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** A stream of server-sent events that a test reads. */
export interface StreamReader {
  status: number;
  /** The next event; null at the end. Comments are counted and passed over. */
  next(): Promise<{ event: string; data: JsonObject } | null>;
  comments(): number;
  close(): Promise<void>;
}

/** Opens `/v1/stream` with the headers of a caller. */
export async function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<StreamReader> {
  const leave = new AbortController();
  const response = await fetch(`${url}/v1/stream${query}`, { headers, signal: leave.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let comments = 0;

  async function block(): Promise<string | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const found = text.slice(0, end);
        text = text.slice(end + 2);
        return found;
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return null;
      text += read.value;
    }
  }

  return {
    status: response.status,
    async next() {
      for (;;) {
        const found = await block();
        if (found === null) return null;
        if (found.startsWith(':')) {
          comments += 1;
          continue;
        }
        const [, event = '', json = ''] = /^event: (\w+)\ndata: (.*)$/.exec(found) ?? [];
        const data: unknown = JSON.parse(json);
        if (!isJsonObject(data)) throw new Error(`no event: ${found}`);
        return { event, data };
      }
    },
    comments: () => comments,
    async close() {
      leave.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}
