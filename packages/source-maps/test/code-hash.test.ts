import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeHash } from '../src/generated-file.ts';

/** docs/contract/source-maps.md 7.3: what is compared of a script that runs and the one that was uploaded. */

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const PIECE = 1_048_576;

describe('the hash of a script', () => {
  it.each([
    ['code alone', 'a();', 'a();'],
    ['blank lines at its end', 'a();\n\n \r\n', 'a();'],
    ['comments of tools', 'a();\n//# sourceMappingURL=a.js.map\n//# debugId=1\n', 'a();'],
    ['CRLF', 'a();\r\nb();\r\n//@ sourceMappingURL=x\r\n', 'a();\nb();'],
    ['a comment of a tool above code', '//# debugId=1\na();', '//# debugId=1\na();'],
    ['comments alone', '//# debugId=1\n', ''],
    ['nothing', '', ''],
  ])('of %s', (_, text, hashed) => {
    expect(codeHash(text)).toBe(sha(hashed));
  });

  it.each([
    ['a line end', '\r\n', '\n'],
    ['a character of two units', '\u{1f600}', '\u{1f600}'],
  ])('does not depend on %s between two pieces', (_, between, hashed) => {
    const before = 'x'.repeat(PIECE - 1);
    expect(codeHash(`${before}${between}y`)).toBe(sha(`${before}${hashed}y`));
  });
});
