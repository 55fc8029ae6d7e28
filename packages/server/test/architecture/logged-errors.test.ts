import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { errorFields } from '../../src/platform/error-fields.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** A call of the log up to its end; none is longer. */
const LOG_CALL = /\blog(?:ger)?\??\.(?:trace|debug|info|warn|error|fatal)\((?<call>[\s\S]{0,400}?)\);?\n/g;
/** What says of an error less than `errorFields`. */
const WITHOUT_STACK =
  /\berror\w*\.(?:message|stack)\b|String\(error\)|\berror: (?:message|text|errorText)\b|errorMessage:/;

function offences(path: string, text: string): string[] {
  return [...text.matchAll(LOG_CALL)].flatMap(({ groups, index }) => {
    if (!WITHOUT_STACK.test(groups?.call ?? '')) return [];
    return [`${path}:${text.slice(0, index).split('\n').length}`];
  });
}

describe('an error that is logged', () => {
  it('is logged by errorFields everywhere, so that its stack is there', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const found = files.flatMap((name) =>
      offences(relative(SOURCE, join(SOURCE, name)), readFileSync(join(SOURCE, name), 'utf8')),
    );
    expect(found).toEqual([]);
  });

  it('is judged: planted calls without a stack are found', () => {
    const planted = [
      `log.warn({ error: error.message }, 'not done');\n`,
      `log.error(\n  { error: error instanceof Error ? error.message : String(error) },\n  'not done',\n);\n`,
      `  request.log.error({ error: message }, 'not done');\n`,
      `log.warn({ ...errorFields(error) }, 'done well');\n`,
    ];
    expect(planted.map((text) => offences('planted.ts', text).length)).toEqual([1, 1, 1, 0]);
  });

  it('shows name, message, code and stack, bounded, and none of its other members', () => {
    const error = Object.assign(new TypeError('no'), { code: 'ECONNREFUSED', detail: 'a row of somebody' });
    expect(errorFields(error)).toEqual({
      errorName: 'TypeError',
      errorMessage: 'no',
      errorCode: 'ECONNREFUSED',
      stack: expect.stringContaining('logged-errors.test.ts'),
    });
    const long = new Error('x'.repeat(100_000));
    expect(JSON.stringify(errorFields(long)).length).toBeLessThan(20_000);
    expect(errorFields('only a word')).toEqual({ errorMessage: 'only a word' });
  });
});
