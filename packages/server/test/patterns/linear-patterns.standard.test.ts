// Proves 27.
import { api } from '@culprit/contract/endpoints/api';
import { afterAll, describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { readSourcePatterns } from './source-patterns.ts';
import { superlinearFault, superquadraticFault } from './superlinear-fault.ts';

/**
 * docs/contract/reliability.md test 27: no text makes a pattern slow. What is counted are the steps of a matcher
 * that tracks back as the engine does, so that the verdict is the same on every machine. Events at the caps are in `bounded-work.standard.test.ts`.
 * `CULPRIT_TEST_SEED` repeats a run.
 */

const SEED = chooseSeed();

/** Patterns that need quadratic time for some text, and only ever get so much of it. */
const CAPPED: readonly (readonly [files: string, chars: number])[] = [
  // Lines are cut before they are read.
  ['evidence/src/events/fingerprint/stack/', 1000],
  // The message is cut first.
  ['evidence/src/events/fingerprint/message-line.ts', 2000],
  // Headers of a bundle are cut before a request is made of them.
  ['evidence/src/bundles/reproduction/replay-request.ts', 1024],
  // What a mail server answered, cut first.
  ['server/src/platform/mail/mail-error.ts', 400],
  // The address of the server, which whoever uses the client writes.
  ['contract/src/endpoints/client.ts', 2000],
  ['sdk-core/src/sending/endpoint.ts', 2000],
];
/** Made out of texts: those that are not in a schema are here as what uses them. */
const CONSTRUCTING = [
  // Expressions of the library's own `culprit-setup.json`, which `culprit init` looks for in a file of the application.
  'cli/src/init/setup-file.ts',
  // The forms of a schema.
  'contract/src/releases/debug-id.ts',
  'contract/src/schemas/identifiers.ts',
  'contract/src/workspace/email-address.ts',
  // Expressions of the host, which see pieces of 2,048 characters.
  'sdk-core/src/redaction/redact-values.ts',
  // The version of a release, which schemas of the API have as well.
  'server/src/build-tools/tool-bodies.ts',
  // A class of characters and a count, at most 64 of them.
  'server/src/platform/http/binding/repeat-key.ts',
];

interface Subject {
  name: string;
  pattern: RegExp;
  charsMax: number | null;
}

const { literals, constructing } = readSourcePatterns();
const subjects = withoutRepeats([
  ...literals.map(({ file, pattern }) => ({
    name: `${file} ${pattern}`,
    pattern,
    charsMax: CAPPED.find(([files]) => file.startsWith(files))?.[1] ?? null,
  })),
  ...api
    .flatMap(({ params, query, body }) => schemaPatterns([params, query, body]))
    .map((source) => {
      const pattern = new RegExp(source, 'u');
      return { name: `schema ${pattern}`, pattern, charsMax: null };
    }),
]);

describe(`a pattern (seed ${SEED})`, { timeout: 120_000 }, () => {
  const random = seededRandom(SEED);
  afterAll(() => recordFigure(27, `${subjects.length} patterns, none slow (seed ${SEED})`));

  it('is written where this test finds it', () => {
    expect(literals.length).toBeGreaterThan(200);
    expect(constructing).toEqual(CONSTRUCTING);
  });

  it.each([/a+b/g, /\s+$/, /(?:a+)+$/, /^(?:a|aa)*$/, /(?<=a+)b/, /\w*,\w*;/])(
    'that is slow for some text is found: %s',
    (pattern) => expect(superlinearFault(pattern, random)).toMatch(/steps/),
  );

  it.each([/a*a*a*b/, /(?:a+)+$/])('that is worse than quadratic is found: %s', (pattern) =>
    expect(superquadraticFault(pattern, random)).toMatch(/steps/),
  );

  it('takes steps in proportion to the text, whatever the text', () => {
    const slow = subjects.flatMap(({ name, pattern, charsMax }) => {
      const fault = charsMax === null ? superlinearFault(pattern, random) : null;
      return fault === null ? [] : [`${name}: ${fault}`];
    });
    expect(slow).toEqual([]);
  });

  it('that does not is read on text that is cut before, and is not worse than quadratic', () => {
    const slow = subjects.flatMap(({ name, pattern, charsMax }) => {
      const fault = charsMax === null ? null : superquadraticFault(pattern, random);
      return fault === null ? [] : [`${name}: ${fault}`];
    });
    expect(slow).toEqual([]);
  });
});

function withoutRepeats(all: readonly Subject[]): Subject[] {
  return [...new Map(all.map((subject) => [`${subject.pattern} ${subject.charsMax}`, subject])).values()];
}

/** Every `pattern` of some schemas, at any depth. */
function schemaPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === 'pattern' && typeof item === 'string' ? [item] : schemaPatterns(item),
  );
}
