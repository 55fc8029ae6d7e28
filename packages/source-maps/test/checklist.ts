/**
 * The checklist of source maps and releases (docs/contract/source-maps.md 17): each item with the test files that hold
 * it, from the root of the repository.
 */

const SERVER = 'packages/server/test';
const CLI = 'packages/cli/test/source-maps';
const MAPS = `${SERVER}/conformance/source-maps.standard.test.ts`;
const RELEASES = `${SERVER}/conformance/releases.standard.test.ts`;
const PAIRS = 'packages/source-maps/test/judge-pairs.test.ts';
const NAMES = 'packages/source-maps/test/names.test.ts';
const ORACLE = 'packages/source-maps/test/oracle.standard.test.ts';
const TOOLS = `${SERVER}/foreign/sentry-build-tools.long.ts`;
const STARTERS = `${CLI}/starters.long.ts`;
const UPLOAD = `${CLI}/upload.standard.test.ts`;
const MCP = 'packages/mcp/test/source-map-facts.test.ts';
const TOOL_MAPS = 'packages/source-maps/test/maps-of-tools.test.ts';
const RANGES = 'packages/source-maps/test/range-and-function-maps.test.ts';
const AT_WORK = `${SERVER}/maps/maps-at-work.standard.test.ts`;
const INTERRUPTED = `${SERVER}/maps/interrupted-uploads.test.ts`;
const ENGINES = `${SERVER}/maps/engines.test.ts`;
const VERDICTS = `${SERVER}/maps/verdicts.test.ts`;
const LARGE = `${SERVER}/maps/large-map.long.ts`;
const STORIES = 'packages/dashboard/test/stories/overview.standard.test.ts';
const SCREENS = 'packages/dashboard/test/screens/screens.standard.test.ts';
const MAPS_STORY = 'packages/dashboard/test/stories/source-maps.standard.test.ts';
const FRAMES = `${SERVER}/maps/mapped-frames.test.ts`;
const GROUPS = `${SERVER}/maps/mapped-groups.test.ts`;
const REASONS = `${SERVER}/maps/reasons.test.ts`;

export const CHECKLIST: Readonly<Record<number, readonly string[]>> = {
  1: [MAPS, FRAMES],
  2: [MAPS, INTERRUPTED, `${CLI}/interrupted-upload.test.ts`],
  3: [MAPS, FRAMES],
  4: [MAPS, `${SERVER}/platform/http/payload-problem.test.ts`],
  5: [MAPS, INTERRUPTED],
  6: [VERDICTS, PAIRS, MAPS],
  7: [STARTERS, PAIRS, `${CLI}/other-builds.long.ts`],
  8: [PAIRS, ORACLE, STARTERS, TOOL_MAPS],
  9: [PAIRS, TOOL_MAPS, RANGES],
  10: [ORACLE, TOOL_MAPS],
  11: [ORACLE, 'packages/source-maps/test/oracle.long.ts'],
  12: [NAMES, FRAMES],
  13: [VERDICTS, PAIRS, NAMES],
  14: [`${SERVER}/maps/form-maker.test.ts`, LARGE, 'bench/rows/maps.ts', 'bench/rows/intake-beside-map.ts'],
  15: [ENGINES, `${SERVER}/maps/recorded-stacks.test.ts`],
  16: [STARTERS, `${CLI}/bundlers.long.ts`, TOOLS],
  17: [MAPS, STARTERS],
  18: [MAPS, GROUPS],
  19: [MAPS, GROUPS],
  20: [`${SERVER}/maps/without-maps.test.ts`, MAPS],
  21: [MAPS, STARTERS, MCP, REASONS, MAPS_STORY, 'packages/cli/test/bundle-text/map-reasons.test.ts'],
  22: [ENGINES],
  23: [MAPS, REASONS],
  24: [MAPS, `${SERVER}/maps/choose-map.test.ts`, AT_WORK, REASONS],
  25: [MAPS, STARTERS, `${SERVER}/maps/late-merge.test.ts`, `${SERVER}/pipeline/regroup.test.ts`],
  26: [AT_WORK],
  27: [MAPS, `${SERVER}/bundles/keep-mapped-frames.test.ts`, REASONS],
  28: [AT_WORK, `${SERVER}/maps/random-uploads.test.ts`],
  29: [`${SERVER}/reliability/project-deletion.standard.test.ts`, INTERRUPTED],
  30: [MAPS],
  31: [GROUPS, NAMES, MAPS],
  32: [MAPS, 'packages/evidence/test/events/fingerprint/key-frames.test.ts'],
  33: [
    MAPS,
    'packages/source-maps/test/source-lines.test.ts',
    `${SERVER}/maps/private-sources.test.ts`,
    'packages/dashboard/test/hostile/hostile.standard.test.ts',
    'packages/cli/test/commands/terminal.standard.test.ts',
    `${SERVER}/mcp/mcp-endpoint.test.ts`,
  ],
  34: [
    AT_WORK,
    `${SERVER}/maps/invented-ids.test.ts`,
    `${SERVER}/maps/invented-ids.long.ts`,
    `${SERVER}/maps/map-memory.test.ts`,
  ],
  35: [`${CLI}/inject.test.ts`, `${CLI}/packed-files.test.ts`, `${CLI}/bundlers.long.ts`],
  36: [UPLOAD, `${CLI}/interrupted-upload.test.ts`, `${CLI}/source-texts.test.ts`],
  37: [UPLOAD],
  38: [TOOLS],
  39: [`${SERVER}/maps/zip.test.ts`, TOOLS],
  40: [TOOLS],
  41: [`${SERVER}/maps/build-access.test.ts`, UPLOAD],
  42: [`${SERVER}/security/policy-table.test.ts`],
  43: [RELEASES],
  44: ['packages/evidence/test/incidents/release-order.test.ts'],
  45: [RELEASES, `${SERVER}/pipeline/release-judgement.test.ts`],
  46: [`${SERVER}/reliability/random-kills.standard.test.ts`, RELEASES],
  47: [
    'packages/sdk-node/test/machine-facts.standard.test.ts',
    'packages/sdk-browser/test/surroundings.standard.test.ts',
  ],
  48: [MAPS_STORY, SCREENS, STORIES, 'packages/dashboard/test/unit/evidence/stack-frames.test.ts'],
  49: [MCP, 'packages/mcp/test/demo-incidents.test.ts'],
  50: [`${CLI}/maps-off.standard.test.ts`],
  51: [`${SERVER}/admin/backup.standard.test.ts`],
  52: ['bench/rows/maps.ts', 'bench/rows/maps-at-work.ts', 'bench/rows/intake-beside-map.ts'],
};
