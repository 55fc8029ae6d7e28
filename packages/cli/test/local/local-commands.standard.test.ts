import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { createTemporaryProject, EVENTS, type TemporaryProject } from './temporary-project.ts';

/** Moves the cursor, sets a title, reverses text. */
const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\u202e\u009b';

let project: TemporaryProject;
beforeAll(() => {
  project = createTemporaryProject();
  project.write(`${EVENTS}/1774348201000-0001-api-server.events.json`, [
    fixture('W', {
      event_id: 'e-1',
      'payload.request.method': 'POST',
      'payload.request.headers': { host: 'shop.test', 'content-type': 'application/json' },
      'payload.request.body': { note: "it's" },
    }),
    fixture('LOG', {
      event_id: 'e-2',
      timestamp: '2026-03-24T10:30:00.500Z',
      'payload.message': `${HOSTILE}out of stock`,
      'service.name': `api${HOSTILE}`,
    }),
    fixture('LOG', { 'payload.level': 'info' }),
  ]);
});
afterAll(() => project.remove());

const run = (args: readonly string[]) => project.run(args);

describe('the command over local files', () => {
  it('lists incidents as a table, and says what the policy left out', () => {
    const { code, out, err } = run(['list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^1 +low +open +1 +\d+ d +api\\u\{1b\}.* [0-9a-f]{8}$/m);
    expect(out).toMatch(/^2 +high +open +1 .* TypeError: .* [0-9a-f]{8}$/m);
    expect(err).toBe('1 events were filtered by the capture policy: --preset investigative.\n');
    expect(run(['list', '--preset', 'investigative']).err).toBe('');
  });

  it('shows an incident, its bundle, and how to reproduce it, by every form of reference', () => {
    const id = JSON.parse(run(['list', '--json']).out).incidents[1].incident_id;
    for (const reference of [id, `local:${id}`, id.replace('inc_', 'bun_'), id.slice(-6), '@2']) {
      expect(JSON.parse(run(['show', reference, '--json']).out).incident.incident_id).toBe(id);
    }
    expect(run(['show', '@2']).out).toMatch(/^Title +TypeError: total is undefined$/m);
    const bundle = run(['bundle', '@2']);
    expect(bundle.out).toMatch(/^Request +POST \/cart$/m);
    expect(bundle.out).toMatch(/^Where +▸ \/app\/cart\.js:42 {2}checkout$/m);
    expect(JSON.parse(run(['bundle', '@2', '--json']).out)).toMatchObject({ bundle_version: 1 });
    const { code, out } = run(['reproduce', '@2']);
    expect(code).toBe(0);
    expect(out).toMatch(/^curl -X POST '?\S+\/cart'? .*--data-raw '\{"note":"it'\\''s"\}'\n$/);
    expect(JSON.parse(run(['reproduce', '@2', '--as', 'json']).out)).toMatchObject({ method: 'POST' });
  });

  it('names by its row what the last list showed', () => {
    const { incidents } = JSON.parse(run(['list', '--severity', 'high', '--json']).out);
    expect(incidents).toHaveLength(1);
    expect(JSON.parse(run(['show', '@1', '--json']).out).incident).toEqual(incidents[0]);
    expect(run(['show', '@2'])).toMatchObject({ code: 3, out: '' });
    expect(run(['list']).out).toMatch(/^2 +high/m);
    expect(JSON.parse(run(['show', '@2', '--json']).out).incident).toEqual(incidents[0]);
  });

  it('filters as the list of a server does', () => {
    const ids = (...args: string[]) =>
      run(['list', '-q', ...args])
        .out.trim()
        .split('\n');
    const [low = '', high = ''] = ids();
    expect(ids('--severity-min', 'medium')).toEqual([high]);
    expect(ids('--search', 'OUT OF STOCK')).toEqual([low]);
    const { incidents } = JSON.parse(run(['list', '--json', '--search', high]).out);
    expect(ids('--search', incidents[0].fingerprint.slice(0, 12))).toEqual([high]);
    const firstSeen = Date.parse(incidents[0].first_seen_at);
    for (const flag of ['--since', '--first-seen-since']) {
      expect(ids(flag, new Date(firstSeen).toISOString())).toContain(high);
      expect(ids(flag, new Date(firstSeen + 1).toISOString())).not.toContain(high);
    }
    const { out, err } = run(['list', '--limit', '1']);
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(err).toContain('1 more are not shown');
  });

  it('answers a reference that begins with local: under the commands of a server too', () => {
    const id = JSON.parse(run(['list', '--json']).out).incidents[1].incident_id;
    const shown = project.runAny(['incidents', 'show', `local:${id}`, '--json']);
    expect(JSON.parse(shown.out).incident.incident_id).toBe(id);
    expect(project.runAny(['bundle', `local:${id}`, '--json'])).toEqual(run(['bundle', id, '--json']));
    expect(project.runAny(['reproduce', `local:${id}`]).out).toBe(run(['reproduce', id]).out);
    const resolved = project.runAny(['incidents', 'resolve', 'local:latest', `local:${id}`, '-q']);
    expect(resolved).toMatchObject({ code: 0, err: '' });
    expect(run(['list', '-q']).out).toBe('');
    for (const each of resolved.out.trim().split('\n')) run(['reopen', each]);
    const refused = project.runAny(['bundle', `local:${id}`, '--web']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--web is not for local') });
  });

  it('says with its exit code that nothing can be reproduced, is not there, or was not understood', () => {
    expect(run(['reproduce', '@1'])).toMatchObject({ code: 8, out: '' });
    for (const reference of ['@7', 'inc_nowhere', 'ab']) {
      const { code, out, err } = run(['show', reference]);
      expect({ code, out }).toEqual({ code: 3, out: '' });
      expect(err).toContain(`No local incident is "${reference}".`);
    }
    for (const args of [
      ['list', 'more'],
      ['show'],
      ['dance'],
      ['list', '--preset', 'wild'],
      ['list', '--nope'],
      [],
    ]) {
      expect(run(args).code, args.join(' ')).toBe(2);
    }
    expect(run(['--help'])).toMatchObject({ code: 0, err: '' });
  });

  it('prints text of events with visible escapes, as JSON too', () => {
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['show', '@1'],
      ['bundle', '@1'],
      ['bundle', '@1', '--json'],
    ]) {
      const { out, err } = run(args);
      expect((out + err).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(out).toMatch(/\\u(?:001b|\{1b\})/);
    }
  });

  it('prints equal bytes each time', () => {
    for (const args of [['list', '--json'], ['list'], ['bundle', '@2', '--json'], ['reproduce', '@2']]) {
      expect(run(args)).toEqual(run(args));
    }
  });
});
