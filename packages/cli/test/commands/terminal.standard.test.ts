import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.ts';
import {
  hostileSource,
  hostileSourceEvent,
  SOURCE_MARK,
} from '../../../server/test/support/hostile-source.ts';
import { clientOf } from '../../../server/test/support/incident-client.ts';
import { uploadMaps } from '../../../server/test/support/map-client.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { atTerminal, cliLine, KEYS, startAtTerminal } from '../support/at-terminal.ts';
import { createCliHome } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { answerJson, startStandIn } from '../support/stand-in.ts';

let signedIn: SignedIn;
beforeAll(async () => {
  signedIn = await signIn(await shareCulprit());
  await signedIn.fail('in a terminal \u001b]0;owned\u0007');
});
afterAll(() => signedIn.home.remove());

const ESCAPE = '\u001b';
/** What moves a cursor or turns round what follows. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u200b\ufeff]/u;

describe('at a terminal', () => {
  it('colours severity, and passes no sequence of an event on', async () => {
    const screen = await atTerminal(signedIn.home, ['incidents', 'list']);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).toContain(`${ESCAPE}[31m`);
    expect(screen.text()).not.toContain(`${ESCAPE}]0;`);
  });

  it('has no colours with NO_COLOR and on a dumb terminal', async () => {
    for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const screen = await atTerminal(signedIn.home, ['incidents', 'list'], environment);
      expect(await screen.ended).toBe(0);
      expect(screen.text()).not.toContain(`${ESCAPE}[`);
    }
  });

  it('asks before it changes much, and the answer is no unless somebody says yes', async () => {
    const screen = await atTerminal(signedIn.home, ['incidents', 'resolve', '--matching']);
    await eventually(() => expect(screen.text()).toContain('Resolve 1 incidents?'));
    screen.type('\r');
    expect(await screen.ended).toBe(2);
    expect(screen.text()).toContain('Nothing was changed.');
    const { out } = await signedIn.home.run(['incidents', 'list', '-q']);
    expect(out.trim()).not.toBe('');
  });

  it('ends at Ctrl-C with 130 and at Ctrl-D with 2, and shows the cursor again', async () => {
    for (const [key, exit] of [
      [KEYS.interrupt, 130],
      [KEYS.endOfInput, 2],
    ] as const) {
      const screen = await atTerminal(signedIn.home, ['incidents', 'resolve', '--matching']);
      await eventually(() => expect(screen.text()).toContain('Resolve 1 incidents?'));
      screen.type(key);
      expect(await screen.ended).toBe(exit);
      expect(screen.text().lastIndexOf(`${ESCAPE}[?25h`)).toBeGreaterThan(
        screen.text().lastIndexOf(`${ESCAPE}[?25l`),
      );
    }
  });

  it('asks whether a pasted token shall be revoked, and does as it is told', async () => {
    const home = await createCliHome();
    const { url } = await shareCulprit();
    for (const [keys, exit] of [
      [KEYS.enter, 0],
      [`${KEYS.down}${KEYS.enter}`, 4],
    ] as const) {
      const args = ['tokens', 'create', '--member', '--label', 'pasted', '-q'];
      const token = (await signedIn.home.run(args)).out.trim();
      const login = await home.run(['login', '--url', url, '--with-token'], { input: token });
      expect(login).toMatchObject({ code: 0 });
      const screen = await atTerminal(home, ['logout']);
      await eventually(() => expect(screen.text()).toContain('Revoke it?'));
      screen.type(keys);
      expect(await screen.ended).toBe(0);
      const environment = { CULPRIT_URL: url, CULPRIT_TOKEN: token };
      expect(await home.run(['projects', 'list'], { environment })).toMatchObject({ code: exit });
    }
    home.remove();
  });

  it('ends an import at Ctrl-C within its progress, and leaves a terminal that works', async () => {
    const slow = await startStandIn((request, response) => {
      request.resume().once('end', () => {
        setTimeout(() => answerJson(response, 202, { accepted: 200, rejected: 0, errors: [] }), 100);
      });
    });
    const lines = Array.from({ length: 200_000 }, (_, number) => JSON.stringify({ number }));
    signedIn.home.write('long.ndjson', lines.join('\n'));
    const line = await cliLine(['send', 'long.ndjson']);
    const environment = { CULPRIT_URL: slow.url, CULPRIT_PROJECT_TOKEN: `svc_proj_${'a'.repeat(32)}` };
    const screen = startAtTerminal(signedIn.home, `trap : INT; ${line}; echo "ended with $?"; stty -a`, {
      environment,
    });
    await eventually(() => expect(screen.text()).toMatch(/ %, .* a second, \d+ s left/));
    screen.type(KEYS.interrupt);
    await screen.ended;
    await slow.stop();
    expect(screen.text()).toContain('the same command continues after them');
    expect(screen.text()).toContain('ended with 130');
    expect(screen.text()).toMatch(/[ ;]icanon/);
    expect(screen.text()).toMatch(/[ ;]echo /);
    expect(screen.text().lastIndexOf(`${ESCAPE}[?25l`)).toBeLessThanOrEqual(
      screen.text().lastIndexOf(`${ESCAPE}[?25h`),
    );
  });

  it('tells how many rows a long list has gathered, on one line that is gone at its end', async () => {
    const listed = await signedIn.home.run(['incidents', 'list', '--json']);
    const [incident] = JSON.parse(listed.out).incidents;
    let page = 0;
    const slow = await startStandIn((request, response) => {
      if (!request.url?.startsWith('/v1/incidents?'))
        return answerJson(response, 404, { error: 'not_found' });
      const incidents = Array.from({ length: 100 }, () => ({
        ...incident,
        incident_id: `inc_${randomUUID()}`,
      }));
      page += 1;
      const next_cursor = page < 40 ? `page-${page}` : null;
      setTimeout(() => answerJson(response, 200, { incidents, next_cursor }), 50);
    });
    const { memberToken, projectId } = signedIn.project;
    const environment = { CULPRIT_URL: slow.url, CULPRIT_TOKEN: memberToken, CULPRIT_PROJECT: projectId };
    const screen = await atTerminal(signedIn.home, ['incidents', 'list', '--all'], environment);
    expect(await screen.ended).toBe(0);
    await slow.stop();
    const [before = '', after = ''] = screen
      .text()
      .split(/\d+ rows, \d+ a second/)
      .slice(-2);
    expect(before.endsWith(`\r${ESCAPE}[2K`)).toBe(true);
    expect(after.startsWith(`\r${ESCAPE}[2K`)).toBe(true);
    expect(after).toContain(incident.title.slice(0, 13));
  });

  it('reads a token without showing it', async () => {
    const { memberToken } = signedIn.project;
    const { url } = await shareCulprit();
    const screen = await atTerminal(signedIn.home, [
      'login',
      '--url',
      url,
      '--with-token',
      '--profile',
      'typed',
    ]);
    await eventually(() => expect(screen.text()).toContain('Member token'));
    screen.type(`${memberToken}\r`);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).not.toContain(memberToken);
    expect(screen.text()).toContain('Signed in to');
  });

  // Item 33 of docs/contract/source-maps.md.
  it('passes no sequence of a source on that a map has', async () => {
    const { project, home } = signedIn;
    const culprit = await shareCulprit();
    const debugId = randomUUID();
    await uploadMaps(culprit, project, [hostileSource(debugId)]);
    const { send, list, bundle } = clientOf(culprit, project);
    await send(hostileSourceEvent(debugId));
    const incidentId = await eventually(async () => {
      const [found] = await list({ project_id: project.projectId, q: 'hostile' });
      if (found === undefined) throw new Error('no incident');
      return found.incident_id;
    });
    await bundle(incidentId);
    for (const args of [
      ['bundle', incidentId, '--full'],
      ['sourcemaps', 'check', '--frame', 'assets/hostile.js:1:1', '--debug-id', debugId],
    ]) {
      const screen = await atTerminal(home, args);
      expect(await screen.ended).toBe(0);
      expect(screen.text()).toContain(SOURCE_MARK);
      const coloured = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g');
      expect(
        screen
          .text()
          .replaceAll(coloured, '')
          .replaceAll(/[\r\n\t]/g, ''),
      ).not.toMatch(UNSEEN);
    }
  });
});
