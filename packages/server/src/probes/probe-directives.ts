import type { ProbeDirective } from '@culprit/contract/events/events';
import type { EventFacts } from '@culprit/evidence/events/normalize/event-facts';
import { type ActiveProbe, isProbeInScope, renderActivationId } from './active-probe.ts';
import { isPlainPattern } from './label-pattern.ts';

/**
 * Returns the project's active probes for the answer to a batch (docs/contract/ingestion.md 3.9): those whose service
 * and environment fit one of the batch's shape-valid events, or are both `*`.
 * @param probes oldest first, which is the order of the answer
 * @param reader by the marks of the request; `isPublishedLibrary` decides the form of ids if no event shows its dialect
 */
export function probeDirectives(
  probes: readonly ActiveProbe[],
  shapeValid: readonly Pick<EventFacts, 'dialect' | 'serviceName' | 'environment'>[],
  reader: { isPublishedLibrary: boolean; readsWildcards: boolean },
): ProbeDirective[] {
  const readsBareIds =
    shapeValid.length > 0 ? shapeValid.every(({ dialect }) => dialect === 'wire') : reader.isPublishedLibrary;
  return probes
    .filter(
      (probe) =>
        (reader.readsWildcards || isPlainPattern(probe.label_pattern)) &&
        ((probe.service === '*' && probe.environment === '*') ||
          shapeValid.some(({ serviceName, environment }) =>
            isProbeInScope(probe, { service: serviceName, environment }),
          )),
    )
    .map((probe) => ({
      activation_id: renderActivationId(probe.activation_id, readsBareIds),
      label_pattern: probe.label_pattern,
      service: probe.service,
      environment: probe.environment,
      expires_at: probe.expires_at,
      trigger_expires_at: probe.trigger_expires_at,
    }));
}
