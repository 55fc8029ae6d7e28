import type { ReleasesBlock } from '@culprit/contract/incidents/bundle-context';
import type { IncidentEvidence } from '../../evidence/bundle-evidence.ts';
import { evidenceTextOrNull } from '../../evidence/evidence-text.ts';

/** The releases between which an incident was seen, and the one in which it came back; null where none is known. */
export function releasesBlock({ releases }: IncidentEvidence): ReleasesBlock | null {
  if (releases === undefined) return null;
  return {
    version: 1,
    first: evidenceTextOrNull(releases.first),
    last: evidenceTextOrNull(releases.last),
    regressed_in: evidenceTextOrNull(releases.regressedIn),
  };
}
