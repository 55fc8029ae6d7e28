import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { ReproductionArtifacts } from '@culprit/contract/incidents/reproduction';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { shellQuote } from '../../src/bundles/reproduction/shell-quote.ts';
import type { HttpRequest } from '../../src/events/normalize/event.ts';
import { evidenceOf, exception, request } from './build-evidence.ts';

const run = promisify(execFile);

/** What the server saw of one request, text decoded as UTF-8. */
interface Seen {
  method: string;
  url: string;
  headers: Map<string, string>;
  body: string;
}

let server: Server;
let origin: string;
let seen: Seen[] = [];

beforeAll(async () => {
  server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const headers = new Map<string, string>();
      for (const [name, value] of Object.entries(incoming.headers)) {
        headers.set(name, Buffer.from(String(value), 'latin1').toString('utf8'));
      }
      const body = Buffer.concat(chunks).toString('utf8');
      seen.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers, body });
      answer.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function artifactsOf(fields: Partial<HttpRequest>): ReproductionArtifacts {
  const { artifacts } = assembleBundle(evidenceOf(exception({ request: request(fields) }))).reproduction;
  if (artifacts === null) throw new Error('expected a replayable request');
  return artifacts;
}

/** A shell without the settings of whoever runs the tests. */
async function shell(script: string): Promise<string> {
  const environment = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', BASE_URL: origin, no_proxy: '*' };
  const { stdout } = await run('bash', ['--noprofile', '--norc', '-c', script], { env: environment });
  return stdout;
}

async function sentBy(artifacts: ReproductionArtifacts): Promise<Seen> {
  seen = [];
  await shell(`${artifacts.curl} --silent --show-error --max-time 10`);
  const [only] = seen;
  if (only === undefined || seen.length !== 1) throw new Error(`the server saw ${seen.length} requests`);
  return only;
}

/** Arguments and input that a command hands to `http`, without HTTPie being installed. */
async function handedToHttpie(artifacts: ReproductionArtifacts): Promise<{ words: string[]; input: string }> {
  const stub = `http() { printf '%s\\0' "$@"; printf '%s\\0' --; [ "$1" = --ignore-stdin ] || cat; }`;
  const output = await shell(`${stub}\n${artifacts.httpie}`);
  const [words = '', input = ''] = output.split('--\0');
  if (artifacts.httpie.startsWith('http --ignore-stdin'))
    return { words: output.split('\0').slice(0, -2), input: '' };
  return { words: words.split('\0').slice(0, -1), input };
}

const HOSTILE = [
  `it's`,
  `'; touch /tmp/owned; '`,
  `$(id) \`id\` \${HOME} $HOME`,
  '"double" \\backslash\\ \\\\',
  '!history !! & | ; < > ( ) * ? ~ #',
  'emoji 🦊, ümlaut and a line separator \u2028',
  '-d @/etc/hosts',
  '@/etc/hosts',
  '%s %n %00',
];

describe('the curl command in a real shell', () => {
  it.each(HOSTILE)('sends %s unchanged in path, query, header and body', async (text) => {
    const artifacts = artifactsOf({
      path: `/a/${encodeURIComponent(text)}`,
      query: { [text]: text },
      headers: { 'x-hostile': text, 'content-type': 'text/plain' },
      body: `${text}\nsecond line\t${text}`,
    });
    const request = await sentBy(artifacts);
    expect(request.method).toBe('POST');
    expect(request.url.split('?')[0]).toBe(`/a/${encodeURIComponent(text)}`);
    expect([...new URL(request.url, origin).searchParams]).toEqual([[text, text]]);
    expect(request.headers.get('x-hostile')).toBe(text);
    expect(request.body).toBe(`${text}\nsecond line\t${text}`);
  });

  it('sends any text as it was captured', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((raw) => raw.replace(/\p{Cc}/gu, ''));
    const word = text.filter((raw) => raw.replaceAll(' ', '') !== '' && !/bearer|basic|:\/\//i.test(raw));
    await fc.assert(
      fc.asyncProperty(word, word, word, async (key, value, body) => {
        const request = await sentBy(
          artifactsOf({ query: { [key]: value }, headers: { 'x-any': value }, body }),
        );
        expect([...new URL(request.url, origin).searchParams]).toEqual([
          [key.toWellFormed(), value.toWellFormed()],
        ]);
        expect(request.headers.get('x-any')).toBe(value.replace(/^ +| +$/g, ''));
        expect(request.body).toBe(body);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it('sends a JSON body byte for byte, keys as captured', async () => {
    const body = { z: 1, a: "it's", nested: { list: [1, 2.5, null, true], 'quo"te': '\n\u0001' } };
    const request = await sentBy(artifactsOf({ headers: { 'content-type': 'application/json' }, body }));
    expect(request.body).toBe(JSON.stringify(body));
    expect(request.headers.get('content-type')).toBe('application/json');
  });

  it('sends an empty header instead of removing it', async () => {
    const request = await sentBy(artifactsOf({ method: 'GET', headers: { 'x-empty': '', accept: '*/*' } }));
    expect(request.headers.get('x-empty')).toBe('');
  });

  it('does not resolve dot segments or expand patterns on its own', async () => {
    const request = await sentBy(artifactsOf({ method: 'GET', path: '/a/../b/./[1-3]/{x,y}' }));
    expect(request.url).toBe('/a/../b/./%5B1-3%5D/%7Bx,y%7D');
  });

  it('goes to the captured origin when it is known', async () => {
    const request = await sentBy(artifactsOf({ method: 'DELETE', path: `${origin}/orders/7?force=1` }));
    expect([request.method, request.url]).toEqual(['DELETE', '/orders/7?force=1']);
  });
});

describe('the HTTPie command in a real shell', () => {
  it.each(HOSTILE)('hands %s over unchanged', async (text) => {
    const artifacts = artifactsOf({ headers: { 'x-hostile': text }, body: text });
    const { words, input } = await handedToHttpie(artifacts);
    const escaped = text.startsWith('@') ? `\\${text}` : text;
    expect(words).toEqual(['POST', `${origin}/api/checkout`, `x-hostile:${escaped}`]);
    expect(input).toBe(text);
  });

  it('reads no input when there is no body', async () => {
    const { words } = await handedToHttpie(artifactsOf({ method: 'GET', headers: { accept: '*/*' } }));
    expect(words).toEqual(['--ignore-stdin', 'GET', `${origin}/api/checkout`, 'accept:*/*']);
  });
});

describe('shellQuote', () => {
  it('makes one word of any text without a NUL', async () => {
    const texts = fc.sample(
      fc.string({ unit: 'binary', maxLength: 60 }).map((raw) => raw.replaceAll('\0', '').toWellFormed()),
      200,
    );
    const output = await shell(`printf '%s\\0' ${texts.map(shellQuote).join(' ')}`);
    expect(output.split('\0').slice(0, -1)).toEqual(texts);
  });
});
