// Proves 34.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COUNTING, PROCESS_METRICS } from './metrics-library.ts';
import { type NetworkUse, networkUses } from './network-uses.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * Who may open connections or listen (docs/contract/reliability.md A13): the outbound module for addresses that users
 * give; the database, mail and provider clients for those of the operator; our own listener. A folder ends with a
 * slash.
 */
const PLACES: Readonly<Record<string, readonly NetworkUse[]>> = {
  // The one way out to addresses that users give.
  'platform/outbound/': ['node:net', 'node:tls', 'node:dns/promises'],
  // PostgreSQL, and the programs and the port of the embedded one.
  'platform/db/': ['pg'],
  'platform/db/embedded/': ['node:child_process', 'node:net', 'node:module', 'createRequire'],
  'platform/jobs/wake-listener.ts': ['pg'],
  // The operator's object store.
  'platform/objects/s3-requests.ts': ['@aws-sdk/client-s3'],
  // Its types, and of the package only what opens nothing.
  'platform/metrics/': ['prom-client', ...COUNTING, ...PROCESS_METRICS],
  // The operator's mail server.
  'platform/mail/smtp-transport.ts': ['nodemailer/lib/mail-composer', 'nodemailer/lib/smtp-connection'],
  // The operator's GitHub, OpenID Connect provider and Slack.
  'platform/outbound/provider-request.ts': ['fetch'],
  'workspace/accounts/github/github-oauth.ts': ['oauth4webapi'],
  'workspace/accounts/oidc/oidc-provider.ts': ['oauth4webapi'],
  // Our own listener.
  'platform/http/server/node-server.ts': ['node:http'],
  'platform/http/server/listen-error.ts': ['node:net'],
  'platform/http/server/http-server.ts': ['fastify'],
  // Agents to our own listener, over a connection that leaves no process.
  'platform/http/server/in-process-request.ts': ['node:http'],
  'mcp/serve-mcp.ts': [
    '@culprit/contract/endpoints/client',
    '@culprit/mcp/mcp-server',
    '@culprit/mcp/service/service-source',
    '@culprit/mcp/tools/change-tools',
    '@culprit/mcp/tools/tool-table',
    '@culprit/mcp/words/refusal',
    '@modelcontextprotocol/server',
  ],
  // The canary, to our own listener.
  'roles/send-to-self.ts': ['node:http'],
  // Our own processes.
  'platform/release-memory.ts': ['node:v8', 'node:vm'],
  'roles/built-beside.ts': ['node:child_process'],
  'roles/supervisor.ts': ['node:child_process'],
};

interface Source {
  path: string;
  text: string;
}

function mayUse(path: string, use: NetworkUse): boolean {
  return Object.entries(PLACES).some(
    ([place, uses]) => (place.endsWith('/') ? path.startsWith(place) : path === place) && uses.includes(use),
  );
}

function offences(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    networkUses(text)
      .filter((use) => !mayUse(path, use))
      .map((use) => `${path} uses ${use}`),
  );
}

const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(SOURCE, name))
  .map((path) => ({ path: relative(SOURCE, path), text: readFileSync(path, 'utf8') }));

