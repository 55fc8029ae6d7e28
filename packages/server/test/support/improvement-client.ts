import { createClient } from '@culprit/contract/endpoints/client';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import * as improvements from '@culprit/contract/incidents/improvements';
import { parseId } from '../../src/platform/ids.ts';
import { countRows } from './count-rows.ts';
import type { TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';
import { expectOk } from './expect-ok.ts';
import { connect, type IncidentClient } from './incident-client.ts';

/** What an application and a member do with one project and its improvements, over HTTP. */
export interface ImprovementClient extends IncidentClient {
  improvements(query?: Readonly<Record<string, string>>): Promise<improvements.Improvement[]>;
  /** Waits until everything that was sent is counted, and what documents were asked for are made or refused. */
  judged(): Promise<void>;
  /** The project's only improvement, once everything is counted. */
  onlyImprovement(): Promise<improvements.Improvement>;
  change(
    improvementId: string,
    change: 'resolve' | 'reopen' | { snoozed_until: string },
  ): Promise<improvements.Improvement>;
  /** A document; throws for every other answer. */
  document(improvementId: string): Promise<DebugBundle>;
  /** Changes settings if some are given. */
  settings(
    change?: Partial<improvements.ImprovementSettings['settings']>,
  ): Promise<improvements.ImprovementSettings>;
}

/** A client of a fresh project. */
export async function connectImprovements(
  culprit: TestCulprit,
  options?: Parameters<TestCulprit['createProject']>[0],
): Promise<ImprovementClient> {
  const client = await connect(culprit, options);
  const { projectId, memberToken } = client.project;
  const api = createClient({ baseUrl: culprit.url, token: memberToken });

  async function list(query: Readonly<Record<string, string>> = {}): Promise<improvements.Improvement[]> {
    const search = { project_id: projectId, ...query };
    return expectOk(await api.call(improvements.listImprovements, { query: search })).improvements;
  }

  async function judged(): Promise<void> {
    const lanes = ['events', 'improvements', 'improvement-bundles'];
    await eventually(async () => {
      const from = 'jobs where fairness_key = $1 and lane = any ($2)';
      const jobs = await countRows(culprit, from, [parseId(['proj'], projectId), lanes]);
      if (jobs > 0) throw new Error(`${jobs} jobs are left`);
    });
  }

  return {
    ...client,
    improvements: list,
    judged,
    async onlyImprovement() {
      await judged();
      const found = await list();
      const [only] = found;
      if (only === undefined || found.length > 1) {
        throw new Error(`${found.length} improvements: ${JSON.stringify(found)}`);
      }
      return only;
    },
    async change(id, change) {
      const params = { id };
      if (typeof change === 'object') {
        return expectOk(await api.call(improvements.snoozeImprovement, { params, body: change })).improvement;
      }
      const endpoint =
        change === 'resolve' ? improvements.resolveImprovement : improvements.reopenImprovement;
      return expectOk(await api.call(endpoint, { params })).improvement;
    },
    async document(improvementId) {
      const params = { id: projectId, improvementId };
      const body = expectOk(await api.call(improvements.getImprovementBundle, { params }));
      if ('status' in body) throw new Error(`the bundle is ${JSON.stringify(body)}`);
      return body;
    },
    async settings(change) {
      const params = { id: projectId };
      if (change === undefined) {
        return expectOk(await api.call(improvements.getImprovementSettings, { params }));
      }
      return expectOk(await api.call(improvements.updateImprovementSettings, { params, body: change }));
    },
  };
}
