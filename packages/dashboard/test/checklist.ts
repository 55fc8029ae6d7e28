/**
 * The checklist of the dashboard (docs/contract/dashboard.md 11): each item with the test files that hold it, from the
 * root of the repository.
 */

interface ChecklistItem {
  item: number;
  files: readonly string[];
  /** Which part of it has no test, and why. */
  missing?: string;
}

const TEST = 'packages/dashboard/test';
const UNIT = `${TEST}/unit`;
const FAILURES = `${TEST}/failures/failures.standard.test.ts`;
const STREAM = `${TEST}/failures/stream.standard.test.ts`;
const SERVING = `${TEST}/server/serving.standard.test.ts`;
const SCREENS = `${TEST}/screens/screens.standard.test.ts`;
const CIRCUMSTANCES = `${TEST}/screens/circumstances.standard.test.ts`;
const HOSTILE = `${TEST}/hostile/hostile.standard.test.ts`;
const INCIDENTS = story('incidents');
const PARTS = story('incident-parts');
/** Times are printed, never a verdict of a test. */
const BENCH = 'bench/dashboard/measures.ts';
const PEOPLE = story('people');

export const CHECKLIST: readonly ChecklistItem[] = [
  { item: 1, files: [SERVING] },
  { item: 2, files: [SERVING, `${TEST}/support/watched-page.ts`] },
  {
    item: 3,
    files: [SERVING, 'packages/server/test/program/packages.test.ts'],
  },
  { item: 4, files: [`${TEST}/size.standard.test.ts`, SCREENS] },
  { item: 5, files: [story('newcomer'), 'packages/server/test/program/addresses.standard.test.ts'] },
  {
    item: 6,
    files: [
      INCIDENTS,
      story('newcomer'),
      FAILURES,
      `${UNIT}/words.test.ts`,
      'packages/server/test/accounts/github-browser.test.ts',
    ],
  },
  {
    item: 7,
    files: [
      FAILURES,
      story('newcomer'),
      story('settings'),
      story('webhooks'),
      story('probes'),
      PEOPLE,
      `${UNIT}/imports.test.ts`,
    ],
  },
  {
    item: 8,
    files: [INCIDENTS, PEOPLE, story('alerts'), story('slack-and-reports')],
  },
  { item: 9, files: [story('newcomer')] },
  { item: 10, files: [INCIDENTS, PARTS, story('improvements')] },
  { item: 11, files: [story('long-list')] },
  { item: 12, files: [STREAM] },
  { item: 13, files: [INCIDENTS, PARTS, story('long-list')] },
  { item: 14, files: [INCIDENTS, PARTS] },
  { item: 15, files: [INCIDENTS] },
  { item: 16, files: [INCIDENTS, PARTS, story('organization')] },
  {
    item: 17,
    files: [INCIDENTS, PARTS, `${UNIT}/evidence/timeline.test.ts`, `${UNIT}/evidence/stack-frames.test.ts`],
  },
  { item: 18, files: [INCIDENTS, `${UNIT}/evidence/bundle-text.test.ts`] },
  { item: 19, files: [story('incident-page'), `${UNIT}/evidence/known.test.ts`] },
  { item: 20, files: [story('capture')] },
  { item: 21, files: [story('checks'), BENCH] },
  { item: 22, files: [`${UNIT}/alert-sentence.test.ts`, story('alerts')] },
  { item: 23, files: [story('webhooks'), `${UNIT}/webhook-words.test.ts`] },
  { item: 24, files: [story('capture'), `${UNIT}/capture-matrix.test.ts`] },
  { item: 25, files: [story('intake')] },
  { item: 26, files: [story('probes')] },
  {
    item: 27,
    files: [
      story('roles'),
      PEOPLE,
      story('checks'),
      story('capture'),
      story('improvements'),
      story('slack-and-reports'),
      story('organization'),
      'packages/server/test/security/authorization-matrix.standard.test.ts',
    ],
  },
  {
    item: 28,
    files: [PEOPLE, story('organization'), story('slack-and-reports'), story('newcomer'), FAILURES],
  },
  { item: 29, files: [story('operator')] },
  {
    item: 30,
    files: [FAILURES, STREAM, story('slack-and-reports')],
  },
  {
    item: 31,
    files: [HOSTILE, story('improvements'), story('tail'), story('probes'), `${UNIT}/words.test.ts`],
  },
  { item: 32, files: [SCREENS, `${TEST}/support/sound-looks.ts`, `${UNIT}/contrast.test.ts`] },
  {
    item: 33,
    files: [
      `${TEST}/checklist.test.ts`,
      CIRCUMSTANCES,
      INCIDENTS,
      PARTS,
      story('settings'),
      story('slack-and-reports'),
      `${UNIT}/key-sequence.test.ts`,
    ],
  },
  { item: 34, files: [SCREENS, CIRCUMSTANCES, `${TEST}/support/sound-looks.ts`] },
  { item: 35, files: [CIRCUMSTANCES, HOSTILE] },
  { item: 36, files: [BENCH] },
  { item: 37, files: [`${TEST}/failures/new-build.standard.test.ts`] },
];

function story(name: string): string {
  return `${TEST}/stories/${name}.standard.test.ts`;
}
