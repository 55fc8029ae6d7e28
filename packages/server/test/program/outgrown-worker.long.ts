import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EX } from '../conformance/incidents-fixtures.ts';
import { eventually } from '../support/eventually.ts';
import {
  addressOf,
  createDataDirectory,
  logEntries,
  type RunningProgram,
  runAdmin,
  startProgram,
} from '../support/program.ts';
import { acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';

/** Three checks at rest, behind a load that other tests may slow down. */
const REPLACED_WITHIN_MS = 300_000;
const REQUESTS = 800;
const EVENTS_PER_REQUEST = 40;
const SENDERS = 8;
/** Frames of small events are what stays: those of large ones go back to the system at once. */
const MESSAGE_CHARS = 1400;

let data: Awaited<ReturnType<typeof createDataDirectory>>;
let server: RunningProgram;
let address: string;
let tokens: Record<string, unknown>;

beforeAll(async () => {
  data = await createDataDirectory();
  const settings = {
    CULPRIT_DATA_DIR: data.path,
    CULPRIT_PORT: '0',
    CULPRIT_WORKER_GROWTH_MAX_BYTES: '16MB',
  };
  server = startProgram(settings);
  address = await addressOf(server);
  const { stdout } = await runAdmin(settings, [
    ...['bootstrap', '--email', 'ada@example.test', '--project', 'shop', '--json'],
  ]);
  const made: unknown = JSON.parse(stdout);
  tokens = isJsonObject(made) ? made : {};
}, 120_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.ended;
  await data.remove();
});

it('a worker that a busy time left with much memory is replaced at rest, and the next one goes on', {
  timeout: REPLACED_WITHIN_MS + 200_000,
}, async () => {
  let sent = 0;
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (sent < REQUESTS) {
        sent += 1;
        await send(EVENTS_PER_REQUEST);
      }
    }),
  );
  await eventually(() => {
    expect(logEntries(server, 'replacing process to release memory')).toHaveLength(1);
    expect(logEntries(server, 'process is ready').filter(({ part }) => part === 'worker')).toHaveLength(2);
  }, REPLACED_WITHIN_MS);
  expect(logEntries(server, 'process ended unexpectedly and is being restarted')).toEqual([]);
  await send(1);
  await eventually(async () => {
    const { body } = await sendRequest(`${address}/v1/incidents`, {
      method: 'GET',
      token: String(tokens.member_token),
    });
    expect(body).toMatchObject({
      incidents: [{ occurrence_count: REQUESTS * EVENTS_PER_REQUEST + 1 }],
    });
  }, 60_000);
});

async function send(events: number): Promise<void> {
  const message = 'x'.repeat(MESSAGE_CHARS);
  const batch = Array.from({ length: events }, () => EX({ payload: { message } }));
  acknowledgement(await sendEvents(address, String(tokens.project_token), batch));
}
