import { readAcknowledgement } from '../../../sdk-core/src/sending/acknowledgement.ts';
import { batchBody, retryAfterMs } from '../../../sdk-core/src/sending/delivery.ts';
import type { Answer, Batch } from '../../../sdk-core/src/sending/host.ts';
import type { Directive } from '../../../sdk-core/src/wire.ts';

/** The outcome of events that were forwarded. */
interface SendOutcome {
  /** Indexes of those to be sent again. */
  unsent: number[];
  directives: Directive[];
  /** The answer that says why there are some; null when all are settled. */
  failure: Answer | null;
  /** Before this time nothing should be tried; 0 when the answer does not say. */
  waitMs: number;
}

/**
 * Sends events and reads the answer (docs/contract/clients.md 8.2). A batch that is refused as a whole is halved until
 * the one event that is at fault is alone and is dropped. Never rejects.
 */
export async function sendEvents(
  send: (batch: Batch) => Promise<Answer>,
  texts: readonly string[],
  nowMs: number,
): Promise<SendOutcome> {
  const answer = await attempt(send, texts);
  const { status } = answer;
  if (status >= 200 && status < 300) return readAccepted(answer, texts.length, nowMs);
  if (status !== 400 && status !== 413) {
    const waitMs =
      status === 429 || answer.headers?.['retry-after'] ? retryAfterMs(answer, nowMs) || 1_000 : 0;
    return { unsent: [...texts.keys()], directives: [], failure: answer, waitMs };
  }
  if (texts.length <= 1) return { unsent: [], directives: [], failure: null, waitMs: 0 };
  const middle = texts.length >> 1;
  const first = await sendEvents(send, texts.slice(0, middle), nowMs);
  if (first.failure !== null) return { ...first, unsent: [...first.unsent, ...range(middle, texts.length)] };
  const second = await sendEvents(send, texts.slice(middle), nowMs);
  return { ...second, unsent: second.unsent.map((index) => index + middle) };
}

function readAccepted(answer: Answer, events: number, nowMs: number): SendOutcome {
  const acknowledgement = readAcknowledgement(answer.body, events);
  if (acknowledgement === null)
    return { unsent: range(0, events), directives: [], failure: answer, waitMs: 0 };
  const unsent = acknowledgement.errors
    .filter(({ reason }) => reason === 'rate_limited')
    .map(({ index }) => index);
  const directives = acknowledgement.probe_directives?.active_probes ?? [];
  if (unsent.length === 0) return { unsent, directives, failure: null, waitMs: 0 };
  return { unsent, directives, failure: answer, waitMs: retryAfterMs(answer, nowMs) || 1_000 };
}

async function attempt(send: (batch: Batch) => Promise<Answer>, texts: readonly string[]): Promise<Answer> {
  try {
    return await send({ body: batchBody(texts), events: texts.length });
  } catch {
    return { status: 0 };
  }
}

/** Returns true if an answer means that nothing will be accepted until the configuration changes. */
export function isFinalRefusal({ status }: Answer): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
