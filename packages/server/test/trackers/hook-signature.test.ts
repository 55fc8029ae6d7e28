import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { isSigned } from '../../src/notify/trackers/hook-signature.ts';

/** Signatures of notifications (docs/contract/team-workflow.md 7.2), over the bytes that came. */

const SECRET = 'a-secret-of-a-hook';
const NOW = Date.parse('2026-11-29T12:00:00Z');
const body = Buffer.from(JSON.stringify({ action: 'closed', webhookTimestamp: NOW - 30_000 }));
const hex = (bytes: Uint8Array = body, secret = SECRET) =>
  createHmac('sha256', secret).update(bytes).digest('hex');
const signed = (
  kind: Parameters<typeof isSigned>[0],
  headers: Record<string, string>,
  nowMs = NOW,
  bytes = body,
) => isSigned(kind, { headers, body: bytes, nowMs }, SECRET);

it('is right for GitHub and Jira only with the secret and the bytes', () => {
  for (const [kind, header] of [
    ['github', 'x-hub-signature-256'],
    ['jira', 'x-hub-signature'],
  ] as const) {
    expect(signed(kind, { [header]: `sha256=${hex()}` })).toBe(true);
    expect(signed(kind, { [header]: `sha256=${hex(body, 'another')}` })).toBe(false);
    expect(signed(kind, { [header]: `sha256=${hex()}` }, NOW, Buffer.from(`${body} `))).toBe(false);
    expect(signed(kind, { [header]: hex() })).toBe(false);
    expect(signed(kind, {})).toBe(false);
  }
});

it('is right for GitLab by its signature with a fresh time, or by the token of older servers', () => {
  const headers = (timestamp: number, secret: string | Buffer = SECRET) => ({
    'webhook-id': 'one',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${createHmac('sha256', secret).update(`one.${timestamp}.`).update(body).digest('base64')}`,
  });
  const seconds = NOW / 1000;
  for (const kind of ['gitlab', 'generic'] as const) {
    expect(signed(kind, headers(seconds))).toBe(true);
    expect(signed(kind, headers(seconds - 301))).toBe(false);
    expect(signed(kind, headers(seconds, 'another'))).toBe(false);
  }
  expect(signed('generic', { 'x-gitlab-token': SECRET })).toBe(false);
  expect(signed('gitlab', { 'x-gitlab-token': SECRET })).toBe(true);
  expect(signed('gitlab', { 'x-gitlab-token': `${SECRET}x` })).toBe(false);
  expect(signed('gitlab', { ...headers(seconds - 301), 'x-gitlab-token': SECRET })).toBe(false);
});

it('is right for Linear within a minute of its time', () => {
  expect(signed('linear', { 'linear-signature': hex() })).toBe(true);
  expect(signed('linear', { 'linear-signature': hex() }, NOW + 31_000)).toBe(false);
  expect(signed('linear', { 'linear-signature': hex(body, 'another') })).toBe(false);
  const dateless = Buffer.from('{}');
  expect(signed('linear', { 'linear-signature': hex(dateless) }, NOW, dateless)).toBe(false);
});
