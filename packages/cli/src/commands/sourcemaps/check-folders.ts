import { join } from 'node:path';
import { listSourceMaps, type SourceMapRecord } from '@culprit/contract/releases/source-maps';
import { registeredIds } from '@culprit/source-maps/generated-file';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { projectId } from '../../references/project-reference.ts';
import { type BuiltFile, findBuiltFiles } from '../../source-maps/built-files.ts';
import { injectFolders, NO_MAP, type Pair } from '../../source-maps/inject-folder.ts';
import { findMagicComments } from '../../source-maps/magic-comments.ts';
import { parseMap } from '../../source-maps/map-file.ts';
import { readBuilt } from '../../source-maps/packed-files.ts';
import { mapBytesOf, prepareFiles } from '../../source-maps/prepare-files.ts';
import { registersId } from '../../source-maps/registration.ts';
import { hasTexts } from '../../source-maps/source-texts.ts';
import { type Finding, ok, skipped, warning, wrong } from '../doctor/finding.ts';
import { nothingWords } from './build-flags.ts';
import { printFindings } from './findings.ts';

const UPLOAD = 'culprit sourcemaps upload';

/** Looks at the files of a build, and for each of their ids at the server; changes and sends nothing. */
export async function checkFolders(context: Context, input: Input): Promise<ExitCode> {
  const { directory } = context;
  const roots = input.args;
  const upload = `${UPLOAD} ${roots.join(' ')}`;
  const folder = injectFolders({
    roots,
    directory,
    release: null,
    injects: true,
    takesComments: false,
    isDryRun: true,
    signal: context.interrupted,
  });
  const { files, refused, skipped: passed } = prepareFiles(folder, { release: '-', sourceRoot: directory });
  const findings: Finding[] = [
    ...refused.map(({ path, words }) => wrong(path, words, 'build again')),
    ...folder.warnings.map((words) => warning('files', words, upload)),
  ];
  const api = await context.api();
  const id = await projectId(context);
  const recordOf = async (debug_id: string) => {
    const { source_maps } = await api.call(listSourceMaps, { params: { id }, query: { debug_id, limit: 1 } });
    return source_maps[0] ?? null;
  };
  for (const { path, pair } of files) {
    findings.push(...pairFindings(pair, upload));
    if (pair.id === null || pair.isChanged) continue;
    findings.push(recordFinding(path, pair.id, readBuilt(pair.file).length, await recordOf(pair.id), upload));
  }
  for (const script of scriptsWithoutMap(roots, directory, passed)) {
    const { path, file } = script;
    const text = readBuilt(file).toString('latin1');
    const debugId = findMagicComments(text).id?.value ?? registeredIds(text)[0] ?? null;
    if (debugId === null) findings.push(skipped(path, NO_MAP));
    else findings.push(recordFinding(path, debugId, text.length, await recordOf(debugId), upload));
  }
  if (findings.length === 0) findings.push(wrong('files', nothingWords(roots), null));
  return printFindings(context, findings);
}

/** Scripts whose maps are not there, such as those of a build whose maps were deleted after the upload. */
function scriptsWithoutMap(
  roots: readonly string[],
  directory: string,
  passed: readonly { path: string; why: string }[],
): BuiltFile[] {
  const paths = new Set(passed.filter(({ why }) => why === NO_MAP).map(({ path }) => path));
  return findBuiltFiles(roots, directory).scripts.filter(({ path }) => paths.has(path));
}

function pairFindings(pair: Pair, upload: string): Finding[] {
  const { path, file, id, mapFile } = pair;
  const findings: Finding[] = [];
  const text = readBuilt(file).toString('latin1');
  const comments = findMagicComments(text);
  if (comments.id === null) findings.push(wrong(path, 'it has no debug id', upload));
  else if (id !== null && !registersId(text, id)) {
    findings.push(wrong(path, 'it does not register its debug id, so browsers do not send it', upload));
  }
  const map = parseMap(mapBytesOf(pair, join(file, '..')).toString('utf8'))?.map;
  if (map !== undefined && !hasTexts(map)) {
    findings.push(
      warning(
        path,
        'its map does not include the sources',
        `let the build tool include them, or run ${UPLOAD} where they are`,
      ),
    );
  }
  if (mapFile === null || comments.map !== null) {
    findings.push(warning(path, 'it refers to a map that may be public', `${upload} --delete-maps`));
  }
  return findings;
}

function recordFinding(
  path: string,
  debugId: string,
  bytes: number,
  record: SourceMapRecord | null,
  upload: string,
): Finding {
  if (record === null) return wrong(path, `nothing was uploaded for its debug id ${debugId}`, upload);
  if (record.state === 'removed') {
    return wrong(
      path,
      `its map was removed on ${record.removed_at ?? ''} (${record.removed_reason ?? ''})`,
      upload,
    );
  }
  if (record.generated_bytes !== bytes) {
    return wrong(
      path,
      `another file was uploaded with its debug id: ${record.generated_bytes} bytes, here ${bytes}`,
      upload,
    );
  }
  const { probe } = record;
  const place =
    probe === null ? '' : `, → ${probe.file}:${probe.line}:${probe.column} ${probe.function ?? ''}`;
  return ok(path, `uploaded on ${record.created_at}${place}`.trimEnd());
}
