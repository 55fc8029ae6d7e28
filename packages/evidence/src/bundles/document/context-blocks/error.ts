import type { ErrorBlock } from '@culprit/contract/bundle-context';
import { redactText } from '../../../events/redact/redact-values.ts';
import { stripUrlSecrets } from '../../../events/redact/strip-url-secrets.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { browserText, evidenceText } from '../../evidence/evidence-text.ts';
import { cutStack, MESSAGE_BYTES_MAX } from '../size-bounds.ts';
import { renderedFrames, renderedStack } from './rendered-stack.ts';
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
    stack: stackText(payload.stack ?? renderedStack(payload.exceptions)),
    handled: payload.handled,
    top_frames: topFrames(sample.chain),
  };
}

/** An error that the application caught and logged. One in an attribute counts when its stack can be read. */
function loggedErrorBlock(sample: SampleEvidence): ErrorBlock | null {
  const { payload } = sample.event;
  if (payload.kind !== 'log' || payload.error === null) return null;
  const { error } = payload;
  if (!error.isArgument && !hasParsedStack(sample)) return null;
  return {
    version: 1,
    name: evidenceText(error.name ?? (sample.chain[0]?.type || 'Error')),
    message: evidenceText(error.message ?? payload.message, MESSAGE_BYTES_MAX),
    stack: stackText(error.stack ?? renderedFrames(error.frames)),
    handled: true,
    top_frames: topFrames(sample.chain),
  };
}

function stackText(stack: string | null): string {
  if (stack === null || stack.trim() === '') return 'unavailable';
  return cutStack(redactText(stripUrlSecrets(stack)));
}
