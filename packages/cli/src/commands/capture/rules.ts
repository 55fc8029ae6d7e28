import { readFileSync } from 'node:fs';
import {
  createCaptureRule,
  createSuggestedCaptureRule,
  deleteCaptureRule,
  listCaptureRules,
  suggestCaptureRules,
  updateCaptureRule,
} from '@culprit/contract/capture/capture-rules';
import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { isObject, type JsonObject } from '../../config/json-file.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { readStandardInput } from '../../output/ask.ts';
import { printList } from '../../output/print.ts';
import { fieldsOf, setField } from '../../records/fields.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { projectId } from '../../references/project-reference.ts';
import { changedDropQuestion, dropQuestion, suggestedDropQuestion } from './drop-question.ts';
import { APPLY_FIELDS, RULE_FIELDS } from './flags.ts';

const RECORD = { project: 'params.id', key: 'rule', id: 'id' } as const;
const EXPIRES_MS = 30 * 86_400_000;

export const list = listCommand({
  endpoint: listCaptureRules,
  project: 'params.id',
  key: 'capture_rules',
  id: 'id',
  columns: [
    ['NAME', 'name', 'wide'],
    ['ACTION', 'action'],
    ['ON', ({ enabled }) => (enabled === true ? 'yes' : 'no')],
    ['HITS', 'hit_count'],
    ['ENDS', 'expires_at'],
    ['ID', 'id'],
  ],
  empty: 'No filters.',
});

export const create = recordCommand({
  ...RECORD,
  endpoint: createCaptureRule,
  flags: RULE_FIELDS,
  async body(_, input) {
    for (const name of ['name', 'action']) input.required(name);
    return { ...(await matcherOf(input)), ...(input.has('disabled') ? { enabled: false } : {}) };
  },
  question: async (context, _, body) => await dropQuestion(context, await projectId(context), body),
});

export const update = recordCommand({
  ...RECORD,
  endpoint: updateCaptureRule,
  argument: 'ruleId',
  flags: RULE_FIELDS,
  body: (_, input) => matcherOf(input),
  question: async (context, input, body) =>
    await changedDropQuestion(context, await projectId(context), input.first, body),
});

export const enable = recordCommand({
  ...RECORD,
  endpoint: updateCaptureRule,
  argument: 'ruleId',
  body: () => ({ enabled: true }),
  question: async (context, input, body) =>
    await changedDropQuestion(context, await projectId(context), input.first, body),
});

export const disable = recordCommand({
  ...RECORD,
  endpoint: updateCaptureRule,
  argument: 'ruleId',
  body: () => ({ enabled: false }),
});

export const remove = recordCommand({
  endpoint: deleteCaptureRule,
  project: 'params.id',
  argument: 'ruleId',
  question: (_, input) => `Delete the filter ${input.first}? Events that it matched count again.`,
  done: () => 'The rule is deleted.',
});

export const suggest: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const body = await api.call(suggestCaptureRules, { params: { id } });
  printList(context, {
    items: body.suggestions,
    key: 'suggestions',
    body,
    columns: [
      { title: 'SUGGESTION', cell: ({ suggestion_id }) => suggestion_id },
      { title: 'ACTION', cell: ({ recommended_action }) => recommended_action },
      { title: 'CONFIDENCE', cell: ({ confidence }) => confidence },
      { title: 'WHY', cell: ({ label, reason }) => `${label}: ${reason}`, isFlexible: true },
    ],
    id: ({ suggestion_id }) => suggestion_id,
    empty: 'No suggestions for this incident.',
  });
  return EXIT.ok;
};

const applyOne = recordCommand({
  endpoint: createSuggestedCaptureRule,
  project: 'none',
  argument: 'id',
  key: 'rule',
  id: 'id',
  flags: APPLY_FIELDS,
  body: (_, input) => ({
    suggestion_id: input.args[1],
    ...(input.has('expires') || !hides(input.args[1] ?? '')
      ? {}
      : { expires_at: new Date(Date.now() + EXPIRES_MS).toISOString() }),
  }),
  question: (context, input) =>
    suggestedDropQuestion(context, input.first, input.args[1] ?? '', input.has('disabled')),
});
export const apply: Run = async (context, input) => {
  const id = await incidentIdOf(context, input.first);
  return await applyOne(context, input.withArguments([id, ...input.args.slice(1)]));
};

/** Returns true if the action at the end of a suggestion's id hides events. */
function hides(suggestionId: string): boolean {
  return suggestionId.includes('drop') || suggestionId.includes('sample');
}

/** A matcher from a file, or from the simple flags. */
export async function matcherOf(input: Input): Promise<JsonObject> {
  const simple: JsonObject = fieldsOf(
    input,
    RULE_FIELDS.filter(({ field }) => field.startsWith('matcher.')),
  );
  const fingerprint = input.text('match-fingerprint');
  if (fingerprint !== null) {
    setField(simple, 'matcher.fingerprint', { version: FINGERPRINT_VERSION, value: fingerprint });
  }
  const statuses = input.list('match-status').map(Number);
  if (statuses.length > 0) setField(simple, 'matcher.status_codes', statuses);
  const file = input.text('matcher');
  if (file === null) return simple;
  if (simple.matcher !== undefined)
    throw usageError('--matcher and the other matching flags cannot be combined.');
  let matcher: unknown;
  try {
    matcher = JSON.parse(file === '-' ? await readStandardInput() : readFileSync(file, 'utf8'));
  } catch {
    throw usageError(`${file} is not JSON.`);
  }
  if (!isObject(matcher)) throw usageError(`${file} is not a matcher.`);
  return { matcher };
}
