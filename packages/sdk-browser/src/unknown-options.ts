import type { Diagnose } from './lines.ts';

const KNOWN =
  'token endpoint dsn enabled service environment release initialScope redactKeys redactValues sampleRate ' +
  'sessionSampleRate maxEventsPerSession maxBreadcrumbs beforeSend beforeBreadcrumb ignoreErrors allowUrls denyUrls ' +
  'tracePropagationTargets traceHeaders logLevel capture batchEvents flushIntervalMs maxBufferedEvents timeoutMs ' +
  'transport integrations onDiagnostic debug';

/** Options that do not exist are ignored, and named once with the nearest one that does. */
export function reportUnknownOptions(options: object, diagnose: Diagnose): void {
  const known = KNOWN.split(' ');
  for (const option of Object.keys(options)) {
    const distance = (other: string) =>
      Math.abs(option.length - other.length) + [...option].filter((letter) => !other.includes(letter)).length;
    if (!known.includes(option)) {
      known.sort((a, b) => distance(a) - distance(b));
      diagnose('unknown_option', { option, nearest: String(known[0]) });
    }
  }
}
