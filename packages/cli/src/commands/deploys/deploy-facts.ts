import { execFileSync } from 'node:child_process';
import { variable } from '../../config/folders.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';

/** Variables in which CI systems name commit and branch: GitHub, GitLab, CircleCI, Buildkite, Jenkins. */
const COMMIT_VARIABLES = [
  'CULPRIT_COMMIT',
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'CIRCLE_SHA1',
  'BUILDKITE_COMMIT',
  'GIT_COMMIT',
];
const BRANCH_VARIABLES = [
  'GITHUB_HEAD_REF',
  'GITHUB_REF_NAME',
  'CI_COMMIT_REF_NAME',
  'CIRCLE_BRANCH',
  'BUILDKITE_BRANCH',
  'GIT_BRANCH',
];
const GIT_TIMEOUT_MS = 5000;

/** What was deployed: from flags, the environment, and git. */
export function deployFacts(context: Context, input: Input) {
  const { environment, directory } = context;
  const first = (names: readonly string[]) =>
    names.map((name) => variable(environment, name)).find((value) => value !== null) ?? null;
  return {
    version: input.text('version') ?? variable(environment, 'CULPRIT_RELEASE'),
    commit: input.text('commit') ?? first(COMMIT_VARIABLES) ?? git(directory, ['rev-parse', 'HEAD']),
    branch:
      input.text('branch') ?? first(BRANCH_VARIABLES) ?? git(directory, ['symbolic-ref', '--short', 'HEAD']),
    deployedAt: input.time('deployed-at') ?? new Date().toISOString(),
    isTimeNamed: input.has('deployed-at'),
  };
}

function git(directory: string, args: readonly string[]): string | null {
  try {
    const text = execFileSync('git', [...args], {
      cwd: directory,
      timeout: GIT_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    }).trim();
    return text === '' ? null : text;
  } catch {
    return null;
  }
}
