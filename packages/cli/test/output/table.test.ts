import { expect, it } from 'vitest';
import { type Column, tableLines } from '../../src/output/table.ts';

const COLUMNS: Column<{ where: string; title: string }>[] = [
  { title: '#', cell: (_, index) => index + 1, isNumber: true },
  { title: 'WHERE', cell: ({ where }) => where, widthMax: 30 },
  { title: 'TITLE', cell: ({ title }) => title, isFlexible: true },
];
const ROWS = [
  { where: 'recommendations-and-personalization/production', title: 'TypeError: x is not a function' },
];

it.each([
  [100, ['recommendations-and-personali…  TypeError: x is not a function']],
  [60, ['recommendations-and-pers…  TypeError: x is not a function']],
  [40, ['recommendations…  TypeError: x is no…']],
])('a table of %i columns cuts names before titles', (width, [row]) => {
  const lines = tableLines(ROWS, COLUMNS, { width, title: (text) => text });
  expect(lines[1]).toBe(`1  ${row}`);
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
});
