import { chmodSync, existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approveProgram, postProgram } from '../../../server/test/support/cli-sign-in-client.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { personWith, settingsFor } from '../../../server/test/support/github-client.ts';
import { type GithubServer, startGithubServer } from '../../../server/test/support/github-server.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { atTerminal, type Screen } from '../support/at-terminal.ts';
import { type CliHome, CONFIG, createCliHome } from '../support/built-cli.ts';

let culprit: TestCulprit;
let github: GithubServer;
let project: TestProject;
const homes: CliHome[] = [];
beforeAll(async () => {
  github = await startGithubServer();
  culprit = await startCulprit({ github: settingsFor(github) });
  project = await culprit.createProject({ email: 'ada@example.test' });
});
afterAll(async () => {
  for (const home of homes) home.remove();
  await culprit.stop();
  await github.close();
});

async function newHome(): Promise<CliHome> {
  const home = await createCliHome();
  homes.push(home);
  return home;
}

/** Types an answer to a question, once it is asked and this was said so many times before. */
async function answer(screen: Screen, question: string, typed: string, said = '', times = 0) {
  await eventually(() => {
    const parts = times === 0 ? [screen.text()] : screen.text().split(said);
    expect(parts).toHaveLength(times + 1);
    expect(parts.at(-1)).toContain(question);
  });
  screen.type(`${typed}\r`);
}

const credentials = `${CONFIG}/credentials.json`;

describe('login', () => {
  it('takes a token from standard input, and keeps it for its owner alone', async () => {
    const home = await newHome();
    const { code, out, err } = await home.run(['login', '--url', culprit.url, '--with-token'], {
      input: `${project.memberToken}\n`,
    });
    expect(code).toBe(0);
    expect(out + err).not.toContain(project.memberToken);
    expect(statSync(join(home.path, credentials)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, CONFIG)).mode & 0o777).toBe(0o700);
    expect(await home.json(['whoami'])).toMatchObject({
      url: culprit.url,
      email: 'ada@example.test',
      store: 'file',
      project_id: project.projectId,
      token: { label: 'bootstrap' },
    });
  });

  it('refuses other kinds of secrets with words, and asks no server', async () => {
    const home = await newHome();
    for (const secret of [
      'svc_proj_',
      'svc_invite_',
      'svc_whsec_',
      'svc_probe_',
      'ghp_',
      'github_pat_',
      'hello ',
    ]) {
      const input = `${secret}0123456789abcdef\n`;
      const { code, out, err } = await home.run(['login', '--url', 'http://127.0.0.1:9', '--with-token'], {
        input,
      });
      expect({ code, out }, secret).toEqual({ code: 4, out: '' });
      expect(err).toMatch(/→ /);
      expect(err).not.toContain('0123456789abcdef');
    }
    const typed = await home.run(['login', '--token', project.memberToken]);
    expect(typed.code).toBe(2);
    expect(typed.err).toContain('--with-token');
    expect(typed.err).not.toContain(project.memberToken);
  });

  it('signs in by a mailed code, ends the session, and stores no cookie', async () => {
    const home = await newHome();
    const email = 'grace@example.test';
    const running = home.start(
      [
        'login',
        '--url',
        culprit.url,
        '--email',
        email,
        '--accept-terms',
        '--code-file',
        '-',
        '--label',
        'laptop',
      ],
      {},
    );
    const code = codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Sign-in code'));
    running.write(`${code}\n`);
    running.closeInput();
    const ended = await running.ended;
    expect({ code: ended.code, err: ended.err }).toMatchObject({ code: 0 });
    expect(home.read(credentials)).not.toMatch(/svc_session|cookie|csrf/i);
    expect(await home.json(['whoami'])).toMatchObject({ token: { label: 'laptop' } });
    const [row] = await culprit.database.query<{ open: number }>(
      {
        name: 'test-open-sessions',
        text: `select count(*)::integer as open from sessions s join users u using (user_id)
          where u.email = $1 and s.revoked_at is null`,
      },
      [email],
    );
    expect(row?.open).toBe(0);
    expect((await home.run(['logout'])).code).toBe(0);
    expect((await home.run(['whoami'])).code).toBe(4);
  });

  it('exchanges a token of the GitHub command line, which is in no file afterwards', async () => {
    const home = await newHome();
    github.addPerson(personWith(7, 'lin@example.test'));
    const token = github.createToken(7);
    home.write('bin/gh', `#!/bin/sh\n[ "$1 $2" = "auth token" ] && echo ${token}\n`);
    chmodSync(join(home.path, 'bin/gh'), 0o755);
    const environment = { PATH: `${join(home.path, 'bin')}:${process.env.PATH}` };
    const { code, err } = await home.run(['login', '--url', culprit.url, '--github-cli', '--accept-terms'], {
      environment,
    });
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(home.read(credentials)).not.toContain(token);
    const refused = await home.run(['login', '--url', culprit.url, '--github-token', '--accept-terms'], {
      input: 'gho_nobody',
    });
    expect(refused.code).toBe(4);
  });
});

