import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readFolder } from './read-folder.ts';
import { survey } from './survey.ts';
import { surveyPage } from './survey-page.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function surveyOf(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'corpus-'));
  folders.push(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const folder = readFolder(root);
  return { ...folder, ...survey(folder.events) };
}

const STACK = 'TypeError: x is null\n    at total (/srv/shop/cart.js:42:10)';

it('tells what fuses and what splits by the sub-folders, and what is not read', () => {
  const found = surveyOf({
    'cart/a.txt': STACK,
    'cart/b.txt': STACK.replace('total', 'cancel'),
    'mail/c.txt': STACK,
    'mail/d.txt': 'Oops: it broke\nhere and there\nand nowhere else',
  });
  expect(found.fused.map(({ truths }) => truths)).toEqual([['cart', 'mail']]);
  expect(found.split.map(({ truth }) => truth)).toEqual(['cart', 'mail']);
  expect(found.unread.map(({ name }) => name)).toEqual(['mail/d.txt']);
});

it('reads lines of logs, records of loggers and events', () => {
  const event = {
    event_type: 'backend_exception',
    payload: { error_class: 'E', message: 'm', stacktrace: STACK },
  };
  const record = { level: 50, msg: 'request failed', err: { type: 'TypeError', message: 'x', stack: STACK } };
  const found = surveyOf({
    'app.log': 'disk 12 is full\n\ndisk 99 is full\n',
    'events.json': JSON.stringify({ events: [event] }),
    'records.jsonl': `${JSON.stringify(record)}\n`,
    'broken.json': '{',
    'deploy.json': JSON.stringify({ event_type: 'deploy_metadata', payload: { version: '1' } }),
  });
  expect(found.rows.map(({ name, reading }) => [name, reading.reader])).toEqual([
    ['app.log:1', '-'],
    ['app.log:2', '-'],
    ['events.json', 'js'],
    ['records.jsonl', 'js'],
  ]);
  expect(found.keyCount).toBe(3);
  expect(found.skipped).toEqual([{ name: 'broken.json', reason: 'is not JSON' }]);
  expect(found.ungrouped).toEqual(['deploy.json']);
});

it('shows hostile text as text', () => {
  const hostile = '<img src=x onerror="alert(1)">';
  const page = surveyPage(surveyOf({ 'a&b/x.txt': `Error: ${hostile}\n    at ${hostile} (/srv/a.js:1:1)` }));
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
  expect(page).toContain("default-src 'none'");
});
