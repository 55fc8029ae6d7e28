import { setTimeout as delay } from 'node:timers/promises';

/** Sends events to Culprit in the background, many at a time, and never disturbs the program it serves. */
export interface EventSender {
  add(event: object): void;
  /** Sends what waits; resolves when it is accepted or given up. */
  flush(): Promise<Delivery>;
}

/** What became of the events since the start. */
export interface Delivery {
  accepted: number;
  /** Why events were refused or lost, each reason once. */
  problems: string[];
}

export interface EventSenderOptions {
  /** Without the `/v1`. */
  baseUrl: string;
  projectToken: string;
}

/** As published libraries have it. */
const FLUSH_INTERVAL_MS = 2_000;
const BATCH_EVENTS_MAX = 50;
const ATTEMPTS_MAX = 4;
const RETRY_DELAY_MS = 500;
const ANSWER_TIMEOUT_MS = 5_000;

export function createEventSender(options: EventSenderOptions): EventSender {
  const waiting: object[] = [];
  const problems = new Set<string>();
  let accepted = 0;
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> = Promise.resolve();

  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = await sendBatch(options, waiting.splice(0, BATCH_EVENTS_MAX));
      accepted += batch.accepted;
      for (const problem of batch.problems) problems.add(problem);
    }
  }

  async function flush(): Promise<Delivery> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    sending = sending.then(sendWaiting);
    await sending;
    return { accepted, problems: [...problems] };
  }

  return {
    add(event) {
      waiting.push(event);
      timer ??= setTimeout(() => void flush(), FLUSH_INTERVAL_MS).unref();
    },
    flush,
  };
}

/** Repeats a batch whose answer is unclear: the ids of the events make that safe. */
async function sendBatch(options: EventSenderOptions, events: readonly object[]): Promise<Delivery> {
  const body = JSON.stringify({ events });
  let problem = '';
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    if (attempt > 1) await delay(RETRY_DELAY_MS);
    try {
      const answer = await fetch(`${options.baseUrl}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${options.projectToken}`, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      if (answer.status === 202) return readAcknowledgement(await answer.json());
      problem = `events were answered with ${answer.status} ${await answer.text()}`;
      if (answer.status < 500 && answer.status !== 429) break;
    } catch (error) {
      problem = `events could not be sent: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return { accepted: 0, problems: [problem] };
}

function readAcknowledgement(body: unknown): Delivery {
  if (typeof body !== 'object' || body === null || !('accepted' in body) || !('errors' in body)) {
    return { accepted: 0, problems: ['events were acknowledged in an unknown form'] };
  }
  const errors: unknown[] = Array.isArray(body.errors) ? body.errors : [];
  return {
    accepted: typeof body.accepted === 'number' ? body.accepted : 0,
    problems: errors.map((error) =>
      typeof error === 'object' && error !== null && 'reason' in error
        ? `an event was refused: ${String(error.reason)}`
        : 'an event was refused',
    ),
  };
}
