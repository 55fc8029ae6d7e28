import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
/** Each imports only from those before it; whatever is none of these is a feature. */
const LAYERS = ['ui', 'format', 'api', 'shell'];
/** The two that stand on one step: times count by the server's clock, and undo words its numbers. */
const ONE_STEP = new Set(['format', 'api']);
const ENTRIES = ['main.tsx', 'app.tsx', 'router.tsx', 'early-theme.ts'];
const FOR_ALL = ['paths.ts'];

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => ({ path: join(SOURCE, name), text: readFileSync(join(SOURCE, name), 'utf8') }));

function partOf(path: string): string {
  const [first = '', second] = relative(SOURCE, path).split('/');
  return second === undefined ? first : first;
}

/** Why a file may not import another one; null when it may. */
function offence(from: string, to: string): string | null {
  const [a, b] = [partOf(from), partOf(to)];
  const text = `${relative(SOURCE, from)} imports ${relative(SOURCE, to)}`;
  if (a === b || ENTRIES.includes(a) || FOR_ALL.includes(b)) return null;
  if (ENTRIES.includes(b) || FOR_ALL.includes(a)) return text;
  const isLayer = LAYERS.includes(b);
  if (!LAYERS.includes(a)) return isLayer ? null : text;
  if (ONE_STEP.has(a) && ONE_STEP.has(b)) return null;
  return isLayer && LAYERS.indexOf(b) < LAYERS.indexOf(a) ? null : text;
}

function offencesIn(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].flatMap(
    ([, target = '']) => offence(path, resolve(dirname(path), target)) ?? [],
  );
}

describe('the sources of the dashboard', () => {
  it('import one way: features, shell, api and format, ui; a feature names another by its address only', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(({ path, text }) => offencesIn(path, text))).toEqual([]);
  });

  it('are judged: planted imports against the direction are found', () => {
    const planted = (name: string, target: string) =>
      offencesIn(join(SOURCE, name), `import { x } from '${target}';`);
    expect(planted('ui/x.tsx', '../api/x.ts')).toHaveLength(1);
    expect(planted('shell/x.tsx', '../incidents/x.ts')).toHaveLength(1);
    expect(planted('incidents/x.tsx', '../incident/x.ts')).toHaveLength(1);
    expect(planted('incidents/x.tsx', '../shell/x.ts')).toEqual([]);
  });

  it('hand no text to a sink that would read it as markup or as code', () => {
    const sinks =
      /\b(?:innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|srcdoc|srcDoc|document\.write)\b|\beval\(|new Function\(/;
    expect(files.filter(({ text }) => sinks.test(text)).map(({ path }) => relative(SOURCE, path))).toEqual(
      [],
    );
    expect(sinks.test('x.innerHTML = y')).toBe(true);
  });

  it('keep files of a size that can be read', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 450);
    expect(long.map(({ path }) => relative(SOURCE, path))).toEqual([]);
  });

  it('keep nothing of the API in a storage that outlives the tab', () => {
    const kept = files.flatMap(({ text }) =>
      [...text.matchAll(/'(culprit\.[\w.]+)'/g)].map(([, key]) => key),
    );
    expect([...new Set(kept)].sort()).toEqual(
      [
        'culprit.appearance',
        'culprit.draft.',
        'culprit.last',
        'culprit.place.',
        'culprit.reloaded',
        'culprit.session',
        'culprit.stream',
      ].sort(),
    );
  });
});
