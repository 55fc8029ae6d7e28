import fc from 'fast-check';
import type { SeededRandom } from '../support/seeded-random.ts';

/** A text that can be made of any length: what leads in, what is repeated, and what spoils the match at the end. */
export interface Attack {
  head: string;
  unit: string;
  end: string;
}

/** Pieces of stacks, messages, addresses and values that careless patterns stumble over. */
const UNITS: readonly string[] = [
  ...'\'"`{}[]()<>/\\:.,;-_=+*#@%&|!?$~^ \t\n\r0aA',
  'aA',
  'a ',
  'a.',
  'a-',
  'a_',
  'a/',
  'a:',
  'a@',
  'a=',
  'a,',
  'a\n',
  '1.',
  '1-',
  '1:',
  '1,',
  '0x',
  'a0',
  '()',
  '[]',
  '{}',
  '<>',
  "''",
  '""',
  ' (',
  ') ',
  ' at ',
  'at a (',
  ' in ',
  '://',
  'a://a',
  'a@a.',
  '\\u',
  '%20',
  '\u00e9',
  '\u{1f600}',
];

const ENDS: readonly string[] = ['', '!\n\0'];

/** How many texts that match are taken apart. */
const SAMPLES = 12;

/** Attacks on a pattern: repeated pieces alone, behind its own beginnings, and parts of its own matches repeated. */
export function attacksOn(pattern: RegExp, random: SeededRandom): Attack[] {
  const samples = matchesOf(pattern, random.integer(0, 2 ** 31 - 1));
  const plain = UNITS.flatMap((unit) => ENDS.map((end) => ({ head: '', unit, end })));
  const behind = UNITS.map((unit) => {
    const sample = random.pick([...samples, '']);
    return { head: sample.slice(0, random.integer(0, sample.length)), unit, end: random.pick(ENDS) };
  });
  const pumped = samples.flatMap((sample) =>
    Array.from({ length: 4 }, () => {
      const from = random.integer(0, sample.length - 1);
      const to = Math.min(sample.length, from + random.integer(1, 6));
      return { head: sample.slice(0, from), unit: sample.slice(from, to), end: random.pick(ENDS) };
    }),
  );
  return [...plain, ...behind, ...pumped];
}

/** The attack in about that many characters. */
export function attackText({ head, unit, end }: Attack, chars: number): string {
  return head + unit.repeat(Math.max(1, Math.floor((chars - head.length - end.length) / unit.length))) + end;
}

function matchesOf(pattern: RegExp, seed: number): string[] {
  // Assertions are not generated: texts without them come near enough.
  const asserted = pattern.source.replace(/\(\?<?[=!](?:[^()\\]|\\.|\([^()]*\))*\)/g, '');
  const source = asserted.replace(/\[\^(?:[^\\\]]|\\.)*\]/g, (set) => generatedSet(set, pattern.flags));
  // Character properties take for ever to generate from.
  if (/\\p\{/i.test(source)) return [];
  try {
    const matches = fc.stringMatching(new RegExp(source, pattern.flags.replace(/[gy]/g, '')), {
      size: 'xsmall',
    });
    return fc.sample(matches, { seed, numRuns: SAMPLES }).filter((text) => text !== '');
  } catch {
    return [];
  }
}

/**
 * A set for the generator, which draws printable ASCII until a character fits: for ever, where the set is of all others.
 * Such a set becomes one of its characters.
 */
function generatedSet(set: string, flags: string): string {
  const only = new RegExp(set, flags.replace(/[gy]/g, ''));
  if (PRINTABLE.some((character) => only.test(character))) return set;
  return OTHERS.find((character) => only.test(character)) ?? set;
}

const PRINTABLE = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
const OTHERS = ['\n', '\t', '\u0000', '\u00e9', '\u2028'];
