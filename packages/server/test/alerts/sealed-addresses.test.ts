import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/admin/backup/create-backup.ts';
import { parseId } from '../../src/platform/ids.ts';
import { openConfig, sealConfig } from '../../src/platform/secrets/sealed-address.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { findSecrets, type Haystack, readTables } from '../security/secret-search.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { reportClient } from '../support/report-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/**
 * The address of a chat webhook lets its holder post there, so addresses are stored sealed with the data key
 * (docs/contract/notifications.md 1.4, 4.2).
 */

const SCHEDULE = { day_of_week: 'friday', hour_of_day: 16, timezone: 'UTC' } as const;
/** Part of every address here and of nothing else. */
const TOKEN = `T0${randomBytes(9).toString('hex')}`;
const SECRET = { name: 'token of an address', value: TOKEN };

let culprit: TestCulprit;
let receiver: WebhookReceiver;
let project: TestProject;
let alerts: AlertClient;
beforeAll(async () => {
  culprit = await startCulprit();
  receiver = await startReceiver(200);
});
afterAll(async () => {
  await culprit?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  project = await culprit.createProject();
  alerts = alertClient(culprit, project);
});

const address = (name: string) => `${receiver.url}/services/${TOKEN}/${name}`;
/** Rules and a channel of every kind that has an address. */
async function makeAll(): Promise<object[]> {
  const configs = [
    { channel: 'slack', config: { webhook_url: address('slack') } },
    { channel: 'discord', config: { webhook_url: address('discord') } },
    { channel: 'webhook', config: { target_url: address('webhook') } },
  ];
  const made: object[] = [];
  for (const body of configs) made.push(await alerts.create(body));
  made.push(await reportClient(culprit, project).createSlack({ webhook_url: address('report') }, SCHEDULE));
  return made;
}

/** What the API shows of them now. */
async function shown(): Promise<object[]> {
  const { body } = await managementClient(culprit, project.memberToken).get(
    `/v1/alerts?project_id=${project.projectId}`,
  );
  const channels = await reportClient(culprit, project).list();
  return [
    ...(body as { alerts: object[] }).alerts.toReversed(),
    ...channels.filter(({ channel }) => channel === 'slack'),
  ];
}

/** Every file of a backup, decompressed. */
async function readBackup(): Promise<Haystack[]> {
  const directory = await mkdtemp(join(tmpdir(), 'culprit-test-'));
  try {
    const to = join(directory, 'backup');
    await createBackup(to, {
      databaseUrl: culprit.databaseUrl,
      objects: null,
      config: { dataKey: culprit.dataKey, dataDir: directory },
    });
    const tables = await readdir(join(to, 'tables'));
    return await Promise.all(
      tables.map(async (name) => ({
        name,
        text: zstdDecompressSync(await readFile(join(to, 'tables', name))).toString('utf8'),
      })),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}

const addressesOf = (records: readonly object[]) =>
  records.map((record) => Object.values((record as { config: Record<string, string> }).config)[0]);
const EXPECTED = () => ['slack', 'discord', 'webhook', 'report'].map(address);

describe('addresses of receivers', () => {
  it('are shown as they were given, and stand in no table and no backup', async () => {
    expect(addressesOf(await makeAll())).toEqual(EXPECTED());
    const before = await shown();
    expect(addressesOf(before)).toEqual(EXPECTED());
    const tables = await readTables(culprit);
    expect(tables.find(({ name }) => name === 'table alert_rules')?.text).toContain('"sealed:');
    expect(findSecrets(tables, [SECRET])).toEqual([]);
    const backup = await readBackup();
    expect(backup.find(({ name }) => name.startsWith('alert_rules'))?.text).toContain('"sealed:');
    expect(findSecrets(backup, [SECRET])).toEqual([]);
  });

  it('stay with a rule and a channel of which something else is changed', async () => {
    await makeAll();
    const [rule] = await shown();
    const { alert_id: alertId } = rule as { alert_id: string };
    const updated = await alerts.update(alertId, { cooldown_seconds: 60 });
    expect(updated).toMatchObject({ cooldown_seconds: 60, config: { webhook_url: address('slack') } });
    const moved = { channel: 'webhook', config: { target_url: address('moved') } };
    expect(await alerts.update(alertId, moved)).toMatchObject(moved);
    const reports = reportClient(culprit, project);
    const channel = (await reports.list()).find((each) => each.channel === 'slack');
    expect(await reports.update(channel?.channel_id ?? '', { is_enabled: false })).toMatchObject({
      config: { webhook_url: address('report') },
    });
    expect(findSecrets(await readTables(culprit), [SECRET])).toEqual([]);
  });

  it('that a changed data key cannot open are shown empty and get nothing', async () => {
    await makeAll();
    // Another key is known by the first bytes of what it sealed.
    for (const table of ['alert_rules', 'weekly_report_channels']) {
      await culprit.database.query(
        {
          name: `test-foreign-${table}`,
          text: `update ${table} set config = replace(config::text, 'sealed:', 'sealed:AAAA')::jsonb where project_id = $1`,
        },
        [parseId(['proj'], project.projectId) ?? ''],
      );
    }
    expect(addressesOf(await shown())).toEqual([undefined, undefined, undefined, '']);
    receiver.requests.length = 0;
    await clientOf(culprit, project).send(EX());
    const failed = { status: 'failed', last_error: 'alert_disabled' } as const;
    await alerts.reached([failed, failed, failed]);
    expect(receiver.requests).toEqual([]);
  });
});

describe('a sealed address', () => {
  const key = new Secret(randomBytes(32));
  it('is worth nothing in another row, and is not sealed twice', () => {
    const sealed = sealConfig(key, { webhook_url: 'https://chat.test/x' }, 'one');
    expect(openConfig(key, sealed, 'one')).toEqual({ webhook_url: 'https://chat.test/x' });
    expect(openConfig(key, sealed, 'other')).toBeNull();
    expect(sealConfig(key, sealed, 'one')).toEqual(sealed);
    expect(openConfig(key, { webhook_url: 'sealed:nonsense' }, 'one')).toBeNull();
  });

  it('takes the token of a bot along, and leaves its chat', () => {
    const config = { token: '1:secret', chat_id: '-1001', thread_id: 7 };
    const sealed = sealConfig(key, config, 'one');
    expect(sealed).toEqual({ ...config, token: expect.stringMatching(/^sealed:/) });
    expect(openConfig(key, sealed, 'one')).toEqual(config);
  });

  it('leaves the rest of a configuration as it is', () => {
    for (const config of [{}, { to: 'a@b.test' }, { to: ['a@b.test'] }, { slack_destination_id: 'x' }]) {
      expect(sealConfig(key, config, 'one')).toEqual(config);
      expect(openConfig(key, config, 'one')).toEqual(config);
    }
  });
});
