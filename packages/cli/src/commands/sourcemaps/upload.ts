import { rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listMapUploads, type MapUploadFile } from '@culprit/contract/releases/map-uploads';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { startLiveLine } from '../../output/live-line.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { projectId } from '../../references/project-reference.ts';
import { injectFolders, type Pair } from '../../source-maps/inject-folder.ts';
import { copiesOf } from '../../source-maps/packed-files.ts';
import { type PreparedFile, prepareFiles, type RefusedFile } from '../../source-maps/prepare-files.ts';
import type { SourceRoot } from '../../source-maps/source-texts.ts';
import { uploadFiles } from '../../source-maps/upload-files.ts';
import { nothingWords, releaseOf, skippedLines } from './build-flags.ts';

const KEPT: readonly (string | null)[] = ['ready', 'unchanged', 'replaced'];
/** One part over a slow line. */
const CALL_TIMEOUT_MS = 300_000;

export const run: Run = async (context, input) => {
  const isDryRun = input.has('dry-run');
  const release = releaseOf(context, input);
  const sourceRoot = sourceRootOf(context, input);
  const target = isDryRun ? null : await openTarget(context);
  const folder = injectFolders({
    roots: input.args,
    directory: context.directory,
    release,
    injects: !input.has('no-inject'),
    takesComments: input.has('delete-maps'),
    isDryRun,
    signal: context.interrupted,
  });
  const prepared = prepareFiles(folder, { release, sourceRoot });
  const outcome: Outcome = {
    release,
    uploads: [],
    files: prepared.refused,
    skipped: prepared.skipped,
    injected: folder.pairs.filter(({ isChanged }) => isChanged).length,
    deleted: [],
    warnings: folder.warnings,
  };
  if (target === null) {
    for (const { path, debug_id } of prepared.files) outcome.files.push(plannedFile(path, debug_id));
  } else if (!context.interrupted.aborted) {
    await send(context, prepared.files, { ...target, release, sourceRoot }, outcome);
    if (input.has('delete-maps')) outcome.deleted = deleteMaps(prepared.files, folder.pairs, outcome.files);
  }
  print(context, input, outcome, folder.texts);
  return exitOf(context, input, outcome);
};

interface Outcome {
  release: string | null;
  uploads: string[];
  files: (MapUploadFile | RefusedFile)[];
  skipped: { path: string; why: string }[];
  injected: number;
  deleted: string[];
  warnings: string[];
}

async function send(
  context: Context,
  files: readonly PreparedFile[],
  target: {
    api: Awaited<ReturnType<Context['api']>>;
    projectId: string;
    release: string | null;
    sourceRoot: SourceRoot;
  },
  outcome: Outcome,
): Promise<void> {
  const line = startLiveLine(context);
  let sentBytes = 0;
  const onSent = (bytes: number) => {
    sentBytes += bytes;
    line.tell(() => `${Math.round(sentBytes / 1_048_576)} MiB sent`);
  };
  try {
    await uploadFiles(files, { ...target, signal: context.interrupted, onSent }, (upload) => {
      outcome.uploads.push(upload.upload_id);
      for (const file of upload.files) {
        if (file.verdict === 'skipped')
          outcome.skipped.push({ path: file.path, why: file.words ?? 'it cannot be used' });
        else outcome.files.push(file);
      }
    });
  } finally {
    line.end();
  }
}

/** Deletes maps whose every script is kept by the server, with their compressed copies. */
function deleteMaps(
  files: readonly PreparedFile[],
  pairs: readonly Pair[],
  verdicts: Outcome['files'],
): string[] {
  const kept = new Set(verdicts.filter(({ verdict }) => KEPT.includes(verdict)).map(({ path }) => path));
  const deleted: string[] = [];
  for (const { path, pair } of files) {
    const { mapFile } = pair;
    if (mapFile === null || !kept.has(path)) continue;
    const isNeeded = pairs.some((other) => other.mapFile === mapFile && !kept.has(other.path));
    if (isNeeded || deleted.includes(mapFile)) continue;
    for (const each of [mapFile, ...copiesOf(mapFile)]) rmSync(each, { force: true });
    deleted.push(mapFile);
  }
  return deleted;
}

