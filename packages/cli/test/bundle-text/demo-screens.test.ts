import { describe, expect, it } from 'vitest';
import { demoIncidents } from '../../../mcp/test/demo-incidents.ts';
import { bundleMarkdown } from '../../src/bundle-text/bundle-markdown.ts';
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

it('gives a hint only where a rule fits the failure', () => {
  const [
    {
      evidence: { incident, bundle },
    } = { evidence: { incident: null, bundle: null } },
  ] = demoIncidents();
  if (incident === null || bundle === null) throw new Error('the demo has no bundle');
  const textOf = (cause: string) => {
    const told = {
      ...bundle,
      summary: { ...bundle.summary, likely_cause: cause, recommended_action: 'Look' },
    };
    const form = {
      width: 80,
      nowMs: 0,
      isFull: false,
      sections: null,
      dim: plain,
      strong: plain,
      severity: plain,
    };
    const screen = bundleScreen(incident, told, { ...form, next: { reproduce: '', resolve: '' } });
    return [screen.join('\n'), bundleMarkdown(incident, told, null)];
  };
  const deploy = 'The latest occurrence is within 24 hours after deploy 1.2.';
  for (const text of textOf(`The disk is full. ${deploy}`)) {
    expect(text).toMatch(/Hint.*The disk is full/);
    expect(text).not.toContain('within 24 hours');
  }
  for (const cause of [
    'The failure surfaces in parseRates.',
    `The failure surfaces in parseRates. ${deploy}`,
  ]) {
    for (const text of textOf(cause)) expect(text).not.toMatch(/Hint|surfaces|Look/);
  }
});
