import {
  ALERT_PREVIEW_MATCHES_MAX,
  ALERT_PREVIEW_ROWS_MAX,
  type AlertConfig,
  type AlertPreview,
  type previewAlert as endpoint,
} from '@culprit/contract/alerts/alerts';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable } from '../../platform/db/database.ts';
import { readClock } from '../../platform/db/read-clock.ts';
import { sql } from '../../platform/db/statement.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid, prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { type FitQueries, keepFitting } from './alert-queries.ts';
import { newAlertRule } from './alert-rule.ts';
import { measure, wantedOf } from './judge-crossings.ts';
import { type EnabledRule, matchRules } from './match-rules.ts';
import { resolveReferences } from './resolve-references.ts';
import { findBusyIncidents } from './thresholds.queries.ts';
import { findTransitions, JUDGED_ROWS } from './transitions.queries.ts';

/** All mail to one address within this time is one message (docs/contract/notifications.md 1.12). */
const DIGEST_MS = 10_000;

/**
 * Returns the messages that a rule would have sent in the last days, by the evaluation of
 * docs/contract/notifications.md 1.7 over the ledger.
 * @throws Problem `project_not_found`, `service_not_found`, `slack_destination_not_found`, `upgrade_required`,
 * `slack_not_configured`
 */
export async function previewAlert(
  runtime: Runtime,
  { access, body, checked: config }: ApiRequest<typeof endpoint, AlertConfig>,
  fitQueries: FitQueries,
): Promise<AlertPreview> {
  const { projectId } = access;
  const { reached, matched } = await runtime.database.transaction(async (transaction) => {
    const found = await resolveReferences(transaction, runtime, access, {
      serviceId: body.service_id,
      config,
    });
    const rows = await transaction.query<{ lifecycle_id: number }>(
      sql('alert-preview-rows')`select l.lifecycle_id from lifecycle_events l
          where l.project_id = $1 and ${JUDGED_ROWS}
            and l.occurred_at >= (select culprit_now()) - make_interval(days => $2)
          order by l.occurred_at desc limit $3`,
      [projectId, body.days, ALERT_PREVIEW_ROWS_MAX],
    );
    const read = await findTransitions(
      transaction,
      projectId,
      rows.map((row) => row.lifecycle_id),
    );
    if (read === null) throw new Problem('project_not_found');
    const rule = { ...newAlertRule(body, found), alertId: newUuid(), isJudgedLate: false };
    const judging = { database: transaction, projectId, fitQueries };
    const reached = await findReached(judging, rule);
    const matched = await keepFitting(
      read.transitions.flatMap((transition) => matchRules(transition, [rule])),
      ({ transition: { incidentId } }) => ({ rule, incidentId }),
      judging,
    );
    return { reached, matched };
  });
  if (reached !== null) return { messages: reached.length, held_back: 0, matches: reached };
  const sentAtMs = new Map<string, number>();
  let [messages, heldBack, digestUntilMs] = [0, 0, Number.NEGATIVE_INFINITY];
  const matches = matched.map(({ rule, transition: { lifecycle, facts }, notificationKey }) => {
    const atMs = Date.parse(facts.triggeredAt);
    const coolsUntilMs =
      (sentAtMs.get(notificationKey) ?? Number.NEGATIVE_INFINITY) + rule.cooldownSeconds * 1000;
    const isHeld = rule.cooldownSeconds > 0 && atMs < coolsUntilMs;
    if (isHeld) heldBack += 1;
    else {
      sentAtMs.set(notificationKey, atMs);
      const joins = rule.channel === 'email' && atMs < digestUntilMs;
      if (!joins) {
        messages += 1;
        digestUntilMs = atMs + DIGEST_MS;
      }
    }
    return {
      incident_id: facts.incident.incidentId,
      title: facts.incident.title,
      occurred_at: facts.triggeredAt,
      kind: lifecycle,
      outcome: isHeld ? ('cooldown' as const) : ('sent' as const),
    };
  });
  return { messages, held_back: heldBack, matches: matches.reverse().slice(0, ALERT_PREVIEW_MATCHES_MAX) };
}

/** The minutes that a preview goes back for incidents whose users a rule counts. */
const USERS_MINUTES = 1440;

/** The incidents that have reached the threshold of a rule now; null for a rule without one. */
async function findReached(
  judging: { database: Queryable; projectId: string; fitQueries: FitQueries },
  rule: EnabledRule,
): Promise<AlertPreview['matches'] | null> {
  const { threshold } = rule;
  if (threshold === null) return null;
  const { database, projectId } = judging;
  const nowMs = await readClock(database);
  const minutes = 'users' in threshold ? USERS_MINUTES : threshold.windowMinutes;
  const incidents = await findBusyIncidents(database, projectId, nowMs - minutes * 60_000);
  const measured = await measure(database, [{ ...rule, threshold }], incidents, nowMs);
  const reached = measured.filter(({ amount }) => amount >= wantedOf(threshold));
  const fitting = await keepFitting(
    reached,
    ({ incident: { incidentId } }) => ({ rule, incidentId }),
    judging,
  );
  return fitting.slice(0, ALERT_PREVIEW_MATCHES_MAX).map(({ incident }) => ({
    incident_id: prefixedId('inc', incident.incidentId),
    title: incident.title,
    occurred_at: formatTimestamp(nowMs),
    kind: 'occurrence_threshold',
    outcome: 'sent',
  }));
}
