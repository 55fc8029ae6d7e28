import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isRecord, type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, type Programs, programs } from './support/run-program.ts';

/** C-17 of docs/contract/clients.md and its section 4.5: lines of loggers and of the console, with real loggers. */

const INSTALL_MAX_MS = 300_000;

let host: Programs;
let endpoint: RecordingEndpoint;
beforeAll(async () => {
  host = await programs({ pino: 'pino', 'pino-9.9': 'pino-9.9', winston: 'winston', bunyan: 'bunyan' });
}, INSTALL_MAX_MS);
afterAll(() => host.folder.remove());
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

const WITH = `const culprit = require('@culprit/node'); culprit.init(JSON.parse(process.env.OPTIONS));\n`;
/** As many lines, so that stacks are equal. */
const WITHOUT = `const culprit = { captureException() {}, async flush() {} };\n`;
/** What a trail keeps besides lines that are events of their own. */
const END = `\nculprit.captureException(new Error('end')); culprit.flush();`;

async function run(version: '20' | '24', source: string, options: object = {}) {
  const env = { ...connectedTo(endpoint.url), OPTIONS: JSON.stringify(options) };
  const bare = await host.run('app.cjs', WITHOUT + source + END, { version, env });
  const watched = await host.run('app.cjs', WITH + source + END, { version, env });
  expect({ ...watched, ms: 0 }).toEqual({ ...bare, ms: 0 });
  expect(watched).toMatchObject({ code: 0, stderr: '' });
  expect(endpoint.faults).toEqual([]);
  const logs = endpoint.events('log_event').map(({ payload }) => payload);
  const [end] = endpoint.events('backend_exception');
  const trail = isRecord(end?.payload) ? end.payload.logs : undefined;
  return { logs, trail, stdout: watched.stdout };
}

const LINES = `
const child = logger.child({ order: 7, user: { name: 'u' } });
child.warn({ sku: 'A-1' }, 'low %s', 'stock');
child.error(new RangeError('out of stock'), 'order failed');
child.info('started');`;

const EXPECTED_LOGS = [
  { level: 'warning', message: 'low stock', attributes: { order: 7, user: { name: 'u' }, sku: 'A-1' } },
  {
    level: 'error',
    message: 'order failed',
    attributes: {
      order: 7,
      error: { name: 'RangeError', message: 'out of stock', stack: expect.stringContaining('app.cjs') },
    },
  },
];

describe.each(['20', '24'] as const)('loggers on Node %s', (version) => {
  it('pino: a child line with an Error arrives whole, and the output is the same byte for byte', async () => {
    const source = `const logger = require('pino')({ timestamp: false, base: { pid: 1 } });${LINES}`;
    const { logs, trail, stdout } = await run(version, source);
    expect(stdout.split('\n')).toHaveLength(4);
    expect(logs).toMatchObject(EXPECTED_LOGS);
    expect(trail).toMatchObject([
      { level: 'warning', message: 'low stock' },
      { level: 'error', message: 'order failed' },
      { level: 'info', message: 'started', attributes: { order: 7 } },
    ]);
  });

  it('pino before 9.10: the same through a stream', async () => {
    const source = `
      const pino = require('pino-9.9');
      const streams = [{ stream: process.stdout }];
      if (culprit.init) streams.push({ stream: require('@culprit/node/pino').culpritStream() });
      const logger = pino({ timestamp: false, base: { pid: 1 } }, pino.multistream(streams));${LINES}`;
    const { logs } = await run(version, source);
    // The line is text by then, and has the name as pino writes it.
    const [warning, error] = logs;
    expect([warning, error]).toMatchObject([
      EXPECTED_LOGS[0],
      {
        level: 'error',
        message: 'order failed',
        attributes: { order: 7, error: { message: 'out of stock' } },
      },
    ]);
    expect(logs).toHaveLength(2);
  });
});

it('winston: a line with an Error arrives whole', async () => {
  const source = `
    const winston = require('winston');
    const transports = [new winston.transports.Console()];
    if (culprit.init) transports.push(new (require('@culprit/node/winston').CulpritTransport)());
    const logger = winston.createLogger({ level: 'info', transports, defaultMeta: { shop: 'north' } });
    logger.warn('low stock', { sku: 'A-1' });
    logger.error('order failed', new RangeError('out of stock'));
    logger.info('started');`;
  const { logs } = await run('24', source);
  expect(logs).toMatchObject([
    { level: 'warning', message: 'low stock', attributes: { shop: 'north', sku: 'A-1' } },
    {
      level: 'error',
      message: expect.stringContaining('order failed'),
      attributes: { error: { name: 'RangeError', message: 'out of stock' } },
    },
  ]);
});

it('bunyan: a line with an Error arrives with name, message and stack', async () => {
  const source = `
    const bunyan = require('bunyan');
    const streams = [];
    if (culprit.init) streams.push(require('@culprit/node/bunyan').culpritStream());
    const logger = bunyan.createLogger({ name: 'shop', streams });
    logger.warn({ sku: 'A-1' }, 'low stock');
    logger.error({ err: new RangeError('out of stock') }, 'order failed');`;
  const { logs } = await run('24', source);
  expect(logs).toMatchObject([
    { level: 'warning', message: 'low stock', attributes: { logger: 'shop', sku: 'A-1' } },
    {
      level: 'error',
      message: 'order failed',
      attributes: { error: { name: 'RangeError', message: 'out of stock', stack: expect.any(String) } },
    },
  ]);
});

const CONSOLE = `console.log('plain', 1); console.info('info'); console.info('careful', { sku: 'A-1' });`;

describe('the console', () => {
  it.each(['24', '20'] as const)(
    'on Node %s stands in the trail, in order, and prints what it prints',
    async (version) => {
      const { logs, trail } = await run(version, CONSOLE);
      expect(trail).toMatchObject([
        { level: 'info', message: 'plain 1', logger: 'console' },
        { level: 'info', message: 'info' },
        { level: 'info', message: 'careful', attributes: { arguments: [{ sku: 'A-1' }] } },
      ]);
      expect(logs).toEqual([]);
    },
  );

  it('stands in no trail where that is switched off', async () => {
    expect(await run('24', CONSOLE, { capture: { console: 'off' } })).toMatchObject({
      logs: [],
      trail: undefined,
    });
  });

  it('sends lines from warning on as events when asked, an Error among the arguments included', async () => {
    const source = `
      const write = process.stderr.write; process.stderr.write = () => true;
      console.warn('careful'); console.error('failed', new RangeError('printed')); console.info('quiet');
      process.stderr.write = write;`;
    const { logs } = await run('24', source, { capture: { console: 'events' } });
    expect(logs).toMatchObject([
      { level: 'warning', message: 'careful', attributes: { logger: 'console' } },
      {
        level: 'error',
        message: 'failed RangeError: printed',
        attributes: { error: { name: 'RangeError', message: 'printed' } },
      },
    ]);
  });
});