describe('the network', () => {
  it('is used by the modules that may, and by no other', () => {
    expect(offences(sources)).toEqual([]);
  });

  it('is used by each of them: nothing may more than it needs', () => {
    const unused = Object.entries(PLACES).flatMap(([place, uses]) => {
      const used = new Set(
        sources.filter(({ path }) => path.startsWith(place)).flatMap(({ text }) => networkUses(text)),
      );
      return uses.filter((use) => !used.has(use)).map((use) => `${place} does not use ${use}`);
    });
    expect(unused).toEqual([]);
  });

  it.each([
    ["import { request } from 'undici';", 'undici'],
    ["import {\n  Agent,\n  type Dispatcher,\n} from 'undici';", 'undici'],
    ["import https from 'node:https';", 'node:https'],
    ["import { get } from 'http';", 'http'],
    ["import * as http2 from 'node:http2';", 'node:http2'],
    ["import { connect } from 'node:net';", 'node:net'],
    ["import { isIP, connect } from 'node:net';", 'node:net'],
    ["import { isatty, ReadStream } from 'node:tty';", 'node:tty'],
    ["import { isIP as connect, Socket } from 'node:net';", 'node:net'],
    ["import * as net from 'node:net';", 'node:net'],
    ["import net, { isIP } from 'node:net';", 'node:net'],
    ["import tls from 'tls';", 'tls'],
    ["import { createSocket } from 'node:dgram';", 'node:dgram'],
    ["import { lookup } from 'node:dns';", 'node:dns'],
    ["import { Resolver } from 'node:dns/promises';", 'node:dns/promises'],
    ["import inspector from 'node:inspector';", 'node:inspector'],
    ["import { execFile } from 'node:child_process';", 'node:child_process'],
    ["import { createRequire } from 'node:module';", 'node:module'],
    ["import axios from 'axios';", 'axios'],
    ["import 'got';", 'got'],
    ["import pg from 'pg';", 'pg'],
    ["import nodemailer from 'nodemailer';", 'nodemailer'],
    [
      "import { createClient } from '@culprit/contract/endpoints/client';",
      '@culprit/contract/endpoints/client',
    ],
    ["export { request } from 'undici';", 'undici'],
    ["export * from 'node:https';", 'node:https'],
    ["const { request } = await import('undici');", 'undici'],
    ['const { request } = await import(`node:https`);', 'node:https'],
    ['const library = await import(name);', 'a module by a computed name'],
    ["const library = await import('node:' + name);", 'a module by a computed name'],
    ["const net = require('node:net');", 'require'],
    ["const net = createRequire(import.meta.url)('node:net');", 'createRequire'],
    ["const net = process.getBuiltinModule('node:net');", 'getBuiltinModule'],
    ["await fetch('https://hooks.example.com');", 'fetch'],
    ["await globalThis.fetch('https://hooks.example.com');", 'fetch'],
    ['const send = fetch;', 'fetch'],
    ['const options = { customFetch: fetch };', 'fetch'],
    ['send(fetch)', 'fetch'],
    ["globalThis['fet' + 'ch'](url);", 'a global by a computed name'],
    ["new WebSocket('wss://hooks.example.com');", 'WebSocket'],
    ["new EventSource('https://hooks.example.com');", 'WebSocket'],
    ["const url = 'https://a.example.com'; await fetch(url);", 'fetch'],
    ["/* a comment */ import { request } from 'undici'; // another", 'undici'],
  ])('is found where it is planted: %s', (text, use) => {
    for (const path of ['webhooks/planted.ts', 'platform/http/planted.ts', 'accounts/github/planted.ts']) {
      expect(offences([{ path, text }])).toEqual([`${path} uses ${use}`]);
    }
  });

  it.each([
    "import { isIP, isIPv4 } from 'node:net';",
    "import { isatty } from 'node:tty';",
    "import { BlockList, type Socket } from 'node:net';",
    "import type { Socket } from 'node:net';",
    "import type { IncomingHttpHeaders } from 'node:http';",
    "import { type IncomingMessage } from 'node:http';",
    "import { api } from '@culprit/contract/endpoints/api';",
    "const { startApi } = await import('./api.ts');",
    '// fetch(url) would not be guarded, see undici',
    "/** import { request } from 'undici' */",
    'await store.fetch(key);',
    "const verb = 'fetch';",
  ])('is not seen where it is not: %s', (text) => {
    expect(networkUses(text)).toEqual([]);
  });

  it('is open to a place only for what is named there', () => {
    const path = 'platform/mail/smtp-transport.ts';
    expect(offences([{ path, text: "import { request } from 'undici';" }])).toEqual([`${path} uses undici`]);
    const inFolder = 'platform/outbound/planted.ts';
    expect(offences([{ path: inFolder, text: "await fetch('x')" }])).toEqual([`${inFolder} uses fetch`]);
  });
});
