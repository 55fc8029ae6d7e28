import { describe, expect, it } from 'vitest';
import { readCaseFiles } from './case-file.ts';
import { judgeCases } from './judge-cases.ts';
import { KNOWN_GAPS } from './known-gaps.ts';

const files = readCaseFiles();
const cases = judgeCases(files);
const isGap = (name: string) => KNOWN_GAPS.has(name.replace(/, \d+$/, ''));

describe('the corpus of stacks, messages and records', () => {
  it('holds at least 400 different events of 60 runtimes and loggers, half of them kept', () => {
    const events = files.flatMap((file) => file.causes.flatMap((cause) => cause.events));
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(events.length);
    expect(events.length).toBeGreaterThanOrEqual(400);
    expect(new Set(files.map(({ source }) => source)).size).toBeGreaterThanOrEqual(60);
    for (const kind of new Set(files.map((file) => file.kind))) {
      const ofKind = files.filter((file) => file.kind === kind);
      expect(ofKind.filter(({ isKept }) => isKept).length, kind).toBe(Math.floor(ofKind.length / 2));
    }
  });

  it.each(files.map((file) => [file.name, file] as const))('%s is read as it says', (_name, file) => {
    const judged = cases.filter((one) => one.file === file && !isGap(one.name));
    expect(
      judged.filter(({ faults }) => faults.length > 0).map(({ name, faults }) => [name, ...faults]),
    ).toEqual([]);
  });

  it('knows of no gap that is closed', () => {
    const failing = new Set(
      cases.filter(({ faults }) => faults.length > 0).map(({ name }) => name.replace(/, \d+$/, '')),
    );
    expect([...KNOWN_GAPS.keys()].filter((name) => !failing.has(name))).toEqual([]);
  });
});
