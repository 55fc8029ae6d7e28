import { describe, expect, it } from 'vitest';
import { APP_FORMS } from '../../../src/events/fingerprint/stack/forms/app-forms.ts';
import { NATIVE_FORMS } from '../../../src/events/fingerprint/stack/forms/native-forms.ts';
import { SCRIPT_FORMS } from '../../../src/events/fingerprint/stack/forms/script-forms.ts';
import { stackLines } from '../../../src/events/fingerprint/stack/stack-lines.ts';
import { readCaseFiles } from '../../corpus/case-file.ts';
import { labelledEvents } from '../grouping/labelled-events.ts';

const FORMS = [...APP_FORMS, ...NATIVE_FORMS, ...SCRIPT_FORMS];

function linesOfAllStacks(): string[] {
  const ofCorpus = readCaseFiles().flatMap(({ causes }) =>
    causes.flatMap(({ events }) => events.map(({ payload }) => payload.stacktrace ?? payload.message)),
  );
  const labelled = labelledEvents().map(({ event: { payload } }) =>
    'stack' in payload ? payload.stack : null,
  );
  const texts = [...ofCorpus, ...labelled].filter((text) => typeof text === 'string');
  return texts.flatMap((text) => stackLines(text).map((line) => line.text));
}

describe('the form of a frame', () => {
  it('matches no line that lacks its mark, and marks nearly all forms in the stacks of the tests', () => {
    const lines = linesOfAllStacks();
    const read = new Set<RegExp>();
    for (const { pattern, mark } of FORMS) {
      const matching = lines
        .flatMap((line) => [line, line.replaceAll(' ', '\t')])
        .filter((line) => pattern.test(line));
      if (matching.length > 0) read.add(pattern);
      expect(
        matching.filter((line) => !line.includes(mark)),
        pattern.source,
      ).toEqual([]);
    }
    expect(read.size).toBeGreaterThan(FORMS.length * 0.8);
  });
});
