import { listSourceMaps, type SourceMapRecord } from '@culprit/contract/releases/source-maps';
import { codeHash, readGenerated } from '@culprit/source-maps/generated-file';
import { NoAnswer, sendHttp } from '../../api/http-send.ts';
import { transportError } from '../../api/transport-words.ts';
import { CliError } from '../../cli-error.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { projectId } from '../../references/project-reference.ts';
import { VERSION } from '../../version.ts';
import { type Finding, ok, warning, wrong } from '../doctor/finding.ts';
import { printFindings } from './findings.ts';

const SCRIPT_BYTES_MAX = 33_554_432;
const REDIRECTS_MAX = 5;
const NAMED_ALIKE_MAX = 100;

/** Compares a deployed script with the file that was uploaded with its debug id, or under its name. */
export async function checkScript(context: Context, address: string): Promise<ExitCode> {
  const api = await context.api();
  const id = await projectId(context);
  const generated = readGenerated(Buffer.from(await fetchScript(context, address)));
  const hash = codeHash(generated.text);
  const debugId = generated.debugId ?? generated.registeredIds[0] ?? null;
  const records = async (query: { debug_id: string } | { path: string }) =>
    (await api.call(listSourceMaps, { params: { id }, query: { ...query, limit: NAMED_ALIKE_MAX } }))
      .source_maps;
  if (debugId !== null) {
    const findings = uploadedFindings(address, debugId, hash, await records({ debug_id: debugId }));
    if (!generated.registersId) {
      findings.push(
        warning(
          address,
          'it does not register its debug id, so browsers do not send it',
          'let the command line inject it: culprit sourcemaps upload DIR',
        ),
      );
    }
    return printFindings(context, findings);
  }
  const name = decodeURIComponent(new URL(address).pathname.split('/').at(-1) ?? '');
  const alike = (await records({ path: name })).filter(({ state }) => state === 'ready');
  const same = alike.find(({ code_sha256 }) => code_sha256 === hash);
  return printFindings(context, [
    same !== undefined
      ? ok(address, `it has no debug id, and is the uploaded ${same.path} of ${releasesOf(same)}`)
      : wrong(
          address,
          alike.length === 0
            ? 'it has no debug id, and no file of its name was uploaded'
            : `it has no debug id and is not one of the ${alike.length} uploaded files of its name`,
          'culprit sourcemaps upload DIR, then deploy exactly these files',
        ),
  ]);
}

function uploadedFindings(
  address: string,
  debugId: string,
  hash: string,
  records: readonly SourceMapRecord[],
): Finding[] {
  const ready = records.find(({ state }) => state === 'ready');
  if (ready === undefined) {
    const [removed] = records;
    return [
      wrong(
        address,
        removed === undefined
          ? `nothing was uploaded for its debug id ${debugId}`
          : `its map was removed on ${removed.removed_at ?? ''} (${removed.removed_reason ?? ''})`,
        'culprit sourcemaps upload DIR for this build',
      ),
    ];
  }
  return [
    ready.code_sha256 === hash
      ? ok(address, `it is the uploaded ${ready.path}, with the debug id ${debugId}`)
      : wrong(
          address,
          `it is another version of the uploaded ${ready.path} with the debug id ${debugId}`,
          'deploy the files that were uploaded; a proxy or CDN may have changed this one',
        ),
  ];
}

function releasesOf({ releases }: SourceMapRecord): string {
  return releases.length === 0 ? 'no release' : `release ${releases[0] ?? ''}`;
}

/** Fetches without any credential; redirects lead to a CDN as often as not. */
async function fetchScript({ globals }: Context, address: string): Promise<string> {
  let url = address;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const answer = await sendHttp(url, {
      method: 'GET',
      headers: { 'user-agent': `culprit-cli/${VERSION}` },
      timeoutMs: globals.timeoutMs,
      answerBytesMax: SCRIPT_BYTES_MAX,
    }).catch((error: unknown) => {
      throw error instanceof NoAnswer
        ? transportError(error.code, error.message, new URL(url).origin)
        : error;
    });
    const location = answer.headers.get('location');
    if (answer.status >= 300 && answer.status < 400 && location !== null) {
      url = new URL(location, url).href;
      if (!/^https?:/.test(url)) break;
    } else if (answer.status === 200) {
      return await answer.text();
    } else {
      throw failure(`${url} answers ${answer.status}.`);
    }
  }
  throw failure(`${address} is redirected too often.`);
}

function failure(message: string): CliError {
  return new CliError(message, {
    exit: EXIT.unreachable,
    code: 'script_not_read',
    hint: 'is this the address of a script?',
  });
}
