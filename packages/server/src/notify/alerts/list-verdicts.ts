import type {
  AlertVerdict,
  listAlertVerdicts as ofIncident,
  listRuleVerdicts as ofRule,
} from '@culprit/contract/alerts/alert-verdicts';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { parseTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Transaction } from '../../platform/db/database.ts';
import { invalidCursor } from '../../platform/http/binding/invalid-query.ts';
import { parseId, prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { type FitQueries, keepFitting } from './alert-queries.ts';
import { findRules } from './alert-rules.queries.ts';
import { findTargets, type MissingTarget, openedRule } from './find-targets.ts';
import { type DatedRule, sentVerdict, verdictOf } from './judge-verdict.ts';
import { lifecycleWord, notificationKeyOf, type Transition } from './match-rules.ts';
import { findTransitions } from './transitions.queries.ts';
import {
  findCooldowns,
  findJudgedDeliveries,
  findJudgedOfIncident,
  findJudgedOfProject,
  findReached,
  findRefusals,
  type JudgedRow,
} from './verdicts.queries.ts';

/** A page of verdicts: newest transition first, and of one transition by rule. */
interface VerdictPage {
  /** The last verdict of the page before. Ids are bare UUIDs. */
  after: { occurredAtMs: number; lifecycleId: number; alertId: string } | null;
  limit: number;
}

interface Verdicts {
  verdicts: AlertVerdict[];
  next_cursor: string | null;
}

/** A rule and a transition that it judged. */
interface Pair {
  rule: DatedRule;
  row: JudgedRow;
}

const CURSOR_PARTS = 3;

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkVerdictsPage({ query }: { query: QueryOf<typeof ofIncident> }): VerdictPage {
  const { limit = PAGE_SIZE_DEFAULT, cursor } = query;
  if (cursor === undefined) return { after: null, limit };
  const [time = '', row = '', id = ''] = decodeCursor(cursor, CURSOR_PARTS) ?? [];
  const [occurredAtMs, alertId] = [parseTimestamp(time), parseId(['alt'], id)];
  if (occurredAtMs === null || alertId === null || !/^[1-9]\d{0,14}$/.test(row)) throw invalidCursor();
  return { after: { occurredAtMs, lifecycleId: Number(row), alertId }, limit };
}

/** Why each rule sent something about an incident, or did not (docs/contract/notifications.md 1.21). */
export async function listIncidentVerdicts(
  runtime: Runtime,
  { access, checked: page }: ApiRequest<typeof ofIncident, VerdictPage>,
  fitQueries: FitQueries,
): Promise<Verdicts> {
  return await runtime.database.transaction(async (transaction) => {
    const rules = (await findRules(transaction, access.projectId)).sort((one, other) =>
      one.alertId < other.alertId ? -1 : 1,
    );
    const rows = await findJudgedOfIncident(transaction, access.recordId, ...placeOf(page), page.limit + 2);
    return await judge(transaction, { ...runtime, fitQueries }, access, page, pairsOf(rules, rows, page));
  });
}

/** Why a rule sent something about the incidents of its project, or did not. */
export async function listRuleVerdicts(
  runtime: Runtime,
  { access, checked: page }: ApiRequest<typeof ofRule, VerdictPage>,
  fitQueries: FitQueries,
): Promise<Verdicts> {
  return await runtime.database.transaction(async (transaction) => {
    const rules = await findRules(transaction, access.projectId);
    const rule = rules.filter(({ alertId }) => alertId === access.recordId);
    const rows = await findJudgedOfProject(transaction, access.projectId, ...placeOf(page), page.limit + 2);
    return await judge(transaction, { ...runtime, fitQueries }, access, page, pairsOf(rule, rows, page));
  });
}

function placeOf({ after }: VerdictPage): [Date | null, number | null] {
  return after === null ? [null, null] : [new Date(after.occurredAtMs), after.lifecycleId];
}

/** The rows of a page, and one more that shows whether the page is the last. */
function pairsOf(
  rules: readonly DatedRule[],
  rows: readonly JudgedRow[],
  { after, limit }: VerdictPage,
): Pair[] {
  return rows
    .flatMap((row) => rules.map((rule) => ({ rule, row })))
    .filter(({ rule, row }) => row.lifecycleId !== after?.lifecycleId || rule.alertId > after.alertId)
    .slice(0, limit + 1);
}

/** Judges anew, by the evaluation of docs/contract/notifications.md 1.7 over the ledger and what was sent. */
async function judge(
  transaction: Transaction,
  runtime: Pick<Runtime, 'keys' | 'plans' | 'signIn'> & { fitQueries: FitQueries },
  { projectId, organizationId }: { projectId: string; organizationId: string },
  { limit }: VerdictPage,
  wanted: readonly Pair[],
): Promise<Verdicts> {
  const shown = wanted.slice(0, limit);
  const lifecycleIds = [...new Set(shown.map(({ row }) => row.lifecycleId))];
  const found = await findTransitions(transaction, projectId, lifecycleIds, { withSnoozed: true });
  const transitions = new Map(found?.transitions.map((each) => [each.lifecycleId, each]));
  const pairs = shown.flatMap(({ rule, row }) => {
    const transition = transitions.get(row.lifecycleId);
    return transition === undefined ? [] : [{ rule, row, transition }];
  });
  const rules = new Map(pairs.map(({ rule }) => [rule.alertId, rule]));
  const alertIds = [...rules.keys()];
  const incidentIds = [...new Set(pairs.map(({ row }) => row.incidentId))];
  const sent = await findJudgedDeliveries(transaction, alertIds, incidentIds);
  const refused = new Set(
    (await findRefusals(transaction, projectId, alertIds, lifecycleIds)).map(
      (each) => `${each.alert_id} ${each.lifecycle_id}`,
    ),
  );
  const hasThreshold = [...rules.values()].some(({ threshold }) => threshold !== null);
  const reached = hasThreshold ? await findReached(transaction, incidentIds) : [];
  const missing = new Map<string, MissingTarget>();
  const opened = [...rules.values()].map((rule) => openedRule(runtime.keys, rule));
  await findTargets(transaction, runtime, organizationId, opened, missing);
  const { fitQueries } = runtime;
  const fitting = new Set(
    await keepFitting(pairs, ({ rule, row: { incidentId } }) => ({ rule, incidentId }), {
      database: transaction,
      projectId,
      fitQueries,
    }),
  );
  const cooldowns = await findCooldowns(transaction, pairs.map(cooldownOf));
  const verdicts = pairs.map((pair, index): AlertVerdict => {
    const { rule, row, transition } = pair;
    const { triggeredAt, lifecycle, incident } = transition.facts;
    const delivery = sent.find(
      (each) =>
        each.alertId === rule.alertId &&
        each.incidentId === row.incidentId &&
        each.triggeredAt === triggeredAt &&
        each.lifecycle === lifecycle,
    );
    const isMailOff = rule.channel === 'email' && runtime.signIn.mailTransport === 'off';
    const reachedBefore = reached.find(
      (each) =>
        parseId(['alt'], each.alert_id) === rule.alertId &&
        each.incident_id === row.incidentId &&
        each.lifecycle_id < row.lifecycleId,
    );
    const { word, detail, alertDeliveryId } =
      delivery === undefined
        ? verdictOf(rule, transition, {
            wasRefused: refused.has(`${rule.alertId} ${row.lifecycleId}`),
            wasSnoozed: row.wasSnoozed,
            fitsQuery: fitting.has(pair),
            missing: isMailOff ? 'disabled_target' : (missing.get(rule.alertId) ?? null),
            cooledBy: cooldowns[index] ?? null,
            reachedBefore: reachedBefore?.occurred_at ?? null,
          })
        : sentVerdict(delivery);
    return {
      at: triggeredAt,
      incident_id: incident.incidentId,
      short_id: incident.shortId ?? '',
      title: incident.title,
      transition: transition.lifecycle,
      alert_id: prefixedId('alt', rule.alertId),
      alert_name: rule.name,
      channel: rule.channel,
      verdict: word,
      detail,
      alert_delivery_id: alertDeliveryId ?? null,
    };
  });
  const [last, after] = [shown.at(-1), wanted.at(limit)];
  return {
    verdicts,
    next_cursor: after === undefined || last === undefined ? null : cursorOf(last),
  };
}

function cursorOf({ rule, row }: Pair): string {
  return encodeCursor([
    new Date(row.occurredAtMs).toISOString(),
    String(row.lifecycleId),
    prefixedId('alt', rule.alertId),
  ]);
}

function cooldownOf({ rule, transition }: { rule: DatedRule; transition: Transition }) {
  return {
    alertId: rule.alertId,
    notificationKey: notificationKeyOf(lifecycleWord(rule, transition) ?? rule.condition, transition),
    cooldownSeconds: rule.cooldownSeconds,
    at: transition.facts.triggeredAt,
  };
}
