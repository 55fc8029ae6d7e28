import {
  CAPTURE_OUTCOMES,
  CAPTURE_PREVIEW_LIMITS,
  type CaptureOutcome,
  type CapturePreview,
  type previewCapture as endpoint,
  type OutcomeCounts,
} from '@culprit/contract/capture/capture-preview';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import {
  evaluateCapturePolicy,
  patchedOverrides,
  type ResolvedCapturePolicy,
  resolveCapturePolicy,
} from '@culprit/evidence/capture/capture-policy';
import { newRuleSettings, type RuleSettings } from '@culprit/evidence/capture/capture-rule';
import { type ActiveRule, type CompiledRules, compileRules } from '@culprit/evidence/capture/evaluate-rules';
import { RuleFacts } from '@culprit/evidence/capture/rule-facts';
import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { fingerprintText } from '@culprit/evidence/events/fingerprint/fingerprint-text';
import { createFingerprinter } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { Fingerprint } from '@culprit/evidence/events/fingerprint/sealed-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { eventLine } from '@culprit/evidence/events/normalize/event-line';
import { findEnabledRules, findPolicy } from '../../../capture/capture.queries.ts';
import { planOfCapture } from '../../../capture/plan-of-capture.ts';
import { requireSoundRule } from '../../../capture/require-sound-rule.ts';
import { activeRuleOf } from '../../../capture/rule-records.ts';
import { createKeptForms } from '../../../maps/lookup/kept-forms.ts';
import { createNameMemory } from '../../../maps/lookup/map-session.ts';
import { mappedFingerprinter } from '../../../maps/lookup/mapped-fingerprinter.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { sql } from '../../../platform/db/statement.ts';
import { invalidPayload } from '../../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { newUuid, prefixedId } from '../../../platform/ids.ts';
import { createLoopYield } from '../../../platform/loop-yield.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findGroupingSettings } from '../../../workspace/projects/grouping-settings.queries.ts';
import { findIncidentsOf, type RecentEvent, readRecentEvents } from './recent-events.ts';

const BOUNDS = { bytesMax: 16 * 1024 * 1024, batchesMax: 2000 };
const EVENTS_MAX = 20_000;
const WORK_MS = 8000;
const HOUR_MS = 3_600_000;
const TEXT_LENGTH_MAX = 500;

interface Capture {
  policy: ResolvedCapturePolicy;
  rules: CompiledRules;
  /** The rules that compare keys, which the worker checks again for a mapped one. */
  keyRules: CompiledRules;
}

/** The rule that a body describes, if it does. @throws Problem `invalid_payload` */
export function checkPreview({ body }: { body: BodyOf<typeof endpoint> }): RuleSettings | null {
  if (body.rule === undefined && body.policy === undefined) {
    throw invalidPayload('/policy', 'or /rule must be given');
  }
  if (body.rule === undefined) return null;
  const settings = newRuleSettings(body.rule);
  requireSoundRule(settings);
  return settings;
}

/**
 * Returns the effect of another policy, or one more rule, on the events of the last hours. The work is bounded in
 * events, bytes and time; a preview beyond the bounds is marked as incomplete.
 * @throws Problem `project_not_found` when it was deleted, `upgrade_required`
 */
export async function previewCapture(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, RuleSettings | null>,
): Promise<CapturePreview> {
  const { database, objects } = runtime;
  const { access, body } = request;
  const { projectId } = access;
  const { before, after } = await captures(runtime, request);
  const nowMs = await readClock(database);
  const sinceMs = nowMs - body.hours * HOUR_MS;
  const fingerprintOf = createFingerprinter({ entriesMax: 1000 });
  const settings = await findGroupingSettings(database, projectId);
  const raw = (event: NormalizedEvent) => fingerprintOf(event, settings.stackRules);
  const memory = runtime.maps.isOn ? { forms: createKeptForms(objects), names: createNameMemory() } : null;
  const deadlineMs = performance.now() + WORK_MS;
  const others = createLoopYield();
  const counts = { before: zeros(), after: zeros() };
  const changed: RecentEvent[] = [];
  const counted: { event: RecentEvent; stays: boolean }[] = [];
  let seen = 0;
  const { isComplete } = await readRecentEvents(
    { database, objects },
    { projectId, sinceMs, before: null, bounds: BOUNDS },
    async (events) => {
      const mappedOf = await mappedFingerprinter(
        { database, memory, projectId, settings, raw },
        events.map(({ event }) => event),
      );
      for (const event of events) {
        await others.next();
        if (performance.now() >= deadlineMs) return false;
        const check = checkEvent(event.raw);
        if (!check.ok) continue;
        seen += 1;
        const text = textOf(raw(event.event));
        const mapped = textOf(mappedOf(event.event));
        const facts = new RuleFacts(check.facts, () => event.raw, text);
        const mappedFacts = mapped === text ? null : new RuleFacts(check.facts, () => event.raw, mapped);
        const outcome = (capture: Capture) => outcomeOf(capture, facts, mappedFacts, nowMs);
        const [was, is] = [outcome(before), outcome(after)];
        counts.before[was] += 1;
        counts.after[is] += 1;
        if (was !== is && changed.length < CAPTURE_PREVIEW_LIMITS.samples) changed.push(event);
        if (was === 'incident') counted.push({ event, stays: is === 'incident' });
      }
      return seen < EVENTS_MAX;
    },
  );
  const hidden = await hiddenIncidents(runtime, projectId, sinceMs, counted);
  return {
    events_seen: seen,
    ...counts,
    ...hidden,
    samples: changed.map(({ event }) => ({
      event_id: event.eventId,
      event_type: event.eventType,
      occurred_at: formatTimestamp(event.effectiveAtMs),
      text: [...eventLine(event)].slice(0, TEXT_LENGTH_MAX).join(''),
    })),
    is_complete: isComplete,
  };
}