describe('login at a terminal', () => {
  const REFUSAL = 'does not accept the GitHub token';

  it('asks again for a token that GitHub refuses, and takes the next one', async () => {
    const home = await newHome();
    github.addPerson(personWith(9, 'mary@example.test'));
    const args = ['login', '--url', culprit.url, '--github-token', '--accept-terms'];
    const screen = await atTerminal(home, args);
    await answer(screen, 'GitHub token', 'gho_nobody');
    await answer(screen, 'GitHub token', github.createToken(9), REFUSAL, 1);
    expect(await screen.ended).toBe(0);
    expect((await home.run(['whoami', '-q'])).code).toBe(0);
  });

  it('ends with 4 when GitHub refuses three tokens', async () => {
    const home = await newHome();
    const args = ['login', '--url', culprit.url, '--github-token', '--accept-terms'];
    const screen = await atTerminal(home, args);
    for (const times of [0, 1, 2]) await answer(screen, 'GitHub token', `gho_no${times}`, REFUSAL, times);
    expect(await screen.ended).toBe(4);
    expect(screen.text().split(REFUSAL)).toHaveLength(4);
    expect((await home.run(['profiles', 'list', '-q'])).out).toBe('');
  });

  it('ends with 4 after three wrong codes of a mail', async () => {
    const home = await newHome();
    const email = 'hedy@example.test';
    const args = ['login', '--url', culprit.url, '--email', email, '--accept-terms'];
    const screen = await atTerminal(home, args);
    const right = Number(codeIn(await nextMail(culprit.mailDirectory, email, 0, 'Sign-in code')));
    const wrong = (times: number) => String((right + 1 + times) % 1_000_000).padStart(6, '0');
    for (const times of [0, 1, 2])
      await answer(screen, 'Code (6 digits)', wrong(times), 'That code is wrong', times);
    expect(await screen.ended).toBe(4);
    expect((await home.run(['profiles', 'list', '-q'])).out).toBe('');
  });
});

describe('login on a device without a browser', () => {
  it('shows a code, waits for the approval and claims a token', async () => {
    const home = await newHome();
    github.addPerson(personWith(8, 'kim@example.test'));
    const running = home.start([
      'login',
      '--url',
      culprit.url,
      '--github-device',
      '--no-browser',
      '--accept-terms',
    ]);
    const userCode = await eventually(() => {
      const [, found] = /type the code (\S+)/.exec(running.err()) ?? [];
      if (found === undefined) throw new Error(`no code yet: ${running.err()}`);
      return found;
    });
    github.answerDevice(userCode, { as: 8 });
    github.advance(60_000);
    const { code, err } = await running.ended;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect((await home.run(['whoami', '-q'])).code).toBe(0);
  });

  it('opens the browser once somebody presses Enter, and goes on by itself', async () => {
    const home = await newHome();
    github.addPerson(personWith(10, 'ida@example.test'));
    const opened = join(home.path, 'opened.txt');
    const browser = home.write('browser.sh', `#!/bin/sh\necho "$1" > ${opened}\n`);
    chmodSync(browser, 0o755);
    const args = ['login', '--url', culprit.url, '--github-device', '--accept-terms'];
    const screen = await atTerminal(home, args, { BROWSER: browser });
    await eventually(() => expect(screen.text()).toContain('Enter opens it'));
    expect(existsSync(opened)).toBe(false);
    screen.type('\r');
    await eventually(() => expect(home.read('opened.txt')).toContain('/login/device'));
    const [, userCode = ''] = /type the code (\S+)/.exec(screen.text()) ?? [];
    github.answerDevice(userCode, { as: 10 });
    github.advance(60_000);
    expect(await screen.ended).toBe(0);
    expect((await home.run(['whoami', '-q'])).code).toBe(0);
  });

  it('ends with Ctrl-C and stores nothing', async () => {
    const home = await newHome();
    const running = home.start([
      'login',
      '--url',
      culprit.url,
      '--github-device',
      '--no-browser',
      '--accept-terms',
    ]);
    await eventually(() => expect(running.err()).toContain('type the code'));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect((await home.run(['profiles', 'list', '-q'])).out).toBe('');
  });
});

