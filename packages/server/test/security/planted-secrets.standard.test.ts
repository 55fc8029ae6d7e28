// Proves 40.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { countRows } from '../support/count-rows.ts';
import { mailsTo } from '../support/mailbox.ts';
import { plantSecrets, type SecretWorld } from './plant-secrets.ts';
import { findSecrets, readObjects, readTables, type Secret, secretsIn } from './secret-search.ts';

/**
 * docs/contract/reliability.md test 40: every kind of secret is made and used as people make and use it, well and
 * badly. Afterwards each is searched in every table, every object, every line of the log and every answer but the one
 * that is for its holder.
 */

let world: SecretWorld;
// Uses every operation, which takes a while on a busy machine.
beforeAll(async () => {
  world = await plantSecrets();
}, 300_000);
afterAll(() => world?.stop());

/** The keys of the service itself. */
function serviceKeys(): Secret[] {
  const { dataKey } = world.theatre.culprit;
  return [
    { name: 'data key', value: dataKey.reveal() },
    ...Object.entries(deriveKeys(dataKey)).map(([name, key]) => ({
      name: `key ${name}`,
      value: key.reveal(),
    })),
  ];
}

function allSecrets(): Secret[] {
  return [...world.planted, ...serviceKeys()];
}

describe('secrets that were made and used', () => {
  it('are many, and of every kind', () => {
    expect(world.planted.length).toBeGreaterThanOrEqual(30);
    expect(new Set(world.planted.map(({ name }) => name)).size).toBe(world.planted.length);
    const text = world.planted.map(({ value }) => value).join('\n');
    for (const form of [
      /svc_mem_/,
      /svc_proj_/,
      /svc_invite_/,
      /svc_probe_/,
      /gho_/,
      /ghp_/,
      /^\d{6}$/m,
      /^[\w-]{43}$/m,
    ]) {
      expect(text).toMatch(form);
    }
  });

  it('would be found in every form', () => {
    const [{ value } = { value: '' }] = world.planted;
    const bytes = Buffer.from(value);
    for (const form of [
      value,
      value.toUpperCase(),
      `x${value}x`,
      bytes.toString('hex'),
      bytes.toString('base64'),
      Buffer.from(`a${value}b`).toString('base64'),
      Buffer.from(`{"k":"${value}"}`).toString('base64url'),
      encodeURIComponent(value),
    ]) {
      expect([form, secretsIn(form, world.planted.slice(0, 1)).length]).toEqual([form, 1]);
    }
  });

  it('stand in no table, neither as text nor as bytes', async () => {
    const tables = await readTables(world.theatre.culprit);
    const text = tables.map((each) => each.text).join('\n');
    expect(tables.length).toBeGreaterThan(20);
    // The dump shows bytes: the hash of a token is there.
    const token = world.stage.tenant.project.projectToken;
    expect(text).toContain(createHash('sha256').update(token).digest('hex'));
    expect(findSecrets(tables, allSecrets())).toEqual([]);
  });

  it('stand in no table while the mail that holds them is queued, and the queue is empty behind it', async () => {
    expect(world.queuedMails).toBe(2);
    const jobs = world.queuedTables.find(({ name }) => name === 'table jobs')?.text ?? '';
    expect(jobs).toContain('"mail"');
    expect(findSecrets(world.queuedTables, allSecrets())).toEqual([]);
    expect(await countRows(world.theatre.culprit, `jobs where lane = 'mail'`)).toBe(0);
    // The one place that holds them is the message to the person.
    const mails = await mailsTo(world.theatre.culprit.mailDirectory, world.stage.host.owner.email, 'Code');
    expect(secretsIn(JSON.stringify(mails), world.planted)).toContain('deletion code');
  });

  it('stand in no object, neither plain nor compressed', async () => {
    const objects = await readObjects(world.theatre.culprit);
    const text = objects.map((each) => each.text).join('\n');
    expect(text).toContain('home failed');
    expect(text).toContain('[REDACTED]');
    expect(objects.length).toBeGreaterThan(2);
    expect(findSecrets(objects, allSecrets())).toEqual([]);
  });

  it('stand in nothing that is sent to webhooks, whose signatures are made with one', () => {
    const sent = world.theatre.receiver.received.map(({ path, headers, body }) => ({
      name: `delivery to ${path}`,
      text: `${headers}\n${body}`,
    }));
    expect(sent.length).toBeGreaterThan(0);
    expect(findSecrets(sent, allSecrets())).toEqual([]);
  });

  it('stand in no line of the log, at its most talkative', () => {
    const text = world.lines.join('\n');
    expect(world.lines.length).toBeGreaterThan(100);
    expect(text).toContain('worker-events');
    expect(text).toContain('/v1/auth/verify-code');
    expect(findSecrets([{ name: 'log', text }], allSecrets())).toEqual([]);
    const addresses = [
      world.stage.tenant.owner.email,
      world.stage.tenant.member.email,
      'visitor-',
      'invited-',
      'waits-',
    ];
    expect(addresses.filter((address) => text.includes(address))).toEqual([]);
  });

  it('stand in no answer but the one that is for their holder', async () => {
    expect(world.answers.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const { name, value, shown } of world.planted) {
      const showing = world.answers.filter(({ text }) => secretsIn(text, [{ name, value }]).length > 0);
      const allowed = showing.filter(({ path }) => shown?.in.test(path) === true);
      if (allowed.length !== showing.length || allowed.length !== (shown?.times ?? 0)) {
        wrong.push(`${name}: shown by ${showing.map(({ path }) => path).join(', ') || 'nothing'}`);
      }
    }
    expect(wrong).toEqual([]);
    // Projects have a key as well, and that one stands in their row.
    const rows = await world.theatre.culprit.database.query<{ user_key: Buffer }>({
      name: 'test-user-keys',
      text: 'select user_key from projects',
    });
    const keys = [
      ...serviceKeys(),
      ...rows.map((row) => ({ name: 'key of a project', value: row.user_key })),
    ];
    expect(keys.length).toBeGreaterThan(8);
    for (const { path, text } of world.answers) expect([path, secretsIn(text, keys)]).toEqual([path, []]);
  });
});
