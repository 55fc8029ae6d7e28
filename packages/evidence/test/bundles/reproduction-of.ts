import type { Reproduction } from '@culprit/contract/incidents/reproduction';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import type { BundleEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import type { HttpRequest, NormalizedEvent } from '../../src/events/normalize/event.ts';
import { evidenceOf, exception, request } from './build-evidence.ts';

/** The reproduction of one occurrence, and one that is not possible. */

export function reproductionOf(
  occurrence: NormalizedEvent,
  fields: Partial<BundleEvidence> = {},
): Reproduction {
  return assembleBundle(evidenceOf(occurrence, fields)).reproduction;
}

export function ofRequest(fields: Partial<HttpRequest>): Reproduction {
  return reproductionOf(exception({ request: request(fields) }));
}

export const FEASIBILITY_REFERENCE = {
  standard_http_bugs: 'high',
  frontend_interaction_plus_failing_request: 'medium-high',
  background_jobs: 'medium',
  race_conditions: 'low',
  external_outage_timing: 'low-medium',
};

export function impossible(reason: string) {
  return {
    possible: false,
    confidence: 0,
    reason,
    artifacts: null,
    feasibility_reference: FEASIBILITY_REFERENCE,
  };
}
