import {
  PRIORITY_LEVELS,
  type PriorityLevel,
  type PriorityReason,
  SPIKING_MINUTES,
} from '@culprit/contract/incidents/triage-words';

/** Users from which a spike concerns many. */
const MANY_USERS = 50;

const TEST_ENVIRONMENT = 'i.is_test_environment';
const NOW = '(select culprit_now())';
const IS_SPIKING = `i.spike_detected_at >= ${NOW} - interval '${SPIKING_MINUTES} min'`;
const IS_NEW = `i.first_seen_at >= ${NOW} - interval '24 hours'`;
const IS_OPAQUE = `i.fingerprint_kind = 'window'`;

/**
 * Why an incident `i` has its level. The first reason that holds decides the level
 * (docs/contract/team-workflow.md 5.1); those of the same level are named with it.
 */
const PRIORITY_RULES: readonly { reason: PriorityReason; level: PriorityLevel; condition: string }[] = [
  { reason: 'critical', level: 'urgent', condition: 'i.severity = 3' },
  {
    reason: 'regressed',
    level: 'urgent',
    condition: `(i.status = 'regressed' and not ${TEST_ENVIRONMENT})`,
  },
  {
    reason: 'spiking_for_many',
    level: 'urgent',
    condition: `(i.affected_users >= ${MANY_USERS} and ${IS_SPIKING})`,
  },
  {
    reason: 'escalated',
    level: 'high',
    condition: `i.escalated_at >= ${NOW} - interval '24 hours'`,
  },
  { reason: 'spiking', level: 'high', condition: IS_SPIKING },
  {
    reason: 'new',
    level: 'high',
    condition: `(${IS_NEW} and not i.is_browser_noise and not ${IS_OPAQUE} and not ${TEST_ENVIRONMENT})`,
  },
  { reason: 'test_environment', level: 'low', condition: TEST_ENVIRONMENT },
  { reason: 'opaque_error', level: 'low', condition: IS_OPAQUE },
  { reason: 'browser_noise', level: 'low', condition: 'i.is_browser_noise' },
];

const DEFAULT_RANK = rankOf('normal');
const HIGH = rankOf('high');

/** The level of incident `i` by the rules, as its place in `PRIORITY_LEVELS`. */
const RULED_PRIORITY = `(case ${PRIORITY_RULES.map(
  ({ level, condition }) => `when ${condition} then ${rankOf(level)}`,
).join(' ')} else ${DEFAULT_RANK} end)`;

/** No person set the priority of incident `i` of projects `$1`. Few have one, so they are looked up once for all rows. */
export const IS_RULED = `i.incident_id not in (
    select m.incident_id from incident_triage m where m.project_id = any ($1::uuid[]) and m.priority is not null)`;

/** The level of incident `i`, as its place in `PRIORITY_LEVELS`: that of the rules, or that which a person set. */
export const PRIORITY_OF = `(case when ${IS_RULED} then ${RULED_PRIORITY}
  else (select t.priority from incident_triage t where t.incident_id = i.incident_id) end)::smallint`;

/** The places in the order by priority, the last one first: those of the levels, then that of urgent critical incidents. */
export const PRIORITY_PLACES = [...PRIORITY_LEVELS, 'critical'] as const;

/** The place of incident `i` in the order by priority, as its index in `PRIORITY_PLACES`. */
export const PRIORITY_PLACE = `(${PRIORITY_OF}
  + (i.severity = 3 and ${PRIORITY_OF} = ${rankOf('urgent')})::integer)::smallint`;

/**
 * Incidents of `projects` that are high or urgent for another reason than that they are critical, and few others, each
 * found by an index.
 * @param projects a condition on a column `project_id`
 */
export function raisedIncidents(projects: string): string {
  const among = [
    `r.regressed_at is not null and r.status = 'regressed'`,
    `r.spike_detected_at >= ${NOW} - interval '${SPIKING_MINUTES} min'`,
    `r.escalated_at >= ${NOW} - interval '24 hours'`,
    `r.first_seen_at >= ${NOW} - interval '24 hours'`,
  ];
  return [
    ...among.map((each) => `select r.incident_id from incidents r where r.${projects} and ${each}`),
    `select m.incident_id from incident_triage m where m.${projects} and m.priority >= ${HIGH}`,
  ].join(' union ');
}

/** The codes of all rules that hold for incident `i`. */
export const PRIORITY_CODES = `array_remove(array[${PRIORITY_RULES.map(
  ({ reason, condition }) => `case when ${condition} then '${reason}' end`,
).join(', ')}], null)`;

/** The priority of a record from `PRIORITY_CODES` and the level that a person set. */
export function priorityOf(
  codes: readonly string[],
  manual: number | null,
): { level: PriorityLevel; reasons: PriorityReason[]; is_manual: boolean } {
  if (manual !== null) return { level: PRIORITY_LEVELS[manual] ?? 'normal', reasons: [], is_manual: true };
  const held = PRIORITY_RULES.filter(({ reason }) => codes.includes(reason));
  const level = held[0]?.level ?? 'normal';
  const reasons = held.filter((rule) => rule.level === level).map(({ reason }) => reason);
  return { level, reasons, is_manual: false };
}

function rankOf(level: PriorityLevel): number {
  return PRIORITY_LEVELS.indexOf(level);
}
