// Proves 47.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownerOf } from '../../src/local/owned-directory.ts';
import { createDurableDelivery } from '../../src/relay/durable-delivery.ts';
import { openRelaySpool } from '../../src/relay/relay-spool.ts';
import type { RelayTarget } from '../../src/relay/relay-target.ts';
import { until } from '../support/moved-clock.ts';

/** What remains on disk when sending on fails in a way that no answer describes. */

const OWNER = 'a'.repeat(16);
let parent: string;
let directory: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'culprit-durable-'));
  directory = join(parent, OWNER);
  mkdirSync(directory);
});
afterEach(() => rmSync(parent, { recursive: true }));

const files = () => readdirSync(directory).map((name) => name.replace(/^\d+-\d+-/, ''));

it('gives a claimed file free at once when sending throws, and delivers it when it works again', async () => {
  let isBroken = true;
  const sent: string[] = [];
  const target: RelayTarget = {
    mode: 'connected',
    service: 'shop',
    owner: () => OWNER,
    localDirectory: directory,
    send: async ({ body, events }) => {
      if (isBroken) return { status: 401 };
      sent.push(body);
      return { status: 202, body: JSON.stringify({ accepted: events, rejected: 0, errors: [] }) };
    },
    passesProbes: () => false,
    checkTrigger: () => null,
    tell: () => {
      throw new Error('standard error is closed');
    },
  };
  let nowMs = Date.now();
  const now = () => nowMs;
  const spool = openRelaySpool({ parent, owner: () => OWNER, service: 'shop', onLeft: () => {}, now });
  const first = createDurableDelivery({ target, spool, directory, now });
  const text = '{"event_id":"e-1"}';
  const event = { text, service: 'shop', environment: 'production' };
  expect(await first.deliver([event])).toEqual({ isSafe: true, directives: [] });
  await until(() => files().join() === 'shop.events.json');
  first.close();
  isBroken = false;
  nowMs += 1;
  const second = createDurableDelivery({ target, spool, directory, now });
  await until(() => files().includes('shop.events.json.delivered'));
  second.close();
  expect(sent).toEqual([`{"events":[${text}]}`]);
});

it('never sends the files of another token, of a relay that runs beside it or has ended', async () => {
  const now = () => Date.now();
  const down = new Set(['first']);
  const sent: Record<string, string[]> = { first: [], second: [] };
  const relayOf = (token: string) => {
    const owner = () => ownerOf('https://culprit.example/v1/events', token);
    const target: RelayTarget = {
      mode: 'connected',
      service: 'shop',
      owner,
      localDirectory: parent,
      send: async ({ body, events }) => {
        if (down.has(token)) return { status: 503 };
        sent[token]?.push(body);
        return { status: 202, body: JSON.stringify({ accepted: events, rejected: 0, errors: [] }) };
      },
      passesProbes: () => false,
      checkTrigger: () => null,
      tell: () => {},
    };
    const spool = openRelaySpool({ parent, owner, service: 'shop', onLeft: () => {}, now });
    return createDurableDelivery({ target, spool, directory: parent, now });
  };
  const deliver = (relay: ReturnType<typeof relayOf>, id: string) =>
    relay.deliver([{ text: `{"event_id":"${id}"}`, service: 'shop', environment: 'production' }]);
  const [first, second] = [relayOf('first'), relayOf('second')];
  expect(await deliver(first, 'e-1')).toMatchObject({ isSafe: true });
  await deliver(second, 'e-2');
  first.close();
  second.close();
  const again = relayOf('second');
  await deliver(again, 'e-3');
  await until(() => sent.second?.length === 2);
  again.close();
  expect(sent.first).toEqual([]);
  down.clear();
  const back = relayOf('first');
  await until(() => sent.first?.length === 1);
  back.close();
  expect(sent).toEqual({
    first: ['{"events":[{"event_id":"e-1"}]}'],
    second: ['{"events":[{"event_id":"e-2"}]}', '{"events":[{"event_id":"e-3"}]}'],
  });
});

it('keeps within 10,000 files and 64 MiB, the oldest go first', { timeout: 120_000 }, async () => {
  const nowMs = Date.now();
  const spool = openRelaySpool({
    parent,
    owner: () => OWNER,
    service: 'shop',
    onLeft: () => {},
    now: () => nowMs,
  });
  const name = (at: number) => `${nowMs - 100_000 + at}-0001-shop.events.json`;
  for (let at = 0; at < 10_020; at++) writeFileSync(join(directory, name(at)), '[]', { mode: 0o600 });
  await spool.clean();
  const kept = readdirSync(directory).sort();
  expect(kept.length).toBeLessThanOrEqual(10_000);
  expect(kept.at(-1)).toBe(name(10_019));
  expect(kept).not.toContain(name(0));
  for (const each of kept.slice(0, -3)) rmSync(join(directory, each));
  // Three files of 30 MiB, of which two fit.
  for (const each of kept.slice(-3)) truncateSync(join(directory, each), 30 * 1_048_576);
  await spool.clean();
  expect(readdirSync(directory).sort()).toEqual(kept.slice(-2));
});
