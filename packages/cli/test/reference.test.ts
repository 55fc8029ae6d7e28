import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { referenceText } from '../src/reference-text.ts';

it('the reference of the command line is that of the table; `npm run generate` writes it', () => {
  const written = readFileSync(join(import.meta.dirname, '../../../docs/command-line-reference.md'), 'utf8');
  expect(written).toBe(referenceText());
});
