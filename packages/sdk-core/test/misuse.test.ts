import { describe, expect, it } from 'vitest';
import type { Diagnostic, DiagnosticCode } from '../src/diagnostics.ts';
import { createDiagnosticPrinter, diagnosticLine, nearestOption } from '../src/probes/lines.ts';

/** docs/contract/clients.md 13. */

function printer(settings: { debug?: boolean; isProduction?: boolean } = {}) {
  const lines: string[] = [];
  const seen: Diagnostic[] = [];
  const print = createDiagnosticPrinter({
    print: (line) => lines.push(line),
    onDiagnostic: (diagnostic) => seen.push(diagnostic),
    isProduction: true,
    data: () => ({ token: 'svc_…abcd' }),
    ...settings,
  });
  return { lines, seen, print };
}

describe('a diagnostic', () => {
  it('is printed once per code, and passed on each time', () => {
    const { lines, seen, print } = printer();
    print('unauthorized', { status: 401 });
    print('unauthorized', { status: 401 });
    print('clock_skew', { seconds: 601 });
    expect(lines).toEqual([
      '[culprit] The token svc_…abcd is unknown or was revoked. Create a new project token.',
      '[culprit] The clock is 601 seconds off. Event times are corrected; set the clock.',
    ]);
    expect(seen.map(({ code }) => code)).toEqual(['unauthorized', 'unauthorized', 'clock_skew']);
    expect(seen[0]?.data).toEqual({ token: 'svc_…abcd', status: 401 });
  });

  it.each<[DiagnosticCode, boolean, boolean]>([
    ['internal_error', false, false],
    ['unknown_option', false, true],
    ['already_initialized', false, true],
    ['token_missing', true, true],
  ])('%s is printed in production: %s, elsewhere: %s, with debug always', (code, inProduction, elsewhere) => {
    for (const [settings, isPrinted] of [
      [{ isProduction: true }, inProduction],
      [{ isProduction: false }, elsewhere],
      [{ isProduction: true, debug: true }, true],
    ] as const) {
      const { lines, print } = printer(settings);
      print(code, {});
      expect(lines).toHaveLength(isPrinted ? 1 : 0);
    }
  });

  it('never throws because of the host', () => {
    const print = createDiagnosticPrinter({
      print: () => {
        throw new Error('closed');
      },
      onDiagnostic: () => {
        throw new Error('host');
      },
      isProduction: true,
    });
    expect(() => print('unreachable', { host: 'h', code: null })).not.toThrow();
    expect(diagnosticLine('unreachable', { host: 'h', code: null })).toContain('(unknown)');
  });

  it('names the nearest option', () => {
    const known = ['environment', 'endpoint', 'sampleRate'];
    expect(nearestOption('enviroment', known)).toBe('Did you mean environment?');
    expect(nearestOption('samplerate', known)).toBe('Did you mean sampleRate?');
    expect(nearestOption('tracesSampleRateOfAll', known)).toBe('');
  });
});
