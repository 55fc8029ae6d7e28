import type { ErrorBlock } from '@culprit/contract/bundle-context';
import { logError, logStack } from '../../events/fingerprint/log-error.ts';
import { redactText } from '../../events/redact-values.ts';
import { stripUrlSecrets } from '../../events/strip-url-secrets.ts';
import type { SampleEvidence } from '../bundle-evidence.ts';
import { browserText, evidenceText } from '../evidence-text.ts';
import { cutStack, MESSAGE_BYTES_MAX } from '../size-bounds.ts';
import { topFrames } from './top-frames.ts';

/** The error block and the occurrence it was taken from, whose frames belong to it. */
export interface ErrorEvidence {
  block: ErrorBlock;
  sample: SampleEvidence;
}

/** The first occurrence in block order that is an exception, or a log that carries a parsed stack. */
export function errorEvidence(blockOrder: readonly SampleEvidence[]): ErrorEvidence | null {
  for (const sample of blockOrder) {
    const block = exceptionBlock(sample) ?? loggedErrorBlock(sample);
    if (block !== null) return { block, sample };
  }
  return null;
}

/** Whether the stack of this occurrence could be read. */
export function hasParsedStack(sample: SampleEvidence): boolean {
  return sample.chain.some((exception) => exception.frames.length > 0);
}

function exceptionBlock(sample: SampleEvidence): ErrorBlock | null {
  const { eventType, payload } = sample.event;
  if (payload.kind !== 'exception') return null;
  const text = eventType === 'frontend_exception' ? browserText : evidenceText;
  return {
    version: 1,
    name: evidenceText(payload.name),
    message: text(payload.message, MESSAGE_BYTES_MAX),
    stack: stackText(payload.stack),
    handled: payload.handled,
    top_frames: topFrames(sample.chain),
  };
}

/** An error that the application caught and logged. */
function loggedErrorBlock(sample: SampleEvidence): ErrorBlock | null {
  const { payload } = sample.event;
  if (payload.kind !== 'log' || !hasParsedStack(sample)) return null;
  const name = logError(payload.attributes).type ?? (sample.chain[0]?.type || 'Error');
  return {
    version: 1,
    name: evidenceText(name),
    message: evidenceText(payload.message, MESSAGE_BYTES_MAX),
    stack: stackText(logStack(payload.attributes)),
    handled: true,
    top_frames: topFrames(sample.chain),
  };
}

function stackText(stack: string | null): string {
  if (stack === null || stack.trim() === '') return 'unavailable';
  return cutStack(redactText(stripUrlSecrets(stack)));
}
