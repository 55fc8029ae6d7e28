import type { Heartbeat, HeartbeatRun } from '@culprit/contract/monitor/heartbeats';
import { expect } from 'vitest';
import { judgeHeartbeats } from '../../src/monitor/heartbeats/judge-heartbeats.ts';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { type SentryTarget, sentryTarget } from '../support/sentry-client.ts';

/** A project with heartbeats, its clients, and what lets time pass for them. */

interface Stage {
  client: IncidentClient;
  owner: ManagementClient;
  path: string;
  target: SentryTarget;
  create(body?: object): Promise<Heartbeat>;
  list(): Promise<Heartbeat[]>;
  read(heartbeatId: string): Promise<Heartbeat>;
  runs(heartbeatId: string): Promise<HeartbeatRun[]>;
}

export async function stage(culprit: TestCulprit): Promise<Stage> {
  const client = await connect(culprit);
  const { project } = client;
  const owner = managementClient(culprit, project.memberToken);
  const path = `/v1/projects/${project.projectId}/heartbeats`;
  async function ask<Body>(at: string): Promise<Body> {
    return (await owner.get(at)).body as Body;
  }
  return {
    client,
    owner,
    path,
    target: await sentryTarget(culprit, project),
    async create(body = {}) {
      const { status, body: made } = await owner.post(path, {
        slug: 'nightly',
        schedule: { type: 'crontab', value: '0 3 * * *' },
        ...body,
      });
      expect({ status, made }).toMatchObject({ status: 201 });
      return (made as { heartbeat: Heartbeat }).heartbeat;
    },
    list: async () => (await ask<{ heartbeats: Heartbeat[] }>(path)).heartbeats,
    read: async (id) => (await ask<{ heartbeat: Heartbeat }>(`${path}/${id}`)).heartbeat,
    runs: async (id) => (await ask<{ check_ins: HeartbeatRun[] }>(`${path}/${id}/check-ins`)).check_ins,
  };
}

/** The address within the test; the one that is shown belongs to the installation. */
export function pingUrl(culprit: TestCulprit, { ping_url }: Heartbeat): string {
  return culprit.url + new URL(ping_url ?? '').pathname;
}

/** Lets the slot of heartbeats have been due so many minutes ago. */
export async function makeDue(culprit: TestCulprit, heartbeatId: string, minutesAgo: number): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-heartbeat-due',
      text: `update heartbeats set slot_opened_at = culprit_now() - interval '2 days',
          expected_at = culprit_now() - make_interval(mins => $2),
          judge_at = culprit_now() - make_interval(mins => $2 - margin_minutes)
        where heartbeat_id = $1`,
    },
    [heartbeatId, minutesAgo],
  );
}

/** Lets a run without an end have taken too long. */
export async function makeLate(culprit: TestCulprit, heartbeatId: string): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-heartbeat-late',
      text: `with run as (update heartbeat_runs set timeout_at = culprit_now()
            where heartbeat_id = $1 and status = 'in_progress')
        update heartbeats set judge_at = culprit_now() where heartbeat_id = $1`,
    },
    [heartbeatId],
  );
}

/** Judges what is due, as the worker does every 15 seconds. */
export async function judge(culprit: TestCulprit): Promise<void> {
  await judgeHeartbeats({
    database: culprit.database,
    objects: await openObjectStore(culprit.objectStore),
  });
}

export async function forgetMinute(culprit: TestCulprit, projectId: string): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-heartbeat-minute',
      text: 'update heartbeats set minute_check_ins = 0 where project_id = $1',
    },
    [parseId(['proj'], projectId)],
  );
}
