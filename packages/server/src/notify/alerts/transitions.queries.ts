import type { AlertTrigger } from '@culprit/contract/alerts/alerts';
import { EARLY_WAKE_CAUSES } from '@culprit/contract/incidents/triage-words';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Severity } from '@culprit/evidence/events/normalize/event';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { parseId, prefixedId } from '../../platform/ids.ts';
import type { AlertFacts, AlertFollowUp, AlertLifecycle, FailedFix, Reached, Wake } from './alert-facts.ts';
import { type ALERTING_KINDS, TRIGGERING_KINDS } from './alerts.jobs.ts';
import type { Transition } from './match-rules.ts';

interface TransitionRow {
  lifecycle_id: number;
  kind: (typeof ALERTING_KINDS)[number];
  occurred_at: number;
  data: Record<string, unknown>;
  incident_id: string;
  number: number;
  service_id: string;
  service_name: string;
  environment: string;
  fingerprint: string;
  fingerprint_kind: string;
  title: string;
  reason_description: string;
  reason_kind: string;
  severity: number;
  status: AlertFacts['incident']['status'];
  occurrence_count: number;
  first_seen_at: number;
  last_seen_at: number;
  first_release: string | null;
  last_release: string | null;
  regression_number: number;
  fix: FailedFix | null;
}

const TRIGGER_OF: Readonly<Record<(typeof TRIGGERING_KINDS)[number], AlertTrigger>> = {
  'incident.opened': 'new_incident',
  'incident.regressed': 'incident_regressed',
  'incident.spike_detected': 'error_spike',
  'incident.threshold_reached': 'occurrence_threshold',
  'incident.woke': 'snooze_ended',
};

/** Rules judge only wake-ups before the time of the snooze. */
const JUDGED_WAKES = `(l.kind <> 'incident.woke' or l.data ->> 'because' in ('${EARLY_WAKE_CAUSES.join("', '")}'))`;

/** The condition on a row `l` of the ledger that rules judge it. Kinds are named, so that their partial index serves. */
export const JUDGED_ROWS = `l.kind in ('${TRIGGERING_KINDS.join("', '")}') and ${JUDGED_WAKES}`;

/**
 * A page is acknowledged when a person gave the incident to a person, also in a ticket. A line of ownership did not
 * read it, and a team is no one in particular.
 */
const ACKNOWLEDGES = `(l.kind <> 'incident.assigned' or l.data -> 'assignee' ->> 'kind' = 'user'
  and l.data ->> 'reason' is null and coalesce(l.data ->> 'because', 'tracker') = 'tracker')`;

/** The ledger rows that concern alerts. */
interface Transitions {
  organizationId: string;
  /** The transitions with which rules are compared. */
  transitions: Transition[];
  /** The follow-ups of messages that were sent (docs/contract/notifications.md 1.20). */
  followUps: Transition<AlertFollowUp>[];
}

/**
 * Ledger rows of a project as transitions, in order, without those of snoozed incidents unless asked for; null when the project is gone.
 * The project is held until the transaction ends, so that nothing is written for one that is deleted in the meantime.
 * Ids are bare UUIDs.
 */
export async function findTransitions(
  transaction: Transaction,
  projectId: string,
  lifecycleIds: readonly number[],
  { withSnoozed = false } = {},
): Promise<Transitions | null> {
  const [project] = await transaction.query<{ organization_id: string; name: string; incident_key: string }>(
    sql(
      'alert-project-hold',
    )`select organization_id, name, incident_key from projects where project_id = $1 and deleted_at is null for key share`,
    [projectId],
  );
  if (project === undefined) return null;
  const rows = await transaction.query<TransitionRow>(
    sql(
      'alert-transitions',
    )`select l.lifecycle_id, l.kind, l.occurred_at, l.data, i.incident_id, i.number, i.service_id, i.service_name, i.environment,
          encode(i.fingerprint, 'hex') as fingerprint, i.fingerprint_kind, i.title, i.reason_description, i.reason_kind, i.severity,
          i.status, i.occurrence_count, i.first_seen_at, i.last_seen_at, i.first_release, i.last_release,
          case l.kind when 'incident.regressed' then (
            select count(*) from lifecycle_events e
            where e.incident_id = l.incident_id and e.kind = l.kind and e.lifecycle_id <= l.lifecycle_id
          ) else 0 end as regression_number,
          case l.kind when 'incident.regressed' then (
            select jsonb_build_object('url', f.url, 'commitSha', f.commit_sha, 'release', f.release,
              'author', coalesce(u.name, u.handle))
            from incident_fixes f left join users u on u.user_id = f.author_user_id
            where f.fix_id = (l.data ->> 'fix_id')::uuid
          ) end as fix
        from lifecycle_events l join incidents i using (incident_id)
        where l.lifecycle_id = any ($2::bigint[]) and l.project_id = $1 and i.sample_id is null and ${JUDGED_WAKES} and ${ACKNOWLEDGES}
          and ($3 or i.snoozed_until is null or l.occurred_at >= i.snoozed_until or l.kind = 'incident.resolved')
        order by l.lifecycle_id`,
    [projectId, [...lifecycleIds], withSnoozed],
  );
  const named = { projectId: prefixedId('proj', projectId), projectName: project.name };
  const found: Transitions = { organizationId: project.organization_id, transitions: [], followUps: [] };
  for (const row of rows) {
    if (row.kind === 'incident.resolved' || row.kind === 'incident.assigned') {
      const lifecycle = row.kind === 'incident.resolved' ? 'incident_resolved' : 'incident_assigned';
      found.followUps.push(transitionOf(row, lifecycle, named, project.incident_key));
    } else found.transitions.push(transitionOf(row, TRIGGER_OF[row.kind], named, project.incident_key));
  }
  return found;
}

