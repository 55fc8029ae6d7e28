import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { factsOf } from '../../../evidence/test/capture/facts-of.ts';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import {
  findEnabledRules,
  incrementRulesVersion,
  insertRule,
  lockRules,
} from '../../src/capture/capture.queries.ts';
import { createRuleCache, type RuleCache } from '../../src/capture/rule-cache.ts';
import { type Database, openDatabase, type Queryable } from '../../src/platform/db/database.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { createTestDatabase } from '../support/test-database.ts';

let database: Database;
let queries: number;
let counting: Queryable;

beforeAll(async () => {
  const url = await createTestDatabase();
  database = openDatabase({ url, connectionsMax: 2, applicationName: 'culprit-test' });
  counting = {
    query(statement, parameters) {
      queries += 1;
      return database.query(statement, parameters);
    },
  };
});
afterAll(() => database.close());
beforeEach(() => {
  queries = 0;
});

async function createProject(): Promise<{ projectId: string; userId: string }> {
  const made = await bootstrap(database, {
    email: `owner-${newUuid()}@example.test`,
    projectName: 'shop',
    baseUrl: 'http://localhost:4800',
    plans: SELF_HOSTED,
  });
  return { projectId: parseId(['proj'], made.project_id) ?? '', userId: made.user_id };
}

/** Adds a rule; returns the version it made. */
async function addRule(project: { projectId: string; userId: string }, service: string): Promise<number> {
  const { projectId } = project;
  await database.transaction(async (transaction) => {
    await lockRules(transaction, projectId);
    await incrementRulesVersion(transaction, projectId, 1);
    await insertRule(transaction, {
      ruleId: randomUUID(),
      projectId,
      name: service,
      description: null,
      isEnabled: true,
      action: 'drop',
      matcher: { services: [service] },
      sampleRate: null,
      sampleEventClass: null,
      expiresAtMs: null,
      createdByUserId: project.userId,
      createdFromIncidentId: null,
      createdFromEventId: null,
      suggestionId: null,
    });
  });
  const [row] = await findEnabledRules(database, [projectId]);
  return row?.capture_version ?? 0;
}

async function isDropped(cache: RuleCache, projectId: string, version: number, service: string) {
  const rules = (await cache.load(new Map([[projectId, version]]))).get(projectId);
  return rules?.capture.decide(factsOf(fixture('A', { 'service.name': service })), 0)?.outcome === 'dropped';
}

describe('the cache of rules', () => {
  it('asks the database once for a version, and again for the next', async () => {
    const project = await createProject();
    const cache = createRuleCache(counting);
    const first = await addRule(project, 'a');
    for (let n = 0; n < 5; n += 1) expect(await isDropped(cache, project.projectId, first, 'a')).toBe(true);
    expect(await isDropped(cache, project.projectId, first, 'b')).toBe(false);
    expect(queries).toBe(1);
    const second = await addRule(project, 'b');
    expect(await isDropped(cache, project.projectId, second, 'b')).toBe(true);
    expect(await isDropped(cache, project.projectId, second, 'a')).toBe(true);
    expect(queries).toBe(2);
  });

  it('asks one question for all projects that are missing', async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, createProject));
    const versions = new Map<string, number>();
    for (const project of projects) versions.set(project.projectId, await addRule(project, 'a'));
    const cache = createRuleCache(counting);
    expect([...(await cache.load(versions)).keys()].sort()).toEqual([...versions.keys()].sort());
    expect((await cache.load(versions)).size).toBe(6);
    expect(queries).toBe(1);
  });

  it('remembers that a project has none left', async () => {
    const project = await createProject();
    const cache = createRuleCache(counting);
    expect(await isDropped(cache, project.projectId, 0, 'a')).toBe(false);
    expect(await isDropped(cache, project.projectId, 0, 'a')).toBe(false);
    expect(queries).toBe(1);
  });

  it.each([
    ['projects', { projectsMax: 2, charsMax: 1_000_000 }],
    ['text', { projectsMax: 100, charsMax: 2 * JSON.stringify({ services: ['a'] }).length }],
  ])('forgets what was used longest ago when it holds too many %s', async (_name, limits) => {
    const [a, b, c] = await Promise.all([createProject(), createProject(), createProject()]);
    if (a === undefined || b === undefined || c === undefined) throw new Error('no projects');
    const cache = createRuleCache(counting, limits);
    const versions = new Map<string, number>();
    for (const each of [a, b, c]) versions.set(each.projectId, await addRule(each, 'a'));
    const look = ({ projectId }: { projectId: string }) =>
      isDropped(cache, projectId, versions.get(projectId) ?? 0, 'a');
    for (const each of [a, b, a, c]) expect(await look(each)).toBe(true);
    expect(queries).toBe(3);
    await look(a);
    await look(c);
    expect(queries).toBe(3);
    await look(b);
    expect(queries).toBe(4);
  });
});
