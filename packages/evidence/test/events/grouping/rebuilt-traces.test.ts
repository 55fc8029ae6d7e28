import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { backendException, frontendException } from '../build-event.ts';
import { REBUILT_FRAMES, REBUILT_TRACES } from './rebuilt-traces.ts';

/** docs/contract/grouping.md 4: the same failure in two builds, processes or runs. */

const keyOf = (stack: string) =>
  fingerprintEvent(backendException({ name: 'E', message: 'boom', stack }))?.materialJson;

const PAIRS = [...REBUILT_TRACES, ...REBUILT_FRAMES];

/** The trace with another name for what failed. */
function elsewhere(stack: string): string {
  return stack.replaceAll('total', 'cancel').replaceAll('Total', 'Cancel').replaceAll('TOTAL', 'CANCEL');
}

describe('a trace of another build, process or run', () => {
  it.each(PAIRS)('has one key: %s', (_, first, second) => {
    expect(first).not.toBe(second);
    expect(keyOf(second)).toBe(keyOf(first));
  });

  it.each(PAIRS.filter(([, first]) => elsewhere(first) !== first))(
    'has another key where another function failed: %s',
    (_, first) => {
      expect(keyOf(elsewhere(first))).not.toBe(keyOf(first));
    },
  );
});

describe('an error of another site, which says its file alone', () => {
  it('has one key in two builds', () => {
    const opaqueAt = (fileName: string) =>
      fingerprintEvent(
        frontendException({
          message: 'Script error.',
          browserEvent: {
            kind: 'window_error',
            opaque: true,
            message: 'Script error.',
            fileName,
            lineNumber: null,
            columnNumber: null,
            target: null,
            page: null,
          },
        }),
      )?.value;
    expect(opaqueAt('https://a.example/js/chunk-CYXXKXCZ.js')).toBe(
      opaqueAt('https://a.example/js/chunk-ABCDEFG2.js'),
    );
    expect(opaqueAt('https://a.example/js/mail.js')).not.toBe(opaqueAt('https://a.example/js/cart.js'));
  });
});
