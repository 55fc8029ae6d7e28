import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import type { CheckInOutcome } from '../../pipeline/ingest/foreign/foreign-intake.ts';
import { refusal } from '../../pipeline/ingest/foreign/foreign-refusal.ts';
import { readClock } from '../../platform/db/read-clock.ts';
import { newUuid } from '../../platform/ids.ts';
import type { PlanSettings } from '../../workspace/billing/plan.ts';
import { heartbeatAllowance } from '../../workspace/billing/plan-limits.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { createPingKey } from './create-heartbeat.ts';
import { findBySlug } from './find-heartbeat.queries.ts';
import { movesSchedule } from './heartbeat-settings.ts';
import {
  countHeartbeats,
  insertHeartbeat,
  lockSettings,
  readProjectPlan,
  updateSettings,
} from './heartbeats.queries.ts';
import { type CheckInResult, recordCheckIn } from './record-check-in.ts';
import type { RecordingOptions } from './record-verdict.ts';
import { nextTime } from './schedule.ts';
import { readSentryCheckIn, type SentryCheckIn } from './sentry-check-in.ts';

/** The options for recording a check-in, which can create a heartbeat. */
export interface CheckInOptions extends RecordingOptions {
  plans: PlanSettings;
}

/** The result of a check-in: recorded, or the reason why not. */
type SentryResult = CheckInResult | 'invalid' | 'unknown_monitor' | 'out_of_heartbeats';

/** The answers that a sender receives for check-ins that are not recorded. */
export const CHECK_IN_REFUSALS = {
  invalid: refusal('invalid_payload', 'The status of a check-in must be in_progress, ok or error.'),
  unknown_monitor: refusal(
    'not_found',
    'There is no heartbeat with this slug and environment. Create it, or send its configuration.',
  ),
  out_of_heartbeats: refusal(
    'not_found',
    'The project has reached the limit of heartbeats from check-ins, and this is not one of them.',
  ),
};

/** Returns the counter of a check-in among those of foreign clients, and the reason that its sender receives. */
export function outcomeOf(result: SentryResult): CheckInOutcome {
  if (result === 'invalid') return { outcome: 'not_taken', reason: 'invalid_event' };
  if (result === 'unknown_monitor') return { outcome: 'not_taken', reason: 'unknown_monitor' };
  const isOverLimit = result === 'out_of_heartbeats' || 'retryAfterSeconds' in result;
  return isOverLimit ? { outcome: 'over_limit', reason: 'over_limit' } : { outcome: 'taken', reason: null };
}

/** Records a check-in of Sentry's clients, which may make its heartbeat, or change it (docs/contract/foreign-protocols.md 7). */
export async function recordSentryCheckIn(
  options: CheckInOptions,
  projectId: string,
  said: JsonObject,
): Promise<SentryResult> {
  const read = readSentryCheckIn(said, Date.now());
  if (read === null) return 'invalid';
  const heartbeat = await findOrMake(options, projectId, read);
  if (typeof heartbeat === 'string') return heartbeat;
  return (await recordCheckIn(options, heartbeat, read.checkIn)) ?? 'unknown_monitor';
}

async function findOrMake(
  { database, plans }: CheckInOptions,
  projectId: string,
  { slug, environment: named, settings }: SentryCheckIn,
): Promise<{ projectId: string; heartbeatId: string } | 'unknown_monitor' | 'out_of_heartbeats'> {
  return await database.transaction(async (transaction) => {
    const project = await lockProject(transaction, projectId);
    if (project === null) return 'unknown_monitor';
    const environment = named ?? project.environmentDefault;
    const found = await findBySlug(transaction, projectId, slug, environment);
    if (settings === null || !project.heartbeatsFromClients) return found ?? 'unknown_monitor';
    const nowMs = await readClock(transaction);
    const expectedAtMs = nextTime(settings.schedule, settings.timezone, nowMs) ?? nowMs;
    if (found !== null) {
      const before = await lockSettings(transaction, projectId, found.heartbeatId);
      if (before === null || before.managedBy === 'member') return found;
      const after = { ...before.settings, ...settings };
      if (JSON.stringify(after) === JSON.stringify(before.settings)) return found;
      await updateSettings(
        transaction,
        { ...found, managedBy: 'check_in' },
        after,
        movesSchedule(before.settings, after) ? { nowMs, expectedAtMs } : null,
      );
      return found;
    }
    const { all, ofCheckIns } = await countHeartbeats(transaction, projectId);
    const plan = await readProjectPlan(transaction, projectId, plans);
    const { heartbeatsMax, ofCheckInsMax } = heartbeatAllowance(plan, plans.isEnforced);
    if (all >= heartbeatsMax || ofCheckIns >= ofCheckInsMax) return 'out_of_heartbeats';
    const heartbeatId = newUuid();
    await insertHeartbeat(transaction, {
      heartbeatId,
      projectId,
      slug,
      environment,
      managedBy: 'check_in',
      pingKey: createPingKey(),
      settings: { ...settings, name: slug, serviceName: null, isEnabled: true },
      // The run that makes it is that of the slot before.
      nowMs: Math.min(nowMs + settings.marginMinutes * 60_000, expectedAtMs),
      expectedAtMs,
    });
    return { projectId, heartbeatId };
  });
}
