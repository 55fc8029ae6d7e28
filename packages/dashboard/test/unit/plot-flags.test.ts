import { describe, expect, it } from 'vitest';
import { flagsOf, type PlotMark } from '../../src/ui/plots/bar-plot.tsx';

/** docs/contract/dashboard.md 5: the flags above a plot. */
describe('flags of a plot', () => {
  it('are one for each mark that has room, in the order of time', () => {
    expect(flagsOf([deploy(0.9, '4.19.0'), deploy(0.4, '4.18.3')]).map(({ at, name }) => [at, name])).toEqual(
      [
        [0.4, '4.18.3'],
        [0.9, '4.19.0'],
      ],
    );
  });

  it('are one for marks whose words would cover each other, and its label names each', () => {
    expect(flagsOf([deploy(0.4, 'a'), deploy(0.41, 'b'), deploy(0.45, 'c')])).toEqual([
      { at: 0.4, name: '3 deploys', label: 'deploy a, deploy b, deploy c', kind: 'line' },
    ]);
    const spike: PlotMark = {
      at: 0.42,
      until: 0.5,
      kind: 'band',
      name: 'spike',
      plural: 'spikes',
      label: 'spike',
    };
    expect(flagsOf([deploy(0.4, 'a'), spike])[0]?.name).toBe('2 marks');
    const apart = [deploy(0.4, 'a'), deploy(0.6, 'b')];
    expect(flagsOf(apart)).toHaveLength(2);
    expect(flagsOf(apart, 0.24)).toHaveLength(1);
  });
});

function deploy(at: number, name: string): PlotMark {
  return { at, until: null, kind: 'line', name, plural: 'deploys', label: `deploy ${name}` };
}
