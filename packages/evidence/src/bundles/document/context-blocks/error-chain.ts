import type { ErrorChainBlock } from '@culprit/contract/incidents/bundle-stack';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { browserText } from '../../evidence/evidence-text.ts';
import { MESSAGE_BYTES_MAX } from '../size-bounds.ts';
import { topFrames } from './top-frames.ts';

const CHAIN_MAX = 8;

/** The causes of the error, outermost first; null without a cause. Of a longer chain the root cause stays. */
export function errorChainBlock(sample: SampleEvidence | null): ErrorChainBlock | null {
  const chain = sample?.chain ?? [];
  if (chain.length <= 1) return null;
  const shown = chain.length <= CHAIN_MAX ? chain : [...chain.slice(0, CHAIN_MAX - 1), ...chain.slice(-1)];
  return {
    version: 1,
    items: shown.map((exception) => ({
      type: browserText(exception.type),
      message: browserText(exception.message, MESSAGE_BYTES_MAX),
      top_frames: topFrames([exception]),
    })),
  };
}
