import type { LogItem, LogsBlock } from '@culprit/contract/incidents/bundle-context';
import type { NormalizedEvent } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { compareText } from '../../evidence/choose-evidence.ts';
import { LOG_ITEMS_MAX } from '../size-bounds.ts';
import { logLine, type TrailLine, trailLines } from './server-trail.ts';

/**
 * Returns the correlated logs and the lines that the primary event carried, oldest first. The primary event of a log
 * incident is among them, because its attributes have no other place in the document. If there are more than fit, the
 * latest lines of the occurrence itself come first, then the correlated ones in their order.
 */
export function logsBlock(
  correlatedLogs: readonly NormalizedEvent[],
  primary: SampleEvidence,
): LogsBlock | null {
  const own = primary.event.payload.kind === 'log' ? [primary.event] : [];
  const correlated = correlatedLogs.flatMap(eventLine);
  const known = new Set(correlated.map(lineText));
  // A line that was also sent as a separate event is shown once.
  const carried = trailLines(primary).filter((line) => !known.has(lineText(line)));
  const lines = [...own.flatMap(eventLine), ...carried.toReversed(), ...correlated].slice(0, LOG_ITEMS_MAX);
  if (lines.length === 0) return null;
  return { version: 1, items: lines.sort(compareLines).map(({ item }) => item) };
}

function eventLine(event: NormalizedEvent): TrailLine[] {
  const { payload, effectiveAtMs, eventId } = event;
  return payload.kind === 'log' ? [logLine(payload, effectiveAtMs, eventId)] : [];
}

function lineText({ item: { level, message, timestamp } }: { item: LogItem }): string {
  return `${timestamp} ${level} ${message}`;
}

function compareLines(a: TrailLine, b: TrailLine): number {
  return a.atMs - b.atMs || compareText(a.source, b.source) || a.position - b.position;
}
