import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { builtCli, environmentOf } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { startOtherRelease } from '../support/stand-in.ts';

/** Moves the cursor, links, sets a title, reverses text, and holds characters that nobody sees. */
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u001b]8;;http://evil.test\u0007x\u202e\u009b\u200b';

let signedIn: SignedIn;
beforeAll(async () => {
  const culprit = await shareCulprit();
  signedIn = await signIn(culprit);
  await signedIn.fail('first');
  await signedIn.fail('second');
  await signedIn.fail(`third ${HOSTILE}`);
});
afterAll(() => signedIn.home.remove());

const run: SignedIn['home']['run'] = (...args) => signedIn.home.run(...args);

interface Listed {
  incidents: { incident_id: string; title: string; status: string }[];
  next_cursor: string | null;
}
async function list(...args: string[]): Promise<Listed> {
  const { code, out, err } = await run(['incidents', 'list', '--json', ...args]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('incidents list', () => {
  it('prints the body of the answer, as a table, and as ids', async () => {
    const { incidents } = await list();
    expect(incidents).toHaveLength(3);
    const table = await run(['incidents', 'ls']);
    expect(table.out).toMatch(/^1 +high +open +1 +\d+ \w+ +api-server\/production +/m);
    const quiet = await run(['incidents', 'list', '-q']);
    expect(quiet.out.trim().split('\n')).toEqual(incidents.map(({ incident_id }) => incident_id));
  });

  it('gathers rows over pages, and goes on exactly where it ended', async () => {
    const first = await list('--limit', '2');
    expect(first.incidents).toHaveLength(2);
    const rest = await list('--cursor', first.next_cursor ?? '');
    expect(rest.incidents).toHaveLength(1);
    const ids = [...first.incidents, ...rest.incidents].map(({ incident_id }) => incident_id);
    expect(new Set(ids).size).toBe(3);
    expect((await list('--all')).next_cursor).toBeNull();
  });

  it('keeps chosen fields in their order, and names those that exist', async () => {
    const { incidents } = await list('--fields', 'title,incident_id,incident_reason.kind');
    expect(Object.keys(incidents[0] ?? {})).toEqual(['title', 'incident_id', 'incident_reason.kind']);
    const wrong = await run(['incidents', 'list', '--json', '--fields', 'titel']);
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(JSON.parse(wrong.err).error.hint).toContain('title');
  });

  it('shows times in UTC, and in the zone of the machine only to people who want that', async () => {
    const args = ['incidents', 'show', '@latest'];
    const environment = { TZ: 'Asia/Kolkata' };
    const { first_seen_at: at } = JSON.parse((await run([...args, '--json', '--local-time'])).out).incident;
    expect((await run(args, { environment })).out).toContain(`First seen   ${at}\n`);
    const [, shown = ''] =
      /^First seen +(\S+)$/m.exec((await run([...args, '--local-time'], { environment })).out) ?? [];
    expect(shown).toMatch(/\+05:30$/);
    expect(new Date(shown).toISOString()).toBe(new Date(at).toISOString());
  });

  it('prints equal bytes each time as JSON', async () => {
    expect((await run(['incidents', 'list', '--json'])).out).toBe(
      (await run(['incidents', 'list', '--json'])).out,
    );
  });

  it('ends quietly when nobody reads on', async () => {
    const main = await builtCli();
    const line = `"${process.execPath}" "${main}" incidents list --all | true`;
    const piped = await promisify(execFile)('sh', ['-c', line], { env: environmentOf(signedIn.home.path) });
    expect(piped).toMatchObject({ stderr: '' });
  });

  it('shows hostile text with visible escapes, in every form', async () => {
    for (const args of [
      ['incidents', 'list'],
      ['incidents', 'list', '--json'],
      ['bundle', '@1'],
    ]) {
      await run(['incidents', 'list']);
      const { out, err } = await run(args);
      expect((out + err).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    const markdown = await run(['bundle', '@1', '--markdown']);
    expect(markdown.out).toContain('\\\\u\\{1b\\}');
  });
});

describe('references', () => {
  it('name an incident by id, row, end of the id, latest and address', async () => {
    const { incidents } = await list();
    const id = incidents[1]?.incident_id ?? '';
    const { api } = { api: (await shareCulprit()).url };
    for (const reference of ['@2', id, id.slice(4), id.slice(-8), `${api}/v1/incidents/${id}/bundle`]) {
      const { code, out } = await run(['incidents', 'show', reference, '--json']);
      expect({ code, id: JSON.parse(out).incident.incident_id }).toEqual({ code: 0, id });
    }
    const latest = await run(['incidents', 'show', '@latest', '-q']);
    expect(latest.out.trim()).toBe(incidents[0]?.incident_id);
  });

  it('may be addresses of a dashboard that is elsewhere than the API', async () => {
    const app_url = 'https://app.example.test';
    const server = await startOtherRelease((await shareCulprit()).url, {
      changed: ({ pathname }, body) => (pathname === '/v1/server' ? { ...body, app_url } : body),
    });
    const [incident] = (await list()).incidents;
    const environment = { CULPRIT_URL: server.url, CULPRIT_TOKEN: signedIn.project.memberToken };
    const show = (origin: string) =>
      run(['incidents', 'show', `${origin}/incidents/${incident?.incident_id}`, '-q'], { environment });
    expect(await show(app_url)).toMatchObject({ code: 0, out: `${incident?.incident_id}\n` });
    expect(await show('https://other.example.test')).toMatchObject({ code: 4, out: '' });
    await server.stop();
    const none = await run(['bundle', 'local:latest']);
    expect(none).toMatchObject({ code: 3, err: expect.stringContaining('No local incident') });
    const mixed = await run(['incidents', 'resolve', 'local:latest', '@1']);
    expect(mixed).toMatchObject({ code: 2, err: expect.stringContaining('culprit local show latest') });
  });

  it('that match nothing or lead to another server are refused', async () => {
    expect((await run(['incidents', 'show', '@77'])).code).toBe(3);
    expect((await run(['incidents', 'show', 'ffffffff'])).code).toBe(3);
    const foreign = `https://elsewhere.test/incidents/${crypto.randomUUID()}`;
    expect((await run(['incidents', 'show', foreign])).code).toBe(4);
  });
});

describe('incidents resolve and reopen', () => {
  it('change those that are there and name those that are not', async () => {
    const { incidents } = await list();
    const unknown = `inc_${crypto.randomUUID()}`;
    const ids = incidents.map(({ incident_id }) => incident_id);
    const resolved = await run(['incidents', 'resolve', '-', '--json'], {
      input: `${[...ids, unknown].join('\n')}\n`,
    });
    expect(resolved.code).toBe(7);
    const body = JSON.parse(resolved.out);
    expect(body.incidents.map((each: { status: string }) => each.status)).toEqual(ids.map(() => 'resolved'));
    expect(body.failed).toEqual([{ incident_id: unknown, code: 'incident_not_found' }]);
    expect((await run(['incidents', 'reopen', ...ids])).code).toBe(0);
    expect((await list()).incidents).toHaveLength(3);
  });

  it('ask before they change what filters match, and do nothing in a dry run', async () => {
    const asked = await run(['incidents', 'resolve', '--matching', '--status', 'open']);
    expect(asked).toMatchObject({ code: 2, out: '' });
    const dry = await run(['incidents', 'resolve', '--matching', '--dry-run']);
    expect(dry.out.trim().split('\n')).toHaveLength(3);
    expect((await list()).incidents).toHaveLength(3);
  });
});
