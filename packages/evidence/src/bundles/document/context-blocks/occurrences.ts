import type { OccurrencesBlock } from '@culprit/contract/incidents/bundle-context';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';

/** The sampled occurrences, oldest first: which evidence the document was made of. */
export function occurrencesBlock(oldestFirst: readonly SampleEvidence[]): OccurrencesBlock {
  return {
    version: 1,
    items: oldestFirst.map(({ event, roles, severity, deployVersion }) => ({
      event_id: event.eventId,
      event_type: event.eventType,
      occurred_at: formatTimestamp(event.effectiveAtMs),
      ...(event.occurredAtMs === event.effectiveAtMs
        ? {}
        : { sender_time: formatTimestamp(event.occurredAtMs) }),
      roles: [...roles].sort((a, b) => ROLE_ORDER.indexOf(a) - ROLE_ORDER.indexOf(b)),
      severity,
      deploy_version: deployVersion,
    })),
  };
}

const ROLE_ORDER = ['first', 'latest', 'after_deploy', 'highest_severity', 'richest'];