/** Returns the capture in force, and the proposed one. */
async function captures(
  { database, plans }: Runtime,
  { access, body, checked }: ApiRequest<typeof endpoint, RuleSettings | null>,
): Promise<{ before: Capture; after: Capture }> {
  const plan = planOfCapture(plans, access.plan);
  const { policy: patch } = body;
  if (plan === 'free' && patch?.capture_probe_events === 'standalone_when_activated') {
    throw new Problem('upgrade_required');
  }
  const saved = await findPolicy(database, access.projectId);
  if (saved === null) throw new Problem('project_not_found');
  const rows = await findEnabledRules(database, [access.projectId]);
  const rules = rows.flatMap((row) => (row.rule_id === null ? [] : [activeRuleOf(row)]));
  const changed =
    patch === undefined
      ? saved
      : { preset: patch.preset ?? saved.preset, overrides: patchedOverrides(saved.overrides, patch) };
  const added: ActiveRule[] =
    checked === null ? [] : [{ ...checked, ruleId: newUuid(), updatedAtMs: await readClock(database) }];
  const compiled = (list: readonly ActiveRule[]) => compileRules(prefixedId('proj', access.projectId), list);
  const rulesOf = (list: readonly ActiveRule[]) => ({
    rules: compiled(list),
    keyRules: compiled(list.filter(({ matcher }) => matcher.fingerprint !== undefined)),
  });
  return {
    before: { policy: resolveCapturePolicy({ ...saved, plan }), ...rulesOf(rules) },
    after: { policy: resolveCapturePolicy({ ...changed, plan }), ...rulesOf([...rules, ...added]) },
  };
}

function textOf(fingerprint: Fingerprint | null): string | null {
  return fingerprint === null ? null : fingerprintText(fingerprint);
}

/** @param mapped of an event with a mapped key, that one in place of the raw one */
function outcomeOf(
  { policy, rules, keyRules }: Capture,
  facts: RuleFacts,
  mapped: RuleFacts | null,
  nowMs: number,
): CaptureOutcome {
  const verdict = evaluateCapturePolicy(policy, facts.event);
  if (!verdict.accepted) return 'rejected';
  const decided = rules.decide(facts, nowMs) ?? (mapped === null ? null : keyRules.decide(mapped, nowMs));
  const decision = decided?.outcome ?? 'kept';
  if (decision === 'dropped' || decision === 'sampled_out') return decision;
  if (verdict.eventClass !== 'incident_signal') return 'context';
  return decision === 'demoted' ? 'demoted' : 'incident';
}

/** Returns the incidents of which no event would count, and how often they regressed in this time. */
async function hiddenIncidents(
  { database }: Pick<Runtime, 'database'>,
  projectId: string,
  sinceMs: number,
  counted: readonly { event: RecentEvent; stays: boolean }[],
): Promise<Pick<CapturePreview, 'incidents_hidden' | 'regressions_hidden'>> {
  if (counted.every(({ stays }) => stays)) return { incidents_hidden: [], regressions_hidden: 0 };
  const incidentOf = await findIncidentsOf(
    database,
    projectId,
    counted.map(({ event }) => event.event),
  );
  const events = new Map<string, number>();
  const staying = new Set<string>();
  for (const { event, stays } of counted) {
    const incidentId = incidentOf.get(event.event.eventId);
    if (incidentId === undefined) continue;
    if (stays) staying.add(incidentId);
    events.set(incidentId, (events.get(incidentId) ?? 0) + 1);
  }
  const ids = [...events.keys()].filter((id) => !staying.has(id));
  const rows = await database.query<{ incident_id: string; title: string; regressions: number }>(HIDDEN, [
    projectId,
    ids,
    new Date(sinceMs),
  ]);
  return {
    incidents_hidden: rows
      .map((row) => ({
        incident_id: prefixedId('inc', row.incident_id),
        title: row.title,
        events: events.get(row.incident_id) ?? 0,
      }))
      .sort((a, b) => b.events - a.events)
      .slice(0, CAPTURE_PREVIEW_LIMITS.incidents),
    regressions_hidden: rows.reduce((sum, row) => sum + row.regressions, 0),
  };
}

const HIDDEN = sql('capture-preview-hidden')`
    select i.incident_id, i.title, (select count(*) from lifecycle_events l
      where l.incident_id = i.incident_id and l.kind = 'incident.regressed' and l.occurred_at >= $3) as regressions
    from incidents i where i.project_id = $1 and i.incident_id = any ($2::uuid[])`;

function zeros(): OutcomeCounts {
  return Object.fromEntries(CAPTURE_OUTCOMES.map((word) => [word, 0])) as OutcomeCounts;
}