function transitionOf<Lifecycle extends AlertLifecycle>(
  row: TransitionRow,
  lifecycle: Lifecycle,
  project: Pick<AlertFacts, 'projectId' | 'projectName'>,
  incidentKey: string,
): Transition<Lifecycle> {
  const { incident_id: incidentId, data } = row;
  return {
    lifecycle,
    lifecycleId: row.lifecycle_id,
    incidentId,
    serviceId: row.service_id,
    fingerprint: row.fingerprint,
    isOpaqueWindowError: row.fingerprint_kind === 'window',
    regressionNumber: row.regression_number,
    spikeDetectedAt: textOrNull(data.spike_detected_at),
    alertId: parseId(['alt'], textOrNull(data.alert_id) ?? ''),
    facts: {
      lifecycle,
      triggeredAt: formatTimestamp(row.occurred_at),
      ...project,
      incident: {
        incidentId: prefixedId('inc', incidentId),
        shortId: `${incidentKey}-${row.number}`,
        bundleId: prefixedId('bun', incidentId),
        title: row.title,
        description: row.reason_description,
        kind: row.reason_kind,
        severity: severityOf(data.severity) ?? SEVERITIES[row.severity] ?? 'low',
        status: row.status,
        serviceId: row.service_id,
        serviceName: row.service_name,
        environment: row.environment,
        occurrenceCount: row.occurrence_count,
        firstSeenAt: formatTimestamp(row.first_seen_at),
        lastSeenAt: formatTimestamp(row.last_seen_at),
      },
      release: releaseOf(row),
      spike: lifecycle === 'error_spike' ? spikeOf(data) : null,
      deploy: deployOf(data),
      ...(lifecycle === 'occurrence_threshold' ? { threshold: reachedIn(data) } : {}),
      ...(lifecycle === 'snooze_ended' ? { wake: wakeIn(data) } : {}),
      ...(row.fix === null ? {} : { fix: row.fix }),
    },
  };
}

function releaseOf(row: TransitionRow): string | null {
  if (row.kind === 'incident.regressed') return textOrNull(row.data.release);
  return row.kind === 'incident.opened' ? row.first_release : row.last_release;
}

function spikeOf(data: TransitionRow['data']): NonNullable<AlertFacts['spike']> {
  return {
    events5m: numberOr(data.events_5m, 0),
    baseline5m: numberOr(data.baseline_5m, 0),
    ratio: numberOr(data.ratio, 0),
  };
}

function reachedIn(data: TransitionRow['data']): Reached {
  if (typeof data.users === 'number') return { users: data.users };
  return { occurrences: numberOr(data.occurrences, 0), windowMinutes: numberOr(data.window_minutes, 0) };
}

function wakeIn(data: TransitionRow['data']): Wake {
  return {
    because: EARLY_WAKE_CAUSES.find((cause) => cause === data.because) ?? 'escalation',
    keptSilent: numberOr(data.kept_silent, 0),
  };
}

/**
 * The deploy that a regression came within 24 hours of (docs/contract/incidents.md 5.8); rows of other kinds have
 * none.
 */
function deployOf(data: TransitionRow['data']): AlertFacts['deploy'] {
  if (data.regression_after_deploy !== true) return null;
  return {
    version: textOrNull(data.deploy_version),
    commitSha: textOrNull(data.deploy_commit_sha),
    branch: textOrNull(data.deploy_branch),
    deployedAt: textOrNull(data.deploy_deployed_at),
    minutesSinceDeploy: numberOr(data.minutes_since_deploy, 0),
  };
}

function severityOf(value: unknown): Severity | undefined {
  return SEVERITIES.find((severity) => severity === value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