describe('login in the browser', () => {
  const args = () => ['login', '--url', culprit.url, '--browser', '--no-browser'];
  const codeOf = (said: () => string) =>
    eventually(() => {
      const [, found] = /type the code (\S+)/.exec(said()) ?? [];
      if (found === undefined) throw new Error(`no code yet: ${said()}`);
      return found;
    });

  it('shows a code, waits until the person approves it there and claims a token with that access', async () => {
    const home = await newHome();
    const running = home.start(args());
    const userCode = await codeOf(running.err);
    await approveProgram(culprit, await culprit.signIn('eva@example.test'), userCode, 'read');
    const { code, err } = await running.ended;
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('can only read') });
    expect((await home.run(['whoami', '-q'])).code).toBe(0);
    expect((await home.run(['projects', 'create', 'mine'])).code).toBe(5);
  });

  it('ends when the person refuses, and stores nothing', async () => {
    const home = await newHome();
    const running = home.start(args());
    const userCode = await codeOf(running.err);
    const browser = await culprit.signIn('eva@example.test');
    await postProgram(culprit, 'deny', { user_code: userCode }, browser);
    const { code, err } = await running.ended;
    expect([code, err]).toEqual([4, expect.stringContaining('refused in the browser')]);
    expect((await home.run(['profiles', 'list', '-q'])).out).toBe('');
  });
});

