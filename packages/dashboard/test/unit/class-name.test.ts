import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { className } from '../../build/class-name.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const inFile = (name: string, file: string) => className(name, join(SOURCE, file));

describe('the class of a CSS module', () => {
  it('is named by its file, whatever stands in it', () => {
    expect(inFile('row', 'ui/a.module.css')).toMatch(/^row_\w{3}$/);
    expect(inFile('row', 'ui/a.module.css?used')).toBe(inFile('row', 'ui/a.module.css'));
    expect(inFile('row', 'ui/b.module.css')).not.toBe(inFile('row', 'ui/a.module.css'));
  });

  it('is refused where another file has it', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `many/${index}.module.css`);
    expect(() => many.map((file) => inFile('cell', file))).toThrow(/is called as that of src\/many\//);
  });
});
