import {
  createLink,
  deleteLink,
  type IncidentLink,
  listLinks,
  refreshLink,
  updateLink,
} from '@culprit/contract/incidents/incident-links';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { printRecord } from '../../output/print.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { SYNC_FLAGS } from './sync-flags.ts';

const listOfLinks = listCommand({
  endpoint: listLinks,
  project: 'none',
  argument: 'id',
  isWhole: true,
  key: 'links',
  id: 'link_id',
  columns: [
    ['STATE', 'state'],
    ['KEY', 'key'],
    ['ADDRESS', 'url', 'wide'],
    ['WHO', 'assignee_name'],
    ['ID', 'link_id'],
  ],
  empty: 'No tickets or links.',
});
export const links: Run = async (context, input) =>
  await listOfLinks(context, input.withArguments([await incidentIdOf(context, input.first)]));

export const ticket: Run = async (context, input) => {
  const id = await incidentIdOf(context, input.first);
  const [, key] = input.args;
  const [title, priority, labels] = [input.text('title'), input.text('priority'), input.list('label')];
  const api = await context.api();
  const body = {
    tracker_id: input.required('tracker'),
    ...(key === undefined ? {} : { key }),
    ...(title === null ? {} : { title }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(priority === null ? {} : { priority }),
  };
  return printLink(context, await api.call(createLink, { params: { id }, body }));
};

export const link: Run = async (context, input) => {
  const id = await incidentIdOf(context, input.first);
  const api = await context.api();
  const [title, refreshed, deleted] = [input.text('title'), input.text('refresh'), input.text('delete')];
  if (deleted !== null) {
    return printLink(context, await api.call(deleteLink, { params: { id, linkId: deleted } }));
  }
  if (refreshed !== null) {
    return printLink(context, await api.call(refreshLink, { params: { id, linkId: refreshed } }));
  }
  const [, url] = input.args;
  if (url === undefined) throw usageError('Which address?', 'culprit incidents link @1 https://…');
  const body = { url, ...(title === null ? {} : { title }) };
  return printLink(context, await api.call(createLink, { params: { id }, body }));
};

const syncOfLink = recordCommand({
  endpoint: updateLink,
  project: 'none',
  ...{ argument: 'id', secondArgument: 'linkId', key: 'link', id: 'link_id' },
  flags: SYNC_FLAGS,
  needsChange: true,
});
export const sync: Run = async (context, input) =>
  await syncOfLink(
    context,
    input.withArguments([await incidentIdOf(context, input.first), ...input.args.slice(1)]),
  );

function printLink(context: Context, answer: { link: IncidentLink }) {
  const { link: shown } = answer;
  printRecord(context, {
    body: answer,
    key: 'link',
    id: shown.link_id,
    rows: [
      ['Ticket', shown.key],
      ['State', shown.state],
      ['Address', shown.url],
      ['Title', shown.title],
      ['Problem', shown.last_error],
      ['Id', shown.link_id],
    ],
  });
  return EXIT.ok;
}
