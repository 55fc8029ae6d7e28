/**
 * The checklist of the command line (docs/contract/command-line.md 7): each item with the test files that hold it, from
 * the root of the repository.
 */

interface ChecklistItem {
  item: string;
  files: readonly [string, ...string[]];
}

const CLI = 'packages/cli/test';
const MCP = 'packages/mcp/test';
const COMMANDS = `${CLI}/commands`;
const STDIO = `${CLI}/mcp/mcp.standard.test.ts`;
const STDIO_SURROUNDINGS = `${CLI}/mcp/mcp-surroundings.standard.test.ts`;

export const CHECKLIST: readonly ChecklistItem[] = [
  { item: 'C-01', files: [`${CLI}/packed.standard.test.ts`] },
  { item: 'C-02', files: [`${CLI}/command-table.test.ts`, `${COMMANDS}/incidents.standard.test.ts`] },
  {
    item: 'C-03',
    files: [`${COMMANDS}/incidents.standard.test.ts`, `${COMMANDS}/terminal.standard.test.ts`],
  },
  { item: 'C-04', files: [`${CLI}/command-table.test.ts`] },
  { item: 'C-05', files: [`${COMMANDS}/terminal.standard.test.ts`, `${CLI}/output/visible-text.test.ts`] },
  { item: 'C-06', files: [`${COMMANDS}/incidents.standard.test.ts`] },
  { item: 'C-07', files: [`${COMMANDS}/sign-in.standard.test.ts`] },
  { item: 'C-08', files: [`${COMMANDS}/sign-in.standard.test.ts`] },
  { item: 'C-09', files: [`${COMMANDS}/sign-in.standard.test.ts`] },
  { item: 'C-10', files: [`${COMMANDS}/secrets.standard.test.ts`, `${COMMANDS}/sign-in.standard.test.ts`] },
  { item: 'C-11', files: [`${COMMANDS}/sign-in.standard.test.ts`, `${COMMANDS}/terminal.standard.test.ts`] },
  { item: 'C-12', files: [`${COMMANDS}/sign-in.standard.test.ts`] },
  { item: 'C-13', files: [`${COMMANDS}/sign-in.standard.test.ts`] },
  { item: 'C-14', files: [`${COMMANDS}/sign-in.standard.test.ts`] },
  {
    item: 'C-15',
    files: [`${COMMANDS}/trouble.standard.test.ts`, `${COMMANDS}/terminal.standard.test.ts`],
  },
  { item: 'C-16', files: [`${COMMANDS}/sign-in.standard.test.ts`, STDIO] },
  { item: 'C-17', files: [`${COMMANDS}/trouble.standard.test.ts`] },
  { item: 'C-18', files: [`${COMMANDS}/other-releases.standard.test.ts`] },
  {
    item: 'C-19',
    files: [`${COMMANDS}/terminal.standard.test.ts`, `${COMMANDS}/one-to-one.standard.test.ts`],
  },
  {
    item: 'C-20',
    files: [`${CLI}/init/init.standard.test.ts`, `${CLI}/init/built-applications.standard.test.ts`],
  },
  { item: 'C-21', files: [`${CLI}/init/by-keyboard.standard.test.ts`] },
  { item: 'C-22', files: [`${COMMANDS}/incidents.standard.test.ts`] },
  {
    item: 'C-23',
    files: [`${CLI}/bundle-text/demo-screens.test.ts`, `${COMMANDS}/bundle-markdown.standard.test.ts`],
  },
  { item: 'C-24', files: [`${COMMANDS}/sending.standard.test.ts`] },
  { item: 'C-25', files: [`${COMMANDS}/sending.standard.test.ts`] },
  { item: 'C-26', files: [`${COMMANDS}/sending.standard.test.ts`] },
  { item: 'C-27', files: [`${COMMANDS}/sending.standard.test.ts`] },
  { item: 'C-28', files: [`${COMMANDS}/sending.standard.test.ts`] },
  { item: 'C-29', files: [`${CLI}/import/large-file.standard.test.ts`] },
  { item: 'C-30', files: [`${COMMANDS}/sending.standard.test.ts`] },
  { item: 'C-31', files: [`${COMMANDS}/listen.standard.test.ts`] },
  { item: 'C-32', files: [`${COMMANDS}/listen.standard.test.ts`] },
  { item: 'C-33', files: [`${COMMANDS}/one-to-one.standard.test.ts`, `${CLI}/command-table.test.ts`] },
  { item: 'C-34', files: [`${COMMANDS}/trouble.standard.test.ts`] },
  {
    item: 'C-35',
    files: [
      `${CLI}/local/local-commands.standard.test.ts`,
      `${CLI}/local/read-local.standard.test.ts`,
      `${CLI}/local/push.standard.test.ts`,
    ],
  },
  {
    item: 'C-36',
    files: [`${COMMANDS}/doctor.standard.test.ts`],
  },
  {
    item: 'C-37',
    files: [`${COMMANDS}/completion.standard.test.ts`, `${COMMANDS}/terminal.standard.test.ts`],
  },
  { item: 'C-38', files: [STDIO, STDIO_SURROUNDINGS] },
  { item: 'C-39', files: [STDIO] },
  { item: 'C-40', files: [`${MCP}/incident-answer.standard.test.ts`, STDIO] },
  { item: 'C-41', files: [`${MCP}/token-bound.test.ts`] },
  { item: 'C-42', files: [`${MCP}/demo-incidents.test.ts`] },
  { item: 'C-43', files: [`${MCP}/hostile-texts.test.ts`] },
  {
    item: 'C-44',
    files: [`${MCP}/planted-secrets.test.ts`, 'packages/evidence/test/bundles/redact-shared-text.test.ts'],
  },
  {
    item: 'C-45',
    files: [`${MCP}/changes.test.ts`, STDIO, STDIO_SURROUNDINGS],
  },
  {
    item: 'C-46',
    files: [STDIO, STDIO_SURROUNDINGS],
  },
  {
    item: 'C-47',
    files: [
      'packages/server/test/mcp/mcp-endpoint.test.ts',
      'packages/server/test/mcp/mcp-permissions.standard.test.ts',
    ],
  },
];
