import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { readHandle } from '../src/evidence/handles.ts';
import { type IncidentEvidence, incidentAnswer, type Wanted } from '../src/evidence/incident-answer.ts';
import { SECTION_NAMES, type SectionName } from '../src/evidence/sections.ts';
import { demoIncidents } from './demo-incidents.ts';
import { extremeBundles } from './extreme-bundles.ts';

/** docs/contract/command-line.md C-40: the corpus at each number of tokens. */
const BUDGETS = [500, 1000, 4000, 20_000];
const ANSWERS_MAX = 2000;
const corpus: [string, IncidentEvidence][] = [
  ...extremeBundles(),
  ...demoIncidents().map(({ name, evidence }): [string, IncidentEvidence] => [name, evidence]),
];

describe.each(corpus)('an answer about %s', (_, evidence) => {
  it.each(BUDGETS)('has at most %i tokens, and names all that it leaves out', (tokensMax) => {
    const text = incidentAnswer(evidence, { kind: 'all' }, tokensMax);
    expect(countTokens(text)).toBeLessThanOrEqual(tokensMax);
    expect(text).toMatch(/^incident inc_/);
    expect(text).toMatch(/\nredaction: /);
    const shown = new Set([...sectionsOf(text).keys(), ...handlesOf(text).map(({ section }) => section)]);
    const whole = incidentAnswer(evidence, { kind: 'all' }, Number.MAX_SAFE_INTEGER);
    expect([...shown].sort()).toEqual([...sectionsOf(whole).keys()].sort());
  });

  it('gives every item once to whoever follows its handles', () => {
    for (const tokensMax of [1000, 4000]) {
      const found = new Map<string, number>();
      let answers = 0;
      const read = (wanted: Wanted): void => {
        answers += 1;
        if (answers > ANSWERS_MAX) throw new Error('the handles do not come to an end');
        const text = incidentAnswer(evidence, wanted, tokensMax);
        expect(countTokens(text)).toBeLessThanOrEqual(tokensMax);
        const handles = handlesOf(text);
        for (const [section, lines] of sectionsOf(text)) {
          found.set(section, (found.get(section) ?? 0) + lines.length);
        }
        for (const { section, offset, generation } of handles)
          read({ kind: 'from', section, offset, generation });
      };
      read({ kind: 'all' });
      const whole = sectionsOf(incidentAnswer(evidence, { kind: 'all' }, Number.MAX_SAFE_INTEGER));
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries([...whole].map(([section, lines]) => [section, lines.length])),
      );
    }
  });

  it('has the facts, the cause and the request however short it is', () => {
    const text = incidentAnswer(evidence, { kind: 'all' }, 500);
    const { context } = evidence.bundle ?? { context: null };
    expect(sectionsOf(text).has('cause')).toBe(true);
    expect(sectionsOf(text).has('request')).toBe((context?.request ?? context?.response ?? null) !== null);
    if (evidence.bundle?.summary.first_application_frame != null)
      expect(text).toContain('\n| in-app frame: ');
  });
});

/** The lines of each section that an answer shows. */
function sectionsOf(text: string): Map<string, string[]> {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^--- data [0-9a-f]{6}: /.test(line));
  const mark = /[0-9a-f]{6}/.exec(lines[start] ?? '')?.[0] ?? '';
  const sections = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of lines.slice(start + 1, lines.indexOf(`--- end ${mark}`))) {
    if (line.startsWith('| ')) current.push(line);
    else {
      current = [];
      sections.set(line, current);
    }
  }
  return sections;
}

function handlesOf(text: string): { section: SectionName; offset: number; generation: number }[] {
  const trailer = text.slice(text.lastIndexOf('\n--- end '));
  const start = / (inc_\S+~\d+~) and one of:/.exec(trailer)?.[1] ?? '';
  return [...trailer.matchAll(/^([a-z]+~\d+) /gm)].map(([, place]) => {
    const handle = readHandle(`${start}${place}`);
    if (handle === null || !SECTION_NAMES.includes(handle.section))
      throw new Error(`no handle: ${start}${place}`);
    return handle;
  });
}
