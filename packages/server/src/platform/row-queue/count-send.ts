import { counter } from '../metrics/metric-kinds.ts';

const sends = counter({
  name: 'culprit_sends_total',
  help: 'Attempts to send a webhook delivery, an alert or a mail, by what came of them.',
  labelNames: ['kind', 'outcome'],
});

/**
 * Counts an attempt whose outcome is recorded.
 * @param error the word for what went wrong; null: it was delivered
 */
export function countSend(kind: 'webhook' | 'alert' | 'mail', error: string | null): void {
  sends.inc({ kind, outcome: error === null ? 'delivered' : outcomeOf(error) });
}

/** Receivers choose their status, so only its class is a label. */
function outcomeOf(error: string): string {
  const [, first] = /^http_(\d)/.exec(error) ?? [];
  return first === undefined ? error : `http_${first}xx`;
}
