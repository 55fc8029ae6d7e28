import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { MAP_REASONS, type MapReason, mapWords } from '@culprit/contract/releases/map-words';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { stackOfBundle } from '../../../dashboard/src/incident/stack/frames.ts';
import { MapProblems } from '../../../dashboard/src/incident/stack/map-problems.tsx';
import { incidentAnswer } from '../../../mcp/src/evidence/incident-answer.ts';
import { demoIncidents } from '../../../mcp/test/demo-incidents.ts';
import { bundleMarkdown } from '../../src/bundle-text/bundle-markdown.ts';
import { bundleScreen } from '../../src/bundle-text/bundle-screen.ts';

/**
 * docs/contract/source-maps.md 5.3 and 6, item 21: each reason of the closed list as every surface shows it. That events
 * have them is proven where the server reads events.
 */

const [demo] = demoIncidents();
if (demo === undefined) throw new Error('there is no demo');
const { evidence } = demo;

/** Facts of which every reason has what its words are made of. */
const FACTS = {
  ...{ file: '/assets/index.js', debugId: 'feed', release: 'shop@1', line: 9, column: 7 },
  ...{ paths: ['a/index.js', 'b/index.js'], refusal: 'It is not JSON.' },
  ...{ removedOn: '2026-01-02', removedReason: 'budget' },
};

function bundleWith(reason: MapReason): DebugBundle {
  if (evidence.bundle === null) throw new Error('the demo has no bundle');
  const { context } = evidence.bundle;
  const state = reason === 'development_build' ? 'not_needed' : 'unmapped';
  const unmapped = state === 'not_needed' ? 0 : 1;
  const problem = {
    ...{ reason, ...mapWords(reason, FACTS), frames: 1 },
    ...{ file: FACTS.file, debug_id: FACTS.debugId, release: FACTS.release },
  };
  return {
    ...evidence.bundle,
    context: {
      ...context,
      symbolication: { version: 1, state, mapped: 0, unmapped, release: null, problems: [problem] },
    },
  };
}

const plain = (text: string) => text;
/** One line, as lines are broken by the width of the surface. */
const joined = (text: string) => text.replaceAll(/\s+/g, ' ');

const SURFACES: Record<string, (bundle: DebugBundle) => string> = {
  'the screen of the command line': (bundle) =>
    bundleScreen(evidence.incident, bundle, {
      ...{ width: 80, nowMs: null, isFull: true, sections: null },
      ...{ next: { reproduce: '', resolve: '' }, dim: plain, strong: plain, severity: plain },
    }).join('\n'),
  'the Markdown of the command line': (bundle) =>
    // Without the marks that keep its text from being markup.
    bundleMarkdown(evidence.incident, bundle, null).replaceAll(/[\\\u2060]/g, ''),
  'the answer to an agent': (bundle) => incidentAnswer({ ...evidence, bundle }, { kind: 'all' }, 4000),
  'the stack in the dashboard': (bundle) =>
    renderToStaticMarkup(createElement(MapProblems, { maps: stackOfBundle(bundle)?.maps ?? [] }))
      // The command of a next step is marked as code there.
      .replaceAll(/<\/?code>/g, '`')
      .replaceAll(/<[^>]+>/g, ''),
};

describe.each(Object.entries(SURFACES))('%s', (_surface, show) => {
  it.each(MAP_REASONS)('has the words and the next step of %s', (reason) => {
    const { words, hint } = mapWords(reason, FACTS);
    const shown = joined(show(bundleWith(reason)));
    expect(shown).toContain(words);
    expect(shown).toContain(hint);
  });
});
