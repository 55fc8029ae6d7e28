import type { Answer } from '../../../sdk-core/src/sending/host.ts';
import type { Directive } from '../../../sdk-core/src/wire.ts';
import { createLocalTransport } from '../local/local-transport.ts';
import { createBackoff } from './backoff.ts';
import type { RelayedEvent } from './read-events.ts';
import type { RelayTarget } from './relay-target.ts';
import { isFinalRefusal, sendEvents } from './send-events.ts';

/** The result of a call: if its events are safe, and the probes with which the service answered. */
export interface Delivered {
  isSafe: boolean;
  directives: Directive[];
}

/** The delivery of the relay: into files, over a spool, or immediate (docs/contract/clients.md 12.4). */
export interface RelayDelivery {
  deliver(events: readonly RelayedEvent[]): Promise<Delivered>;
  /** Ends every timer. */
  close(): void;
}

const FAILED: Delivered = { isSafe: false, directives: [] };
/** Further calls fail immediately while the service is slow. */
const AT_ONCE_MAX = 8;

/** Into the files of the local mode. */
export function createLocalDelivery(target: RelayTarget, now: () => number): RelayDelivery {
  const transport = createLocalTransport({
    directory: target.localDirectory,
    service: target.service,
    now,
    onUnwritable: (path, code) => target.tell('local_unwritable', { path, code }),
  });
  return {
    async deliver(events) {
      const body = `{"events":[${events.map(({ text }) => text).join(',')}]}`;
      const { status } = await transport.send({ body, events: events.length });
      return { isSafe: status === 202, directives: [] };
    },
    close() {},
  };
}

/** To the service while the browser waits. Nothing is kept, so a failure is the browser's to repeat. */
export function createDirectDelivery(target: RelayTarget, now: () => number): RelayDelivery {
  const backoff = createBackoff();
  let atOnce = 0;
  return {
    async deliver(events) {
      if (atOnce >= AT_ONCE_MAX || backoff.waitMs(now()) > 0) return FAILED;
      atOnce += 1;
      try {
        const texts = events.map(({ text }) => text);
        const { failure, directives, waitMs } = await sendEvents((batch) => target.send(batch), texts, now());
        if (failure === null) {
          backoff.succeed();
          return { isSafe: true, directives };
        }
        tellRefusal(target, failure);
        backoff.fail(failure, waitMs, now());
        return FAILED;
      } finally {
        atOnce -= 1;
      }
    },
    close() {},
  };
}

/** Says once why nothing arrives, where a person can change it. */
export function tellRefusal(target: RelayTarget, answer: Answer): void {
  if (!isFinalRefusal(answer)) return;
  const { status } = answer;
  target.tell(status === 401 ? 'unauthorized' : status === 403 ? 'origin_refused' : 'not_an_api', { status });
}
