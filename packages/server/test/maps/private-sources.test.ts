import { randomUUID } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import { explainFrame } from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { alertClient } from '../support/alert-client.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectOk } from '../support/expect-ok.ts';
import { HOSTILE_FILE, hostileSource, hostileSourceEvent, SOURCE_MARK } from '../support/hostile-source.ts';
import { connect } from '../support/incident-client.ts';
import { nextMail } from '../support/mailbox.ts';
import { uploadMaps } from '../support/map-client.ts';
import { newAddress } from '../support/people.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** docs/contract/source-maps.md 2.4, item 33: source lines are for those who read the incident. */

let culprit: TestCulprit;
let receiver: WebhookReceiver;
beforeAll(async () => {
  culprit = await shareCulprit();
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const ADDRESSES = {
  webhook_url: ['slack', 'discord', 'teams', 'mattermost'],
  target_url: ['webhook', 'ntfy'],
} as const;

it('source lines are in the bundle, cut and without NUL, and in no webhook, alert, mail or message of a chat', async () => {
  const client = await connect(culprit);
  const { project } = client;
  const debugId = randomUUID();
  const upload = await uploadMaps(culprit, project, [hostileSource(debugId)]);
  expect(upload.files).toMatchObject([{ verdict: 'ready', probe: { file: HOSTILE_FILE, line: 4 } }]);
  const alerts = alertClient(culprit, project);
  for (const [key, channels] of Object.entries(ADDRESSES)) {
    for (const channel of channels) {
      await alerts.create({ channel, config: { [key]: `${receiver.url}/${channel}` } });
    }
  }
  const to = newAddress('oncall');
  await alerts.create({ channel: 'email', config: { to } });
  await webhookClient(culprit, project).create(`${receiver.url}/own`);

  await client.send(hostileSourceEvent(debugId));
  const { incident_id: id, title } = await client.only();
  const { context } = await client.bundle(id);
  const [frame] = context.stack?.frames ?? [];
  const shown = [...(frame?.pre_context ?? []), frame?.context_line ?? '', ...(frame?.post_context ?? [])];
  expect(shown).toHaveLength(7);
  for (const line of shown) {
    expect(line).toContain(SOURCE_MARK);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(line.isWellFormed()).toBe(true);
    expect(line).not.toContain('\0');
  }
  expect(frame?.context_line).toMatch(/lon…$/);
  const { mapped } = expectOk(
    await createClient({ baseUrl: culprit.url, token: project.memberToken }).call(explainFrame, {
      params: { id: project.projectId },
      body: { file: 'assets/hostile.js', debug_id: debugId, line: 1, column: 1 },
    }),
  );
  expect(mapped?.source?.text).toBe(frame?.context_line);

  // Mail gathers for ten seconds.
  await alerts.evaluated();
  await culprit.database.query(
    {
      name: 'test-close-digest',
      text: `update alert_messages set next_attempt_at = culprit_now() where project_id = $1 and channel = 'email'
        and attempt_count = 0 and leased_until is null`,
    },
    [parseId(['proj'], project.projectId)],
  );
  const mail = await nextMail(culprit.mailDirectory, to);
  await receiver.received(Object.values(ADDRESSES).flat().length + 1);
  const sent = receiver.requests.map(({ path, body }) => `${path} ${body.toString()}`);
  expect(new Set(receiver.requests.map(({ path }) => path)).size).toBe(7);
  const messages = [...sent, JSON.stringify(mail)];
  for (const text of messages) expect(text).toContain(title.includes('hostile') ? 'hostile' : title);
  expect(messages.filter((text) => text.includes(SOURCE_MARK))).toEqual([]);
});
