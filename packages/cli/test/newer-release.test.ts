import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newerReleaseWords } from '../src/packages/newer-release.ts';
import { VERSION } from '../src/version.ts';

/** What is said when a server has a newer command line (docs/contract/packages.md 3). */

const ORIGIN = 'https://culprit.example.com';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'culprit-state-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const words = (version: string | null, origin = ORIGIN) =>
  newerReleaseWords({ HOME: home, XDG_STATE_HOME: home }, origin, version);

it('is said once for each release of each server, with the line to run', () => {
  expect(words('9.0.0')).toBe(
    `The server has culprit 9.0.0; this is ${VERSION}. To update: npm install -g ${ORIGIN}/npm/@culprit/cli/-/cli-9.0.0.tgz`,
  );
  expect(words('9.0.0')).toBeNull();
  expect(words('9.0.10')).toContain('culprit 9.0.10');
  expect(words('9.0.0', 'https://other.example.com')).toContain('https://other.example.com/npm/');
});

it('is not said of the same release, of an older one, or of what is no release', () => {
  for (const version of [VERSION, '0.0.9', null, 'test', '9.0', '9.0.0-rc.1', '9.0.0; rm -rf /']) {
    expect(words(version)).toBeNull();
  }
});
