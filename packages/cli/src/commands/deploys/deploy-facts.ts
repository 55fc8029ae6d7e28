import { variable } from '../../config/folders.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { git } from '../git.ts';

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

/** Returns the facts of a deploy: from flags, the environment, and git. */
export function deployFacts(context: Context, input: Input) {
  const { environment, directory } = context;
  return {
    version: input.text('version') ?? variable(environment, 'CULPRIT_RELEASE'),
    commit: input.text('commit') ?? first(context, COMMIT_VARIABLES) ?? git(directory, ['rev-parse', 'HEAD']),
    branch: input.text('branch') ?? currentBranch(context),
    deployedAt: input.time('deployed-at') ?? new Date().toISOString(),
    isTimeNamed: input.has('deployed-at'),
  };
}

/** The branch that is built. CI systems check out a commit, and name its branch in a variable. */
export function currentBranch(context: Context): string | null {
  return first(context, BRANCH_VARIABLES) ?? git(context.directory, ['symbolic-ref', '--short', 'HEAD']);
}

function first({ environment }: Context, names: readonly string[]): string | null {
  return names.map((name) => variable(environment, name)).find((value) => value !== null) ?? null;
}
