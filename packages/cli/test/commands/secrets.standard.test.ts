import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import type { CommandSpec } from '../../src/command.ts';
import { COMMAND_GROUPS } from '../../src/command-table.ts';
import type { Ran } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

/** No command prints a secret that it was given or has stored, however it ends (C-10). */

const TEST_MAX_MS = 600_000;
/** What does not end by itself is interrupted. */
const RUN_MAX_MS = 5000;
const AT_ONCE = 3;

const commands = COMMAND_GROUPS.flatMap((group) => group.commands);
/** Where a person finds a secret that is made for them (docs/contract/command-line.md 3). */
const PRINT_NEW_SECRETS = ['tokens create', 'webhooks create', 'webhooks rotate-secret', 'webhooks listen'];
/** What has the form of a secret. */
const ANY_SECRET = /svc_(?:mem|proj|invite|probe|whsec)_[0-9A-Za-z._-]{8,}/;
const KINDS = ['mem', 'proj', 'invite', 'probe', 'whsec'];
const GITHUB = `ghp_${'g1T'.repeat(12)}`;
const planted = KINDS.map((kind) => `svc_${kind}_${'pLaNtEd'.repeat(5)}${kind}`);

let culprit: TestCulprit;
let signedIn: SignedIn;
let secrets: string[];
let environment: Record<string, string>;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
  const { memberToken, projectToken } = signedIn.project;
  secrets = [...planted, GITHUB, memberToken, projectToken];
  environment = {
    CULPRIT_URL: culprit.url,
    CULPRIT_TOKEN: memberToken,
    CULPRIT_PROJECT_TOKEN: projectToken,
    CULPRIT_PROJECT: signedIn.project.projectId,
  };
});
afterAll(() => signedIn.home.remove());

/** The secrets that a run printed. */
function printed({ out, err }: Ran): string[] {
  return secrets.filter((secret) => (out + err).includes(secret));
}

/** The command with secrets for all of its arguments. */
function lineOf(spec: CommandSpec, index: number): string[] {
  const places = spec.arguments?.split(' ') ?? [];
  const args = places.map((_, at) => planted[(index + at) % planted.length] ?? '');
  return [...spec.path.split(' '), ...args, '-v', ...(index % 2 === 0 ? ['--json'] : [])];
}

async function runToItsEnd(args: readonly string[], more: Record<string, string> = {}): Promise<Ran> {
  const running = signedIn.home.start(args, {
    environment: { ...environment, ...more },
    input: `${GITHUB}\n${planted.join('\n')}\n`,
  });
  const timer = setTimeout(() => running.kill('SIGINT'), RUN_MAX_MS);
  const ran = await running.ended;
  clearTimeout(timer);
  return ran;
}

describe('a secret', () => {
  it('is printed by no command that got it as an argument, by its input, or from the environment', {
    timeout: TEST_MAX_MS,
  }, async () => {
    const waiting = commands.map((spec, index) => ({ spec, index }));
    const leaks: string[] = [];
    const work = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { spec, index } = next;
        const ran = await runToItsEnd(lineOf(spec, index));
        if (printed(ran).length > 0) leaks.push(`${spec.path} prints ${printed(ran).join(', ')}`);
        const isNew = ANY_SECRET.test(ran.out + ran.err) && !PRINT_NEW_SECRETS.includes(spec.path);
        if (isNew) leaks.push(`${spec.path} prints a secret: ${ran.out}${ran.err}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(leaks).toEqual([]);
  });

  it('is not printed by a sign-in that is refused', async () => {
    for (const [index, secret] of secrets.entries()) {
      const way = index % 2 === 0 ? '--with-token' : '--github-token';
      const args = ['login', '--url', culprit.url, way, '--accept-terms', '-v', '--profile', `p${index}`];
      const ran = await signedIn.home.run(args, { input: `${secret}x\n` });
      expect(ran.code, way).not.toBe(0);
      expect((ran.out + ran.err).includes(secret), ran.out + ran.err).toBe(false);
    }
  });

  it('is not printed by a crash, nor is a stack', async () => {
    const [secret = ''] = planted;
    // An error that nobody expected, somewhere in the middle.
    const crash = signedIn.home.write(
      'crash.cjs',
      `setInterval(() => {
        if (process.listenerCount('uncaughtException') > 0) throw new Error('lost: ${secret}');
      }, 20);`,
    );
    for (const json of [[], ['--json']]) {
      const ran = await runToItsEnd(['tail', '--for', '20s', ...json], {
        NODE_OPTIONS: `--require ${crash}`,
      });
      expect(ran.code, ran.err).toBe(1);
      expect(ran.err).toContain('Internal error');
      expect(printed(ran)).toEqual([]);
      expect(ran.err).not.toMatch(/\n\s+at /);
    }
  });
});
