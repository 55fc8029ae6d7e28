import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEventFiles } from '../../../cli/src/local/read-event-files.ts';
import { builtCli } from '../../../cli/test/support/built-cli.ts';
import { type Programs, programs } from '../../../sdk-node/test/support/run-program.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import {
  bundleFacts,
  incidentFacts,
  localDirectoryAt,
  type Outcome,
  readServed,
} from '../support/local-mode.ts';
import { sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** What the library for Node writes without a server makes the bundles of the service (docs/contract/clients.md 11). */

const INSTALL_MAX_MS = 300_000;
const PRESET = 'balanced';

/** A shop that fails a request, meets one error in a loop, and then crashes. */
const SHOP = `
const culprit = require('@culprit/node');
const http = require('node:http');
culprit.init();
const server = http.createServer((request, response) => {
  console.warn('the cart of', request.url, 'is empty');
  culprit.captureException(new TypeError('no total in ' + request.url), { user: { id: 'ada@example.test' } });
  response.statusCode = 500;
  response.end('{"error":"broken"}');
});
server.listen(0, '127.0.0.1', async () => {
  const origin = 'http://127.0.0.1:' + server.address().port;
  await (await fetch(origin + '/orders/7?token=secret', { method: 'POST', body: '{"cart":"c-1"}' })).text();
  for (let n = 0; n < 30; n += 1) culprit.captureException(new RangeError('the loop went on'));
  await culprit.flush();
  setTimeout(() => { throw new Error('the shop is closed'); }, 10);
});
`;

/** `culprit local push`, which leaves the files where they are. */
async function push(path: string, token: string): Promise<{ submitted: number; accepted: number }> {
  const words = [await builtCli(), 'local', 'push', '--keep', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: path,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: path,
      CULPRIT_PROJECT_TOKEN: token,
      CULPRIT_URL: culprit.url,
    },
  });
  return JSON.parse(stdout);
}

/** Occurrences by title. */
function incidentCounts(outcome: Outcome): Record<string, number> {
  return Object.fromEntries(
    [...outcome.values()].map(({ incident }) => [incident.title, incident.occurrence_count]),
  );
}

let host: Programs;
let culprit: TestCulprit;
beforeAll(async () => {
  host = await programs();
  culprit = await shareCulprit();
}, INSTALL_MAX_MS);
afterAll(async () => {
  host.folder.remove();
  await culprit.stop();
});

describe('files that the library for Node wrote', () => {
  it('make the incidents and bundles that the service makes of the same events', async () => {
    const env = { CULPRIT_SERVICE: 'shop', CULPRIT_ENVIRONMENT: 'development' };
    const ended = await host.run('shop.cjs', SHOP, { version: '24', env });
    expect(ended.stderr).toContain('the shop is closed');
    expect(ended.code).toBe(1);

    const directory = localDirectoryAt(host.folder.path, PRESET);
    const { files, skipped } = readEventFiles([directory.events]);
    expect(skipped).toEqual([]);
    const client = await connect(culprit, { preset: PRESET });
    for (const { bytes } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const events: JsonObject[] = JSON.parse(bytes.toString('utf8'));
      expect((await sendEvents(culprit.url, client.project.projectToken, events)).status).toBe(202);
      await client.processed();
    }
    const served = await readServed(culprit, client);
    const local = directory.outcome();
    expect(incidentFacts(local)).toEqual(incidentFacts(served));
    expect(bundleFacts(local)).toEqual(bundleFacts(served));

    const counts = [...local.values()].map(({ incident }) => [incident.title, incident.occurrence_count]);
    expect(Object.fromEntries(counts)).toMatchObject({
      'TypeError: no total in /orders/7': 1,
      'RangeError: the loop went on': 30,
      'Error: the shop is closed': 1,
    });
    const ofRequest = [...local.values()].find(({ incident }) => incident.title.startsWith('TypeError'));
    expect(ofRequest?.bundle.reproduction.artifacts?.curl).toContain('/orders/7');
    expect(JSON.stringify(ofRequest?.bundle)).not.toContain('ada@example.test');

    // Pushed twice, as after a restored backup, each event counts once.
    const pushed = await connect(culprit, { preset: PRESET });
    for (const round of [1, 2]) {
      const { submitted, accepted } = await push(directory.path, pushed.project.projectToken);
      expect([round, accepted]).toEqual([round, submitted]);
      await pushed.processed();
    }
    expect(incidentCounts(await readServed(culprit, pushed))).toEqual(incidentCounts(local));
  });
});
