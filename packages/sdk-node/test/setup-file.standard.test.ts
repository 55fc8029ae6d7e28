import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asCommonJs, asModule, FRAMEWORK_HOSTS } from './support/framework-hosts.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './support/recording-endpoint.ts';
import { connectedTo, programs } from './support/run-program.ts';

/** `culprit-setup.json` of the packed library: the lines that the setup writes into an application work. */

const INSTALL_MAX_MS = 300_000;

interface Row {
  name: string;
  when: { dependencies: string[] };
  entry: string[];
  files: { path: string; content: string }[];
  import_line: { esm: string | null; cjs: string | null };
  env: Record<string, string>;
  relay: { path: string; package: string; line: string | null };
  note: string;
}

const SETUP = JSON.parse(readFileSync(join(import.meta.dirname, '../culprit-setup.json'), 'utf8'));
const ROWS: Row[] = SETUP.frameworks;
const EXPORTS: object = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
).exports;

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
});
afterEach(() => endpoint.close());

it('has a row for each framework, the most telling dependency first and any other Node last', () => {
  expect(SETUP.setup_version).toBe(1);
  expect(ROWS.map(({ name, when }) => [name, ...when.dependencies])).toEqual([
    ['next', 'next'],
    ['nestjs', '@nestjs/core'],
    ['fastify', 'fastify'],
    ['express', 'express'],
    ['koa', 'koa'],
    ['hono', 'hono'],
    ['hapi', '@hapi/hapi'],
    ['node'],
  ]);
  for (const { env, relay, note } of ROWS) {
    expect(env).toEqual({ CULPRIT_PROJECT_TOKEN: 'project_token', CULPRIT_ENDPOINT: 'base_url' });
    expect(EXPORTS).toHaveProperty([relay.package.replace('@culprit/node', '.')]);
    expect(note).toMatch(/\.$/);
  }
});

/** The application without its own start. */
const withoutInit = (source: string) => source.replace(/^init\(.*\);$/m, '');

describe.each(ROWS.filter(({ name }) => FRAMEWORK_HOSTS.some(({ framework }) => framework === name)))(
  'the row $name',
  (row) => {
    const host = FRAMEWORK_HOSTS.find(({ framework }) => framework === row.name);

    it(
      'starts capture with its line at the top of a module and of CommonJS',
      async () => {
        if (host === undefined) throw new Error(`there is no application of ${row.name}`);
        const running = await programs(host.packages);
        try {
          const env = connectedTo(endpoint.url);
          for (const [file, line, source] of [
            ['app.mjs', row.import_line.esm, asModule(host)],
            ['app.cjs', row.import_line.cjs, asCommonJs(host)],
          ] as const) {
            const before = endpoint.events('backend_exception').length;
            const end = await running.run(file, `${line}\n${withoutInit(source)}`, { version: '24', env });
            expect(end).toMatchObject({ code: 0 });
            const found = endpoint.events('backend_exception').slice(before);
            expect(found).toMatchObject([
              { service: { framework: row.name, name: 'host' } },
              { payload: { response: { status_code: 500 } } },
            ]);
          }
        } finally {
          await running.folder.remove();
        }
      },
      INSTALL_MAX_MS,
    );
  },
);
