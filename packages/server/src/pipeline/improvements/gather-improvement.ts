import type {
  BundleEvidence,
  FingerprintKind,
  SampleEvidence,
} from '@culprit/evidence/bundles/evidence/bundle-evidence';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { prefixedId } from '../../platform/ids.ts';
import { findBundleDeployments, findContextLocations } from '../bundles/evidence/bundle-evidence.queries.ts';
import { type GatherOptions, readEvents } from '../bundles/evidence/gather-evidence.ts';
import { DETECTORS } from './detectors.ts';
import { findImprovementSamples, type ImprovementFacts } from './improvement-bundles.queries.ts';

/**
 * Reads the content of an improvement's document, in the form of an incident's evidence (docs/contract/incidents.md
 * 3.3): its observations are the occurrences, the one with the most weight leads. Null when none of them can be read.
 */
export async function gatherImprovement(
  facts: ImprovementFacts,
  generationNumber: number,
  options: Pick<GatherOptions, 'database' | 'objects' | 'constants'>,
): Promise<BundleEvidence | null> {
  const { database, objects, constants } = options;
  const { projectId, serviceId, serviceName: name, environment } = facts;
  const severity = SEVERITIES[facts.severity] ?? 'low';
  const places = await findImprovementSamples(database, facts.improvementId);
  const events = await readEvents(objects, places);
  const momentsMs = new Set(events.flatMap((event) => (event === null ? [] : [event.effectiveAtMs])));
  const [deployments = []] = await findBundleDeployments(database, projectId, [
    { name, environment, momentsMs },
  ]);
  const samples = new Map<string, SampleEvidence>();
  places.forEach(({ role }, index) => {
    const event = events[index];
    if (event === null || event === undefined) return;
    const known = samples.get(event.eventId);
    const roles: SampleEvidence['roles'] = role === 'latest' ? ['latest'] : ['highest_severity'];
    samples.set(event.eventId, {
      event,
      severity,
      roles: [...(known?.roles ?? []), ...roles],
      chain: [],
      applicationFrame: null,
      deployVersion: deployments.find((each) => each.deployedAtMs <= event.effectiveAtMs)?.version ?? null,
    });
  });
  const all = [...samples.values()];
  const primary = all.find(({ roles }) => roles.includes('highest_severity')) ?? all[0];
  if (primary === undefined) return null;
  const { correlation, effectiveAtMs: atMs } = primary.event;
  const [contextLocations = []] = await findContextLocations(database, [
    {
      projectId,
      incidentId: facts.improvementId,
      serviceId,
      environment,
      isOfJob: false,
      atMs,
      traceId: correlation.traceId,
      requestId: correlation.requestId,
      sessionId: correlation.sessionId,
      hasDigest: false,
    },
  ]);
  const contextEvents = await readEvents(objects, contextLocations);
  const { isOfRequests } = DETECTORS[facts.detector];
  const fingerprintKind: FingerprintKind = isOfRequests ? 'request' : 'log';
  return {
    incident: {
      incidentId: facts.improvementId,
      bundleId: prefixedId('bun', facts.improvementId),
      projectId: prefixedId('proj', projectId),
      title: facts.title,
      severity,
      status: 'open',
      fingerprint: facts.fingerprint,
      fingerprintKind,
      environment,
      serviceName: name,
      serviceId,
      firstSeenAtMs: facts.firstDetectedAtMs,
      lastSeenAtMs: facts.lastDetectedAtMs,
      occurrenceCount: facts.occurrenceCount,
      affectedUsersEstimate: null,
      requestIds: { everyOccurrenceHadOne: false, distinctCount: 0 },
      occurrencesWithRequestBlock: isOfRequests ? facts.occurrenceCount : 0,
      attributedSuppressedCount: 0,
    },
    project: { slug: facts.projectSlug },
    samples: all,
    correlated: contextLocations.flatMap(({ relation }, index) => {
      const event = contextEvents[index];
      return event === null || event === undefined ? [] : [{ event, relation }];
    }),
    deployments,
    constants,
    generationNumber,
  };
}
