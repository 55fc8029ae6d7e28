import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CHECKLIST } from './checklist.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CHAPTER = `${ROOT}docs/contract/dashboard.md`;
const STORIES = new URL('stories/', import.meta.url);
/** Those of section 10 of the chapter. */
const TOLD = [
  'newcomer',
  'incidents',
  'incident-parts',
  'alerts',
  'webhooks',
  'checks',
  'capture',
  'probes',
  'people',
  'roles',
  'slack-and-reports',
  'settings',
  'improvements',
  'organization',
  'intake',
  'overview',
  'tail',
  'operator',
];
const POINTER =
  /\.(?:click|dblclick|check|uncheck|setChecked|hover|tap|dragTo|selectOption|fill)\(|\.mouse\b/;

describe('the checklist of the dashboard', () => {
  it('has each item of the chapter once, in its order', () => {
    const [, section = ''] = readFileSync(CHAPTER, 'utf8').split('## 11. Conformance checklist');
    const items = [...section.matchAll(/^(\d+)\. /gm)].map(([, item]) => Number(item));
    expect(CHECKLIST.map(({ item }) => item)).toEqual(items);
    expect(items.length).toBe(37);
  });

  it('names tests that exist, and says what is missing where there is none', () => {
    const named = CHECKLIST.flatMap(({ files }) => files);
    expect(named.filter((file) => !existsSync(ROOT + file))).toEqual([]);
    expect(CHECKLIST.filter(({ files, missing }) => files.length === 0 && missing === undefined)).toEqual([]);
  });
});

describe('the stories', () => {
  it('are told by keyboard alone', () => {
    const told = TOLD.map((name) => new URL(`${name}.standard.test.ts`, STORIES));
    expect(told.filter((path) => POINTER.test(readFileSync(path, 'utf8')))).toEqual([]);
    expect(POINTER.test("await page.getByRole('button').click();")).toBe(true);
  });
});
