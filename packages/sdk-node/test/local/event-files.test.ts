import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enforceBounds, LOCAL_BOUNDS } from '../../src/local/bounds.ts';
import { serviceInName, writeEventFileSync } from '../../src/local/event-file.ts';
import { createLocalTransport } from '../../src/local/local-transport.ts';
import { defaultDirectory, isCanonicalPath } from '../../src/local/own-directory.ts';
import { openSpool, waitingFiles } from '../../src/local/spool.ts';

/** Files of events on a developer's machine (docs/contract/clients.md 11.3, docs/contract/ingestion.md 8.4). */

const NOW = Date.parse('2026-03-24T10:30:00Z');
const DAY_MS = 24 * 60 * 60_000;
let cwd: string;
let directory: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'culprit-local-'));
  directory = defaultDirectory('events', cwd);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function transport({
  service = 'shop',
  told = [],
  now = () => NOW,
}: {
  service?: string;
  told?: string[];
  now?: () => number;
} = {}) {
  return createLocalTransport({
    directory,
    service,
    now,
    onUnwritable: (path, code) => told.push(`${code} ${path}`),
  });
}
const batch = (...ids: string[]) => ({
  body: JSON.stringify({ events: ids.map((event_id) => ({ event_id })) }),
  events: ids.length,
});
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const files = () => readdirSync(directory).sort();

describe('a file of events', () => {
  // T130, C-46
  it('has name, content and rights of the contract, and .culprit is ignored by git', async () => {
    const sender = transport({ service: 'my app/1' });
    const answer = await sender.send(batch('a', 'b'));
    expect(answer).toEqual({ status: 202, body: '{"accepted":2,"rejected":0,"errors":[]}' });
    const [name = ''] = files();
    expect(files()).toHaveLength(1);
    expect(name).toMatch(new RegExp(`^${NOW}-\\d{4,}-my-app-1\\.events\\.json$`));
    expect(sender.lastFile()).toBe(join(directory, name));
    expect(readFileSync(join(directory, name), 'utf8')).toBe('[{"event_id":"a"},{"event_id":"b"}]\n');
    expect(mode(join(directory, name))).toBe('600');
    for (const path of ['.culprit', '.culprit/local', '.culprit/local/events'])
      expect(mode(join(cwd, path))).toBe('700');
    expect(readFileSync(join(cwd, '.culprit/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('leaves what is in .culprit already, and does not write .gitignore again', async () => {
    mkdirSync(join(cwd, '.culprit'), { mode: 0o755 });
    await transport().send(batch('a'));
    expect(readdirSync(join(cwd, '.culprit'))).toEqual(['local']);
    writeFileSync(join(cwd, '.culprit/.gitignore'), 'local/\n');
    await transport().send(batch('b'));
    expect(readFileSync(join(cwd, '.culprit/.gitignore'), 'utf8')).toBe('local/\n');
  });

  it.each([
    ['my app/1', 'my-app-1'],
    ['../../etc', '..-..-etc'],
    ['日本', 'service'],
    ['', 'service'],
    ['a'.repeat(500), 'a'.repeat(100)],
    ['ok_1.2-x', 'ok_1.2-x'],
  ])('names the service %j as %j', (service, name) => {
    expect(serviceInName(service)).toBe(name);
  });

  it('of more than 64 KiB is written as well', async () => {
    const body = JSON.stringify({ events: [{ message: 'é'.repeat(100_000) }] });
    expect((await transport().send({ body, events: 1 })).status).toBe(202);
    expect(JSON.parse(readFileSync(join(directory, files()[0] ?? ''), 'utf8'))).toEqual(
      JSON.parse(body).events,
    );
  });

  it('never replaces one of the same millisecond', async () => {
    const sender = transport();
    await Promise.all(Array.from({ length: 50 }, (_, index) => sender.send(batch(`e${index}`))));
    const ids = files().flatMap((name) =>
      JSON.parse(readFileSync(join(directory, name), 'utf8')).map(
        ({ event_id }: { event_id: string }) => event_id,
      ),
    );
    expect(new Set(ids).size).toBe(50);
  });
});

describe('a symbolic link', () => {
  it.each(['.culprit', '.culprit/local', '.culprit/local/events'])('at %s is refused', async (level) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'culprit-elsewhere-'));
    mkdirSync(join(cwd, level, '..'), { recursive: true });
    symlinkSync(elsewhere, join(cwd, level));
    const told: string[] = [];
    const answer = await transport({ told }).send(batch('a'));
    expect(answer).toMatchObject({ status: 500, code: 'ELOOP' });
    expect(told).toHaveLength(1);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
  });

  it('with the name of the next file is refused and not followed', async () => {
    const sender = transport();
    await sender.send(batch('first'));
    const [, number = '', rest = ''] = /^\d+-(\d+)-(.*)$/.exec(files()[0] ?? '') ?? [];
    const next = `${NOW}-${String(Number(number) + 1).padStart(4, '0')}-${rest}`;
    writeFileSync(join(cwd, 'precious'), 'kept');
    symlinkSync(join(cwd, 'precious'), join(directory, next));
    expect(await sender.send(batch('a'))).toMatchObject({ status: 500, code: 'ELOOP' });
    expect(readFileSync(join(cwd, 'precious'), 'utf8')).toBe('kept');
    expect((await sender.send(batch('a'))).status).toBe(202);
  });
});

