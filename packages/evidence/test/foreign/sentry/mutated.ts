import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import { FAMILIES } from './families.ts';
import { OTHER_ITEMS } from './other-items.ts';

/** An item spoiled at a few places, the same for the same seed. */
export function mutatedItem(seed: number): { type: string; payload: JsonValue } {
  const random = randomFrom(seed);
  const items: { type: string; payload: JsonObject }[] = [
    ...FAMILIES.map(({ event }) => ({ type: 'event', payload: event })),
    ...OTHER_ITEMS,
  ];
  const { type, payload } = pick(items, random);
  const root = { payload: structuredClone(payload) as JsonValue };
  const mutations = 1 + Math.floor(random() * 6);
  for (let count = 0; count < mutations; count += 1) spoil(root, random);
  return { type: random() < 0.05 ? pick(items, random).type : type, payload: root.payload ?? null };
}

type Holder = Record<string, JsonValue> | JsonValue[];

function spoil(root: { payload: JsonValue }, random: () => number): void {
  const places: [Holder, string | number][] = [];
  const visit = (holder: Holder): void => {
    for (const [key, value] of Object.entries(holder)) {
      places.push([holder, key]);
      if (typeof value === 'object' && value !== null) visit(value);
    }
  };
  visit(root);
  if (places.length === 0) return;
  const [holder, key] = pick(places, random);
  const slots = holder as Record<string | number, JsonValue>;
  const kind = random();
  if (kind < 0.15) delete slots[key];
  else if (kind < 0.25) slots[key] = [slots[key] ?? null];
  else if (kind < 0.35) slots[key] = { values: slots[key] ?? null };
  else if (kind < 0.45) slots[key] = structuredClone(pick(places, random)[0]) as JsonValue;
  else slots[key] = strangeValue(random);
}

function strangeValue(random: () => number): JsonValue {
  return structuredClone(pick(STRANGE, random));
}

const DEEP = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as JsonValue;
const DEEP_MAP = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) as JsonValue;
const WIDE = Array.from({ length: 3_000 }, (_, index) => index);
const WIDE_MAP = Object.fromEntries(WIDE.map((number) => [`key${number}`, number]));

const STRANGE: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e300,
  -1e300,
  9_007_199_254_740_992,
  1_764_374_400_123,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '?',
  '{{ default }}',
  '%s %d {} {name} %(x)s %%',
  'x'.repeat(40_000),
  '😀'.repeat(300),
  '1764374400',
  '2025-13-45T99:99:99Z',
  '9999999999999999999',
  'javascript',
  'fatal',
  'transaction',
  'feedback',
  [],
  {},
  [null],
  [[]],
  [['a']],
  [['a', 'b', 'c'], 5],
  { values: [] },
  { values: { type: 'X' } },
  { frames: [] },
  { frames: [null, 5, 'x', {}] },
  { type: 'X', value: { deep: [1] } },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}') as JsonValue,
  DEEP,
  DEEP_MAP,
  WIDE,
  WIDE_MAP,
];

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

/** Numbers from zero below one; mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
