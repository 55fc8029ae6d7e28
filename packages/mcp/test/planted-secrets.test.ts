import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool, connectTo, readText, sourceOf } from './connected-server.ts';
import { evidenceWith } from './extreme-bundles.ts';

/** What is removed from every answer on top of the server's redaction (docs/contract/command-line.md 5.7, C-44). */
const SECRETS: readonly (readonly [text: string, secret: string])[] = [
  ...['svc_mem_', 'svc_proj_', 'svc_invite_', 'svc_probe_', 'svc_whsec_'].map(
    (prefix) => [`${prefix}k3Jd92mQxT71bVwPzL0a`, 'k3Jd92mQxT71bVwPzL0a'] as const,
  ),
  ['authorization: Bearer tok-91xkQ2mZ77ab', 'tok-91xkQ2mZ77ab'],
  ['Basic YWxhZGRpbjpzZXNhbWU5MQ==', 'YWxhZGRpbjpzZXNhbWU5MQ'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5MSJ9.c2lnbmF0dXJlOTE', 'eyJzdWIiOiI5MSJ9'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow91\n-----END RSA PRIVATE KEY-----', 'MIIEow91'],
  ['-----BEGIN PRIVATE KEY-----\nMIIEvQ92', 'MIIEvQ92'],
  ['AKIAIOSFODNN7EXAMPL3', 'AKIAIOSFODNN7EXAMPL3'],
  ['ASIAIOSFODNN7EXAMPL4', 'ASIAIOSFODNN7EXAMPL4'],
  ['ghp_91abcdefghijklmnopqrstuvwx', '91abcdefghijklmnopqrstuvwx'],
  ['gho_92abcdefghijklmnopqrstuvwx', '92abcdefghijklmnopqrstuvwx'],
  ['github_pat_93AAAAAAA0abcdefghijkl', '93AAAAAAA0abcdefghijkl'],
  ['glpat-94abcdefghij01234567', '94abcdefghij01234567'],
  ['xoxb-9512345678-abcdefghij', '9512345678'],
  ['xoxp-9612345678-abcdefghij', '9612345678'],
  ['sk_live_97abcdefghij', '97abcdefghij'],
  ['rk_live_98abcdefghij', '98abcdefghij'],
  ['AIzaSyA99bcdefghijklmnopqrstuvwxyz01234', 'SyA99bcdefghijklmnopqrstuvwxyz01234'],
  ['npm_10abcdefghijklmnopqrstuvwxyz', '10abcdefghijklmnopqrstuvwxyz'],
  ['postgres://app:hunter11@db.internal/shop', 'hunter11'],
  ['https://user12:pass12@example.test/x', 'pass12'],
  ['/callback?access_token=at13secret&x=1', 'at13secret'],
  ['/callback?api_key=ak14secret', 'ak14secret'],
  ['/callback?password=pw15secret', 'pw15secret'],
  ['/callback?signature=sg16secret', 'sg16secret'],
  ['ann.lee17@example.co.uk', 'ann.lee17'],
  ['bob+18@mail.example.org', 'bob+18@'],
  ['from 203.0.113.19', '203.0.113.19'],
  ['from 2001:db8::8a2e:370:7320', '8a2e:370:7320'],
  ['DE89 3704 0044 0532 0130 00', '3704 0044'],
  ['GB33BUKB20201555555555', 'BUKB20201555555555'],
  ['call +49 30 1234524', '1234524'],
  ['call +1-202-555-0125', '555-0125'],
  ['/home/annika26/shop/src/orders/total.ts:20:5', 'annika26'],
  ['/Users/berta27/dev/shop/app/total.ts:20:5', 'berta27'],
  ['C:\\Users\\carla28\\shop\\src\\total.ts', 'carla28'],
  ['file:///home/dora29/shop/lib/total.mjs:3', 'dora29'],
];

const PLACES = ['error', 'request', 'logs', 'browser', 'custom', 'stack', 'probes'];
const REFERENCE = 'inc_planted';

let client: Client;
/** Everything that an agent can be shown of an incident in which the text stands in every place. */
async function shownOf(text: string): Promise<string> {
  const evidence = evidenceWith(text);
  client = await connectTo(
    sourceOf([
      { ...evidence, reference: REFERENCE, incident: { ...evidence.incident, incident_id: REFERENCE } },
    ]),
  );
  const answers = [
    (await callTool(client, 'get_incident', { incident_id: REFERENCE, max_tokens: 20_000 })).text,
    (await callTool(client, 'get_incident', { incident_id: REFERENCE, sections: PLACES, max_tokens: 20_000 }))
      .text,
    (await callTool(client, 'list_incidents')).text,
    await readText(client, `culprit://incidents/${REFERENCE}`),
    await readText(client, `culprit://incidents/${REFERENCE}/bundle.json`),
  ];
  await client.close();
  return answers.join('\n');
}

beforeAll(() => expect(SECRETS.length).toBeGreaterThanOrEqual(40));
afterAll(() => client?.close());

describe('an agent is never shown', () => {
  it.each(SECRETS)('%s', async (text, secret) => {
    expect(await shownOf(text)).not.toContain(secret);
  });

  it('headers, cookies, pages, people and machines', async () => {
    const shown = await shownOf('nothing');
    for (const planted of [
      'cookie-30',
      'session-31',
      '<p>dom-32',
      'hash-33',
      'host-34',
      'cwd-35',
      '987654',
    ]) {
      expect(shown).not.toContain(planted);
    }
  });
});

it('frames still name their file and line', async () => {
  const shown = await shownOf('/home/annika26/shop/src/orders/total.ts:20:5');
  expect(shown).toContain('orders/total.ts:20:5');
});

it('the last line counts what was removed', async () => {
  const shown = await shownOf('ann@example.com');
  expect(shown).toMatch(/\nredaction: \d+ by server; here: \d+ e-mail addresses, \d+ headers, \d+ fields\n/);
  expect(await shownOf('harmless')).not.toContain('e-mail');
});
