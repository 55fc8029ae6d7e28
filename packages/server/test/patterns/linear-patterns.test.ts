import { api } from '@culprit/contract/api';
import { mayNeedSanitizing } from '@culprit/evidence/events/envelope/sanitize-raw-event';
import { afterAll, describe, expect, it } from 'vitest';
import { threadMs } from '../../../evidence/test/support/processor-time.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { type Attack, attacksOn, attackText } from './attack-strings.ts';
import { readSourcePatterns } from './source-patterns.ts';

/**
 * docs/contract/reliability.md test 27: no text makes a pattern slow. Events at the caps are in `bounded-work.test.ts`.
 * `CULPRIT_TEST_SEED` repeats a run.
 */

const SEED = chooseSeed();
const TEXT_CHARS = 100 * 1024;
const TIME_MS_MAX = 50;
const RATIO_MAX = 2.5;
/** Below this a ratio says more about the machine than about the pattern. */
const RATIO_FROM_MS = 8;
/** Long enough to tell attacks that hurt from those that do not. */
const SCREENED_CHARS = 2048;
/** Those that are known to be quadratic are told apart sooner. */
const SCREENED_CHARS_CAPPED = 512;
const ATTACKS_KEPT = 2;
/** A collection of garbage may fall into any run. */
const RUNS_MAX = 8;
const RATIO_RUNS_MAX = 4;

/** Patterns that need quadratic time for some text, and only ever get so much of it. */
const CAPPED: readonly (readonly [files: string, chars: number])[] = [
  // Lines are cut before they are read.
  ['evidence/src/events/fingerprint/stack/', 1000],
  // The message is cut first.
  ['evidence/src/events/fingerprint/message-template.ts', 2000],
  ['evidence/src/events/fingerprint/message-line.ts', 2000],
  // Headers of a bundle are cut before a request is made of them.
  ['evidence/src/bundles/reproduction/replay-request.ts', 1024],
  // What a mail server answered, cut first.
  ['server/src/platform/mail/mail-error.ts', 400],
  // The address of the server, which whoever uses the client writes.
  ['contract/src/client.ts', 2000],
  ['sdk-core/src/endpoint.ts', 2000],
];
const CAPPED_TIME_MS_MAX = 100;

/** Made out of texts: those that are not in a schema are here as what uses them. */
const CONSTRUCTING = [
  'contract/src/email-address.ts',
  'contract/src/identifiers.ts',
  // Names of secrets, and behind them at most 2,000 characters of one value.
  'evidence/src/bundles/sharing/redact-shared-text.ts',
  'evidence/src/events/envelope/sanitize-raw-event.ts',
  // Expressions of the host, which see pieces of 2,048 characters.
  'sdk-core/src/redact-values.ts',
];

type Reading = (text: string) => unknown;

interface Subject {
  name: string;
  pattern: RegExp;
  read: Reading;
  charsMax: number | null;
}

const { literals, constructing } = readSourcePatterns();
const subjects: Subject[] = [
  ...literals.map(({ file, pattern }) => ({
    name: `${file} ${pattern}`,
    pattern,
    read: readingOf(pattern),
    charsMax: CAPPED.find(([files]) => file.startsWith(files))?.[1] ?? null,
  })),
  ...[...new Set(api.flatMap(({ params, query, body }) => schemaPatterns([params, query, body])))].map(
    (source) => {
      const pattern = new RegExp(source, 'u');
      return { name: `schema ${pattern}`, pattern, read: readingOf(pattern), charsMax: null };
    },
  ),
  {
    name: 'mayNeedSanitizing',
    pattern: /"user"\s*: "\[REDACTED\]"/,
    read: (text) => mayNeedSanitizing(Buffer.from(text)),
    charsMax: null,
  },
];

