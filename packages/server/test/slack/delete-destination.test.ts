import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireSlackDestination } from '../../src/notify/slack/find-slack-destination.ts';
import type { SlackApp } from '../../src/notify/slack/slack-settings.ts';
import { Problem } from '../../src/platform/http/binding/problem.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createCollaborator, setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { organizationOf } from '../support/organizations.ts';
import { slackAppOf, slackClient } from '../support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../support/slack-server.ts';

/** Who may name a destination, and when it may go (docs/contract/notifications.md 1.4, 2.5). */

let slack: SlackServer;
let slackApp: SlackApp;
let culprit: TestCulprit;
let project: TestProject;
let projectId: string;
let organizationId: string;
let owner: ManagementClient;
beforeAll(async () => {
  slack = await startSlackServer();
  slackApp = slackAppOf(slack);
  culprit = await startCulprit({ plans: HOSTED, slack: slackApp, hasWorker: false });
  project = await culprit.createProject({ plan: 'team' });
  projectId = parseId(['proj'], project.projectId) ?? '';
  organizationId = await organizationOf(culprit.database, project.userId);
  owner = managementClient(culprit, project.memberToken);
});
afterAll(async () => {
  await culprit?.stop();
  await slack?.close();
});

async function newDestination(): Promise<string> {
  return (await slackClient(culprit, slack, project).destination()).slack_destination_id;
}

const pathOf = (id: string) => `/v1/projects/${project.projectId}/slack/destinations/${id}`;

/** What the rooms of rules and reports write: a row that names the destination. */
const USERS = {
  alert_rules: `insert into alert_rules (alert_id, project_id, created_by_user_id, channel, condition_type,
      cooldown_seconds, config, is_enabled)
    values ($1, $2, $1, 'slack', 'new_incident', 0, jsonb_build_object('slack_destination_id', $3::text), false)`,
  weekly_report_channels: `insert into weekly_report_channels (channel_id, project_id, channel, config, day_of_week,
      hour_of_day, timezone, is_enabled)
    values ($1, $2, 'slack', jsonb_build_object('slack_destination_id', $3::text), 'monday', 9, 'UTC', false)`,
};

async function use(table: keyof typeof USERS, destinationId: string, inProject = projectId): Promise<void> {
  const statement = { name: `test-use-${table}`, text: USERS[table] };
  await culprit.database.query(statement, [newUuid(), inProject, destinationId]);
}

async function stopUsing(table: keyof typeof USERS): Promise<void> {
  await culprit.database.query({ name: `test-unuse-${table}`, text: `delete from ${table}` });
}

describe('the deletion of a destination', () => {
  it.each(['alert_rules', 'weekly_report_channels'] as const)(
    'is refused while one of the %s names it, enabled or not',
    async (table) => {
      const id = await newDestination();
      await use(table, id);
      expectProblem(await owner.delete(pathOf(id)), 409, 'slack_destination_in_use');
      await stopUsing(table);
      expect((await owner.delete(pathOf(id))).status).toBe(204);
      expectProblem(await owner.delete(pathOf(id)), 404, 'slack_destination_not_found');
      expect(
        await countRows(culprit, `audit_log where action = 'slack_destination.deleted' and subject = $1`, [
          `slack_destination:${id}`,
        ]),
      ).toBe(1);
    },
  );

  it('is possible once the project of the rule is deleted', async () => {
    const id = await newDestination();
    const other = await owner.createProject();
    await use('alert_rules', id, parseId(['proj'], other.project_id) ?? '');
    expectProblem(await owner.delete(pathOf(id)), 409, 'slack_destination_in_use');
    await owner.delete(`/v1/projects/${other.project_id}`);
    expect((await owner.delete(pathOf(id))).status).toBe(204);
    await stopUsing('alert_rules');
  });

  it('needs an admin or the owner, and no plan', async () => {
    const id = await newDestination();
    const { memberToken } = await createCollaborator(culprit, project, 'member');
    expectProblem(await managementClient(culprit, memberToken).delete(pathOf(id)), 403, 'forbidden');
    await setPlan(culprit, project, 'free');
    expect((await owner.delete(pathOf(id))).status).toBe(204);
    await setPlan(culprit, project, 'team');
  });

  it('waits for a rule that is being made, and then finds it', async () => {
    const id = await newDestination();
    const { database } = culprit;
    let deletion: Promise<unknown> = Promise.resolve();
    await database.transaction(async (transaction) => {
      const room = { plans: HOSTED, slackApp };
      expect(await requireSlackDestination(transaction, room, organizationId, id)).toBe(id);
      deletion = owner
        .delete(pathOf(id))
        .then((answer) => expectProblem(answer, 409, 'slack_destination_in_use'));
      await eventually(async () => {
        // Inside the transaction, as everything that runs in one.
        const statement = { name: 'test-waiting', text: 'select 1 from pg_locks where not granted' };
        if ((await transaction.query(statement)).length === 0) throw new Error('the deletion does not wait');
      });
      const statement = { name: 'test-use-in-transaction', text: USERS.alert_rules };
      await transaction.query(statement, [newUuid(), projectId, id]);
    });
    await deletion;
    await stopUsing('alert_rules');
  });
});

