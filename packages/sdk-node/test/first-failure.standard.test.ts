import { afterAll, beforeAll, expect, it } from 'vitest';
import { NODE_VERSIONS } from '../../sdk-test-hosts/hosts.ts';
import { TEST_TOKEN } from './support/recording-endpoint.ts';
import { type Programs, programs } from './support/run-program.ts';

/** Counts bound what an event keeps (docs/contract/clients.md 10.3), so cold code and slow processors lose nothing. */

const OBJECTS = 45;
const CAPTURES = 10;

const PROGRAM = `
import { captureException, close, init } from '@culprit/node';
const events = [];
init({
  token: '${TEST_TOKEN}',
  endpoint: 'https://culprit.example',
  environment: 'production',
  transport: async ({ body, events: count }) => {
    const { events: given, batch } = JSON.parse(body);
    events.push(...(given ?? batch));
    return { status: 202, body: JSON.stringify({ accepted: count, rejected: 0, errors: [] }) };
  },
});
const list = () => Array.from({ length: ${OBJECTS} }, (_, id) => ({ id, name: 'item ' + id, price: id / 7, tags: ['a', 'b'] }));
for (let i = 0; i < ${CAPTURES}; i += 1) captureException(new Error('failure ' + i), { context: { order: list(), cart: list() } });
await close();
const whole = ({ context }) => [...context.order, ...context.cart].filter((item) =>
  Number.isInteger(item.id) && item.name === 'item ' + item.id && item.price === item.id / 7 && item.tags[1] === 'b').length;
console.log(JSON.stringify(events.filter(({ event_type }) => event_type === 'backend_exception').map(whole)));
`;

let host: Programs;
beforeAll(async () => {
  host = await programs();
}, 300_000);
afterAll(() => host?.folder.remove());

it.each([
  ...NODE_VERSIONS.map((version) => ({ version, args: [] as string[] })),
  // As slow as a small container that is busy.
  { version: '24' as const, args: ['--jitless'] },
])('keeps as much of the first failure as of the tenth on Node $version $args', async ({ version, args }) => {
  const { stdout, stderr } = await host.run('first.mjs', PROGRAM, { version, args });
  expect(JSON.parse(stdout || stderr)).toEqual(Array.from({ length: CAPTURES }, () => 2 * OBJECTS));
});
