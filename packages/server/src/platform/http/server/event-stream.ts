/** An answer of server-sent events, each made when the one before it was taken. */
export class EventStream {
  readonly events: AsyncIterable<string>;

  constructor(events: AsyncIterable<string>) {
    this.events = events;
  }
}

/** An event as it travels. The data is JSON, which has no line breaks. */
export function serverSentEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Keeps the connection from looking idle to proxies. */
export const STREAM_COMMENT = ':\n\n';
