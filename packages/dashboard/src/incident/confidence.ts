import type { DebugBundle } from '@culprit/contract/bundle';

/** A part of the fixed formula behind a confidence (docs/contract/incidents.md 3.5.2), in hundredths. */
export interface ConfidencePart {
  points: number;
  has: boolean;
  words: string;
}

const START = 30;
const CAP = 95;
const OPAQUE_CAP = 20;

/** What the confidence rests on, present and missing, so that people see what to capture. */
export function confidenceParts(bundle: DebugBundle): ConfidencePart[] {
  const { context, summary } = bundle;
  const { error, request, response, deploy, probe_data: probes } = context;
  const frame = summary.first_application_frame;
  return [
    { points: START, has: true, words: 'a failure' },
    {
      points: 20,
      has: error !== null && error.name !== '' && error.message !== '',
      words: 'error type and message',
    },
    {
      points: 20,
      has: frame !== null && frame.file !== null && frame.line !== null,
      words: 'own frame with file and line',
    },
    { points: 10, has: request !== null, words: 'request' },
    { points: 5, has: response !== null, words: 'response' },
    { points: 5, has: otherLogLines(bundle) > 0, words: 'log lines' },
    { points: 5, has: deploy?.regression_window === true, words: 'deploy in the 24 hours before' },
    { points: 5, has: (probes?.items.length ?? 0) > 0, words: 'probe data' },
  ];
}

/** Lines besides the one that is the failure itself. */
function otherLogLines({ context: { logs }, captured_at: at, signal }: DebugBundle): number {
  const lines = logs?.items ?? [];
  const own = signal.source_event_types.includes('log_event') && !signal.source_event_types.some(isException);
  const index = own ? lines.findIndex(({ timestamp }) => timestamp === at) : -1;
  return lines.length - (index === -1 ? 0 : 1);
}

function isException(type: string): boolean {
  return type.endsWith('_exception') || type === 'request_event';
}

/** What the parts add up to, with the caps of the formula. */
export function confidenceOf(bundle: DebugBundle): number {
  const sum = confidenceParts(bundle).reduce((total, { points, has }) => total + (has ? points : 0), 0);
  const cap = isOpaque(bundle) ? OPAQUE_CAP : CAP;
  return Math.min(sum, cap) / 100;
}

/** An error whose details the browser withheld. */
export function isOpaque(bundle: DebugBundle): boolean {
  return bundle.reproduction.reason === 'opaque_browser_event';
}

export function strengthOf(confidence: number): string {
  if (confidence >= 0.8) return 'strong evidence';
  return confidence >= 0.5 ? 'partial evidence' : 'weak evidence';
}
