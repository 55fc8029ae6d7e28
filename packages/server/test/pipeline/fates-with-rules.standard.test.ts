import type { CaptureRule } from '@culprit/contract/capture/capture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startApiProcess, startWorkerProcess } from '../support/role-process.ts';
import { ruleClient } from '../support/rule-client.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';

/**
 * Random batches to projects whose rules change all the time, through two API processes, while workers die: every
 * event ends in one fate, and what was answered is what was counted. Told without the service's code but for the
 * sampling number, which the checklist covers.
 */

const plans = SELF_HOSTED;
const NAMES = ['alpha', 'bravo', 'charlie', 'delta', 'echo'] as const;
const PROJECTS = 3;
const ROUNDS = runSize('CULPRIT_TEST_ROUNDS', { standard: 3, long: 6 });
const BATCHES_PER_ROUND = 6;
const EVENTS_MAX = 30;
const REASONS = {
  capture_rule_dropped: 'dropped',
  capture_rule_sampled_out: 'sampled_out',
  capture_policy_rejected: 'refused_by_policy',
  invalid_event: 'invalid',
} as const;

const SEED = chooseSeed();

type Fate = (typeof REASONS)[keyof typeof REASONS];

interface Tenant {
  project: TestProject;
  rules: CaptureRule[];
  submitted: number;
  accepted: number;
  refused: Record<Fate, number>;
  /**
   * Ids of accepted events, with whether they were demoted. Null where some were and some not: batches overtake each
   * other on their way, and the first to be processed counts.
   */
  kept: Map<string, boolean | null>;
  random: SeededRandom;
  withoutId: { demoted: number; processed: number };
}

describe(`fates of random events under changing rules (seed ${SEED})`, () => {
  let culprit: TestCulprit;
  let api: RoleProcess;
  let urls: string[];
  let tenants: Tenant[];

  beforeAll(async () => {
    culprit = await startCulprit({ plans });
    api = await startApiProcess(culprit, { plans });
    urls = [culprit.url, api.report];
    tenants = await Promise.all(
      Array.from({ length: PROJECTS }, async (_, index) => ({
        project: await culprit.createProject(),
        rules: [],
        submitted: 0,
        accepted: 0,
        refused: { dropped: 0, sampled_out: 0, refused_by_policy: 0, invalid: 0 },
        kept: new Map<string, boolean | null>(),
        random: seededRandom(SEED + index),
        withoutId: { demoted: 0, processed: 0 },
      })),
    );
  });
  afterAll(async () => {
    await api.kill();
    await culprit.stop();
  });

  it('balance, and name the rule that decided', { timeout: 90_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const worker = await startWorkerProcess(culprit, { plans });
      await Promise.all(tenants.map((tenant) => playRound(tenant)));
      await worker.kill();
    }
    // Past the leases of the dead workers.
    await moveClock(culprit.database, LEASE_SECONDS * 1000);
    await laneIsEmpty(culprit, EVENTS_LANE, 60_000);
    for (const tenant of tenants) await expectBalance(tenant);
  });

  async function playRound(tenant: Tenant): Promise<void> {
    await changeRules(tenant);
    for (let n = 0; n < BATCHES_PER_ROUND; n += 1) await sendBatch(tenant);
  }

  async function changeRules(tenant: Tenant): Promise<void> {
    const { random } = tenant;
    const client = ruleClient(random.pick(urls), tenant.project);
    const old = tenant.rules.length > 0 && random.chance(0.5) ? random.pick(tenant.rules) : null;
    if (old !== null) {
      await client.update(old.id, { enabled: !old.enabled });
    } else {
      await client.create(randomRule(random));
    }
    tenant.rules = await client.list();
  }

  async function sendBatch(tenant: Tenant): Promise<void> {
    const { random } = tenant;
    const events = Array.from({ length: random.integer(0, EVENTS_MAX) }, () => randomEvent(tenant));
    const answer = acknowledgement(
      await sendEvents(
        random.pick(urls),
        tenant.project.projectToken,
        events.map((event) => event.body),
      ),
    );
    tenant.submitted += events.length;
    tenant.accepted += answer.accepted;
    const reasons = new Map(answer.errors.map(({ index, reason }) => [index, reason]));
    expect(answer.rejected).toBe(reasons.size);
    expect([...reasons.keys()]).toEqual([...reasons.keys()].sort((a, b) => a - b));
    events.forEach((event, index) => {
      const reason = reasons.get(index) ?? null;
      const rule = decidingRule(tenant.rules, event);
      expect(reasonsPossible(event, rule)).toContain(reason);
      if (reason !== null) tenant.refused[fateOf(reason)] += 1;
      else keep(tenant, event, rule);
    });
  }

  async function expectBalance(tenant: Tenant): Promise<void> {
    const id = parseId(['proj'], tenant.project.projectId);
    const rows = await culprit.database.query<{ fate: string; has_rule: boolean; events: number }>(
      {
        name: 'test-balance',
        text: `select fate, rule_id in (select rule_id from capture_rules) as has_rule, sum(events)::bigint as events
          from event_fates where project_id = $1 group by 1, 2`,
      },
      [id],
    );
    const counted = new Map(rows.map((row) => [row.fate, row.events]));
    const of = (fate: string) => counted.get(fate) ?? 0;
    expect(
      rows
        .filter((row) => row.has_rule)
        .map((row) => row.fate)
        .sort(),
    ).toEqual((['dropped', 'sampled_out'] as const).filter((fate) => tenant.refused[fate] > 0));
    expect(of('submitted')).toBe(tenant.submitted);
    for (const [fate, events] of Object.entries(tenant.refused))
      expect([fate, of(fate)]).toEqual([fate, events]);
    expect(of('processed') + of('demoted') + of('duplicate')).toBe(tenant.accepted);
    const demoted = [...tenant.kept.values()].filter((isDemoted) => isDemoted === true).length;
    const unsure = [...tenant.kept.values()].filter((isDemoted) => isDemoted === null).length;
    const { withoutId, kept } = tenant;
    expect(of('demoted')).toBeGreaterThanOrEqual(demoted + withoutId.demoted);
    expect(of('demoted')).toBeLessThanOrEqual(demoted + unsure + withoutId.demoted);
    expect(of('processed') + of('demoted')).toBe(kept.size + withoutId.demoted + withoutId.processed);
    const others = rows.filter((row) => row.fate !== 'submitted').reduce((sum, row) => sum + row.events, 0);
    expect(others).toBe(tenant.submitted);
    expect(await countRows(culprit, 'events where project_id = $1', [id])).toBe(
      of('processed') + of('demoted'),
    );
    expect(await readNumber(culprit, 'sum(occurrence_count)', 'incidents where project_id = $1', [id])).toBe(
      await countRows(culprit, 'events where project_id = $1 and event_class = 0', [id]),
    );
    // Matches of kept events are told by the records, those of the others by their fates.
    const matches = await readNumber(culprit, 'sum(hit_count)', 'capture_rules where project_id = $1', [id]);
    const noted = await readNumber(
      culprit,
      'sum(hits)',
      'capture_rule_hits join capture_rules using (rule_id) where project_id = $1',
      [id],
    );
    expect(matches + noted).toBeGreaterThanOrEqual(of('dropped') + of('sampled_out') + of('demoted'));
  }
});

