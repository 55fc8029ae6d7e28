import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyIncidents } from '../support/copy-incidents.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { readPages } from '../support/read-pages.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { named } from './incidents-fixtures.ts';

// Runs on the oldest PostgreSQL too.

const COPIES = 120;

interface Placed {
  id: string;
  level: number;
  /** Urgent and critical. */
  isFirst: boolean;
  reasons: readonly string[];
  seenAt: string;
}

/** docs/contract/team-workflow.md 5.1: no index has this order, so each level is found in a way of its own. */
describe('the order by priority', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let all: Placed[];
  beforeAll(async () => {
    culprit = await shareCulprit();
    client = await connect(culprit);
    await client.send(named('First'));
    const [first] = await client.counted(1);
    await fill(String(first?.incident_id).slice('inc_'.length));
    all = await listed('', 100);
  });
  afterAll(() => culprit.stop());

  /** Copies the incident, with each reason for a level alone and together with others. */
  async function fill(incidentId: string): Promise<void> {
    const random = seededRandom(25);
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const copies = Array.from({ length: COPIES }, (_, n) => {
      const isRegressed = random.chance(0.15);
      return {
        ...{ fingerprint: `\\x${String(n).padStart(64, '0')}`, number: 1000 + n },
        severity: random.chance(0.15) ? 3 : random.integer(0, 2),
        status: isRegressed ? 'regressed' : 'open',
        regressed_at: isRegressed || random.chance(0.1) ? ago(30) : null,
        first_seen_at: ago(random.chance(0.15) ? 20 : 60),
        last_seen_at: ago(random.integer(0, 8)),
        spike_detected_at: random.chance(0.1) ? ago(random.pick([0.5, 3])) : null,
        affected_users: random.pick([0, 60]),
        escalated_at: random.chance(0.15) ? ago(random.pick([5, 40])) : null,
        environment: random.chance(0.2) ? 'staging' : 'production',
        is_browser_noise: random.chance(0.1),
      };
    });
    await copyIncidents(
      culprit.database,
      {
        changed: `to_jsonb(i) || n.changed || jsonb_build_object('incident_id', gen_random_uuid())`,
        from: `incidents i, jsonb_array_elements($2::jsonb) n (changed) where i.incident_id = $1::uuid`,
      },
      [incidentId, JSON.stringify(copies)],
    );
    await culprit.database.query(
      {
        name: '',
        text: `insert into incident_triage (incident_id, project_id, priority)
          select incident_id, project_id, number % 4 from incidents
          where project_id = (select project_id from incidents where incident_id = $1) and number % 7 = 0`,
      },
      [incidentId],
    );
  }

  async function listed(query: string, limit: number): Promise<Placed[]> {
    const asked = new URLSearchParams({ project_id: client.project.projectId, sort: 'priority' });
    if (query !== '') asked.set('q', query);
    const path = `/v1/incidents?${asked}`;
    const incidents = await readPages(client, path, 'incidents', limit);
    return incidents.map(({ incident_id: id, last_seen_at: seenAt, triage, severity }) => {
      const { level, reasons } = Object(Object(triage).priority);
      const isFirst = level === 'urgent' && severity === 'critical';
      return {
        id: String(id),
        level: PRIORITY_LEVELS.indexOf(level),
        isFirst,
        reasons,
        seenAt: String(seenAt),
      };
    });
  }

  it('has each incident once: the most urgent first, critical ones of these, and the latest of a level', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(COPIES + 1);
    const placeOf = ({ level, isFirst }: Placed) => level + Number(isFirst);
    const inOrder = all.toSorted((a, b) => placeOf(b) - placeOf(a) || (a.seenAt < b.seenAt ? 1 : -1));
    const shown = (each: Placed) => [placeOf(each), each.seenAt];
    expect(all.map(shown)).toEqual(inOrder.map(shown));
    expect(new Set(all.filter(({ level }) => level === 3).map(({ isFirst }) => isFirst)).size).toBe(2);
    expect(new Set(all.map(({ level }) => level)).size).toBe(PRIORITY_LEVELS.length);
    expect(new Set(all.flatMap(({ reasons }) => reasons)).size).toBeGreaterThan(6);
  });

  it('is the same on small pages, and begins in any level', async () => {
    for (const limit of [7, 50]) expect(await listed('', limit)).toEqual(all);
  });

  it.each(['priority:urgent', 'priority:>=high', 'priority:high', 'priority:<high', 'priority:urgent,low'])(
    'holds only what %s fits, which also other orders find',
    async (query) => {
      const [, sign = '=', word = ''] = /:([<>]=?)?(\w+)/.exec(query) ?? [];
      const rank = PRIORITY_LEVELS.map(String).indexOf(word);
      const fits = ({ level }: Placed) =>
        (sign === '<' ? level < rank : sign === '>=' ? level >= rank : level === rank) ||
        (query.endsWith(',low') && level === 0);
      const wanted = all.filter(fits);
      expect(wanted.length).toBeGreaterThan(0);
      // The second term finds nothing by an index, and fits all.
      for (const q of [query, `${query} -is:resolved`]) expect(await listed(q, 20), q).toEqual(wanted);
      const path = `/v1/incidents?project_id=${client.project.projectId}&q=${encodeURIComponent(query)}`;
      const others = await readPages(client, path, 'incidents', 100);
      expect(new Set(others.map(({ incident_id: id }) => id))).toEqual(new Set(wanted.map(({ id }) => id)));
    },
  );
});
