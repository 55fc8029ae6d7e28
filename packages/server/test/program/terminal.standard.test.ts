import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ProgramSettings, runProgram } from '../support/program.ts';
import { SERVER } from '../support/server-program.ts';

/** What a person sees who starts the program. */

/** Not https and not loopback: the one thing it warns of before it looks for its database, which is not there. */
const SETTINGS: ProgramSettings = {
  CULPRIT_BASE_URL: 'http://errors.example.com',
  CULPRIT_DATABASE_URL: 'postgres://me@127.0.0.1:1/culprit',
  CULPRIT_DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
  CULPRIT_ROLES: 'api',
};
const READABLE = /^\d\d:\d\d:\d\d {2}WARN {3}api {9}CULPRIT_BASE_URL /m;

describe('the log of the program', () => {
  it('is for people on a terminal', async () => {
    const shown = await runInTerminal(SETTINGS);
    expect(stripVTControlCharacters(shown)).toMatch(READABLE);
    expect(stripVTControlCharacters(shown)).not.toBe(shown);
  });

  it('is JSON elsewhere', async () => {
    const { stdout } = await runProgram(SETTINGS);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ level: 'warn', role: 'api' });
  });

  it('is what the setting says', async () => {
    expect((await runProgram({ ...SETTINGS, CULPRIT_LOG_FORMAT: 'pretty' })).stdout).toMatch(READABLE);
    const shown = await runInTerminal({ ...SETTINGS, CULPRIT_LOG_FORMAT: 'json' });
    expect(JSON.parse(shown.split('\n')[0] ?? '')).toMatchObject({ level: 'warn', role: 'api' });
  });
});

/** In a terminal of its own, with what it shows. */
async function runInTerminal(settings: ProgramSettings): Promise<string> {
  const command = `'${process.execPath}' '${SERVER}'`;
  const env = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CULPRIT_') && name !== 'NO_COLOR',
  );
  const ended = promisify(execFile)('script', ['-qec', command, '/dev/null'], {
    env: { ...Object.fromEntries(env), ...settings },
  });
  const shown = await ended.catch((error: unknown) =>
    error instanceof Error && 'stdout' in error ? { stdout: String(error.stdout) } : { stdout: '' },
  );
  return shown.stdout;
}
