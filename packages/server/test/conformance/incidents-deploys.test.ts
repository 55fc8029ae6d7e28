import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { rebuildBundles } from '../support/rebuild-bundles.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, DAY, DEP, EX, HOUR, MINUTE, SECOND } from './incidents-fixtures.ts';

/** What the ledger says of a regression that no deploy explains. */
const NO_DEPLOY = {
  release: null,
  severity: 'high',
  regression_after_deploy: false,
  deploy_version: null,
  deploy_commit_sha: null,
  deploy_branch: null,
  deploy_deployed_at: null,
  minutes_since_deploy: null,
};

describe.concurrent('deploys and what follows them', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** Sends the deploys, resolves an incident and lets it regress at `regressedAt`; the ledger's word on it. */
  async function regressionAfter(deploys: object[], regressedAt: string = ago(0)) {
    const client = await connect(culprit);
    if (deploys.length > 0) await client.send(...deploys);
    await client.send(EX({ timestamp: ago(2 * DAY) }));
    const { incident_id } = await client.only();
    await client.resolve(incident_id);
    await client.send(EX({ timestamp: regressedAt }));
    const incident = await client.only(2);
    expect(incident.status).toBe('regressed');
    const told = await client.ledger('incident.regressed');
    expect(told).toHaveLength(1);
    return { client, incident, data: told[0]?.data };
  }

  //
  it('a regression within a day of a deploy names that deploy', async () => {
    const deploy = DEP();
    const { data } = await regressionAfter([deploy]);
    expect(data).toEqual({
      release: '2026.03.24.1',
      severity: 'high',
      regression_after_deploy: true,
      deploy_version: '2026.03.24.1',
      deploy_commit_sha: 'a1b2c3d4',
      deploy_branch: 'main',
      deploy_deployed_at: deploy.payload.deployed_at,
      minutes_since_deploy: expect.toSatisfy((minutes: number) => minutes >= 89 && minutes <= 91),
    });
  });

  it('an old event finds its deploy however many came after it', async () => {
    const before = DEP({ payload: { version: 'before', deployed_at: ago(26 * HOUR) } });
    const later = Array.from({ length: 30 }, (_, index) =>
      DEP({ payload: { version: `later-${index}`, deployed_at: ago((24 - index / 2) * HOUR) } }),
    );
    const { data } = await regressionAfter([before, ...later], ago(25 * HOUR));
    expect(data).toMatchObject({ regression_after_deploy: true, deploy_version: 'before' });
  });

  it('an occurrence keeps its place after a deploy when an older occurrence arrives late', async () => {
    const client = await connect(culprit);
    const [before, after] = [ago(4 * HOUR), ago(HOUR)];
    await client.send(DEP({ payload: { version: 'between', deployed_at: ago(2 * HOUR) } }));
    await client.send(EX({ timestamp: after }));
    await client.only();
    await client.send(EX({ timestamp: before }));
    const { incident_id } = await client.only(2);
    const [document = ''] = await rebuildBundles(culprit, client);
    const bundle: DebugBundle = JSON.parse(document);
    expect(bundle.bundle_id).toBe(incident_id.replace('inc_', 'bun_'));
    expect(bundle.context.occurrences?.items).toMatchObject([
      { occurred_at: before, roles: ['first'] },
      { occurred_at: after, roles: ['latest', 'after_deploy', 'highest_severity', 'richest'] },
    ]);
  });

  //
  it('a regression more than a day after the deploy blames none', async () => {
    const { data } = await regressionAfter([DEP({ payload: { deployed_at: ago(25 * HOUR) } })]);
    expect(data).toEqual({ ...NO_DEPLOY, release: '2026.03.24.1' });
  });

  //
  it('a deploy of another service is never blamed', async () => {
    const { data } = await regressionAfter([DEP({ service: { name: 'mailer' } })]);
    expect(data).toEqual(NO_DEPLOY);
  });

  it('a deploy of another environment is never blamed', async () => {
    const { data } = await regressionAfter([DEP({ payload: { environment: 'staging' } })]);
    expect(data).toEqual(NO_DEPLOY);
  });

  it('the environment of a deploy without its own is that of its service', async () => {
    const { data } = await regressionAfter([DEP({ payload: { environment: undefined } })]);
    expect(data).toMatchObject({ regression_after_deploy: true });
  });

  it('a regression at the very moment of the deploy follows it by zero minutes', async () => {
    const at = ago(5 * MINUTE);
    const { data } = await regressionAfter([DEP({ payload: { deployed_at: at } })], at);
    expect(data).toMatchObject({ regression_after_deploy: true, minutes_since_deploy: 0 });
  });

  it('exactly a day after the deploy still counts, one millisecond more does not', async () => {
    const deployedAtMs = Date.now() - DAY - MINUTE;
    const deploy = DEP({ payload: { deployed_at: new Date(deployedAtMs).toISOString() } });
    const [atLimit, beyond] = await Promise.all([
      regressionAfter([deploy], new Date(deployedAtMs + DAY).toISOString()),
      regressionAfter([deploy], new Date(deployedAtMs + DAY + 1).toISOString()),
    ]);
    expect(atLimit.data).toMatchObject({ regression_after_deploy: true, minutes_since_deploy: 1440 });
    expect(beyond.data).toEqual({ ...NO_DEPLOY, release: '2026.03.24.1' });
  });

  it('the newest deploy at or before the event is the one that is named', async () => {
    const deploys = [30, 90, 10].map((minutes) =>
      DEP({ payload: { version: `before-${minutes}`, deployed_at: ago(minutes * MINUTE) } }),
    );
    const { data } = await regressionAfter(deploys, ago(20 * MINUTE));
    expect(data).toMatchObject({ deploy_version: 'before-30', minutes_since_deploy: 10 });
  });

  it('a deploy before the resolution counts as well as one after it', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(2 * HOUR) }));
    const { incident_id } = await client.only();
    await client.send(DEP({ payload: { deployed_at: ago(HOUR) } }));
    await client.processed();
    await client.resolve(incident_id);
    await client.send(EX());
    await client.only(2);
    expect(await client.ledger('incident.regressed')).toMatchObject([
      { data: { regression_after_deploy: true } },
    ]);
  });

  it('a deploy that arrives after the regression changes the record and not what was told', async () => {
    const { client, incident, data } = await regressionAfter([]);
    expect(data).toEqual(NO_DEPLOY);
    expect(incident.latest_deployment_id).toBeNull();
    await client.send(DEP());
    await client.processed();
    expect((await client.read(incident.incident_id)).latest_deployment_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await client.ledger('incident.regressed')).toHaveLength(1);
    expect(await deployVersion(client, incident.incident_id, '2026.03.24.1')).toBe(true);
  });

  it('the latest deployment is the newest one that is not after the last occurrence', async () => {
    const client = await connect(culprit);
    await client.send(DEP({ payload: { version: 'old', deployed_at: ago(3 * HOUR) } }));
    await client.send(EX({ timestamp: ago(2 * HOUR) }));
    const { latest_deployment_id: old, incident_id } = await client.only();
    await client.send(DEP({ payload: { version: 'new', deployed_at: ago(HOUR) } }));
    await client.processed();
    expect((await client.read(incident_id)).latest_deployment_id).toBe(old);
    await client.send(EX());
    const { latest_deployment_id: later } = await client.only(2);
    expect(later).not.toBe(old);
  });

  it('a deploy told twice is one deployment', async () => {
    const client = await connect(culprit);
    const deploy = DEP();
    await client.send(EX());
    await client.only();
    await client.send(deploy, deploy);
    await client.send(deploy);
    await client.processed();
    const [row] = await culprit.database.query<{ deployments: number }>(
      {
        name: 'test-deployments',
        text: `select count(*) as deployments from deployments
        where project_id = replace($1, 'proj_', '')::uuid`,
      },
      [client.project.projectId],
    );
    expect(row?.deployments).toBe(1);
  });

  it('a deploy opens no incident and regresses none', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.resolve(incident_id);
    await client.send(DEP({ timestamp: ago(0), payload: { deployed_at: ago(0) } }));
    await client.processed();
    expect(await client.only()).toMatchObject({ status: 'resolved', occurrence_count: 1 });
  });

  it('a deploy stamped in the future counts from its receipt', async () => {
    const client = await connect(culprit);
    await client.send(DEP({ timestamp: ago(0), payload: { deployed_at: ago(-2 * HOUR) } }));
    await client.processed();
    await client.send(EX({ timestamp: ago(-5 * SECOND) }));
    expect((await client.only()).latest_deployment_id).not.toBeNull();
  });
});

async function deployVersion(client: IncidentClient, incidentId: string, version: string): Promise<boolean> {
  await client.settled();
  return (await client.bundle(incidentId)).context.deploy?.deploy_version === version;
}
