import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { createTemporaryProject, EVENTS, type TemporaryProject } from './temporary-project.ts';

const NAME = '1774348201000-0001-api-server.events.json';

let project: TemporaryProject;
beforeEach(() => {
  project = createTemporaryProject();
});
afterEach(() => project.remove());

interface Listed {
  incidents: { occurrence_count: number; title: string; status: string; incident_id: string }[];
  skipped: { file: string; why: string }[];
}

function list(args: readonly string[] = [], options?: Parameters<TemporaryProject['run']>[1]): Listed {
  const { code, out } = project.run(['list', '--json', ...args], options);
  expect(code).toBe(0);
  return JSON.parse(out);
}

const counts = ({ incidents }: Listed) => incidents.map((each) => each.occurrence_count);

describe('files of local mode', () => {
  it('are found in the nearest folder upwards, those of published libraries too', () => {
    project.write(`${EVENTS}/${NAME}`, [fixture('A')]);
    project.write(`.debugbundle/local/events/${NAME}`, [fixture('A')]);
    project.write('.debugbundle/local/events/20260324T103005-0123456789abcdef01234567-api.events.json', [
      fixture('A'),
    ]);
    mkdirSync(join(project.path, 'packages/shop/src'), { recursive: true });
    expect(counts(list([], { folder: 'packages/shop/src' }))).toEqual([3]);
    project.write(`packages/shop/${EVENTS}/${NAME}`, [fixture('A'), fixture('A')]);
    expect(counts(list([], { folder: 'packages/shop/src' }))).toEqual([4]);
  });

  it('are read from a folder that is named, by flag or by environment', () => {
    project.write(`elsewhere/events/${NAME}`, [fixture('A')]);
    for (const named of ['elsewhere', 'elsewhere/events', join(project.path, 'elsewhere')]) {
      expect(counts(list(['--dir', named]))).toEqual([1]);
      expect(counts(list([], { localDir: named }))).toEqual([1]);
    }
    expect(list()).toEqual({ incidents: [], skipped: [] });
  });

  it('hold one event on each line where they end in .ndjson', () => {
    project.write(
      `${EVENTS}/trace.ndjson`,
      `${JSON.stringify(fixture('A'))}\n${JSON.stringify(fixture('A'))}\n`,
    );
    expect(counts(list())).toEqual([2]);
  });

  it('are skipped and named when they are hidden, links, no files, too large, or nothing that can be read', () => {
    const used = project.write(`${EVENTS}/${NAME}`, [fixture('A')]);
    const at = (name: string) => join(project.path, EVENTS, name);
    project.write(`${EVENTS}/.tmp-0123456789abcdef`, [fixture('A')]);
    symlinkSync(used, at('1774348201000-0002-api.events.json'));
    mkdirSync(at('1774348201000-0003-api.events.json'));
    execFileSync('mkfifo', [at('1774348201000-0004-api.events.json')]);
    truncateSync(project.write(`${EVENTS}/1774348201000-0005-api.events.json`, ''), 1_048_577);
    project.write(`${EVENTS}/1774348201000-0006-api.events.json`, '{"not":"a list"}');
    project.write(`${EVENTS}/api.events.json`, [fixture('A')]);
    project.write(`${EVENTS}/notes.txt`, 'remember the milk');
    const { incidents, skipped } = list();
    expect(incidents.map((each) => each.occurrence_count)).toEqual([1]);
    expect(new Map(skipped.map(({ file, why }) => [file.slice(file.lastIndexOf('/') + 1), why]))).toEqual(
      new Map([
        ['.tmp-0123456789abcdef', 'begins with a dot'],
        ['1774348201000-0002-api.events.json', 'is a symbolic link'],
        ['1774348201000-0003-api.events.json', 'is not a file'],
        ['1774348201000-0004-api.events.json', 'is not a file'],
        ['1774348201000-0005-api.events.json', 'is larger than 1 MiB'],
        ['api.events.json', 'has no time in its name'],
        ['notes.txt', 'is not an event file'],
        ['1774348201000-0006-api.events.json', 'not a JSON array of events'],
      ]),
    );
  });

  it.skipIf(process.getuid?.() === 0)('are skipped and named when nobody may read them', () => {
    chmodSync(project.write(`${EVENTS}/${NAME}`, [fixture('A')]), 0o000);
    expect(list().skipped).toMatchObject([{ why: 'cannot be read (EACCES)' }]);
  });

  it('are not looked for behind a symbolic link', () => {
    project.write(`elsewhere/local/events/${NAME}`, [fixture('A')]);
    symlinkSync(join(project.path, 'elsewhere'), join(project.path, '.culprit'));
    const { incidents, skipped } = list();
    expect(incidents).toEqual([]);
    expect(skipped).toEqual([{ file: join(project.path, '.culprit'), why: 'is a symbolic link' }]);
  });
});

describe('the state of local mode', () => {
  it('resolves incidents until a later file tells of them', () => {
    project.write(`${EVENTS}/${NAME}`, [fixture('A')]);
    const id = list().incidents[0]?.incident_id ?? '';
    project.write(
      '.culprit/local/state.json',
      JSON.stringify({ resolved: { [id]: '2026-03-24T10:30:01.000Z' } }),
    );
    expect(list(['--status', 'all']).incidents).toMatchObject([{ status: 'resolved' }]);
    expect(list().incidents).toEqual([]);
    project.write(`${EVENTS}/1774348201001-0001-api-server.events.json`, [fixture('A')]);
    expect(list().incidents).toMatchObject([{ status: 'regressed', occurrence_count: 2 }]);
  });

  it('counts as empty when it cannot be read, and is named', () => {
    project.write(`${EVENTS}/${NAME}`, [fixture('A')]);
    for (const content of ['{', '[]', '{"resolved":7}']) {
      project.write('.culprit/local/state.json', content);
      const { incidents, skipped } = list();
      expect(incidents).toMatchObject([{ status: 'open' }]);
      expect(skipped).toMatchObject([{ why: 'is not a local mode state' }]);
    }
  });
});
