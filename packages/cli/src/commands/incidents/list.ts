import type { Run } from '../../command.ts';
import { printList } from '../../output/print.ts';
import { listPlace } from '../../references/incident-reference.ts';
import { rememberList } from '../../state/last-list.ts';
import { openInBrowser } from '../open/open-in-browser.ts';
import { incidentColumns } from './columns.ts';
import { gatherIncidents } from './filter.ts';

export const run: Run = async (context, input) => {
  if (input.has('web')) return await openInBrowser(context, `${context.settings().origin}/incidents`);
  const { items, nextCursor, body, exit } = await gatherIncidents(context, input);
  rememberList(
    context.environment,
    listPlace(context),
    items.map(({ incident_id }) => incident_id),
  );
  printList(context, {
    items,
    key: 'incidents',
    body,
    nextCursor,
    columns: incidentColumns(context.terminal, Date.now()),
    id: ({ incident_id }) => incident_id,
    empty: 'No incidents.',
  });
  return exit;
};
