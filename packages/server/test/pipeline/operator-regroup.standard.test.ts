import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runAdmin } from '../support/program.ts';

/** docs/contract/grouping.md 8: a release that groups otherwise brings history along when an operator asks for it. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

function failure(): object {
  return {
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name: 'Error',
      message: 'no chair for this',
      stack: 'Error: x\n    at total (/app/src/cart.js:1:1)\n    at pay (/app/src/pay.js:1:1)',
    },
  };
}

/** Gives the only incident of a project another fingerprint, as a release with other grouping would have made it. */
async function groupOtherwise(client: IncidentClient): Promise<string> {
  const { incident_id } = await client.only();
  await culprit.database.script(
    `update incidents set fingerprint = sha256(fingerprint) where incident_id = '${incident_id.slice('inc_'.length)}'`,
  );
  return incident_id;
}

describe("the operator's command", () => {
  it('tells what this release makes one of history, applies that in one step, and takes it back with exact counts', async () => {
    const client = await connect(culprit);
    await client.send(failure());
    const older = await groupOtherwise(client);
    await client.send(failure(), failure());
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
    expect(await command()).toMatchObject({
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
    await client.send(failure());
    await client.counted(2, 2);
    expect(await client.read(older)).toMatchObject({ status: 'open', occurrence_count: 2 });

    const id = isJsonObject(applied) ? String(applied.regrouping_id) : '';
    expect(await command('--undo', id)).toMatchObject({ regrouping_id: id, undone_by_user_id: null });
    await client.counted(2, 2);
    expect(await client.read(newer)).toMatchObject({ status: 'open', occurrence_count: 2 });
    await client.send(failure());
    await client.counted(2, 3);
    expect(await client.read(newer)).toMatchObject({ occurrence_count: 3 });

    const vague = await runAdmin(settings, ['regroup', '--project', client.project.projectId, '--undo', id]);
    expect(vague).toMatchObject({ ending: 1, stdout: '' });
    expect(vague.stderr).toContain('This project has no such regrouping');
  });
});
