import { AccountExport, EXPORTED_KINDS } from '@culprit/contract/workspace/account';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { parseId } from '../../src/platform/ids.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { accept, invite, join, newAddress, type Person, signInAs } from '../support/people.ts';

let culprit: TestCulprit;
let project: TestProject;
let owner: Person;
let collaborator: Person;
let stranger: Person;

beforeAll(async () => {
  culprit = await startCulprit();
  const email = newAddress('owner');
  project = await culprit.createProject({ email, name: 'shop' });
  owner = await signInAs(culprit, email);
  collaborator = await join(culprit, owner, project.projectId, 'admin');
  stranger = await signInAs(culprit, newAddress('stranger'));
  await culprit.createProject({ email: stranger.email, name: 'foreign-project' });
});
afterAll(() => culprit.stop());

const isExport = compileValidator(AccountExport);

/** The document, checked against its schema, as the arrays it holds. */
async function exportOf(person: Person): Promise<{ text: string; arrays: Record<string, unknown[]> }> {
  const { status, headers, body } = await person.request('GET', '/v1/account/export');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="culprit-account.json"');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(isExport(body)).toBe(true);
  if (!isJsonObject(body)) throw new Error('no document');
  const { export_version: version, exported_at: exportedAt, ...arrays } = body;
  expect(version).toBe(1);
  expect(exportedAt).toMatch(/^\d{4}-.*\.\d{3}Z$/);
  return {
    text: JSON.stringify(body),
    arrays: Object.fromEntries(
      Object.entries(arrays).map(([kind, rows]) => [kind, Array.isArray(rows) ? rows : []]),
    ),
  };
}

