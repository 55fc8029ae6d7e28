import type { Client } from '../../../sdk-core/src/client.ts';
import { batchBody } from '../../../sdk-core/src/sending/delivery.ts';
import type { Answer, Batch, Host } from '../../../sdk-core/src/sending/host.ts';
import type { Claim, Spool } from '../local/spool.ts';

const FAILING_MS = 30_000;
const FILE_BYTES = 524_288;
const FILE_EVENTS = 50;
const DRAIN_BYTES = 8_388_608;
/** Signals and their suppression reports; context is not worth the disk. */
const SIGNAL_RANK = 1;

/** The use of a spool (docs/contract/clients.md 8.5). */
export interface Spooling {
  /** Every answer of ingestion, also to requests for the configuration. */
  note(answer: Answer): void;
  /** Writes everything that waits, after a `close` that did not finish. */
  save(): Promise<void>;
  /** Resolves when no file is being sent. */
  settled(): Promise<void>;
  /** Releases the file that is being sent immediately, for a process that ends. */
  release(): void;
}

/** Signals go to disk while ingestion fails, and what lies there is sent after a request has succeeded. */
export function createSpooling(
  host: Host,
  client: () => Client,
  spool: Spool,
  send: (batch: Batch) => Promise<Answer>,
): Spooling {
  let failingSince: number | null = null;
  /** Files may lie there from before this process. */
  let mayHaveFiles = true;
  let sending: Promise<void> | null = null;
  let claimed: Claim | null = null;

  async function write(texts: readonly string[]): Promise<void> {
    try {
      for (const json of filesOf(texts)) await spool.write(json);
      mayHaveFiles ||= texts.length > 0;
    } catch {
      client().drop('unload');
    }
  }

  function sendFiles(): void {
    if (!mayHaveFiles) return;
    sending ??= sendEach()
      .catch(() => {})
      .finally(() => {
        sending = null;
      });
  }

  async function sendEach(): Promise<void> {
    await spool.clean();
    for (let claim = await spool.claim(); claim !== null; claim = await spool.claim()) {
      claimed = claim;
      const events = countEvents(claim.json);
      const answer = events === 0 ? { status: 202 } : await attempt(claim.json, events);
      const isDone = isFinal(answer.status);
      await (isDone ? claim.remove() : claim.release());
      claimed = null;
      if (!isDone) return;
    }
    mayHaveFiles = false;
  }

  /** Never rejects, so that no claim is left behind. */
  async function attempt(json: string, events: number): Promise<Answer> {
    try {
      return await send({ body: `{"events":${json}}`, events });
    } catch {
      return { status: 0 };
    }
  }

  return {
    note({ status }) {
      if ((status >= 200 && status < 300) || status === 304) {
        failingSince = null;
        sendFiles();
        return;
      }
      if (status !== 0 && status < 500) return;
      failingSince ??= host.now();
      if (host.now() - failingSince < FAILING_MS) return;
      failingSince = host.now();
      // The answer is read after this call, and puts its batch back first.
      host.schedule(0, () => void write(client().drain(DRAIN_BYTES, { leastRank: SIGNAL_RANK })));
    },
    save: () => write(client().drain(DRAIN_BYTES)),
    settled: async () => sending?.then(() => undefined),
    release: () => void claimed?.release(),
  };
}

/** Arrays of at most 50 events and 512 KiB. */
function filesOf(texts: readonly string[]): string[] {
  const files: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const last = files.at(-1);
    if (last === undefined || last.length === FILE_EVENTS || bytes + text.length > FILE_BYTES) {
      files.push([text]);
      bytes = text.length;
    } else {
      last.push(text);
      bytes += text.length;
    }
  }
  return files.map((file) => arrayOf(file));
}

/** The JSON array of these events. */
export function arrayOf(texts: readonly string[]): string {
  return batchBody(texts).slice('{"events":'.length, -1);
}

function countEvents(json: string): number {
  try {
    const events: unknown = JSON.parse(json);
    return Array.isArray(events) ? events.length : 0;
  } catch {
    return 0;
  }
}

/** Returns true if sending the file again could not change anything. */
function isFinal(status: number): boolean {
  return (status >= 200 && status < 300) || status === 400 || status === 413;
}
