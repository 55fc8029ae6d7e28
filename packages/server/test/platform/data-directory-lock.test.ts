import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockDataDirectory } from '../../src/platform/db/embedded/data-directory-lock.ts';
import { identifyProcess } from '../../src/platform/db/embedded/process-identity.ts';

const baseDir = mkdtempSync(join(tmpdir(), 'culprit-lock-'));

afterAll(() => rmSync(baseDir, { recursive: true, force: true }));

describe('the lock of a data directory', () => {
  const self = identifyProcess(process.pid);

  it('is taken over when the number of its holder was given to a later process', async () => {
    const directory = lockedBy({ ...self, startedAt: '1' });
    const lock = await lockDataDirectory(directory);
    await expectLocked(lockDataDirectory(directory), `${process.pid}`);
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is taken over when nothing was written into it', async () => {
    const directory = lockedBy(null);
    utimesSync(join(directory, 'culprit.lock'), 1, 1);
    (await lockDataDirectory(directory)).release();
  });

  it('of another container is believed while its heartbeat moves and taken over when it does not', async () => {
    const directory = lockedBy({ ...self, pidNamespace: 'pid:[1]' });
    const path = join(directory, 'culprit.lock');
    const heart = setInterval(() => utimesSync(path, new Date(), new Date()), 20);
    await expectLocked(lockDataDirectory(directory, { foreignWatchMs: 200 }), 'another container');
    clearInterval(heart);
    (await lockDataDirectory(directory, { foreignWatchMs: 200 })).release();

    const silent = lockedBy({ ...self, bootId: 'an earlier start of the machine' });
    utimesSync(join(silent, 'culprit.lock'), 1, 1);
    (await lockDataDirectory(silent, { foreignWatchMs: 60_000 })).release();
  });

  async function expectLocked(locking: Promise<unknown>, phrase: string): Promise<void> {
    await expect(locking).rejects.toMatchObject({
      code: 'data_directory_locked',
      message: expect.stringContaining(phrase),
    });
  }

  function lockedBy(holder: unknown): string {
    const directory = mkdtempSync(join(baseDir, 'lock-'));
    writeFileSync(join(directory, 'culprit.lock'), holder === null ? '' : JSON.stringify(holder));
    return directory;
  }
});
