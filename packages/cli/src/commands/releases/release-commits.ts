import { RELEASE_COMMITS_MAX } from '@culprit/contract/releases/release-limits';
import { listReleases, type Release } from '@culprit/contract/releases/releases';
import type { Api } from '../../api/api.ts';
import { usageError } from '../../cli-error.ts';
import type { JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import type { Input } from '../../input.ts';
import { say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { projectId } from '../../references/project-reference.ts';
import { currentBranch } from '../deploys/deploy-facts.ts';
import { git } from '../git.ts';

/** Commits of a release before which none is known. */
const FIRST_COMMITS_MAX = 20;
/** Releases whose commits are looked for in this repository. */
const COMPARED_MAX = 100;
const NAME_CHARS_MAX = 200;
const MESSAGE_CHARS_MAX = 500;
const COMMIT = /^[0-9a-f]{7,64}$/i;
/** An address as trailers of messages have it, such as `Signed-off-by: Ada <ada@example.com>`. */
const ADDRESS = / ?<[^<>\s@]{1,100}@[^<>\s]{1,200}>/g;
/** Hash, author's name, time and message, without any address. */
const FORMAT = '--format=%H%x1f%an%x1f%cI%x1f%B';

/** The commits since the release before, and the commit and branch of this one, where `--commits auto` asks for them. */
export async function releaseCommits(context: Context, input: Input): Promise<JsonObject> {
  if (!input.has('commits')) return {};
  const { directory } = context;
  const head = git(directory, [
    'rev-parse',
    '--verify',
    '--end-of-options',
    `${input.text('commit') ?? 'HEAD'}^{commit}`,
  ]);
  if (head === null) {
    throw usageError(
      input.has('commit')
        ? '--commits auto: the commit of --commit is not in this clone.'
        : '--commits auto needs a git repository with a commit.',
      'run it in the clone that was built',
    );
  }
  const before = await releaseBefore(context, input.first, head);
  const span =
    before === null
      ? [`--max-count=${FIRST_COMMITS_MAX}`, head]
      : [`--max-count=${RELEASE_COMMITS_MAX}`, `${before.commit}..${head}`];
  const log = git(directory, ['log', '-z', FORMAT, ...span]) ?? '';
  const commits = log
    .split('\0')
    .filter((line) => line !== '')
    .map(commitOf);
  say(
    context,
    before === null
      ? `No earlier release has a commit of this clone: its latest ${commits.length} commits.`
      : `${commits.length} commits since ${visibleLine(before.version)}.`,
  );
  const branch = input.has('branch') ? null : currentBranch(context);
  return {
    commits,
    ...(input.has('commit') ? {} : { commit_sha: head }),
    ...(branch === null ? {} : { branch: lineOf(branch, NAME_CHARS_MAX) }),
  };
}

/** The newest release whose commit led to this one. */
async function releaseBefore(
  context: Context,
  version: string,
  head: string,
): Promise<{ version: string; commit: string } | null> {
  const api = await context.api();
  for (const release of await latestReleases(api, await projectId(context))) {
    const { commit_sha: named } = release;
    if (release.version === version || named === null || !COMMIT.test(named)) continue;
    const commit = git(context.directory, ['rev-parse', '--verify', '--quiet', `${named}^{commit}`]);
    // Succeeds without a word where it is one.
    if (commit !== null && git(context.directory, ['merge-base', '--is-ancestor', commit, head]) !== null) {
      return { version: release.version, commit };
    }
  }
  return null;
}

async function latestReleases(api: Api, id: string): Promise<Release[]> {
  return (await api.call(listReleases, { params: { id }, query: { limit: COMPARED_MAX } })).releases;
}

function commitOf(line: string): JsonObject {
  const [sha = '', author = '', committedAt = '', ...message] = line.split('\u001f');
  const name = lineOf(author, NAME_CHARS_MAX);
  return {
    sha: sha.trim(),
    author_name: name === '' ? null : name,
    message: message.join('\u001f').replaceAll(ADDRESS, '').trim().slice(0, MESSAGE_CHARS_MAX),
    committed_at: committedAt,
  };
}

/** Text on one line, without what is no character of a line. */
function lineOf(text: string, charsMax: number): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, charsMax);
}