interface RandomEvent {
  body: unknown;
  eventId: string | null;
  name: string | null;
  kind: 'exception' | 'debug' | 'deploy' | 'broken';
}

function randomRule(random: SeededRandom) {
  const name = random.pick(NAMES);
  const matcher = random.chance(0.3) ? { services: [name], error_name: name } : { error_name: name };
  const action = random.pick(['drop', 'demote', 'sample'] as const);
  if (action !== 'sample') return { action, matcher };
  return {
    action,
    matcher,
    sample_rate: random.pick([0, 0.5, 1]),
    sample_event_class: random.pick(['preserve', 'context'] as const),
  };
}

function randomEvent(tenant: Tenant): RandomEvent {
  const { random } = tenant;
  const name = random.pick(NAMES);
  const known = [...tenant.kept.keys()];
  const repeats = known.length > 0 && random.chance(0.15);
  const eventId = repeats ? random.pick(known) : random.chance(0.7) ? `${name}-${newUuid()}` : null;
  // A repetition is the same event: its id tells its name.
  const error = repeats ? (eventId ?? '').split('-', 1)[0] : name;
  const kind = repeats
    ? 'exception'
    : random.pick(['exception', 'exception', 'exception', 'debug', 'deploy', 'broken'] as const);
  const common = {
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: error, environment: 'production' },
    ...(eventId === null ? {} : { event_id: eventId }),
  };
  const { event_id: _id, ...withoutId } = { event_id: null, ...common };
  switch (kind) {
    case 'exception':
      return {
        kind,
        eventId,
        name: error ?? null,
        body: {
          ...common,
          event_type: 'backend_exception',
          payload: { name: error, message: 'm', stack: null },
        },
      };
    case 'debug':
      return {
        kind,
        eventId: null,
        name: null,
        body: { ...common, event_type: 'log_event', payload: { level: 'debug', message: 'm' } },
      };
    case 'deploy':
      return {
        kind,
        eventId: null,
        name: null,
        body: { ...withoutId, event_type: 'deploy_metadata', payload: { version: newUuid() } },
      };
    case 'broken':
      return { kind, eventId: null, name: null, body: 7 };
  }
}

/**
 * All rules of one name match its exceptions alike, so the narrowest and latest decides (docs/contract/ingestion.md
 * 5.3).
 */
function decidingRule(rules: readonly CaptureRule[], event: RandomEvent): CaptureRule | null {
  const matching = rules.filter((rule) => rule.enabled && rule.matcher.error_name === event.name);
  const score = (rule: CaptureRule) => (rule.matcher.services === undefined ? 70 : 100);
  return (
    matching.toSorted(
      (a, b) =>
        score(b) - score(a) || (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0),
    )[0] ?? null
  );
}

function reasonsPossible(event: RandomEvent, rule: CaptureRule | null): (string | null)[] {
  if (event.kind === 'broken') return ['invalid_event'];
  if (event.kind === 'debug') return ['capture_policy_rejected'];
  if (rule === null || rule.action === 'demote') return [null];
  if (rule.action === 'drop') return ['capture_rule_dropped'];
  if (rule.sample_rate === 0) return ['capture_rule_sampled_out'];
  return rule.sample_rate === 1 ? [null] : [null, 'capture_rule_sampled_out'];
}

function fateOf(reason: string): Fate {
  const found = Object.entries(REASONS).find(([known]) => known === reason);
  if (found === undefined) throw new Error(`an event was refused with ${reason}`);
  return found[1];
}

function keep(tenant: Tenant, event: RandomEvent, rule: CaptureRule | null): void {
  const isDemoted =
    event.kind === 'exception' &&
    (rule?.action === 'demote' || (rule?.action === 'sample' && rule.sample_event_class === 'context'));
  if (event.eventId === null) {
    tenant.withoutId[isDemoted ? 'demoted' : 'processed'] += 1;
  } else {
    const known = tenant.kept.get(event.eventId);
    tenant.kept.set(event.eventId, known === undefined || known === isDemoted ? isDemoted : null);
  }
}
