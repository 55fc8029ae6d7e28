import { createHash } from 'node:crypto';
import { evaluateCapturePolicy, resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { sanitizeRawEvent } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import type { RawRecord } from '../../pipeline/stored-events/raw-record.ts';
import {
  SAMPLE_LOG_LINES,
  SAMPLE_RELEASES,
  SAMPLE_SERVICES,
  SAMPLE_STORIES,
  type SampleStory,
} from './sample-stories.ts';

const HOUR_MS = 3_600_000;
/** Occurrences of a story whose log lines are sent. */
const LOGGED = 3;
const REGIONS = ['eu-central-1', 'eu-west-1', 'us-east-1'];

/**
 * The records of the sample's events, as the event intake makes them of a client's under the policy that projects begin
 * with. The policy and the filters of the project are not asked: they are about its own events.
 */
export function sampleRecords(sampleId: string, nowMs: number, userKey: Uint8Array): RawRecord[] {
  const policy = resolveCapturePolicy({ preset: 'investigative', overrides: {}, plan: 'team' });
  return sampleEvents(sampleId, nowMs).map((event, position) => {
    const check = checkEvent(event);
    if (!check.ok) throw new Error(`a sample event is refused: ${check.reason}`);
    const verdict = evaluateCapturePolicy(policy, check.facts);
    if (!verdict.accepted) throw new Error('a sample event is unwanted');
    return {
      eventClass: verdict.eventClass,
      matchedPolicy: verdict.matchedPolicy,
      isDemoted: false,
      requestIndex: 0,
      ruleId: null,
      position,
      eventBytes: Buffer.from(JSON.stringify(sanitizeRawEvent(event, userKey))),
    };
  });
}

/** The events of the sample shop: deploys, then failures with what was logged before them. */
export function sampleEvents(sampleId: string, nowMs: number): JsonObject[] {
  return [...deploys(nowMs), ...SAMPLE_STORIES.flatMap((story, at) => eventsOf(story, at, sampleId, nowMs))];
}

function deploys(nowMs: number): JsonObject[] {
  return SAMPLE_RELEASES.flatMap(({ version, commit, hoursAgo }) =>
    Object.values(SAMPLE_SERVICES).map((service) => {
      const at = new Date(nowMs - hoursAgo * HOUR_MS).toISOString();
      return {
        event_type: 'deploy_metadata',
        timestamp: at,
        service,
        sdk: SDK,
        context: { sample: true },
        payload: {
          version,
          commit_sha: commit,
          branch: 'main',
          environment: service.environment,
          deployed_at: at,
        },
      };
    }),
  );
}

const SDK = { name: 'culprit-sample', version: '1' };

function eventsOf(story: SampleStory, place: number, sampleId: string, nowMs: number): JsonObject[] {
  return Array.from({ length: story.occurrences }, (_, n) => {
    const { fromHoursAgo, toHoursAgo, occurrences } = story;
    const share = occurrences === 1 ? 1 : n / (occurrences - 1);
    const hoursAgo = toHoursAgo + (fromHoursAgo - toHoursAgo) * (1 - share) ** 1.3;
    const atMs = Math.round(nowMs - hoursAgo * HOUR_MS);
    const ids = createHash('sha256').update(`${sampleId} ${place} ${n}`).digest('hex');
    const envelope = {
      service: SAMPLE_SERVICES[story.service],
      sdk: SDK,
      correlation: { trace_id: ids.slice(0, 32), request_id: `req_${ids.slice(32, 44)}` },
    };
    const failure = {
      ...envelope,
      event_type: story.eventType,
      timestamp: new Date(atMs).toISOString(),
      context: {
        sample: true,
        release: releaseAt(hoursAgo),
        user: { id: `customer-${place}-${n % story.customers}` },
        tags: { region: REGIONS[(place + n) % REGIONS.length] ?? '', new_checkout: hoursAgo < 3 },
        ...(story.severity === undefined ? {} : { severity: story.severity }),
      },
      payload: story.payload(n),
    };
    if (story.eventType !== 'backend_exception' || n < occurrences - LOGGED) return [failure];
    const lines = SAMPLE_LOG_LINES.map(({ level, message, beforeMs }) => ({
      ...envelope,
      event_type: 'log_event',
      timestamp: new Date(atMs - beforeMs).toISOString(),
      context: { sample: true },
      payload: { level, message, logger: 'checkout' },
    }));
    return [...lines, failure];
  }).flat();
}

function releaseAt(hoursAgo: number): string {
  const running = SAMPLE_RELEASES.findLast((release) => release.hoursAgo >= hoursAgo);
  return running?.version ?? SAMPLE_RELEASES[0].version;
}
