import type { SeededRandom } from '../support/seeded-random.ts';
import { type Attack, attacksOn, attackText } from './attack-strings.ts';
import { countSteps } from './count-steps.ts';

/** Of a linear pattern, for each character of a text. */
const STEPS_MAX = 500;
/** Of a linear pattern, for a text of twice the length. */
const RATIO_MAX = 2.5;
const TEXT_CHARS = 4096;
/** Of a quadratic pattern, for each pair of characters. */
const PAIR_STEPS_MAX = 12;
const QUADRATIC_TEXT_CHARS = 512;

/** Long enough to tell attacks that hurt from those that do not. */
const SCREENED_CHARS = 192;
/** Those that are known to be quadratic are told apart sooner. */
const SCREENED_CHARS_QUADRATIC = 64;
const SCREENED_STEPS_MAX = 100_000;
const ATTACKS_KEPT = 2;

/** Says for which text a pattern takes more steps than in proportion, and how many; null where none was found. */
export function superlinearFault(pattern: RegExp, random: SeededRandom): string | null {
  for (const attack of worstAttacks(pattern, random, SCREENED_CHARS)) {
    const half = stepsFor(pattern, attack, TEXT_CHARS / 2, STEPS_MAX);
    const whole = stepsFor(pattern, attack, TEXT_CHARS, STEPS_MAX);
    const [what, ratio] = [JSON.stringify(attack), whole / half];
    if (!Number.isFinite(whole)) return `more than ${STEPS_MAX} steps for a character of ${what}`;
    if (ratio > RATIO_MAX) return `${ratio.toFixed(1)} times the steps for twice the text of ${what}`;
  }
  return null;
}

/** As `superlinearFault`, of a pattern that may take steps in proportion to the square of a text. */
export function superquadraticFault(pattern: RegExp, random: SeededRandom): string | null {
  for (const attack of worstAttacks(pattern, random, SCREENED_CHARS_QUADRATIC)) {
    const stepsMax = PAIR_STEPS_MAX * QUADRATIC_TEXT_CHARS;
    if (!Number.isFinite(stepsFor(pattern, attack, QUADRATIC_TEXT_CHARS, stepsMax)))
      return `more than ${PAIR_STEPS_MAX} steps for a pair of characters of ${JSON.stringify(attack)}`;
  }
  return null;
}

function worstAttacks(pattern: RegExp, random: SeededRandom, chars: number): Attack[] {
  return attacksOn(pattern, random)
    .map((attack) => {
      const text = attackText(attack, chars);
      const steps = countSteps(pattern, text, SCREENED_STEPS_MAX)?.steps ?? Number.POSITIVE_INFINITY;
      return { attack, steps: steps / text.length };
    })
    .sort((a, b) => b.steps - a.steps)
    .slice(0, ATTACKS_KEPT)
    .map(({ attack }) => attack);
}

/** Infinite above the limit, which is for each character. */
function stepsFor(pattern: RegExp, attack: Attack, chars: number, stepsMax: number): number {
  const text = attackText(attack, chars);
  return countSteps(pattern, text, stepsMax * text.length)?.steps ?? Number.POSITIVE_INFINITY;
}
