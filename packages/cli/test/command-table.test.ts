import { api } from '@culprit/contract/endpoints/api';
import { PROBLEM_STATUS } from '@culprit/contract/endpoints/problems';
import { PROBLEM_WORDS } from '@culprit/mcp/words/problem-words';
import { describe, expect, it } from 'vitest';
import { problemError } from '../src/api/problem-error.ts';
import { COMMAND_GROUPS, FIRST_DAY } from '../src/command-table.ts';
import { EXIT } from '../src/exit-codes.ts';
import { GLOBAL_FLAGS } from '../src/global-flags.ts';
import { commandHelp, groupHelp, overview, specOf, topicHelp } from '../src/help.ts';
import { HELP_TOPICS } from '../src/help-topics.ts';

const commands = COMMAND_GROUPS.flatMap((group) => group.commands);
const HELP_LINES_MAX = 80;

/** What needs the cookie of a browser, or is no part of the management of anything. */
const WITHOUT_COMMAND = [
  'getSdkConfig',
  'getSession',
  'startGithubSignIn',
  'finishGithubSignIn',
  'startOidcSignIn',
  'finishOidcSignIn',
  'logOutByProvider',
  'readCliSignIn',
  'approveCliSignIn',
  'denyCliSignIn',
  'finishSlackInstall',
  'exportAccount',
  'unsubscribe',
  'requestEmailChange',
  'confirmEmailChange',
  'requestDeletionCode',
  'deleteAccount',
  'createCheckout',
  'confirmCheckout',
  'openBillingPortal',
  'getLive',
  // Hints for pages; `tail` reads the feed of the same ledger.
  'streamChanges',
];

describe('the table of commands', () => {
  it('has each command once, with examples of itself and a help that fits on a page', () => {
    const paths = commands.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const spec of commands) {
      expect(commandHelp(spec).split('\n').length, spec.path).toBeLessThanOrEqual(HELP_LINES_MAX);
      expect(spec.examples.length, spec.path).toBeGreaterThanOrEqual(2);
      for (const example of spec.examples) expect(` ${example}`, spec.path).toContain(` ${spec.path}`);
    }
    for (const path of FIRST_DAY) expect(specOf(path), path).toBeDefined();
    for (const group of COMMAND_GROUPS)
      if (group.noun !== null) expect(groupHelp(group)).toContain(group.noun);
    for (const topic of Object.keys(HELP_TOPICS)) expect(topicHelp(topic)).not.toBe('\n');
    expect(overview(false).split('\n').length).toBeLessThan(25);
  });

  it('has no flag twice, and none that takes a secret', () => {
    for (const spec of commands) {
      const flags = [...(spec.flags ?? []), ...GLOBAL_FLAGS];
      const names = flags.map(({ name }) => name);
      expect(new Set(names).size, `${spec.path}: ${names.join(' ')}`).toBe(names.length);
      const shorts = flags.flatMap(({ short }) => short ?? []);
      expect(new Set(shorts).size, `${spec.path}: ${shorts.join(' ')}`).toBe(shorts.length);
      for (const { name, value } of flags) {
        // Files, switches and numbers of tokens may speak of secrets; values may not be some.
        if (/token|secret|password/.test(name) && !/file|^max-tokens$/.test(name))
          expect(value, name).toBeUndefined();
      }
    }
  });

  it('loads what each command runs', async () => {
    for (const spec of commands) expect(await spec.load(), spec.path).toBeTypeOf('function');
  });

  it('has a command for every endpoint that does not need a browser', () => {
    const covered = new Set(commands.flatMap(({ endpoints }) => endpoints ?? []));
    const known = new Set(api.map(({ id }) => id));
    expect([...covered].filter((id) => !known.has(id))).toEqual([]);
    const missing = api.map(({ id }) => id).filter((id) => !covered.has(id) && !WITHOUT_COMMAND.includes(id));
    expect(missing).toEqual([]);
  });
});

describe('the words for errors', () => {
  it('are there for every code of the API, with a hint and an exit code', () => {
    const missing = Object.keys(PROBLEM_STATUS).filter((code) => !Object.hasOwn(PROBLEM_WORDS, code));
    expect(missing).toEqual([]);
    for (const [code, { says, kind }] of Object.entries(PROBLEM_WORDS)) {
      expect(says, code).toMatch(/^[A-Z].*\.$/);
      expect(EXIT).toHaveProperty(kind);
    }
  });

  it('show a code that is not known as it is', () => {
    const place = { credential: 'no token', profileName: null, isFromEnvironment: false };
    const problem = { code: 'too_purple', status: 409, retryAfterSeconds: null, requestId: 'req_1' };
    expect(problemError(problem, place, null)).toMatchObject({ code: 'too_purple', exit: EXIT.refused });
    expect(problemError(problem, place, null).message).toContain('too_purple');
    const refused = { ...problem, code: 'invalid_payload', reason: '/name: is\u001b[31m too long' };
    expect(problemError(refused, place, null).message).toMatch(
      /^The server does not accept these values: \/name: is\P{Cc}+ too long\.$/u,
    );
  });
});
