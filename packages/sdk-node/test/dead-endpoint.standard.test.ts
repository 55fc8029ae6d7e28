import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-36 of docs/contract/clients.md on the packed library: 10,000 mixed events and nobody who takes them. */

const INSTALL_MAX_MS = 300_000;

const SOURCE = `
import { setTimeout as delay } from 'node:timers/promises';
import { captureException, captureLog, getDiagnostics, init } from '@culprit/node';
init({ spool: false });
while (getDiagnostics().policyPreset === null) await delay(10);
// The functions are made so that each failure has a place, and so a kind, of its own.
const places = Array.from({ length: 400 }, (_, at) => new Function('message', 'return function place' + String.fromCharCode(97 + (at % 26), 97 + (at / 26 | 0)) + '() { return new Error(message); }')());
let balance = true;
for (let number = 0; number < 10_000; number++) {
  if (number % 3 === 0) captureLog('line ' + number + ' ' + 'x'.repeat(500), number % 2 ? 'error' : 'warning');
  else captureException(places[number % places.length]('failure ' + number + ' ' + 'y'.repeat(2_000)));
  if (number % 500 === 0) {
    const { captured, sent, waiting, dropped } = getDiagnostics();
    const ended = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    balance &&= captured === sent + waiting + ended;
    await delay(1);
  }
}
const { waiting, waitingBytes, dropped } = getDiagnostics();
console.log(JSON.stringify({ balance, waiting, waitingBytes, dropped, ms: 0 }));`;

let host: Programs;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await programs();
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

it.each(['20', '24'] as const)(
  'on Node %s, little waits, the counts balance and the process ends by itself',
  async (version) => {
    endpoint.answerWith(({ method }) => (method === 'POST' ? { status: 503 } : undefined));
    const end = await host.run('app.mjs', SOURCE, {
      version,
      env: connectedTo(endpoint.url),
      limitMs: 110_000,
    });
    expect(end).toMatchObject({ code: 0, signal: null });
    const { balance, waiting, waitingBytes, dropped } = JSON.parse(end.stdout);
    expect(balance).toBe(true);
    expect(waiting).toBeGreaterThan(200);
    expect(waiting).toBeLessThanOrEqual(1_000);
    expect(waitingBytes).toBeLessThanOrEqual(8_388_608);
    expect(dropped.suppressed).toBeGreaterThan(5_000);
  },
  120_000,
);