describe('naming a destination', () => {
  async function problemOf(
    room: { plans: typeof HOSTED; slackApp: SlackApp | null },
    id: string,
    organization = organizationId,
  ): Promise<string> {
    const work = culprit.database.transaction((transaction) =>
      requireSlackDestination(transaction, room, organization, id),
    );
    return await work.catch((error: unknown) => (error instanceof Problem ? error.code : 'no problem'));
  }

  it('is refused for an unknown one first, then for the plan, then without a Slack application', async () => {
    const id = await newDestination();
    const unconfigured = { plans: HOSTED, slackApp: null };
    const foreign = await culprit.createProject({ plan: 'team' });
    const foreignOrganization = await organizationOf(culprit.database, foreign.userId);
    expect(await problemOf({ plans: HOSTED, slackApp }, id, foreignOrganization)).toBe(
      'slack_destination_not_found',
    );
    expect(await problemOf(unconfigured, newUuid())).toBe('slack_destination_not_found');
    expect(await problemOf(unconfigured, 'no-uuid')).toBe('slack_destination_not_found');
    expect(await problemOf(unconfigured, id)).toBe('slack_not_configured');
    await setPlan(culprit, project, 'solo');
    expect(await problemOf(unconfigured, newUuid())).toBe('slack_destination_not_found');
    expect(await problemOf(unconfigured, id)).toBe('upgrade_required');
    expect(await problemOf({ plans: { ...SELF_HOSTED, source: 'account' }, slackApp }, id)).toBe(id);
    await setPlan(culprit, project, 'team');
    expect(await problemOf({ plans: HOSTED, slackApp }, id)).toBe(id);
  });
});

describe('without a Slack application', () => {
  it('nothing is connected or tested, while list and deletion go on', async () => {
    const id = await newDestination();
    const bare = await startCulprit({ plans: HOSTED, hasWorker: false, databaseUrl: culprit.databaseUrl });
    try {
      const client = managementClient(bare, project.memberToken);
      const install = `/v1/slack/app/install-url?project_id=${project.projectId}`;
      expectProblem(await client.get(install), 503, 'slack_not_configured');
      expectProblem(await client.post(`${pathOf(id)}/test`), 503, 'slack_not_configured');
      const { body } = await client.get(`/v1/projects/${project.projectId}/slack/destinations`);
      expect(JSON.stringify(body)).toContain(id);
      expectProblem(await client.delete(pathOf(newUuid())), 404, 'slack_destination_not_found');
      expect((await client.delete(pathOf(id))).status).toBe(204);
    } finally {
      await bare.stop();
    }
  });
});
