import type { Context } from '../context.ts';
import type { ChosenFramework } from './choose-frameworks.ts';

/**
 * An application that is not one of JavaScript: nothing is installed or imported, and variables configure its library.
 */
export const OTHER_LANGUAGE: ChosenFramework = {
  library: { name: '', version: '', frameworks: [] },
  setup: {
    library: '',
    name: 'other',
    dependencies: [],
    companions: [],
    edits: [],
    entry: [],
    files: [],
    importLine: { esm: null, cjs: null },
    environment: { CULPRIT_PROJECT_TOKEN: 'project_token', CULPRIT_ENDPOINT: 'base_url' },
    hasRelay: false,
    note: '',
  },
};

/** Returns the instructions that point a library of another language at this server. */
export function otherLanguageWords(context: Context, environmentPath: string): string {
  return [
    'There is no package.json here, so nothing was installed.',
    `Configure the client library of your language with the project token of ${environmentPath} and this endpoint:`,
    '',
    `  ${context.settings().origin}/v1/events`,
    '',
    'Without a library, an event is one HTTP request: culprit send --help.',
  ].join('\n');
}