describe('the export of an account', () => {
  it('holds one array per kind of record, with ids and times as everywhere', async () => {
    const client = clientOf(culprit, project);
    await client.send(EX());
    const incident = await client.only();
    const { invite: open } = await invite(culprit, owner, project.projectId, newAddress('invited'));
    const { arrays } = await exportOf(owner);
    expect(Object.keys(arrays)).toEqual(EXPORTED_KINDS);
    expect(arrays.accounts).toMatchObject([{ user_id: owner.userId, email: owner.email, github_id: null }]);
    expect(arrays.projects).toMatchObject([{ project_id: project.projectId, name: 'shop' }]);
    expect(arrays.members).toMatchObject([
      { user_id: owner.userId, role: 'owner' },
      { user_id: collaborator.userId, email: collaborator.email, role: 'admin' },
    ]);
    expect(arrays.invites).toContainEqual(open);
    expect(arrays.project_tokens).toMatchObject([
      { kind: 'dsn', project_id: project.projectId, label: 'Default' },
      { token_id: expect.stringMatching(/^tok_/), project_id: project.projectId, label: 'bootstrap' },
    ]);
    expect(arrays.member_tokens).toMatchObject([{ token_id: expect.stringMatching(/^tok_/) }]);
    expect(arrays.sessions).toMatchObject([{ session_id: expect.any(String), revoked_at: null }]);
    expect(arrays.services).toMatchObject([{ name: 'checkout-api', environment: 'production' }]);
    expect(arrays.client_counts).toMatchObject([
      { project_id: project.projectId, sdk_name: 'custom', outcome: 'received', events: 1 },
    ]);
    expect(arrays.incidents).toMatchObject([
      {
        incident_id: incident.incident_id,
        title: incident.title,
        severity: incident.severity,
        first_seen_at: incident.first_seen_at,
      },
    ]);
    expect(arrays.usage).toContainEqual(
      expect.objectContaining({ meter: 'monthly_raw_ingested_events', used: 1 }),
    );
    expect(arrays.audit).toContainEqual(
      expect.objectContaining({ action: 'invite.created', actor_user_id: owner.userId }),
    );
  });

  it('holds who gets weekly reports, without the addresses of chat webhooks', async () => {
    const { body: made } = await owner.request('POST', '/v1/weekly-report-channels', {
      project_id: project.projectId,
      channel: 'slack',
      config: { webhook_url: 'https://hooks.example.com/services/secret' },
      schedule: { day_of_week: 'friday', hour_of_day: 16, timezone: 'UTC' },
    });
    expect(made).toMatchObject({ channel: { channel: 'slack' } });
    const { text, arrays } = await exportOf(owner);
    expect(arrays.weekly_report_channels).toMatchObject([
      {
        channel: 'email',
        config: { to: [owner.email] },
        day_of_week: 'monday',
        hour_of_day: 9,
        timezone: 'UTC',
      },
      { channel: 'slack', config: {}, project_id: project.projectId },
    ]);
    expect(text).not.toContain('hooks.example.com');
  });

  it('shows no secret: no hash, no token, no code, no cookie', async () => {
    const { token } = await invite(culprit, owner, project.projectId, newAddress());
    await owner.request('POST', '/v1/account/delete/request-otp', { confirmation_text: 'Delete my account' });
    const { text } = await exportOf(owner);
    const hashes = await culprit.database.query<{ hash: string }>({
      name: 'test-hashes',
      text: `select encode(hash, 'hex') as hash from (
          select token_hash from project_tokens union all select token_hash from member_tokens
          union all select token_hash from project_invites union all select secret_hash from sessions
          union all select sealed_secret from webhooks union all select sealed_url from slack_destinations union all select code_hash from account_deletion_codes union all select user_key from projects
        ) as secrets (hash)`,
    });
    expect(hashes.length).toBeGreaterThanOrEqual(6);
    const cookie = owner.headers.cookie?.split('=')[1] ?? '';
    const secrets = [
      token,
      project.memberToken,
      project.projectToken,
      cookie,
      ...hashes.map(({ hash }) => hash),
    ];
    for (const secret of secrets) expect(text).not.toContain(secret);
    const names = new Set([...text.matchAll(/"(\w+)":/g)].map(([, name = '']) => name));
    // The key of a DSN is public, and so is the one that numbers of incidents begin with.
    for (const name of ['public_key', 'incident_key']) names.delete(name);
    expect([...names].filter((name) => /hash|secret|key$|cookie|otp|password/.test(name))).toEqual([]);
  });

  it('shows nothing of others but their place in the own projects', async () => {
    const { text, arrays } = await exportOf(owner);
    expect(text).not.toContain('foreign-project');
    expect(text).not.toContain(stranger.userId);
    // Somebody else's project one works in is named, and not opened.
    const { token } = await invite(culprit, stranger, await firstProjectOf(stranger), owner.email);
    expect((await accept(owner, token)).status).toBe(200);
    const after = await exportOf(owner);
    expect(after.arrays.memberships).toMatchObject([{ project_name: 'foreign-project', role: 'member' }]);
    expect(after.arrays.projects).toHaveLength(1);
    expect(after.arrays.members).toEqual(arrays.members);
    expect(after.arrays.own_actions).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ action: 'invite.accepted' })]),
    );
  });

  it('is on the trail', async () => {
    const trail = `audit_log where action = 'account.exported' and actor_user_id = $1`;
    const before = await countRows(culprit, trail, [owner.userId]);
    await exportOf(owner);
    expect(await countRows(culprit, trail, [owner.userId])).toBe(before + 1);
  });

  it('is complete, however many rows a kind has', async () => {
    const services = 450;
    const incidents = 450;
    await culprit.database.query(
      {
        name: 'test-many-services',
        text: `insert into services (service_id, project_id, name, environment, last_seen_at)
          select gen_random_uuid(), $1, 'many-' || n, 'production', culprit_now() from generate_series(1, $2) as n`,
      },
      [parseId(['proj'], project.projectId), services],
    );
    await culprit.database.query(
      {
        name: 'test-many-incidents',
        text: `insert into incidents (incident_id, number, project_id, service_id, service_name, environment,
            fingerprint_version, fingerprint, fingerprint_kind, title, severity, status, first_seen_at, last_seen_at,
            occurrence_count, status_changed_at, matched_fields, readers, rule, reason_kind, reason_description, reason_event_type,
            reason_matched_policy, newest_received_at)
          select gen_random_uuid(), 1000000 + n, s.project_id, s.service_id, s.name, s.environment, 'v2', sha256(n::text::bytea),
            'exception', 'many ' || n, 2, 'open', now, now, 1, now, '{}', '{}', 'error_message', 'backend_exception', '',
            'backend_exception', 'always_incident', now
          from services s, culprit_now() as now, generate_series(1, $2) as n
          where s.project_id = $1 and s.name = 'many-7'`,
      },
      [parseId(['proj'], project.projectId), incidents],
    );
    const { arrays } = await exportOf(owner);
    const distinct = (kind: string, field: string) =>
      new Set((arrays[kind] ?? []).map((row) => (isJsonObject(row) ? row[field] : undefined))).size;
    expect([distinct('services', 'name'), arrays.services?.length]).toEqual([services + 1, services + 1]);
    expect([distinct('incidents', 'incident_id'), arrays.incidents?.length]).toEqual([
      incidents + 1,
      incidents + 1,
    ]);
  });
});

describe('what points to people and organizations', () => {
  it('says what becomes of it when they are deleted', async () => {
    const silent = await culprit.database.query<{ place: string }>({
      name: 'test-references',
      text: `select c.conrelid::regclass || ' (' || c.conname || ')' as place from pg_constraint c
        where c.contype = 'f' and c.confrelid in ('users'::regclass, 'organizations'::regclass)
          and c.confdeltype = 'a' order by 1`,
    });
    // Organizations end before their owner does, by the statement that deletes a person.
    expect(silent.map(({ place }) => place)).toEqual(['organizations (organizations_owner_user_id_fkey)']);
  });
});

async function firstProjectOf(person: Person): Promise<string> {
  const { body } = await person.request('GET', '/v1/projects');
  const id = /"project_id":"([^"]+)"/.exec(JSON.stringify(body))?.[1];
  if (id === undefined) throw new Error('no project');
  return id;
}