describe('a directory', () => {
  it('that is a file is answered as a failed request, each time', async () => {
    mkdirSync(join(cwd, '.culprit/local'), { recursive: true });
    writeFileSync(directory, '');
    const told: string[] = [];
    const sender = transport({ told });
    expect(await sender.send(batch('a'))).toMatchObject({ status: 500, code: 'ENOTDIR' });
    expect(told).toEqual([`ENOTDIR ${directory}`]);
  });

  it.each([
    ['/a/b', true],
    ['a/b', false],
    ['/a/../b', false],
    ['/a/b/', false],
    ['', false],
    ['/a\0b', false],
  ])('%j is canonical: %s', (path, is) => {
    expect(isCanonicalPath(path)).toBe(is);
  });

  it('keeps at most so many files, bytes and days, and loses the oldest first', async () => {
    const at = (ms: number, size = 10) =>
      writeEventFileSync({
        directory,
        service: 's',
        nowMs: ms,
        json: `["${'x'.repeat(size)}"]`,
        isSynced: false,
      });
    const [old, a, b, c] = [at(NOW - 8 * DAY_MS), at(NOW - 3), at(NOW - 2, 500), at(NOW - 1)];
    await enforceBounds(directory, LOCAL_BOUNDS, NOW);
    expect(files().map((name) => join(directory, name))).toEqual([a, b, c]);
    expect(old).not.toBe(a);
    await enforceBounds(directory, { ...LOCAL_BOUNDS, maxFiles: 2 }, NOW);
    expect(files().map((name) => join(directory, name))).toEqual([b, c]);
    await enforceBounds(directory, { ...LOCAL_BOUNDS, maxBytes: 100 }, NOW);
    expect(files().map((name) => join(directory, name))).toEqual([c]);
  });

  // C-47
  it('is brought within its bounds at the start and every 20 files', async () => {
    writeEventFileSync({ directory, service: 'old', nowMs: NOW - 8 * DAY_MS, json: '[]', isSynced: false });
    const sender = createLocalTransport({
      directory,
      service: 's',
      now: () => NOW,
      bounds: { ...LOCAL_BOUNDS, maxFiles: 30 },
      onUnwritable: () => {},
    });
    await sender.send(batch('first'));
    expect(files().filter((name) => name.includes('-old'))).toEqual([]);
    for (let index = 0; index < 80; index += 1) await sender.send(batch(`e${index}`));
    expect(files().length).toBeLessThanOrEqual(30);
    expect(readFileSync(join(directory, files().at(-1) ?? ''), 'utf8')).toContain('e79');
  });

  it('loses temporary files of killed writers after ten minutes', async () => {
    await transport().send(batch('a'));
    for (const [name, age] of [
      ['.tmp-1', 11],
      ['.tmp-2', 9],
    ] as const) {
      writeFileSync(join(directory, name), '[');
      const at = new Date(NOW - age * 60_000);
      utimesSync(join(directory, name), at, at);
    }
    await enforceBounds(directory, LOCAL_BOUNDS, NOW);
    expect(files().filter((name) => name.startsWith('.'))).toEqual(['.tmp-2']);
  });
});

describe('the spool', () => {
  const open = (now = () => NOW) =>
    openSpool({
      parent: defaultDirectory('spool', cwd),
      owner: () => 'a'.repeat(16),
      onLeft: () => {},
      service: 'shop',
      now,
    });

  it('creates nothing before something is written', async () => {
    const spool = open();
    expect(await spool.claim()).toBeNull();
    await spool.clean();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('hands out the oldest file once, and removes it when it was sent', async () => {
    const spool = open();
    spool.writeSync('["first"]');
    await spool.write('["second"]');
    const [claim, other] = await Promise.all([spool.claim(), spool.claim()]);
    expect([claim?.json, other?.json].sort()).toEqual(['["first"]', '["second"]']);
    expect(await spool.claim()).toBeNull();
    await claim?.remove();
    await other?.release();
    expect(await waitingFiles(spool.directory())).toEqual([other?.name]);
    expect(mode(spool.directory())).toBe('700');
  });

  it('returns a claim that is older than ten minutes, and never over another file of that name', async () => {
    let now = NOW;
    const spool = open(() => now);
    const path = spool.writeSync('["lost"]');
    const claim = await spool.claim();
    writeFileSync(path, '["other"]\n');
    now += 9 * 60_000;
    await spool.clean();
    expect(await waitingFiles(spool.directory())).toEqual([claim?.name]);
    now += 2 * 60_000;
    await spool.clean();
    const names = await waitingFiles(spool.directory());
    expect(names.map((name) => readFileSync(join(spool.directory(), name), 'utf8')).sort()).toEqual([
      '["lost"]\n',
      '["other"]\n',
    ]);
  });

  it('keeps 72 hours and 20 MiB', async () => {
    let now = NOW - 73 * 60 * 60_000;
    const spool = open(() => now);
    spool.writeSync('["too old"]');
    now = NOW;
    for (let index = 0; index < 5; index += 1) spool.writeSync(`["${index}${'x'.repeat(5 * 1024 * 1024)}"]`);
    await spool.clean();
    const names = await waitingFiles(spool.directory());
    const texts = names.map((name) => readFileSync(join(spool.directory(), name), 'utf8').slice(0, 3));
    expect(texts).toEqual(['["2', '["3', '["4']);
  });
});
