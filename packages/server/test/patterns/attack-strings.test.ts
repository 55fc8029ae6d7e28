import { expect, it } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { attacksOn } from './attack-strings.ts';

it.each([/[^ -~]/g, /a[^\x20-\x7e]+b/, /[^ -~\n]/])(
  'attacks on %s, which matches nothing that is printable, are found and matched by it in part',
  (pattern) => {
    const plain = attacksOn(/x{0}/, seededRandom(1)).length;
    const attacks = attacksOn(pattern, seededRandom(1));
    expect(attacks.length).toBeGreaterThan(plain);
    const pumped = attacks.slice(plain);
    expect(pumped.some(({ head, unit }) => /[^ -~]/.test(head + unit))).toBe(true);
  },
);
