import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataKeyError, deriveKey, readDataKey } from '../../src/platform/secrets/data-key.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'culprit-key-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the data key', () => {
  it('is the configured one, and then nothing is written', async () => {
    const dataKey = new Secret(Buffer.alloc(32, 7));
    expect(await readDataKey({ dataKey, dataDir })).toBe(dataKey);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('is made once, for this user alone, and found again', async () => {
    const made = await readDataKey({ dataKey: null, dataDir: join(dataDir, 'new') });
    expect(made.reveal()).toHaveLength(32);
    expect(readdirSync(join(dataDir, 'new'))).toEqual(['data-key']);
    expect(statSync(join(dataDir, 'new', 'data-key')).mode & 0o777).toBe(0o600);
    const again = await readDataKey({ dataKey: null, dataDir: join(dataDir, 'new') });
    expect(again.reveal()).toEqual(made.reveal());
    const other = await readDataKey({ dataKey: null, dataDir: join(dataDir, 'other') });
    expect(other.reveal()).not.toEqual(made.reveal());
  });

  it('is the same for all who come at once', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => readDataKey({ dataKey: null, dataDir })));
    expect(new Set(keys.map((key) => key.reveal().toString('hex'))).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(['data-key']);
  });

  it.each(['', 'x', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('base64')}!`])(
    'is not guessed from a damaged file: %j',
    async (text) => {
      writeFileSync(join(dataDir, 'data-key'), text);
      await expect(readDataKey({ dataKey: null, dataDir })).rejects.toThrow(DataKeyError);
      expect(readFileSync(join(dataDir, 'data-key'), 'utf8')).toBe(text);
    },
  );

  it('does not show itself', async () => {
    const key = await readDataKey({ dataKey: null, dataDir });
    expect(`${key} ${JSON.stringify({ key })} ${inspect(key)}`).toBe('[secret] {"key":"[secret]"} [secret]');
  });
});

describe('a derived key', () => {
  it('belongs to its purpose and its data key', () => {
    const [one, two] = [new Secret(Buffer.alloc(32, 1)), new Secret(Buffer.alloc(32, 2))];
    expect(deriveKey(one, 'csrf')).toEqual(deriveKey(one, 'csrf'));
    expect(deriveKey(one, 'csrf')).toHaveLength(32);
    const keys = [
      deriveKey(one, 'csrf'),
      deriveKey(one, 'mailed-codes'),
      deriveKey(two, 'csrf'),
      one.reveal(),
    ];
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(4);
  });

  it('never changes between releases', () => {
    // HKDF-SHA256 with an empty salt and the information `culprit:csrf`.
    expect(deriveKey(new Secret(Buffer.alloc(32, 1)), 'csrf').toString('hex')).toBe(
      '1735a720c885f5913ce80c395d1c3c2731a3fda08c283dbd7cab178e58bbf7be',
    );
  });
});
