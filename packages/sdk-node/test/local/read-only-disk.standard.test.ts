import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mountSmallVolume } from '../../../server/test/support/small-volume.ts';
import { captureException, close, flush, getDiagnostics, init } from '../../src/index.ts';

/** C-47 of docs/contract/clients.md, on a disk that is mounted for reading only, where mounting is permitted. */

const directory = mkdtempSync(join(tmpdir(), 'culprit-read-only-'));
const unmount = mountSmallVolume(directory, 'ro');
if (unmount === null) rmSync(directory, { recursive: true });

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(async () => {
  await close(0);
  vi.restoreAllMocks();
  unmount?.();
  rmSync(directory, { recursive: true, force: true });
});

it.runIf(unmount !== null)('a disk that can only be read is told in one line, and events wait', async () => {
  const capture = { requests: false, outgoing: false, console: 'off', warnings: false } as const;
  expect(init({ mode: 'local', localDir: join(directory, 'events'), capture })).toBe(true);
  for (const message of ['one', 'two', 'three']) captureException(new Error(message));
  expect(await flush(100)).toBe(false);
  captureException(new Error('four'));
  expect(await flush(100)).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/events cannot be written \(EROFS\).*CULPRIT_LOCAL_DIR/)]);
  expect(getDiagnostics().waiting).toBe(4);
});
