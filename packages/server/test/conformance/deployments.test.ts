import { createClient } from '@culprit/contract/endpoints/client';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { getServiceActivity } from '@culprit/contract/incidents/service-activity';
import { listDeployments } from '@culprit/contract/releases/deployments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { DEP, EX, LOG } from './incidents-fixtures.ts';

/** Deployments and how services do (docs/contract/server-additions.md S9, S10). */
describe.concurrent('the services of a project', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const apiOf = (project: TestProject) => createClient({ baseUrl: culprit.url, token: project.memberToken });

  async function deploymentsOf(project: TestProject, query: QueryOf<typeof listDeployments> = {}) {
    const answer = await apiOf(project).call(listDeployments, { params: { id: project.projectId }, query });
    if (!answer.ok) throw new Error(answer.error);
    return answer.body;
  }

  it('have their deployments listed newest first, by service and environment, page by page', async () => {
    const client = await connect(culprit);
    const { project } = client;
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    await client.send(
      DEP({ payload: { version: '1', deployed_at: at(30) } }),
      DEP({ payload: { version: '2', deployed_at: at(20) } }),
      DEP({
        payload: { version: '3', deployed_at: at(10), environment: 'staging' },
        service: { environment: 'staging' },
      }),
      DEP({ payload: { version: '4', deployed_at: at(5) }, service: { name: 'mailer' } }),
    );
    await client.processed();
    const all = await deploymentsOf(project);
    expect(all.deployments.map(({ version }) => version)).toEqual(['4', '3', '2', '1']);
    expect(all.deployments[2]).toMatchObject({ service_name: 'checkout-api', environment: 'production' });
    const first = await deploymentsOf(project, { limit: 2, service: 'checkout-api' });
    expect(first.deployments.map(({ version }) => version)).toEqual(['3', '2']);
    const cursor = first.next_cursor ?? '';
    const rest = await deploymentsOf(project, { limit: 2, service: 'checkout-api', cursor });
    expect(rest).toMatchObject({ deployments: [{ version: '1' }], next_cursor: null });
    const staging = await deploymentsOf(project, { environment: 'staging' });
    expect(staging.deployments.map(({ version }) => version)).toEqual(['3']);
    expect((await deploymentsOf((await connect(culprit)).project)).deployments).toEqual([]);
  });

  it('tell their active incidents, occurrences and latest deployment', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(
      DEP({ payload: { version: '1' } }),
      EX(),
      EX(),
      EX({ payload: { type: 'RangeError', message: 'resolved later' } }),
      LOG('error', 'quiet service', { service: { name: 'mailer' } }),
    );
    await client.processed();
    const resolved = (await client.list()).find(({ title }) => title.includes('resolved later'));
    await client.resolve(resolved?.incident_id ?? '');
    const { deployments } = await deploymentsOf(project);
    const answer = await apiOf(project).call(getServiceActivity, { params: { id: project.projectId } });
    if (!answer.ok) throw new Error(answer.error);
    const { window, services } = answer.body;
    expect(window.bucket_seconds).toBe(3600);
    const active = (await client.list({ status: 'active' })).filter(
      ({ service_name: name }) => name === 'checkout-api',
    );
    const checkout = services.find(({ latest_deployment_id: id }) => id !== null);
    expect(checkout).toMatchObject({
      open_incidents: active.length,
      regressed_incidents: 0,
      worst_severity: 'high',
      latest_deployment_id: deployments[0]?.deployment_id,
    });
    expect(checkout?.counts).toHaveLength(24);
    expect(checkout?.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(services).toHaveLength(2);
    const week = await apiOf(project).call(getServiceActivity, {
      params: { id: project.projectId },
      query: { window: '7d' },
    });
    expect(week.ok && week.body.services[0]?.counts).toHaveLength(28);
  });
});
