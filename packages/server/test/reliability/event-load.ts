import { setTimeout as delay } from 'node:timers/promises';
import { newUuid } from '../../src/platform/ids.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type Acknowledgement, acknowledgement } from '../support/send-events.ts';
import { type EventLedger, ledgerEvent, makeFaulty, type SentEvent, withRelease } from './event-ledger.ts';

/** Clients that send events to a service which may be gone at any moment, and tell the ledger what they learnt. */
export interface EventLoad {
  /** Answers that no client should ever get. */
  surprises(): string[];
  /** Sends no new events; what has ids is sent until it is accepted. */
  finish(): Promise<void>;
}

const GROUPS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot'] as const;
const EVENTS_PER_REQUEST_MAX = 12;
const ANSWER_TIMEOUT_MS = 5000;
const PAUSE_MS = { min: 5, max: 40 };
const REPEATED_MAX = 50;

export function startEventLoad(options: {
  url: string;
  token: string;
  clients: number;
  random: SeededRandom;
  ledger: EventLedger;
}): EventLoad {
  const surprises: string[] = [];
  let isFinishing = false;
  const clients = Array.from({ length: options.clients }, () =>
    runClient({ ...options, surprises, isFinishing: () => isFinishing }),
  );
  return {
    surprises: () => surprises,
    async finish() {
      isFinishing = true;
      await Promise.all(clients);
    },
  };
}

interface Client {
  url: string;
  token: string;
  random: SeededRandom;
  ledger: EventLedger;
  surprises: string[];
  isFinishing: () => boolean;
}

async function runClient(client: Client): Promise<void> {
  const { random } = client;
  const unanswered: SentEvent[][] = [];
  const accepted: SentEvent[][] = [];
  while (!client.isFinishing() || unanswered.length > 0) {
    const isRepeat = unanswered.length > 0 && (client.isFinishing() || random.chance(0.5));
    if (isRepeat || !random.chance(0.1)) {
      const { hasIds, events } = isRepeat
        ? { hasIds: true, events: unanswered.shift() ?? [] }
        : newBatch(random);
      const isAccepted = await send(client, events);
      if (hasIds) (isAccepted ? accepted : unanswered).push(events);
    } else if (accepted.length > 0 && random.chance(0.6)) {
      // A client that did not trust its answer.
      await send(client, random.pick(accepted));
    } else {
      await sendRefused(client);
    }
    if (accepted.length > REPEATED_MAX) accepted.shift();
    await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max));
  }
}

function newBatch(random: SeededRandom): { hasIds: boolean; events: SentEvent[] } {
  const hasIds = random.chance(0.6);
  const events = Array.from({ length: random.integer(1, EVENTS_PER_REQUEST_MAX) }, () => {
    const event = withRelease(ledgerEvent(newUuid(), random.pick(GROUPS), hasIds));
    return random.chance(0.05) ? makeFaulty(event) : event;
  });
  return { hasIds, events };
}

/** True when it was answered 202. */
async function send(client: Client, events: SentEvent[]): Promise<boolean> {
  const { ledger } = client;
  const answer = await post(client, client.token, events);
  if (answer === 'none' || answer === 503) {
    ledger.note(events, 'unknown');
    return false;
  }
  if (typeof answer === 'number') {
    ledger.note(events, 'refused');
    client.surprises.push(`${answer} for sound events`);
    return false;
  }
  ledger.note(events, 'accepted');
  const faulty = events.flatMap((event, index) => (event.isFaulty ? [index] : []));
  if (answer.errors.map(({ index }) => index).join() !== faulty.join())
    client.surprises.push(`refused ${JSON.stringify(answer.errors)}, not ${faulty.join()}`);
  return true;
}

/** Whatever comes back, an event behind a wrong token never counts. */
async function sendRefused(client: Client): Promise<void> {
  const { events } = newBatch(client.random);
  client.ledger.note(events, 'refused');
  const answer = await post(client, client.token.replace(/.{6}$/, 'aaaaaa'), events);
  if (answer !== 'none' && answer !== 401 && answer !== 503)
    client.surprises.push(`${JSON.stringify(answer)} for a wrong token`);
}

async function post(
  { url }: Client,
  token: string,
  events: readonly SentEvent[],
): Promise<Acknowledgement | number | 'none'> {
  const body = JSON.stringify({ events: events.map((event) => event.body) });
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    text = await response.text();
  } catch {
    return 'none';
  }
  const { status, headers } = response;
  return status === 202 ? acknowledgement({ status, headers, body: JSON.parse(text) }) : status;
}