function print(context: Context, input: Input, outcome: Outcome, texts: readonly string[]): void {
  const { files, skipped, warnings, deleted } = outcome;
  if (context.globals.json) {
    printJson(context, outcome);
    return;
  }
  if (context.globals.quiet) {
    printLines(context, outcome.uploads);
    return;
  }
  printLines(context, files.map(fileLine));
  for (const text of texts) say(context, visibleLine(`new hashes  ${text}`));
  for (const line of skippedLines(skipped)) say(context, line);
  for (const warning of warnings) say(context, visibleLine(`warning: ${warning}`));
  if (deleted.length > 0) say(context, `${deleted.length} ${deleted.length === 1 ? 'map' : 'maps'} deleted.`);
  const good = files.filter(({ verdict }) => KEPT.includes(verdict)).length;
  if (context.interrupted.aborted) say(context, 'Interrupted. The same command continues.');
  else if (files.length === 0) say(context, nothingWords(input.args));
  else if (input.has('dry-run')) say(context, 'Nothing was changed or sent.');
  else if (good > 0)
    say(
      context,
      'Next: deploy exactly these files. If a stack is not mapped: culprit sourcemaps check SCRIPT-URL',
    );
}

/** Such as `ready  assets/index.js  3e5754c3  → src/cart.ts:7:51 computeTotal`. */
function fileLine({ verdict, path, debug_id, probe, words }: MapUploadFile | RefusedFile): string {
  const place =
    probe === null ? '' : `  → ${probe.file}:${probe.line}:${probe.column} ${probe.function ?? ''}`;
  const id = debug_id === null ? '' : `  ${debug_id.slice(0, 8)}`;
  const text = verdict === 'refused' ? (words ?? path) : `${path}${id}${place}`;
  return visibleLine(`${(verdict ?? 'would be sent').padEnd(9)}  ${text}`).trimEnd();
}

function exitOf({ interrupted }: Context, input: Input, { files }: Outcome): ExitCode {
  if (interrupted.aborted) return EXIT.interrupted;
  const good = files.filter(
    ({ verdict }) => KEPT.includes(verdict) || (input.has('dry-run') && verdict === null),
  );
  if (good.length === 0) return EXIT.negative;
  return good.length === files.length ? EXIT.ok : EXIT.partial;
}

function plannedFile(path: string, debug_id: string | null): MapUploadFile {
  return {
    path,
    debug_id,
    verdict: null,
    problem: null,
    words: null,
    source_map_id: null,
    probe: null,
    fit: null,
  };
}

/** Asks the server before any file is changed: an upload that cannot start leaves the build unchanged. */
async function openTarget(context: Context) {
  const api = await patientApi(context);
  const id = await projectId(context);
  await api.call(listMapUploads, { params: { id }, query: { limit: 1 } });
  return { api, projectId: id };
}

/** `--timeout` does not bound the whole: each call has time for a part over a slow line. */
async function patientApi(context: Context): Promise<Awaited<ReturnType<Context['api']>>> {
  const { memberApi } = await import('../../api/open-api.ts');
  const timeoutMs = Math.max(context.globals.timeoutMs, CALL_TIMEOUT_MS);
  return memberApi(
    { ...context, globals: { ...context.globals, timeoutMs } },
    context.settings(),
    await context.credential(),
  );
}

/** Returns the place from which texts of sources are read: the flag, the git root, or the working directory. */
function sourceRootOf({ directory }: Context, input: Input): SourceRoot {
  const named = input.text('source-root');
  if (input.has('no-sources')) {
    if (named !== null) throw usageError('--source-root and --no-sources cannot be combined.');
    return null;
  }
  if (named !== null) {
    const root = resolve(directory, named);
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw usageError(`${named} is not a folder.`);
    return root;
  }
  for (let at = directory; ; at = dirname(at)) {
    if (statSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at;
    if (dirname(at) === at) return directory;
  }
}
