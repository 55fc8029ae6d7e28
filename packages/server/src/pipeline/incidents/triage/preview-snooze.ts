import {
  type previewSnooze as endpoint,
  PREVIEWED_WAKES_MAX,
  SNOOZE_PREVIEW_DAYS,
} from '@culprit/contract/incidents/incident-snooze';
import type { WakeCause } from '@culprit/contract/incidents/triage-words';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { replaySnooze } from '@culprit/evidence/incidents/snooze';
import { readClock } from '../../../platform/db/read-clock.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { snoozeEnd } from './change-snooze.ts';
import { findHours } from './snooze.queries.ts';

const DAY_MS = 86_400_000;
const BASELINE_DAYS = 7;

/**
 * Returns the effect that a snooze would have had on the last days, from the counts of hours
 * (docs/contract/team-workflow.md 3.1).
 */
export async function previewSnooze(
  { database }: Runtime,
  { access, body }: ApiRequest<typeof endpoint>,
): Promise<{ hidden: number; would_have_woken: { at: string; because: WakeCause }[] }> {
  const nowMs = await readClock(database);
  const untilMs = snoozeEnd(body, nowMs);
  const fromMs = nowMs - SNOOZE_PREVIEW_DAYS * DAY_MS;
  const hours = await findHours(database, [access.recordId], fromMs - BASELINE_DAYS * DAY_MS);
  const { hidden, wakes } = replaySnooze(
    hours.get(access.recordId) ?? new Map(),
    { fromMs, toMs: nowMs },
    {
      durationMs: untilMs - nowMs,
      forOccurrences: body.for_occurrences ?? null,
      wakesOnEscalation: body.wakes_on_escalation !== false,
    },
  );
  return {
    hidden,
    would_have_woken: wakes
      .slice(0, PREVIEWED_WAKES_MAX)
      .map(({ atMs, because }) => ({ at: formatTimestamp(atMs), because })),
  };
}
