import { explanationParts, slotSentence } from '@culprit/contract/incidents/grouping-words';
import {
  getIncidentGrouping,
  type IncidentGrouping,
  mergeIncidents,
  splitIncident,
} from '@culprit/contract/incidents/incident-grouping';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { confirm } from '../../output/ask.ts';
import { printJson, printRecord, say } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';

/** Which events an incident takes, and how that is corrected by hand. */

export const grouping: Run = async (context, input) => {
  const id = await incidentIdOf(context, input.first);
  printGrouping(context, await (await context.api()).call(getIncidentGrouping, { params: { id } }));
  return EXIT.ok;
};

export const merge: Run = async (context, input) => {
  const ids = await idsOf(context, input.args);
  if (ids.length < 2) throw usageError('Name at least two incidents to merge.');
  if (isOnlyShown(context, input, '/v1/incidents/merge', { incident_ids: ids })) return EXIT.ok;
  await confirm(
    context,
    `Merge ${ids.length} incidents? The oldest one takes the events of all.`,
    'Merging needs a confirmation.',
  );
  printGrouping(context, await (await context.api()).call(mergeIncidents, { body: { incident_ids: ids } }));
  return EXIT.ok;
};

export const split: Run = async (context, input) => {
  const [id = '', ...members] = await idsOf(context, input.args);
  const slots = input.list('slot');
  if (members.length + slots.length === 0) throw usageError('Which member? Or use --slot.');
  const asked = {
    ...(members.length === 0 ? {} : { incident_ids: members }),
    ...(slots.length === 0 ? {} : { slot_ids: slots }),
  };
  if (isOnlyShown(context, input, `/v1/incidents/${id}/split`, asked)) return EXIT.ok;
  const body = await (await context.api()).call(splitIncident, { params: { id }, body: asked });
  printGrouping(context, body);
  const sentences = [
    ...(slots.length === 0 ? [] : [`Closed ${slots.length === 1 ? 'the slot' : 'the slots'} permanently.`]),
    ...(members.length === 0
      ? []
      : [
          `${members.length === 1 ? 'One incident takes its' : 'These incidents take their'} own events again.`,
        ]),
  ];
  say(context, sentences.join(' '));
  return EXIT.ok;
};

async function idsOf(context: Context, references: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const reference of references) ids.push(await incidentIdOf(context, reference));
  return [...new Set(ids)];
}

function isOnlyShown(context: Context, input: Input, path: string, body: object): boolean {
  if (!input.has('dry-run')) return false;
  printJson(context, { method: 'POST', path, body });
  return true;
}

function printGrouping(context: Context, body: { grouping: IncidentGrouping }): void {
  const { incident_id, merged_into, members, keys, slots } = body.grouping;
  printRecord(context, {
    body,
    key: 'grouping',
    id: incident_id,
    rows: [
      ['Incident', incident_id],
      ['Merged into', merged_into],
      ['Members', members.join(', ')],
      ...explanationParts(body.grouping).map(({ label, text }): [string, string] => [label, text]),
      ...slots.map((slot): [string, string] => ['Slot', `${slot.slot_id} ${slotSentence(slot)}`]),
      ...keys.map((each): [string, string] => [
        'Key',
        `${each.fingerprint_version} ${each.fingerprint.slice(0, 16)}… ${each.origin}`,
      ]),
    ],
  });
}
