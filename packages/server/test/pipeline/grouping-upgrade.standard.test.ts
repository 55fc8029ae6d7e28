import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runAdmin } from '../support/program.ts';

/** docs/contract/incidents.md 5.4.8: incidents of version 1 go on, and none is split at the upgrade. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

const STACK = 'Error: x\n    at total (/app/src/cart.js:1:1)\n    at pay (/app/src/pay.js:1:1)';

function failure(message: string): object {
  return {
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: { name: 'Error', message, stack: STACK },
  };
}

/** Gives the only incident of a project the key of version 1 that its events have, as one from before the upgrade. */
async function makeEarlier(client: IncidentClient, earlierValue: string): Promise<string> {
  const { incident_id } = await client.only();
  await culprit.database.script(
    `update incidents set fingerprint_version = 'v1', fingerprint = decode('${earlierValue}', 'hex')
      where incident_id = '${incident_id.slice('inc_'.length)}'`,
  );
  return incident_id;
}

/** The key by version 1 of the failure. */
function earlierKey(message: string): string {
  const event = JSON.parse(JSON.stringify(failure(message)));
  const found = fingerprintEvent(normalizeEvent(event, { eventId: 'evt_1', receivedAtMs: Date.now() }));
  expect(found?.version).toBe('v2');
  return found?.earlierValue ?? '';
}

describe('an incident from before grouping version 2', () => {
  it('goes on with its events, and with those that only version 2 knows to be its own', async () => {
    const client = await connect(culprit);
    // Version 1 reads the number of a key as a part of a word and the word as text: two groups for it, one for version 2.
    const [one, other] = ['no cart k7a for this', 'no cart k9b for this'];
    expect(earlierKey(one)).not.toBe(earlierKey(other));
    await client.send(failure(one));
    const incidentId = await makeEarlier(client, earlierKey(one));

    await client.send(failure(one));
    expect((await client.only(2)).incident_id).toBe(incidentId);
    await client.send(failure(other));
    expect(await client.only(3)).toMatchObject({ incident_id: incidentId, fingerprint_version: 'v1' });
  });

  it('takes events of both keys that come in one request', async () => {
    const client = await connect(culprit);
    const [one, other] = ['no desk k7a for this', 'no desk k9b for this'];
    await client.send(failure(one));
    const incidentId = await makeEarlier(client, earlierKey(one));
    await client.send(failure(one));
    await client.only(2);
    await client.send(failure(other), failure(one), failure(other));
    expect((await client.only(5)).incident_id).toBe(incidentId);
  });

  it('is not made by a new failure, which has version 2', async () => {
    const client = await connect(culprit);
    await client.send(failure('no lamp k7a for this'), failure('no lamp k9b for this'));
    expect(await client.only(2)).toMatchObject({ fingerprint_version: 'v2' });
  });
});

describe("the operator's command", () => {
  it('tells what version 2 makes one of history, applies that in one step, and takes it back with exact counts', async () => {
    const client = await connect(culprit);
    const [one, other] = ['no chair k7a for this', 'no chair k9b for this'];
    await client.send(failure(one));
    const older = await makeEarlier(client, earlierKey(one));
    await client.send(failure(other), failure(other));
    const before = await client.counted(1, 2);
    const newer = before.find(({ incident_id }) => incident_id !== older)?.incident_id ?? '';

    const settings = {
      CULPRIT_DATABASE_URL: culprit.databaseUrl,
      CULPRIT_DATA_DIR: dirname(culprit.objectDirectory),
      CULPRIT_DATA_KEY: randomBytes(32).toString('base64'),
    };
    const command = async (...options: string[]): Promise<unknown> => {
      const args = ['regroup', '--project', client.project.projectId, ...options, '--json'];
      const { ending, stdout, stderr } = await runAdmin(settings, args);
      expect({ ending, stderr }).toMatchObject({ ending: 0 });
      return JSON.parse(stdout);
    };
    expect(await command('--version', 'v2')).toMatchObject({
      events_seen: 3,
      merge_count: 1,
      merges: [{ events: 3 }],
      split_count: 0,
      is_complete: true,
    });
    await client.counted(1, 2);

    const applied = await command('--apply', '--hours', '1');
    expect(applied).toMatchObject({ merged_incidents: 1, created_by_user_id: null, stack_rules: [] });
    expect(await client.read(newer)).toMatchObject({ status: 'resolved', occurrence_count: 2 });
    await client.send(failure(other));
    await client.counted(2, 2);
    expect(await client.read(older)).toMatchObject({ status: 'open', occurrence_count: 2 });

    const id = isJsonObject(applied) ? String(applied.regrouping_id) : '';
    expect(await command('--undo', id)).toMatchObject({ regrouping_id: id, undone_by_user_id: null });
    await client.counted(2, 2);
    expect(await client.read(newer)).toMatchObject({ status: 'open', occurrence_count: 2 });
    await client.send(failure(other));
    await client.counted(2, 3);
    expect(await client.read(newer)).toMatchObject({ occurrence_count: 3 });

    const vague = await runAdmin(settings, ['regroup', '--project', client.project.projectId, '--undo', id]);
    expect(vague).toMatchObject({ ending: 1, stdout: '' });
    expect(vague.stderr).toContain('There is no such regrouping');
    const earlier = await runAdmin(settings, [
      'regroup',
      '--version',
      'v1',
      '--apply',
      '--project',
      client.project.projectId,
    ]);
    expect(earlier.stderr).toContain('only v2 can be applied');
  });
});