describe('where a token is sent', () => {
  it('is never an address that only a project file names', async () => {
    let requests = 0;
    const stranger = createServer((_, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    try {
      const home = await newHome();
      await home.run(['login', '--url', culprit.url, '--with-token'], { input: project.memberToken });
      home.write('repo/.git/HEAD', '');
      home.write('repo/.culprit/config.json', JSON.stringify({ url: 'https://evil.example.test' }));
      const directory = 'repo';
      expect((await home.run(['incidents', 'list'], { directory })).code).toBe(4);
      const environment = { CULPRIT_TOKEN: project.memberToken };
      const untrusted = await home.run(['incidents', 'list'], { directory, environment });
      expect(untrusted.code).toBe(4);
      expect(untrusted.err).toContain('evil.example.test');
      const address = stranger.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      // A loopback address is trusted with a token of the environment, but a stored one is bound to its own.
      const stored = await home.run(['incidents', 'list', '--url', `http://127.0.0.1:${port}`]);
      expect(stored.code).toBe(4);
      expect(requests).toBe(0);
    } finally {
      stranger.close();
    }
  });

  it('is not an unencrypted one of the network, and no redirect is followed', async () => {
    const home = await newHome();
    const plain = await home.run(['incidents', 'list', '--url', 'http://culprit.example.test'], {
      environment: { CULPRIT_TOKEN: project.memberToken },
    });
    expect(plain.code).toBe(2);
    expect(plain.err).toContain('--insecure-http');
    const redirecting = createServer((_, response) => {
      response.writeHead(302, { location: culprit.url });
      response.end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const address = redirecting.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const redirected = await home.run(['incidents', 'list', '--all-projects'], {
      environment: { CULPRIT_TOKEN: project.memberToken, CULPRIT_URL: `http://127.0.0.1:${port}` },
    });
    redirecting.close();
    expect(redirected.code).toBe(6);
  });

  it('follows flag, environment, project file and profile, in this order', async () => {
    const home = await newHome();
    await home.run(['login', '--url', culprit.url, '--with-token'], { input: project.memberToken });
    home.write('repo/.git/HEAD', '');
    home.write('repo/.culprit/config.json', JSON.stringify({ project_id: 'from-file' }));
    const missing = async (args: string[], environment: Record<string, string>) =>
      (await home.run(['services', 'list', ...args], { directory: 'repo', environment })).err;
    expect(await missing(['-p', 'from-flag'], { CULPRIT_PROJECT: 'from-environment' })).toContain(
      '"from-flag"',
    );
    expect(await missing([], { CULPRIT_PROJECT: 'from-environment' })).toContain('"from-environment"');
    expect(await missing([], {})).toContain('"from-file"');
    home.write('repo/.culprit/config.json', JSON.stringify({ projekt: 'x' }));
    expect(await missing([], {})).toMatch(/config\.json has the unknown key "projekt"/);
  });
});

describe('the file of credentials', () => {
  it('is corrected with a warning when others could read it, and refused when it is a link', async () => {
    const home = await newHome();
    await home.run(['login', '--url', culprit.url, '--with-token'], { input: project.memberToken });
    const path = join(home.path, credentials);
    chmodSync(path, 0o644);
    const { code, err } = await home.run(['whoami']);
    expect(code).toBe(0);
    expect(err).toContain('now only you can');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const content = home.read(credentials);
    const elsewhere = home.write('elsewhere.json', content);
    rmSync(path);
    symlinkSync(elsewhere, path);
    expect((await home.run(['whoami'])).code).toBe(4);
  });
});

describe('a key store', () => {
  /** A library of key stores that keeps its entries in a file: the real ones need a desktop. */
  const LIBRARY = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    const file = process.env.KEY_STORE_FILE;
    const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
    export class Entry {
      constructor(service, account) { this.name = service + ' ' + account; }
      getPassword() { return read()[this.name] ?? null; }
      setPassword(password) { writeFileSync(file, JSON.stringify({ ...read(), [this.name]: password })); }
      deletePassword() {
        const { [this.name]: old, ...others } = read();
        writeFileSync(file, JSON.stringify(others));
        return old !== undefined;
      }
    }`;

  it('keeps the token, which goes with its profile when that is renamed', async () => {
    const home = await newHome();
    const library = pathToFileURL(home.write('keyring.mjs', LIBRARY)).href;
    const hook = home.write(
      'hook.mjs',
      `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) =>
        name === '@napi-rs/keyring' ? { url: '${library}', shortCircuit: true } : next(name, context) });`,
    );
    const environment = {
      NODE_OPTIONS: `--import=${pathToFileURL(hook).href}`,
      KEY_STORE_FILE: join(home.path, 'keys.json'),
    };
    const args = ['login', '--url', culprit.url, '--with-token', '--profile', 'old', '--store', 'keyring'];
    const login = await home.run(args, { input: project.memberToken, environment });
    expect(login).toMatchObject({ code: 0 });
    expect(home.read(credentials)).not.toContain(project.memberToken);
    expect(await home.run(['profiles', 'rename', 'old', 'new'], { environment })).toMatchObject({ code: 0 });
    expect(JSON.parse(home.read('keys.json'))).toEqual({
      [`culprit ${culprit.url} new`]: project.memberToken,
    });
    expect(await home.run(['whoami', '-q'], { environment })).toMatchObject({ code: 0 });
    const shown = await home.run(['profiles', 'delete', 'new', '--dry-run'], { environment });
    expect(shown).toMatchObject({ code: 0, err: expect.stringContaining('only removed here') });
    expect((await home.run(['logout', '--dry-run', '--yes'], { environment })).err).toContain('be revoked');
    expect(await home.run(['whoami', '-q'], { environment })).toMatchObject({ code: 0 });
    expect(await home.run(['profiles', 'delete', 'new', '--keep-token'], { environment })).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(home.read('keys.json'))).toEqual({});
  });
});

describe('a revoked token', () => {
  it('is exit 4 with the words of its source', async () => {
    const other = await culprit.createProject();
    const home = await newHome();
    await home.run(['login', '--url', culprit.url, '--with-token'], { input: other.memberToken });
    const tokens = await home.json(['whoami']);
    const id = JSON.stringify(tokens).match(/tok_[0-9a-f-]+/)?.[0] ?? '';
    await eventually(async () =>
      expect((await home.run(['api', `/v1/member/tokens/${id}/revoke`, '-X', 'POST'])).code).toBe(0),
    );
    for (const args of [['incidents', 'list'], ['projects', 'list'], ['whoami'], ['doctor']]) {
      const { code, out, err } = await home.run(args);
      expect(code, args.join(' ')).toBe(args[0] === 'doctor' ? 8 : 4);
      expect(out + err).toContain('the stored token of profile');
      expect(out + err).not.toContain(other.memberToken);
    }
  });
});
