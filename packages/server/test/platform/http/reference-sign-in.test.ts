import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGN_IN_STEPS } from '../../../src/platform/http/reference/reference-start.ts';
import { startCulprit, type TestCulprit } from '../../support/culprit.ts';
import { codeIn, nextMail } from '../../support/mailbox.ts';

const run = promisify(execFile);

describe('signing in as the reference tells it', () => {
  let culprit: TestCulprit;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'culprit-sign-in-'));
    culprit = await startCulprit({ duties: [], signIn: { signupDomains: ['example.test'] } });
  });
  afterAll(async () => {
    await culprit?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('ends with a member token that is good for a call', async () => {
    const [askForCode, signIn, createToken, list] = SIGN_IN_STEPS.map(({ command }) => command);
    const shell = async (command = '', env: Record<string, string> = {}): Promise<unknown> => {
      const { stdout } = await run('sh', ['-c', command], {
        cwd: folder,
        env: { ...process.env, HOST: culprit.url, ...env },
      });
      return JSON.parse(stdout);
    };
    expect(await shell(askForCode)).toEqual({ success: true });
    const code = codeIn(await nextMail(culprit.mailDirectory, 'dev@example.test', 0, 'Sign-in code'));
    const signedIn = await shell(signIn?.replace('042917', code));
    expect(signedIn).toHaveProperty('session.csrf_token');
    const csrf = /"csrf_token":"([^"]+)"/.exec(JSON.stringify(signedIn))?.[1] ?? '';

    expect(await shell(createToken, { CSRF_TOKEN: 'x' })).toEqual({ error: 'invalid_csrf_token' });
    const created = await shell(createToken, { CSRF_TOKEN: csrf });
    const token = /svc_mem_[0-9A-Za-z]{43}/.exec(JSON.stringify(created))?.[0] ?? '';
    expect(await shell(list, { MEMBER_TOKEN: token })).toMatchObject({ projects: [] });
  });
});
