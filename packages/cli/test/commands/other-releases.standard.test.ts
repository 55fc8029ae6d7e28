import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { createCliHome } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { type StandIn, startOtherRelease } from '../support/stand-in.ts';

/** Servers of other releases (C-18): a real one, behind something that takes away or adds what differs. */

let culprit: TestCulprit;
let signedIn: SignedIn;
let incidentId: string;
let older: StandIn;
let newer: StandIn;
let isOlderLost = false;
beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
  await signedIn.fail('known to every release');
  incidentId = (await signedIn.home.run(['incidents', 'list', '-q'])).out.trim();
  older = await startOtherRelease(culprit.url, {
    version: '0.0.1',
    isLost: () => isOlderLost,
    refusal(_, { pathname, searchParams }) {
      const isUnknown =
        pathname === '/v1/server' ||
        pathname === '/v1/lifecycle' ||
        /^\/v1\/incidents\/[^/]+\/events\/[^/]+$/.test(pathname);
      if (isUnknown) return 'not_found';
      const isFiltered =
        pathname === '/v1/incidents' && (searchParams.has('q') || searchParams.has('severity_min'));
      return isFiltered ? 'invalid_query' : null;
    },
    changed: (_, body) => without(body, new Set(['summary', 'source_trust', 'is_current', 'access'])),
  });
  newer = await startOtherRelease(culprit.url, { version: '99.0.0', changed: (_, body) => grown(body) });
});
afterAll(async () => {
  await older.stop();
  await newer.stop();
  signedIn.home.remove();
});

/** Without the fields that were added since, but for the summary of a bundle, which is an object. */
function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  const kept = Object.entries(value).filter(([name, each]) => !names.has(name) || isJsonObject(each));
  return Object.fromEntries(kept.map(([name, each]) => [name, eachObject(each, (of) => without(of, names))]));
}

const NEW_WORDS: Readonly<Record<string, string>> = {
  status: 'hibernating',
  severity: 'apocalyptic',
  effective_role: 'guru',
  reproducibility: 'quantum',
};

/** With fields and words that this release does not know. */
function grown(value: JsonObject): JsonObject {
  const entries = Object.entries(value).map(([name, each]): [string, JsonValue] => {
    const word = typeof each === 'string' ? NEW_WORDS[name] : undefined;
    return [name, word ?? eachObject(each, grown)];
  });
  return { ...Object.fromEntries(entries), colour: 'teal', shades: [{ of: 'teal' }] };
}

