import { readFileSync } from 'node:fs';
import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import {
  applyOwnership,
  getOwnership,
  previewOwnership,
  saveOwnership,
} from '@culprit/contract/workspace/ownership';
import { OWNERSHIP_BYTES_MAX } from '@culprit/contract/workspace/ownership-limits';
import { notFoundError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readStandardInput } from '../../output/ask.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { recordCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';

export const show: Run = async (context) => {
  const api = await context.api();
  const { ownership } = await api.call(getOwnership, { params: { id: await projectId(context) } });
  if (context.globals.json) printJson(context, { ownership });
  else
    printLines(context, ownership.text === '' ? [] : ownership.text.trimEnd().split('\n').map(visibleLine));
  for (const { number, problem } of ownership.lines)
    if (problem !== null) say(context, `Line ${number}: ${visibleLine(problem)}`);
  return EXIT.ok;
};

const saveText = recordCommand({
  endpoint: saveOwnership,
  project: 'params.id',
  key: 'ownership',
  body: async (context, input) => {
    const text = await textOf(input.first);
    const api = await context.api();
    const { ownership } = await api.call(getOwnership, { params: { id: await projectId(context) } });
    return { text, version: ownership.version };
  },
});
export const set: Run = saveText;

export const preview: Run = async (context, input) => {
  const text = await textOf(input.first);
  const days = input.text('days');
  const api = await context.api();
  const body = { text, ...(days === null ? {} : { days: Number(days) }) };
  const answer = await api.call(previewOwnership, { params: { id: await projectId(context) }, body });
  if (context.globals.json) {
    printJson(context, answer);
    return EXIT.ok;
  }
  const { incidents, owned, by_owner: owners, changed, never_matching: dead } = answer.preview;
  printLines(context, [
    `${incidents} incidents, ${owned} with an owner`,
    ...owners.map(({ owner, incidents: count }) => `  ${visibleLine(owner)}: ${count}`),
    ...(dead.length === 0 ? [] : [`Lines that match no incident: ${dead.join(', ')}`]),
    ...changed.map(
      ({ incident_id: id, title, from, to }) =>
        `${id}  ${visibleLine(from ?? 'no one')} -> ${visibleLine(to ?? 'no one')}  ${visibleLine(title)}`,
    ),
  ]);
  return EXIT.ok;
};

export const apply = recordCommand({ endpoint: applyOwnership, project: 'params.id' });

/** The text of a file, or of standard input. */
async function textOf(file: string): Promise<string> {
  let text: string;
  try {
    text = file === '-' ? await readStandardInput(OWNERSHIP_BYTES_MAX + 1) : readFileSync(file, 'utf8');
  } catch {
    throw notFoundError(`${file} cannot be read.`, 'name a file, or - for standard input');
  }
  const { fault } = readOwnership(text);
  if (fault !== null) throw usageError(`Line ${fault.line}: ${fault.words}.`);
  return text;
}
