import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, changed, DEP, EX, EXR, FRONTEND, HOUR, LOG, SECOND, SUP } from './incidents-fixtures.ts';

/**
 * Refreshes wait two seconds below ten occurrences and fifteen from there on (docs/contract/incidents.md 3.9). Those for
 * counted signals are built when a reader comes, which `settled` and `refreshed` do.
 */
describe.concurrent('generations of a bundle', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** A project whose one incident has that many occurrences, all of them in its bundle. */
  async function withIncident(occurrences: number): Promise<{ client: IncidentClient; incidentId: string }> {
    const client = await connect(culprit);
    await client.send(...Array.from({ length: occurrences }, () => EX({ timestamp: ago(SECOND) })));
    const { incident_id } = await client.only(occurrences);
    await client.refreshed();
    return { client, incidentId: incident_id };
  }

  async function count(client: IncidentClient, kind: LifecycleKind): Promise<number> {
    return (await client.ledger(kind)).length;
  }

  //
  it('the second and the third occurrence are told, the fourth is not, and numbers only rise', async () => {
    const { client, incidentId } = await withIncident(1);
    const generations = [(await client.bundle(incidentId)).metadata.generation_number];
    const told = [await count(client, 'bundle.updated')];
    for (let occurrences = 2; occurrences <= 4; occurrences += 1) {
      await client.send(EX());
      await client.only(occurrences);
      await client.settled();
      const bundle = await client.bundle(incidentId);
      expect(bundle.signal.occurrence_count).toBe(occurrences);
      generations.push(bundle.metadata.generation_number);
      told.push(await count(client, 'bundle.updated'));
    }
    expect(generations).toEqual([1, 2, 3, 4]);
    expect(told).toEqual([0, 1, 2, 2]);
    expect(await count(client, 'bundle.created')).toBe(1);
  });

  //
  it('thresholds that fall into one refresh are told once', async () => {
    const { client } = await withIncident(1);
    await client.send(EX(), EX());
    await client.only(3);
    await client.settled();
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('the tenth and the thirtieth occurrence are told, those between are not', async () => {
    const { client } = await withIncident(4);
    const told: number[] = [];
    for (const [add, total] of [
      [5, 9],
      [1, 10],
      [19, 29],
      [1, 30],
      [1, 31],
    ] as const) {
      await client.send(...Array.from({ length: add }, () => EX()));
      await client.only(total);
      await client.refreshed();
      told.push(await count(client, 'bundle.updated'));
    }
    expect(told).toEqual([0, 1, 1, 2, 2]);
  });

  it('many signals in a moment share few generations, and the last one shows them all', async () => {
    const { client, incidentId } = await withIncident(1);
    for (let n = 0; n < 8; n += 1) await client.send(EX());
    await client.only(9);
    await client.settled();
    const bundle = await client.bundle(incidentId);
    expect(bundle.signal.occurrence_count).toBe(9);
    expect(bundle.metadata.generation_number).toBeLessThanOrEqual(4);
  });

  it('a hundred requests in turn make no more than a handful of generations', async () => {
    const { client, incidentId } = await withIncident(1);
    for (let n = 0; n < 100; n += 1) await client.send(EX());
    await client.only(101);
    await client.refreshed();
    const bundle = await client.bundle(incidentId);
    expect(bundle.signal.occurrence_count).toBe(101);
    expect(bundle.metadata.generation_number).toBeLessThanOrEqual(6);
  });

  it('resolving and reopening by a member refreshes nothing', async () => {
    const { client, incidentId } = await withIncident(1);
    await client.resolve(incidentId);
    await client.reopen(incidentId);
    await client.settled();
    expect((await client.bundle(incidentId)).metadata.generation_number).toBe(1);
    expect(await count(client, 'bundle.updated')).toBe(0);
  });

  it('a regression is in the bundle long before the interval is over, and is told', async () => {
    const { client, incidentId } = await withIncident(12);
    await client.resolve(incidentId);
    await client.send(EX());
    const bundle = await client.bundle(incidentId, 2);
    expect(bundle.impact.regression_suspected).toBe(true);
    expect(bundle.signal.occurrence_count).toBe(13);
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('a raised severity is in the bundle before the interval is over, and is told', async () => {
    const { client, incidentId } = await withIncident(12);
    await client.send(EX({ context: { severity: 'critical' } }));
    const bundle = await client.bundle(incidentId, 2);
    expect(bundle.signal.severity).toBe('critical');
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('a deploy is in the bundle before the interval is over and is told once, also when it is sent again', async () => {
    const { client, incidentId } = await withIncident(12);
    const deploy = DEP();
    await client.send(deploy);
    const bundle = await client.bundle(incidentId, 2);
    expect(bundle.context.deploy?.deploy_version).toBe('2026.03.24.1');
    await client.send(deploy, EX());
    await client.only(13);
    await client.refreshed();
    expect((await client.bundle(incidentId)).metadata.generation_number).toBe(3);
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('a deploy refreshes the incidents of its own environment, whatever environment its sender runs in', async () => {
    const client = await connect(culprit);
    await client.send(EX({ service: { environment: 'staging' } }));
    const { incident_id } = await client.only();
    await client.refreshed();
    await client.send(DEP({ payload: { environment: 'staging' } }));
    await client.processed();
    await client.settled();
    expect((await client.bundle(incident_id)).context.deploy).not.toBeNull();
  });

  it('a deploy later than the last occurrence refreshes nothing', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(3 * HOUR) }));
    const { incident_id } = await client.only();
    await client.refreshed();
    await client.send(DEP());
    await client.settled();
    expect((await client.bundle(incident_id)).metadata.generation_number).toBe(1);
  });

  it('context that brings a block for the first time is told, further context of its kind is not', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-1' };
    await client.send(EX({ correlation }));
    const { incident_id } = await client.only();
    await client.refreshed();
    await client.send(LOG('info', 'first line', { correlation }));
    await client.processed();
    await client.settled();
    expect((await client.bundle(incident_id)).context.logs?.items).toHaveLength(1);
    expect(await count(client, 'bundle.updated')).toBe(1);
    await client.send(LOG('info', 'second line', { correlation }));
    await client.processed();
    await client.settled();
    expect((await client.bundle(incident_id)).context.logs?.items).toHaveLength(2);
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('a block that comes and goes with the primary event is told the first time only', async () => {
    const { client, incidentId } = await withIncident(4);
    const told: number[] = [];
    for (const [n, context] of [{ order: 7 }, {}, { order: 8 }, {}].entries()) {
      await client.send(EX({ context }));
      await client.only(5 + n);
      await client.refreshed();
      told.push(await count(client, 'bundle.updated'));
    }
    expect(told).toEqual([1, 1, 1, 1]);
    expect((await client.bundle(incidentId)).metadata.generation_number).toBe(5);
  });

  it('a request that makes the failure reproducible is told', async () => {
    const { client, incidentId } = await withIncident(4);
    await client.send(EXR());
    await client.only(5);
    await client.refreshed();
    expect((await client.bundle(incidentId)).reproduction.possible).toBe(true);
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('context of a trace nobody knows refreshes nothing', async () => {
    const { client, incidentId } = await withIncident(1);
    const crumb = {
      ...changed(FRONTEND(), {}),
      event_type: 'frontend_breadcrumb',
      payload: { breadcrumb_type: 'click' },
    };
    await client.send(
      { ...crumb, correlation: { trace_id: 'trace-9' } },
      LOG('info', 'x', { correlation: { trace_id: 'y' } }),
    );
    await client.processed();
    await client.settled();
    expect((await client.bundle(incidentId)).metadata.generation_number).toBe(1);
  });

  it('suppressed duplicates are shown in the bundle and told to nobody', async () => {
    const { client, incidentId } = await withIncident(1);
    await client.send(SUP());
    await client.only(98);
    await client.refreshed();
    expect((await client.bundle(incidentId)).signal.occurrence_count).toBe(98);
    expect(await count(client, 'bundle.updated')).toBe(0);
    await client.send(EX(), EX());
    await client.only(100);
    await client.refreshed();
    expect(await count(client, 'bundle.updated')).toBe(1);
  });

  it('a reader gets no next generation before the interval after the one before is over', async () => {
    const { client, incidentId } = await withIncident(10);
    await client.send(EX());
    await client.only(11);
    expect((await client.bundle(incidentId)).signal.occurrence_count).toBe(10);
    await client.refreshed();
    expect((await client.bundle(incidentId)).signal.occurrence_count).toBe(11);
  });

  it('context waits for the interval after the generation before', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-1' };
    await client.send(
      ...Array.from({ length: 10 }, () => EX({ correlation })),
      LOG('info', 'first', { correlation }),
    );
    await client.only(10);
    await client.refreshed();
    await client.send(LOG('info', 'second', { correlation }));
    await client.processed();
    expect(await waitMs(client)).toBeCloseTo(15_000, -2);
  });

  it('signals that come while a generation is made are shown to a reader after the interval', async () => {
    const { client, incidentId } = await withIncident(12);
    // Storing takes a second and a half, so that the next signal falls into it.
    await culprit.database.script(`
      create or replace function test_slow() returns trigger language plpgsql as $$
        begin perform pg_sleep(1.5); return new; end $$;
      create trigger test_slow before update on bundles for each row
        when (new.project_id = '${client.project.projectId.slice(5)}') execute function test_slow();`);
    await client.send(EX({ context: { severity: 'critical' } }));
    await eventually(async () => {
      const [job] = await culprit.database.query<{ is_held: boolean }>(
        {
          name: 'test-held',
          text: `select leased_until is not null as is_held from jobs
            where fairness_key = replace($1, 'proj_', '')::uuid and lane = 'refreshes'`,
        },
        [client.project.projectId],
      );
      expect(job?.is_held).toBe(true);
    });
    await client.send(EX());
    await client.only(14);
    await client.send(EX());
    await client.only(15);
    expect((await client.bundle(incidentId, 2)).signal.occurrence_count).toBeLessThan(15);
    await client.refreshed();
    expect((await client.bundle(incidentId)).signal.occurrence_count).toBe(15);
  });

  /** From the stored generation to the one that is to come. */
  async function waitMs(client: IncidentClient): Promise<number> {
    const [job] = await culprit.database.query<{ wait_ms: number }>(
      {
        name: 'test-refresh-wait',
        text: `select (extract(epoch from j.run_at - b.generated_at) * 1000)::float8 as wait_ms
          from jobs j join bundles b on b.incident_id::text = j.key where j.fairness_key = replace($1, 'proj_', '')::uuid`,
      },
      [client.project.projectId],
    );
    return job?.wait_ms ?? Number.NaN;
  }
});