function eachObject(value: JsonValue, change: (value: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((each) => eachObject(each, change));
  return isJsonObject(value) ? change(value) : value;
}

/** Runs a command at another release, with the token of the environment. */
function runAt(server: StandIn, args: readonly string[]) {
  return signedIn.home.run(args, { environment: environmentAt(server) });
}
function environmentAt(server: StandIn) {
  const { memberToken, projectId } = signedIn.project;
  return { CULPRIT_URL: server.url, CULPRIT_TOKEN: memberToken, CULPRIT_PROJECT: projectId };
}

const READING = () => [
  ['whoami'],
  ['projects', 'list'],
  ['projects', 'show'],
  ['incidents', 'list'],
  ['incidents', 'show', incidentId],
  ['bundle', incidentId],
  ['bundle', incidentId, '--markdown'],
  ['logs', incidentId],
  ['services', 'list'],
  ['tokens', 'list'],
  ['tokens', 'list', '--member'],
  ['members', 'list'],
  ['webhooks', 'list'],
  ['alerts', 'list'],
  ['checks', 'list'],
  ['capture', 'policy', 'show'],
  ['improvements', 'list'],
  ['open', incidentId, '--print'],
];

describe('an older server', () => {
  it('works for everything that it knows', { timeout: 180_000 }, async () => {
    for (const args of READING()) {
      for (const more of [[], ['--json']]) {
        const { code, err } = await runAt(older, [...args, ...more]);
        expect({ code, err: code === 0 ? '' : err }, args.join(' ')).toEqual({ code: 0, err: '' });
      }
    }
    expect(await runAt(older, ['incidents', 'resolve', incidentId])).toMatchObject({ code: 0 });
    expect(await runAt(older, ['incidents', 'reopen', incidentId])).toMatchObject({ code: 0 });
  });

  it('gets a token of somebody who signs in', async () => {
    const home = await createCliHome();
    const input = signedIn.project.memberToken;
    expect(await home.run(['login', '--url', older.url, '--with-token'], { input })).toMatchObject({
      code: 0,
    });
    expect(await home.run(['incidents', 'list', '-q'])).toMatchObject({ code: 0, out: `${incidentId}\n` });
    home.remove();
  });

  it('is named where it lacks something', async () => {
    const lacking = [
      ['incidents', 'list', '--search', 'x'],
      ['incidents', 'list', '--severity-min', 'high'],
      ['logs', incidentId, '--event', 'e-1'],
    ];
    for (const args of lacking) {
      const { code, out, err } = await runAt(older, args);
      expect({ code, out }, `${args.join(' ')}: ${err}`).toEqual({ code: 9, out: '' });
      expect(err).toMatch(
        /This server \(0\.0\.1\) does not support .* this program \(\d+\.\d+\.\d+\)\.\n {2}→ /,
      );
    }
  });

  it('is looked at by tail again and again, which says so', async () => {
    const running = signedIn.home.start(['tail', '--json', '--max', '1', '--for', '1m'], {
      environment: environmentAt(older),
    });
    await eventually(() => expect(running.err()).toContain('This server has no feed'));
    // The first look only says what was there before.
    const looks = () => older.requests.filter((each) => each === 'GET /v1/incidents').length;
    const before = looks();
    await eventually(() => expect(looks()).toBeGreaterThan(before));
    await signedIn.fail('seen by looking');
    const { code, out } = await running.ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kind: 'new', title: expect.stringContaining('seen by looking') });
    expect(running.err().split('has no feed')).toHaveLength(2);
  });

  it('is looked at again by tail after a connection that was lost, and nothing is missed', async () => {
    const running = signedIn.home.start(['tail', '--json', '--max', '1', '--for', '1m'], {
      environment: environmentAt(older),
    });
    await eventually(() => expect(running.err()).toContain('This server has no feed'));
    const looks = () => older.requests.filter((each) => each === 'GET /v1/incidents').length;
    const before = looks();
    await eventually(() => expect(looks()).toBeGreaterThan(before));
    isOlderLost = true;
    await eventually(() => expect(running.err()).toContain('Trying again.'));
    await signedIn.fail('while nobody could look');
    isOlderLost = false;
    const { code, out, err } = await running.ended;
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Reconnected.') });
    expect(JSON.parse(out)).toMatchObject({
      kind: 'new',
      title: expect.stringContaining('while nobody could look'),
    });
  });

  it('is old to doctor, which says what to do', async () => {
    const { out, code } = await runAt(older, ['doctor', '--json']);
    expect(code).toBe(0);
    const { findings }: { findings: { check: string }[] } = JSON.parse(out);
    expect(findings.find(({ check }) => check === 'features')).toMatchObject({
      level: 'warning',
      says: 'The server is older than this program.',
      hint: expect.stringContaining('update the server'),
    });
  });
});

describe('a bundle that could not be made', () => {
  it('is exit 8 in every form, and its answer is printed all the same with --json', async () => {
    const failing = await startOtherRelease(culprit.url, {
      changed: ({ pathname }, body) =>
        pathname.endsWith('/bundle') ? { status: 'failed', reason: 'bundle_rotated' } : body,
    });
    const inWords = await runAt(failing, ['bundle', incidentId]);
    expect(inWords).toMatchObject({ code: 8, out: '', err: expect.stringContaining('removed to make room') });
    const { code, out, err } = await runAt(failing, ['bundle', incidentId, '--json']);
    await failing.stop();
    expect({ code, err }).toEqual({ code: 8, err: expect.stringContaining('removed to make room') });
    expect(JSON.parse(out)).toMatchObject({ status: 'failed', reason: 'bundle_rotated' });
  });
});

describe('a newer server', () => {
  it('is shown with its words and fields as they are', { timeout: 180_000 }, async () => {
    for (const args of READING()) {
      const shown = await runAt(newer, args);
      expect({ code: shown.code, err: shown.code === 0 ? '' : shown.err }, args.join(' ')).toEqual({
        code: 0,
        err: '',
      });
      if (args.includes('--markdown') || args[0] === 'whoami' || args[0] === 'open') continue;
      const { code, out } = await runAt(newer, [...args, '--json']);
      expect(code, args.join(' ')).toBe(0);
      // A list without records has nothing that is new.
      if (out.includes(':[],"next_cursor"')) continue;
      expect(out, args.join(' ')).toContain('"colour":"teal"');
    }
    // What an answer says beside its records is kept too.
    const { colour } = JSON.parse((await runAt(newer, ['incidents', 'list', '--json'])).out);
    expect(colour).toBe('teal');
    const { out } = await runAt(newer, ['incidents', 'list']);
    expect(out).toMatch(/apocalyptic .*hibernating/);
    expect((await runAt(newer, ['projects', 'list'])).out).toContain('guru');
  });
});
