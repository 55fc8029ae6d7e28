import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_GROUPS } from '../../src/platform/config/setting-table.ts';
import { runProgram } from '../support/program.ts';

const SETTING_NAMES = Object.values(SETTING_GROUPS)
  .flatMap((group) => Object.values<{ name: string }>(group))
  .map(({ name }) => name);
const ROOT = join(import.meta.dirname, '../../../..');

describe('the program', () => {
  it('reads no variable of the tests', () => {
    const sources = readdirSync(join(ROOT, 'packages/server/src'), { recursive: true, encoding: 'utf8' });
    const readers = sources.filter(
      (path) =>
        path.endsWith('.ts') &&
        /CULPRIT_TEST_\w/.test(readFileSync(join(ROOT, 'packages/server/src', path), 'utf8')),
    );
    expect(readers).toEqual([]);
  });

  it.each([
    ['Dockerfile', '"node", "--disable-sigusr1", "packages/server/dist/image/main.js"'],
    ['deploy/culprit.service', '/node --disable-sigusr1 packages/server/src/main.ts\n'],
  ])('is started without a debugger by %s', (path, command) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(command);
  });

  it.each([
    ['Dockerfile', /build-beside\.mjs dashboard packages/],
    ['deploy/culprit.service', /^# +npm run build:dashboard && npm run build:packages$/m],
  ])('comes with its dashboard and packages by %s, which do not run npm start', (path, build) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toMatch(build);
  });
});

describe('a start with settings that cannot be used', () => {
  it('ends with one message that names them all, and shows no secret', async () => {
    const { ending, stdout, stderr } = await runProgram({
      CULPRIT_PORT: '99999',
      CULPRIT_DATABASE_URL: 'mysql://me:hunter2@db/culprit',
      CULPRIT_DATA_KEY: 'hunter2',
      CULPRIT_BASE_ULR: 'https://errors.example.com',
      CULPRIT_BILLING_PROVIDER: 'stripe',
    });
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toContain('5 settings are not usable');
    for (const name of [
      'CULPRIT_PORT',
      'CULPRIT_DATABASE_URL',
      'CULPRIT_DATA_KEY',
      'CULPRIT_BILLING_PROVIDER',
    ]) {
      expect(stderr).toContain(`- ${name}`);
    }
    expect(stderr).toContain('CULPRIT_BASE_ULR is unknown; did you mean CULPRIT_BASE_URL?');
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('    at ');
  });

  it.each([[['--roles']], [['--roles=']], [['--port', '80']], [['--roles', 'api', 'worker']]])(
    'says what is wrong with the arguments %j',
    async (args) => {
      const { ending, stderr } = await runProgram({}, args);
      expect(ending).toBe(1);
      expect(stderr).toContain(JSON.stringify(args.join(' ')));
      expect(stderr).toContain('--roles api,worker');
    },
  );

  it.each(['--help', '-h'])('says how to start it when asked with %s, whatever is set', async (word) => {
    const { ending, stdout, stderr } = await runProgram({ CULPRIT_PORT: 'x' }, [word]);
    expect({ ending, stderr }).toEqual({ ending: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: npm start \[-- --roles api\|worker\]\n/);
    for (const name of stdout.match(/CULPRIT_[A-Z_]+/g) ?? []) expect(SETTING_NAMES).toContain(name);
  });

  it('says that the database cannot be reached, without its password', async () => {
    const { ending, stderr } = await runProgram(
      {
        CULPRIT_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/culprit',
        CULPRIT_DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
      ['--roles', 'api'],
    );
    expect(ending).toBe(1);
    expect(stderr).toMatch(/^Culprit could not start: the database cannot be reached: .*127\.0\.0\.1:1/);
    expect(stderr).not.toContain('hunter2');
  });
});
