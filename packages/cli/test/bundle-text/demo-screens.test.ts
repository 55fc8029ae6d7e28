import { describe, expect, it } from 'vitest';
import { demoIncidents } from '../../../mcp/test/demo-incidents.ts';
import { bundleScreen } from '../../src/bundle-text/bundle-screen.ts';

/** The bundles of the demo as people see them, beside the screens that were recorded (C-23). */

const WIDTHS = [60, 80, 120];
/** Ages are told from here, so that a screen is the same each time. */
const AGE_MS = 3 * 60_000;

const plain = (text: string) => text;

describe.each(demoIncidents())('the screen of $name', ({ name, evidence: { incident, bundle } }) => {
  it.each(WIDTHS)('is as recorded at %i columns', async (width) => {
    if (bundle === null) throw new Error(`${name} has no bundle`);
    const lines = bundleScreen(incident, bundle, {
      width,
      nowMs: Date.parse(incident.last_seen_at) + AGE_MS,
      isFull: false,
      sections: null,
      next: { reproduce: 'culprit reproduce @1 --run', resolve: 'culprit incidents resolve @1' },
      dim: plain,
      strong: plain,
      severity: plain,
    });
    expect(lines.filter((line) => [...line].length > width)).toEqual([]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`screens/${name}-${width}.txt`);
  });
});
