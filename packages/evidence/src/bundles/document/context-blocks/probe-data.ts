import type { ProbeDataBlock } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { NormalizedEvent, ProbeItem } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { compareText } from '../../evidence/choose-evidence.ts';
import { evidenceText } from '../../evidence/evidence-text.ts';
import { redactMap } from '../../evidence/redact-evidence.ts';
import { boundMap, PROBE_DATA_BYTES_MAX, PROBE_ITEMS_MAX } from '../size-bounds.ts';

/**
 * Probe data that came with the exception, and correlated probe events, oldest first. Of more than 50 the ones
 * nearest to the primary event stay.
 */
export function probeDataBlock(
  blockOrder: readonly SampleEvidence[],
  correlatedProbes: readonly NormalizedEvent[],
  primaryAtMs: number,
): ProbeDataBlock | null {
  const items = [...inlineItems(blockOrder), ...correlatedProbes.flatMap(probeItem)];
  const distance = (item: ProbeItem): number => Math.abs(item.timestampMs - primaryAtMs);
  const nearest = items
    .sort((a, b) => distance(a) - distance(b) || compareItems(a, b))
    .slice(0, PROBE_ITEMS_MAX);
  if (nearest.length === 0) return null;
  return {
    version: 1,
    items: nearest.sort(compareItems).map((item) => ({
      label: evidenceText(item.label),
      data: boundMap(redactMap(item.data), PROBE_DATA_BYTES_MAX),
      timestamp: formatTimestamp(item.timestampMs),
      activation_id: item.activationId,
    })),
  };
}

function inlineItems(blockOrder: readonly SampleEvidence[]): ProbeItem[] {
  for (const { event } of blockOrder) {
    if (event.payload.kind === 'exception' && event.payload.probeData.length > 0)
      return event.payload.probeData;
  }
  return [];
}

function probeItem({ payload, effectiveAtMs }: NormalizedEvent): ProbeItem[] {
  if (payload.kind !== 'probe') return [];
  const { label, data, activationId } = payload;
  return [{ label, data, activationId, timestampMs: effectiveAtMs }];
}

/** Items that compare equal keep the order of their event, or that of the correlated events. */
function compareItems(a: ProbeItem, b: ProbeItem): number {
  return (
    a.timestampMs - b.timestampMs ||
    compareText(a.label, b.label) ||
    compareText(a.activationId ?? '', b.activationId ?? '')
  );
}
