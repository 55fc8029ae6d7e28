import type { LogItem, LogsBlock } from '@culprit/contract/bundle-context';
import { formatTimestamp } from '@culprit/contract/timestamps';
import type { NormalizedEvent } from '../../events/event.ts';
import type { SampleEvidence } from '../bundle-evidence.ts';
import { compareTime } from '../choose-evidence.ts';
import { evidenceText } from '../evidence-text.ts';
import { redactMap } from '../redact-evidence.ts';
import { boundMap, LOG_ATTRIBUTES_BYTES_MAX, LOG_ITEMS_MAX, LOG_MESSAGE_BYTES_MAX } from '../size-bounds.ts';

/**
 * Correlated logs, oldest first. The primary event of a log incident stands among them, because its attributes have
 * no other place in the document.
 */
export function logsBlock(
  correlatedLogs: readonly NormalizedEvent[],
  primary: SampleEvidence,
): LogsBlock | null {
  const own = primary.event.payload.kind === 'log' ? [primary.event] : [];
  const events = [...own, ...correlatedLogs].slice(0, LOG_ITEMS_MAX).sort(compareTime);
  const items = events.map(logItem).filter((item) => item !== null);
  return items.length === 0 ? null : { version: 1, items };
}

function logItem({ payload, effectiveAtMs }: NormalizedEvent): LogItem | null {
  if (payload.kind !== 'log') return null;
  return {
    // One word per rank: `fatal` is shown as `critical`, as in the log rows (incidents.md 2.6).
    level: payload.level === 'fatal' ? 'critical' : payload.level,
    message: evidenceText(payload.message, LOG_MESSAGE_BYTES_MAX),
    timestamp: formatTimestamp(effectiveAtMs),
    attributes: boundMap(redactMap(payload.attributes), LOG_ATTRIBUTES_BYTES_MAX),
  };
}
