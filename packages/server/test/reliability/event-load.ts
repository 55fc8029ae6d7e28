import { setTimeout as delay } from 'node:timers/promises';
import { newUuid } from '../../src/platform/ids.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type Acknowledgement, acknowledgement } from '../support/send-events.ts';
import { type EventLedger, ledgerEvent, makeFaulty, type SentEvent, withRelease } from './event-ledger.ts';
import { foreignRequest, type Protocol } from './foreign-load.ts';

/** Clients that send events to a service which may be gone at any moment, and tell the ledger what they learnt. */
interface EventLoad {
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
  /** Every other batch goes as clients of others send it. */
  dsn?: string;
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
  dsn?: string;
  random: SeededRandom;
  ledger: EventLedger;
  surprises: string[];
  isFinishing: () => boolean;
}

async function runClient(client: Client): Promise<void> {
  const { random } = client;
  const unanswered: Batch[] = [];
  const accepted: Batch[] = [];
  while (!client.isFinishing() || unanswered.length > 0) {
    const isRepeat = unanswered.length > 0 && (client.isFinishing() || random.chance(0.5));
    if (isRepeat || !random.chance(0.1)) {
      const batch = (isRepeat ? unanswered.shift() : undefined) ?? newBatch(random, client.dsn !== undefined);
      const isAccepted = await send(client, batch);
      if (batch.hasIds) (isAccepted ? accepted : unanswered).push(batch);
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

interface Batch {
  protocol: Protocol;
  /** It may be sent again, by the same protocol: each has ids of its own. */
  hasIds: boolean;
  events: SentEvent[];
}

function newBatch(random: SeededRandom, isForeign = false): Batch {
  const protocol = isForeign ? random.pick(['own', 'own', 'sentry', 'otlp'] as const) : 'own';
  const hasIds = protocol !== 'own' || random.chance(0.6);
  const events = Array.from({ length: random.integer(1, EVENTS_PER_REQUEST_MAX) }, () => {
    const event = withRelease(ledgerEvent(newUuid(), random.pick(GROUPS), hasIds));
    return protocol === 'own' && random.chance(0.05) ? makeFaulty(event) : event;
  });
  return { protocol, hasIds, events };
}

/** True when it was answered 202, or 200 where that is the promise. */
async function send(client: Client, { protocol, events }: Batch): Promise<boolean> {
  const { ledger } = client;
  const answer =
    protocol === 'own'
      ? await post(client, client.token, events)
      : await postForeign(client, protocol, events);
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

/** Clients of others read nothing but the status, unless something was refused. */
async function postForeign(
  { url, dsn = '' }: Client,
  protocol: 'sentry' | 'otlp',
  events: readonly SentEvent[],
): Promise<Acknowledgement | number | 'none'> {
  const { address, headers, body } = foreignRequest(protocol, { url, dsn }, events);
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const bytes = typeof body === 'string' ? body : new Uint8Array(body);
    const response = await fetch(address, { method: 'POST', headers, body: bytes, signal });
    const text = await response.text();
    if (response.status !== 200) return response.status;
    const isWhole = !/rejected|partial/i.test(text);
    return isWhole ? { accepted: events.length, rejected: 0, errors: [] } : 200;
  } catch {
    return 'none';
  }
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
