import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { StackFrame } from '@culprit/contract/incidents/bundle-stack';
import { bundleMarkdown } from '@culprit/contract/incidents/bundle-text';
import { mapWords } from '@culprit/contract/releases/map-words';
import { describe, expect, it } from 'vitest';
import { incidentAnswer } from '../src/evidence/incident-answer.ts';
import { demoIncidents } from './demo-incidents.ts';

const [demo] = demoIncidents();

/** What an agent reads of source maps and releases (docs/contract/source-maps.md 6.4, 10.5; item 49). */
describe('an answer about an incident of a minified page', () => {
  const file = '/assets/index.js';
  const { words, hint } = mapWords('no_map_for_debug_id', { file, debugId: 'feed' });
  const mapped: StackFrame = {
    ...{ function: 'Cart.total', file: 'src/cart.ts', line: 5, column: 56, in_app: true, raw: null },
    ...{ context_line: '    return item.price!.amount;', pre_context: [], post_context: [] },
  };
  const bundle: DebugBundle | null = demo?.evidence.bundle ?? null;
  if (demo === undefined || bundle === null) throw new Error('the demo has no bundle');
  const about = {
    ...demo.evidence,
    bundle: {
      ...bundle,
      context: {
        ...bundle.context,
        stack: { version: 1 as const, frames: [mapped], causes: [] },
        releases: {
          version: 1 as const,
          first: 'shop@1.0.0',
          last: 'shop@1.9.0',
          regressed_in: 'shop@1.8.0',
        },
        symbolication: {
          ...{ version: 1 as const, state: 'partly' as const, mapped: 1, unmapped: 1, release: null },
          problems: [
            {
              ...{ reason: 'no_map_for_debug_id' as const, words, hint, file, frames: 1 },
              ...{ debug_id: 'feed', release: null },
            },
          ],
        },
      },
    },
  };

  it('says in a fact what maps did, with the reason in words and the next step', () => {
    const text = incidentAnswer(about, { kind: 'all' }, 4000);
    expect(text).toContain('maps: partly (no_map_for_debug_id)');
    expect(text).toContain(words);
    expect(text).toContain('culprit sourcemaps upload DIR');
  });

  it('has the source at own frames in its stack', () => {
    const text = incidentAnswer(about, { kind: 'sections', names: ['stack'] }, 1000);
    expect(text).toContain('Cart.total src/cart.ts:5:56\n|   > 5 | return item.price!.amount;');
  });

  it('names the releases, as the text for people does', () => {
    const sentence = 'first seen in shop@1.0.0, last seen in shop@1.9.0, came back in shop@1.8.0';
    expect(incidentAnswer(about, { kind: 'all' }, 4000)).toContain(sentence);
    expect(bundleMarkdown(about.incident, about.bundle)).toContain(sentence);
  });
});
