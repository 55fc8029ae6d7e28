import { rmSync } from 'node:fs';
import { batchBody } from '../../../sdk-core/src/sending/delivery.ts';
import type { Spool } from '../local/spool.ts';
import type { DeliveryParts } from '../transport/delivery-parts.ts';
import { arrayOf } from '../transport/spooling.ts';
import type { Runtime } from './runtime.ts';

const MAX_BYTES = 524_288;

/**
 * Sends the waiting events when the process ends and asynchronous work no longer runs (docs/contract/clients.md 4.2).
 */
export class CrashSender {
  readonly #runtime: Runtime;
  readonly #delivery: DeliveryParts;
  readonly #spool: Spool | null;
  #hasRun = false;

  constructor(runtime: Runtime, delivery: DeliveryParts, spool: Spool | null) {
    this.#runtime = runtime;
    this.#delivery = delivery;
    this.#spool = spool;
  }

  /** Once per process: to disk first, so that nothing is lost when the answer does not come in time. */
  run(timeoutMs: number): void {
    if (this.#hasRun) return;
    this.#hasRun = true;
    try {
      const texts = this.#runtime.client.drain(MAX_BYTES);
      if (texts.length === 0) return;
      const json = arrayOf(texts);
      const file = this.#writeSpool(json);
      const send = () => this.#delivery.sendNow(batchBody(texts), json, timeoutMs);
      const hasArrived = this.#runtime.scopes.runOwn(send);
      if (hasArrived && file !== null) rmSync(file, { force: true });
    } catch {
      // Whatever fails here, the process ends as it would have.
    }
  }

  #writeSpool(json: string): string | null {
    try {
      return this.#spool?.writeSync(json) ?? null;
    } catch {
      return null;
    }
  }
}
