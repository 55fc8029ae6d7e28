import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RowGroup, repeated } from './row-group.ts';

/** The amount that libraries in local mode keep: 64 MiB in files of 512 KiB (docs/contract/clients.md 11.3). */
const FILES = 128;
const FILE_BYTES = 512 * 1024;
/** Kinds of failures in them; the same one comes again and again. */
const FAILURES = 40;
const START_MS = Date.parse('2026-11-23T08:00:00Z');

const MAIN = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** From starting `npm run -s local -- list` until it has printed everything (docs/contract/clients.md 11.4). */
export const localFiles: RowGroup = {
  rows: ['local'],
  async measure(context) {
    const directory = mkdtempSync(join(context.directory, 'local-'));
    const files = context.scaled(FILES);
    const events = writeFiles(join(directory, '.culprit/local/events'), files);
    const runs = await repeated(context, 'local', () => listSeconds(directory));
    rmSync(directory, { recursive: true, force: true });
    return [
      {
        row: 'local',
        figure: `incidents of ${(files * FILE_BYTES) / 1_048_576} MiB of local files, with the start of the program`,
        unit: 's',
        values: runs,
        floorValues: null,
        target: { kind: 'at_most', value: 2 },
        details: { events },
      },
    ];
  },
};

async function listSeconds(directory: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN, 'local', 'list', '--json'], {
    env: { ...process.env, INIT_CWD: directory },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the command ended with ${code}`);
  return (performance.now() - startedAt) / 1000;
}

/** @returns the number of events */
function writeFiles(directory: string, files: number): number {
  mkdirSync(directory, { recursive: true });
  let count = 0;
  for (let file = 0; file < files; file += 1) {
    const atMs = START_MS + file * 1000;
    const texts: string[] = [];
    for (let bytes = 2; ; ) {
      const text = JSON.stringify(eventOf(count, atMs));
      bytes += text.length + 1;
      if (bytes > FILE_BYTES) break;
      texts.push(text);
      count += 1;
    }
    const name = `${atMs + 500}-${String(file + 1).padStart(4, '0')}-shop.events.json`;
    writeFileSync(join(directory, name), `[${texts.join(',')}]`);
  }
  return count;
}

/** One request after the other: its exception with what led to it, its answer, and two lines of its log. */
function eventOf(index: number, atMs: number): object {
  const request = Math.floor(index / 4);
  const failure = request % FAILURES;
  return {
    schema_version: '2026-03-01',
    event_id: `event-${index}`,
    sdk_name: '@culprit/node',
    sdk_version: '0.1.0',
    occurred_at: new Date(atMs).toISOString(),
    service: { name: 'shop', runtime: 'node', framework: 'express', environment: 'local' },
    correlation: {
      request_id: `request-${request}`,
      trace_id: `trace-${request}`,
      session_id: null,
      user_id_hash: null,
    },
    ...[exceptionOf, requestOf, logOf, logOf][index % 4]?.(request, failure),
  };
}

function exceptionOf(request: number, failure: number): object {
  const frames = Array.from(
    { length: 18 },
    (_, line) => `    at step${line}_${failure} (/app/src/module${line}.js:${10 + line}:5)`,
  );
  const message = `the total of ${failure} is undefined`;
  return {
    event_type: 'backend_exception',
    payload: {
      name: 'TypeError',
      message,
      stack: [`TypeError: ${message}`, ...frames].join('\n'),
      handled: false,
      request: {
        method: 'POST',
        path: `/orders/${request}`,
        query: {},
        headers: { authorization: '[REDACTED]', host: 'shop.test', 'user-agent': 'x'.repeat(100) },
        body: { cart: `cart-${request}`, note: 'z'.repeat(2000) },
      },
      response: { status_code: 500, headers: {}, body: null },
      runtime: { version: '24.21.0' },
    },
  };
}

function requestOf(request: number): object {
  return {
    event_type: 'request_event',
    payload: {
      method: 'POST',
      path: `/orders/${request}`,
      query: {},
      headers: {},
      response_status: 500,
      duration_ms: 12,
    },
  };
}

function logOf(request: number, failure: number): object {
  return {
    event_type: 'log_event',
    payload: {
      level: failure % 2 === 0 ? 'warning' : 'error',
      message: `order ${request} was slow`,
      attributes: { order: request, detail: 'y'.repeat(500) },
    },
  };
}
