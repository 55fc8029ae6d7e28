import type { Directive } from '../../../sdk-core/src/wire.ts';
import { errorCode } from '../local/error-code.ts';
import type { Claim } from '../local/spool.ts';
import { createBackoff } from './backoff.ts';
import { type Delivered, type RelayDelivery, tellRefusal } from './delivery.ts';
import type { RelaySpool } from './relay-spool.ts';
import type { RelayTarget } from './relay-target.ts';
import { sendEvents } from './send-events.ts';

const ANSWER_WAIT_MAX_MS = 2_000;
const RESEND_INTERVAL_MS = 5 * 60_000;
const BATCH_EVENTS_MAX = 50;
const BATCH_BYTES_MAX = 512 * 1024;
/** Events beyond this number wait on disk for the next resend. */
const WAITING_MAX = 1_000;

interface Waiting {
  name: string;
  /** Called once, with what the service answered or when it is known that it will not soon. */
  settle: (directives: Directive[]) => void;
}

/** A file that is being sent: the texts of its events. */
interface Taken extends Waiting {
  claim: Claim;
  texts: string[];
  isSettled: boolean;
}

interface DurableOptions {
  target: RelayTarget;
  spool: RelaySpool;
  directory: string;
  now: () => number;
}

/**
 * Writes each call to disk before it is answered, and sends it on: one request at a time, several calls in one, again
 * until it arrives. What a former process left is sent at the start, and what is left every five minutes.
 */
export function createDurableDelivery({ target, spool, directory, now }: DurableOptions): RelayDelivery {
  const backoff = createBackoff();
  const waiting: Waiting[] = [];
  let isSending = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;

  async function resend(): Promise<void> {
    await spool.clean();
    const known = new Set(waiting.map(({ name }) => name));
    for (const name of await spool.undelivered()) {
      if (waiting.length >= WAITING_MAX) break;
      if (!known.has(name)) waiting.push({ name, settle: () => undefined });
    }
    pump();
  }

  /** Starts sending, or waits until it may. */
  function pump(): void {
    if (isSending || isClosed || waiting.length === 0 || timer !== null) return;
    const waitMs = backoff.waitMs(now());
    if (waitMs > 0) {
      timer = setTimeout(() => {
        timer = null;
        pump();
      }, waitMs).unref();
      // Calls that wait for an answer now would wait in vain.
      for (const each of waiting) each.settle([]);
      return;
    }
    isSending = true;
    sendNext().then(
      () => {
        isSending = false;
        pump();
      },
      () => {
        isSending = false;
        backoff.fail({ status: 0 }, 0, now());
        pump();
      },
    );
  }

  async function sendNext(): Promise<void> {
    const taken: Taken[] = [];
    try {
      await takeBatch(taken);
      if (taken.length > 0) await sendTaken(taken);
    } finally {
      // A batch that failed on the way waits again immediately, and not only when its claim is old.
      for (const file of taken.filter(({ isSettled }) => !isSettled)) {
        await settle(file, file.texts);
        file.settle([]);
      }
    }
  }

  async function sendTaken(taken: readonly Taken[]): Promise<void> {
    const texts = taken.flatMap((file) => file.texts);
    const outcome = await sendEvents((batch) => target.send(batch), texts, now());
    if (outcome.failure === null) {
      backoff.succeed();
    } else {
      tellRefusal(target, outcome.failure);
      backoff.fail(outcome.failure, outcome.waitMs, now());
    }
    const unsent = new Set(outcome.unsent);
    let offset = 0;
    for (const file of taken) {
      const left = file.texts.filter((_text, index) => unsent.has(offset + index));
      offset += file.texts.length;
      await settle(file, left);
      file.settle(outcome.directives);
    }
  }

  /** Adds files that make up one request, claimed. */
  async function takeBatch(taken: Taken[]): Promise<void> {
    let [events, bytes] = [0, 0];
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const claim = await spool.claim(next.name);
      const texts = claim === null ? null : readTexts(claim.json);
      if (claim === null || texts === null || texts.length === 0) {
        waiting.shift();
        next.settle([]);
        if (claim !== null) await spool.markDelivered(claim);
        continue;
      }
      events += texts.length;
      bytes += claim.json.length;
      if (taken.length > 0 && (events > BATCH_EVENTS_MAX || bytes > BATCH_BYTES_MAX)) {
        await claim.release();
        break;
      }
      waiting.shift();
      taken.push({ ...next, claim, texts, isSettled: false });
    }
  }

  async function settle(file: Taken, left: readonly string[]): Promise<void> {
    const { claim, texts } = file;
    file.isSettled = true;
    if (left.length === 0) return spool.markDelivered(claim);
    let { name } = claim;
    if (left.length === texts.length) {
      const path = await claim.release();
      if (path === null) return;
    } else {
      // Only what the service asked to be sent again.
      name = await spool.write(`[${left.join(',')}]`).catch(() => '');
      if (name === '') return void (await claim.release());
      await spool.markDelivered(claim);
    }
    if (waiting.length < WAITING_MAX) waiting.unshift({ name, settle: () => undefined });
  }

  const periodic = setInterval(() => void resend().catch(() => undefined), RESEND_INTERVAL_MS).unref();
  void resend().catch(() => undefined);

  return {
    async deliver(events): Promise<Delivered> {
      let name: string;
      try {
        name = await spool.write(`[${events.map(({ text }) => text).join(',')}]`);
      } catch (error) {
        target.tell('local_unwritable', { path: directory, code: errorCode(error) });
        return { isSafe: false, directives: [] };
      }
      if (waiting.length >= WAITING_MAX) return { isSafe: true, directives: [] };
      const directives = await new Promise<Directive[]>((resolve) => {
        const patience = setTimeout(() => resolve([]), ANSWER_WAIT_MAX_MS);
        patience.unref();
        waiting.push({
          name,
          settle(answered) {
            clearTimeout(patience);
            resolve(answered);
          },
        });
        if (timer !== null) resolve([]);
        pump();
      });
      return { isSafe: true, directives };
    },
    close() {
      isClosed = true;
      clearInterval(periodic);
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function readTexts(json: string): string[] | null {
  try {
    const events: unknown = JSON.parse(json);
    return Array.isArray(events) ? events.map((event) => JSON.stringify(event)) : null;
  } catch {
    return null;
  }
}
