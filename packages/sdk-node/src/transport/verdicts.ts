import { parseObject, readAcknowledgement } from '../../../sdk-core/src/sending/acknowledgement.ts';
import type { Answer, Batch } from '../../../sdk-core/src/sending/host.ts';

/** The outcome of one event. */
export interface Verdict {
  isAccepted: boolean;
  /** Null when there was no answer. */
  status: number | null;
  /** The code of the refusal. */
  reason: string | null;
}

/** Watches what becomes of single events on their way out. */
export interface Verdicts {
  send(batch: Batch): Promise<Answer>;
  /** Begins to wait for the answer to the batch that holds this event. */
  waitFor(eventId: string): { verdict: Promise<Verdict>; stop(): void };
  /** Why the service refuses this token; null while it does not. */
  readonly refusal: Verdict | null;
  /** Every answer, also to requests for the configuration. */
  note(answer: Answer): void;
}

/** @param deliver sends a batch */
export function createVerdicts(deliver: (batch: Batch) => Promise<Answer>): Verdicts {
  const waiting = new Map<string, (verdict: Verdict) => void>();
  let refusal: Verdict | null = null;

  function note(answer: Answer): void {
    const { status } = answer;
    if (status === 401 || status === 403) refusal = readVerdict(answer, 0, 1);
    else if (status >= 200 && status < 400) refusal = null;
  }

  return {
    note,
    get refusal() {
      return refusal;
    },
    async send(batch) {
      const watched = [...waiting].filter(([id]) => batch.body.includes(id));
      const answer = await deliver(batch);
      note(answer);
      for (const [id, settle] of watched) settle(readVerdict(answer, indexOf(batch.body, id), batch.events));
      return answer;
    },
    waitFor(eventId) {
      let settle: (verdict: Verdict) => void = () => {};
      const verdict = new Promise<Verdict>((resolve) => {
        settle = resolve;
      });
      waiting.set(eventId, settle);
      return { verdict, stop: () => waiting.delete(eventId) };
    },
  };
}

function readVerdict(answer: Answer, index: number, events: number): Verdict {
  const { status, body, code } = answer;
  if (status === 0) return { isAccepted: false, status: null, reason: code ?? 'no_answer' };
  if (status < 200 || status > 299) {
    const error: unknown = parseObject(body)?.error;
    return { isAccepted: false, status, reason: typeof error === 'string' ? error : `http_${status}` };
  }
  const acknowledgement = readAcknowledgement(body, events);
  if (acknowledgement === null) return { isAccepted: false, status, reason: 'not_an_api' };
  const refused = acknowledgement.errors.find((error) => error.index === index);
  return { isAccepted: refused === undefined, status, reason: refused?.reason ?? null };
}

/** The position of an event in its batch. */
function indexOf(body: string, id: string): number {
  const events: unknown = parseObject(body)?.events;
  if (!Array.isArray(events)) return -1;
  return events.findIndex(
    (event: unknown) => typeof event === 'object' && event !== null && Reflect.get(event, 'event_id') === id,
  );
}
