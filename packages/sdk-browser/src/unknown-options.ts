import { nearestOf } from './codes.ts';
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
    if (!known.includes(option)) diagnose('unknown_option', { option, nearest: nearestOf(option, known) });
  }
}
