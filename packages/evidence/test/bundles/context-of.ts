import type { BundleContext } from '@culprit/contract/incidents/bundle-context';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import type { BundleEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { evidenceOf } from './build-evidence.ts';

/** The context of the bundle of one occurrence. */
export function contextOf(occurrence: NormalizedEvent, fields: Partial<BundleEvidence> = {}): BundleContext {
  return assembleBundle(evidenceOf(occurrence, fields)).context;
}