describe(`a pattern (seed ${SEED})`, { timeout: 60_000 }, () => {
  const random = seededRandom(SEED);
  let slowestMs = 0;
  afterAll(() =>
    recordFigure(
      27,
      `${subjects.length} patterns, slowest ${slowestMs.toFixed(1)} ms for 100 KB (seed ${SEED})`,
    ),
  );

  it('is written where this test finds it', () => {
    expect(literals.length).toBeGreaterThan(200);
    expect(constructing).toEqual(CONSTRUCTING);
  });

  it('takes time in proportion to the text, whatever the text', () => {
    const slow: string[] = [];
    for (const subject of subjects.filter(({ charsMax }) => charsMax === null)) {
      for (const attack of worstAttacks(subject)) {
        const fault = superlinearFault(subject.read, attack);
        if (fault !== null) slow.push(`${subject.name} on ${JSON.stringify(attack)}: ${fault}`);
      }
    }
    expect(slow).toEqual([]);
  });

  it('that does not is read on text that is cut before, and then takes its time at most', () => {
    const slow: string[] = [];
    for (const subject of subjects) {
      const { name, read, charsMax } = subject;
      if (charsMax === null) continue;
      for (const attack of worstAttacks(subject)) {
        const ms = leastMs(read, attackText(attack, charsMax));
        if (ms > CAPPED_TIME_MS_MAX) slow.push(`${name} on ${JSON.stringify(attack)}: ${ms} ms`);
      }
    }
    expect(slow).toEqual([]);
  });

  function worstAttacks({ pattern, read, charsMax }: Subject): Attack[] {
    const screenedChars = charsMax === null ? SCREENED_CHARS : SCREENED_CHARS_CAPPED;
    return attacksOn(pattern, random)
      .map((attack) => ({ attack, ms: screenedMs(read, attack, screenedChars) }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, ATTACKS_KEPT)
      .map(({ attack }) => attack);
  }

  /** Doubles the text and stops where the limit is passed, so that a slow pattern does not hold up the run. */
  function superlinearFault(read: Reading, attack: Attack): string | null {
    let beforeMs = Number.POSITIVE_INFINITY;
    for (let chars = TEXT_CHARS / 32; chars <= TEXT_CHARS; chars *= 2) {
      const ms = leastMs(read, attackText(attack, chars));
      if (ms > TIME_MS_MAX) return `${ms.toFixed(1)} ms for ${chars} characters`;
      if (chars === TEXT_CHARS) {
        slowestMs = Math.max(slowestMs, ms);
        const ratio = ms > RATIO_FROM_MS ? leastRatio(read, attack, ms / beforeMs) : 0;
        if (ratio > RATIO_MAX) return `${ratio.toFixed(1)} times as long for twice the text`;
      }
      beforeMs = ms;
    }
    return null;
  }
});

/** From very short on: time that doubles with every character would never end. */
function screenedMs(read: Reading, attack: Attack, charsMax: number): number {
  let ms = 0;
  for (let chars = 32; chars <= charsMax; chars *= 4) {
    ms = timed(read, attackText(attack, chars));
    if (ms > TIME_MS_MAX) return ms;
  }
  return ms;
}

/** The least of several runs; one is enough where it was fast. */
function leastMs(read: Reading, text: string): number {
  let least = timed(read, text);
  for (let run = 0; run < RUNS_MAX && least > 2; run += 1) least = Math.min(least, timed(read, text));
  return least;
}

/**
 * What the whole text takes beside its half. A machine that was busy with something else for one of the two lengths is
 * asked again about both; a pattern that is not linear fails every time.
 */
function leastRatio(read: Reading, attack: Attack, firstRatio: number): number {
  let ratio = firstRatio;
  for (let again = 0; again < RATIO_RUNS_MAX && ratio > RATIO_MAX; again += 1) {
    const halfMs = leastMs(read, attackText(attack, TEXT_CHARS / 2));
    ratio = Math.min(ratio, leastMs(read, attackText(attack, TEXT_CHARS)) / halfMs);
  }
  return ratio;
}

function timed(read: Reading, text: string): number {
  return threadMs(() => read(text));
}

/** Global patterns are used up to their last match, the others up to their first. */
function readingOf(pattern: RegExp): Reading {
  if (pattern.global) return (text) => text.replace(pattern, '');
  return (text) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
}

/** Every `pattern` of some schemas, at any depth. */
function schemaPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === 'pattern' && typeof item === 'string' ? [item] : schemaPatterns(item),
  );
}
