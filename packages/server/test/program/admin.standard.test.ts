import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  addressOf,
  createDataDirectory,
  processesOf,
  runAdmin,
  startProgram,
  stillRunning,
} from '../support/program.ts';
import { sendEvents } from '../support/send-events.ts';

const ARGS = ['bootstrap', '--email', 'you@example.com', '--project', 'my-app', '--json'];

let data: Awaited<ReturnType<typeof createDataDirectory>>;

beforeAll(async () => {
  data = await createDataDirectory();
});
afterAll(() => data.remove());

describe('admin', () => {
  it.each([
    [['bootstrap'], '--email must be an e-mail address'],
    [['bootstrap', '--email', 'you', '--project', 'my-app'], '--email must be an e-mail address'],
    [
      ['bootstrap', '--email', 'you@example.com', '--project', ' '],
      '--project must have 1 to 120 characters',
    ],
    [['bootstrap', '--email'], "Option '--email <value>' argument missing"],
    [['bootstrap', '--force'], "Unknown option '--force'"],
    [['bootstrap', 'now'], "Unexpected argument 'now'"],
    [['destroy'], 'Unknown command "destroy".\n'],
  ])('refuses %j with a word on how it goes, and prints no data', async (args, words) => {
    const { ending, stdout, stderr } = await runAdmin({ CULPRIT_DATA_DIR: data.path }, args);
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toContain('Usage: npm run -s admin -- bootstrap --email ADDRESS --project NAME [--json]');
    expect(stderr).not.toContain('    at ');
    expect(stderr.includes('admin -- doctor')).toBe(args[0] === 'destroy');
  });

  it.each([
    [['doctr'], /^Unknown command "doctr"; did you mean doctor\?\n/],
    [['dead-letter', 'list'], /^Unknown command "dead-letter list"; did you mean dead-letters list\?\n/],
    [['plan'], /^Unknown command "plan".*\n\nUsage: .* plan show .*\n\n.*\n\nUsage: .* plan set .*\n\n.*\n$/],
  ])('names the command that %j may mean', async (args, words) => {
    const { ending, stdout, stderr } = await runAdmin({ CULPRIT_DATA_DIR: data.path }, args);
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toMatch(words);
  });

  it.each([
    [['--help'], /^Usage: .* bootstrap .*\n {7}npm run -s admin -- account list /],
    [['help'], /^Usage: .* bootstrap /],
    [['-h'], /^Usage: .* bootstrap /],
    [['bootstrap', '--help'], /^Usage: npm run -s admin -- bootstrap [^\n]*\n\nCreates or finds .*\n$/],
    [['plan', '--help'], /^Usage: .* plan show .*\n\n.*\n\nUsage: .* plan set .*\n\n.*\n$/],
    [['plan', 'set', '--help'], /^Usage: npm run -s admin -- plan set .*\n\n.*\n$/],
    [['doctor', '--json', '--help'], /^Usage: npm run -s admin -- doctor /],
    [['backup', '-h'], /^Usage: npm run -s admin -- backup /],
    [['restore', '--help'], /^Usage: npm run -s admin -- restore /],
    [['dead-letters', 'list', '--help'], /^Usage: npm run -s admin -- dead-letters list /],
    [['dead-letters', 'retry', '--help'], /^Usage: npm run -s admin -- dead-letters retry /],
    [['destroy', '--help'], /^Usage: .* bootstrap /],
  ])('says how it goes when asked with %j, and does nothing', async (args, words) => {
    const { ending, stdout, stderr } = await runAdmin(
      { CULPRIT_DATA_DIR: '/dev/null', CULPRIT_PORT: 'x' },
      args,
    );
    expect({ ending, stderr }).toEqual({ ending: 0, stderr: '' });
    expect(stdout).toMatch(words);
  });

  it('says that there is no installation yet, and names nothing of it', async () => {
    const { ending, stdout } = await runAdmin({ CULPRIT_DATA_DIR: join(data.path, 'none') }, [
      'doctor',
      '--json',
    ]);
    expect(ending).toBe(0);
    const { findings }: { findings: { check: string; what: string }[] } = JSON.parse(stdout);
    expect(findings.map(({ check }) => check)).toEqual(['Node', 'settings', 'installation', 'mail']);
    expect(findings[2]?.what).toBe(`there is none in ${join(data.path, 'none')} yet`);
  });

  it('names all settings that cannot be used', async () => {
    const settings = { CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: 'x', CULPRIT_LOG_LEVEL: 'loud' };
    const { ending, stdout, stderr } = await runAdmin(settings, ARGS);
    expect({ ending, stdout }).toEqual({ ending: 1, stdout: '' });
    expect(stderr).toContain('2 settings are not usable');
  });

  it('works without a server, and what it made is there when the server comes', {
    timeout: 120_000,
  }, async () => {
    const alone = await runAdmin({ CULPRIT_DATA_DIR: data.path }, ARGS);
    expect(alone.ending).toBe(0);
    expect(alone.stderr).toContain(`Using the data in ${data.path}; no server is running there.\n`);
    expect(alone.stderr).toMatch(/^Warning: .* contained no installation, so a new one is created there\./m);
    expect(alone.stdout).toMatch(/^\{.*\}\n$/);
    const made: Record<string, string> = JSON.parse(alone.stdout);
    expect(made).toEqual({
      base_url: 'http://localhost:4800',
      user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      member_token: expect.stringMatching(/^svc_mem_[0-9A-Za-z]{43}$/),
      project_id: expect.stringMatching(/^proj_[0-9a-f-]{36}$/),
      project_token: expect.stringMatching(/^svc_proj_[0-9A-Za-z]{43}$/),
      dsn: expect.stringMatching(/^http:\/\/[0-9a-f]{32}@localhost:4800\/\d+$/),
    });

    const server = startProgram({ CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0' });
    try {
      // The server holds the directory, and its database is not ready yet.
      await eventually(() => statSync(join(data.path, 'culprit.lock')));
      const beside = await runAdmin({ CULPRIT_DATA_DIR: data.path }, ARGS);
      expect(beside).toMatchObject({ ending: 0 });
      expect(beside.stderr).toContain(
        `Using the data in ${data.path} beside the running server (process ${server.pid}), expected at http://localhost:4800.\n`,
      );
      expect(beside.stderr).not.toContain('Warning');
      const again: Record<string, string> = JSON.parse(beside.stdout);
      expect(again).toMatchObject({ user_id: made.user_id, project_id: made.project_id, dsn: made.dsn });
      const address = await addressOf(server);
      for (const { project_token } of [made, again]) {
        expect(await sendEvents(address, project_token ?? '', [])).toMatchObject({ status: 202 });
      }
    } finally {
      const processes = processesOf(server);
      server.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      expect(stillRunning(processes)).toEqual([]);
    }
  });
});
