import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import {
  createEvidenceRedaction,
  LEFT_OUT_KEYS,
  SHOWN_HEADERS,
} from '@culprit/evidence/bundles/sharing/redact-shared-text';
import { harmlessLine } from './text/harmless-text.ts';

const BYTES_MAX = 256 * 1024;
/** Blocks that may be left out of a large document, the longest lists first. */
const DROPPED_IN_ORDER = ['stack', 'frontend', 'logs', 'custom', 'probe_data', 'occurrences'] as const;

/** The document as JSON, without what an agent does not need, at most 256 KiB (docs/contract/command-line.md 5.9). */
export function redactedBundle(bundle: DebugBundle): string {
  const redaction = createEvidenceRedaction();
  const clean = (value: unknown, key: string): unknown => {
    if (LEFT_OUT_KEYS.has(key)) return null;
    if (typeof value === 'string') return harmlessLine(redaction.text(value));
    if (Array.isArray(value)) return value.map((each) => clean(each, ''));
    if (typeof value !== 'object' || value === null) return value;
    const isHeaders = key === 'headers' || key === 'response_headers';
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !isHeaders || SHOWN_HEADERS.has(name.toLowerCase()))
        .map(([name, each]) => [harmlessLine(redaction.text(name)), clean(each, name)]),
    );
  };
  // A shell command is nothing that an agent is handed.
  const { reproduction, ...rest } = bundle;
  const document = { ...rest, reproduction: { ...reproduction, artifacts: null } };
  let context: Record<string, unknown> = { ...bundle.context };
  for (const dropped of [null, ...DROPPED_IN_ORDER]) {
    if (dropped !== null) context = { ...context, [dropped]: null };
    const text = JSON.stringify(clean({ ...document, context }, ''));
    if (Buffer.byteLength(text) <= BYTES_MAX) return text;
  }
  return JSON.stringify(clean({ ...document, context: {} }, ''));
}
