import {
  BULK_IDS_MAX,
  type Incident,
  type ResolveRequest,
  reopenIncident,
  reopenIncidents,
  resolveIncident,
  resolveIncidents,
} from '@culprit/contract/incidents/incidents';
import type { Api } from '../../api/api.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { confirm, readStandardInput } from '../../output/ask.ts';
import { startLiveLine } from '../../output/live-line.ts';
import { keepFields, printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { gatherIncidents } from './filter.ts';

type Verb = 'resolve' | 'reopen';
const ENDPOINTS = {
  resolve: { many: resolveIncidents, done: 'Resolved' },
  reopen: { many: reopenIncidents, done: 'Reopened' },
} as const;
/** More than these are asked for. */
const WITHOUT_QUESTION_MAX = 20;
const NAMED_TITLES = 5;

export const resolve: Run = (context, input) => changeStatus(context, input, 'resolve');
export const reopen: Run = (context, input) => changeStatus(context, input, 'reopen');

async function changeStatus(context: Context, input: Input, verb: Verb): Promise<ExitCode> {
  const target = targetOf(input);
  const { ids, titles } = await chosen(context, input, verb);
  if (input.has('dry-run')) {
    printLines(context, ids);
    say(context, `${ids.length} incidents would be changed.`);
    return EXIT.ok;
  }
  if (ids.length > WITHOUT_QUESTION_MAX || input.has('matching')) {
    const some = titles.slice(0, NAMED_TITLES).map((title) => `\n  ${visibleLine(title)}`);
    if (context.terminal.isInteractive && some.length > 0) say(context, some.join('').slice(1));
    await confirm(
      context,
      `${verb === 'resolve' ? 'Resolve' : 'Reopen'} ${ids.length} incidents?`,
      `${ids.length} incidents are not changed without a confirmation.`,
    );
  }
  const api = await context.api();
  const changed: Incident[] = [];
  const failed: { incident_id: string; code: string }[] = [];
  const line = startLiveLine(context);
  try {
    for (let at = 0; at < ids.length && !context.interrupted.aborted; at += BULK_IDS_MAX) {
      line.tell((seconds) => {
        const left = Math.ceil(((ids.length - at) / at) * seconds);
        return `${at} of ${ids.length} incidents, ${Math.round(at / seconds)} a second, ${left} s left`;
      });
      await changeSome(api, { verb, target }, ids.slice(at, at + BULK_IDS_MAX), changed, failed);
    }
  } finally {
    line.end();
  }
  return report(context, verb, changed, failed);
}

/** The release in which they are resolved, as the request names it. */
function targetOf(input: Input): ResolveRequest {
  const version = input.text('in-release');
  const isNext = input.has('in-next-release');
  if (version !== null && isNext) throw usageError('--in-release and --in-next-release cannot be combined.');
  if (isNext) return { in: 'next_release' };
  return version === null ? {} : { in: 'release', version };
}

/**
 * Changes all in one request; if one of them is unknown, one by one, so that the others are changed and the bad ones
 * are named.
 */
async function changeSome(
  api: Api,
  { verb, target }: { verb: Verb; target: ResolveRequest },
  ids: string[],
  changed: Incident[],
  failed: { incident_id: string; code: string }[],
): Promise<void> {
  const { many } = ENDPOINTS[verb];
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    const { incident } =
      verb === 'resolve'
        ? await api.call(resolveIncident, { params: { id: only }, body: target })
        : await api.call(reopenIncident, { params: { id: only } });
    changed.push(incident);
    return;
  }
  const answer = await api.attempt(many, { body: { incident_ids: ids, ...target } });
  if (answer.ok) {
    changed.push(...answer.body.incidents);
    return;
  }
  if (answer.code !== 'incident_not_found') throw answer.failure;
  for (const id of ids) {
    const single =
      verb === 'resolve'
        ? await api.attempt(resolveIncident, { params: { id }, body: target })
        : await api.attempt(reopenIncident, { params: { id } });
    if (single.ok) changed.push(single.body.incident);
    else failed.push({ incident_id: id, code: single.code });
  }
}

function report(
  context: Context,
  verb: Verb,
  changed: readonly Incident[],
  failed: readonly { incident_id: string; code: string }[],
): ExitCode {
  const { globals } = context;
  if (globals.json) {
    printJson(context, { incidents: changed.map((each) => keepFields(each, globals.fields)), failed });
  } else if (globals.quiet) {
    printLines(
      context,
      changed.map(({ incident_id }) => incident_id),
    );
  } else {
    const { done } = ENDPOINTS[verb];
    printLines(
      context,
      changed.map(({ incident_id, title }) => `${done} ${incident_id}  ${visibleLine(title)}`),
    );
  }
  if (!globals.json) {
    for (const { incident_id, code } of failed) {
      context.terminal.err(`culprit: ${visibleLine(incident_id)} was not changed: ${code}\n`);
    }
  }
  if (failed.length === 0) return EXIT.ok;
  return changed.length === 0 ? EXIT.notFound : EXIT.partial;
}

async function chosen(
  context: Context,
  input: Input,
  verb: Verb,
): Promise<{ ids: string[]; titles: string[] }> {
  const references = [...input.args];
  if (input.has('matching')) {
    if (references.length > 0) throw usageError('--matching takes no references.');
    const { items } = await gatherIncidents(context, input.with({ all: true }));
    return { ids: items.map(({ incident_id }) => incident_id), titles: items.map(({ title }) => title) };
  }
  if (references.includes('-')) {
    const lines = (await readStandardInput()).split('\n').map((line) => line.trim());
    references.splice(references.indexOf('-'), 1, ...lines.filter((line) => line !== ''));
  }
  if (references.length === 0)
    throw usageError('Which incidents?', `culprit incidents ${verb} @1, or --matching`);
  const ids: string[] = [];
  for (const reference of references) ids.push(await incidentIdOf(context, reference));
  return { ids: [...new Set(ids)], titles: [] };
}
