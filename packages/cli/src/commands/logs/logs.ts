import { getIncidentEvent } from '@culprit/contract/incidents/incident-events';
import { type LogRow, listIncidentLogs } from '@culprit/contract/incidents/logs';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { gather } from '../../lists/gather.ts';
import { printList, printRecord } from '../../output/print.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';

export const run: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const eventId = input.text('event');
  if (eventId !== null) {
    const body = await api.call(getIncidentEvent, { params: { id, eventId } });
    printRecord(context, { body, key: 'event', rows: rowsOf({ ...body.event }), id: body.event.event_id });
    return EXIT.ok;
  }
  const level = input.choice('level', listIncidentLogs.query.properties.level.enum);
  const { items, nextCursor, body, exit } = await gather<LogRow>(
    context,
    input,
    async (page) => {
      const query = { ...page, ...(level === null ? {} : { level }) };
      const answer = await api.call(listIncidentLogs, { params: { id }, query });
      return { items: answer.logs, nextCursor: answer.next_cursor, body: answer };
    },
    ({ event_id }) => event_id,
  );
  printList(context, {
    items,
    key: 'logs',
    body,
    nextCursor,
    columns: [
      { title: 'TIME', cell: ({ occurred_at }) => occurred_at },
      { title: 'LEVEL', cell: ({ level: of }) => of },
      { title: 'TYPE', cell: ({ event_type }) => event_type },
      { title: 'KEPT', cell: ({ is_sampled }) => (is_sampled ? 'yes' : 'no') },
      { title: 'EVENT', cell: ({ event_id }) => event_id },
      { title: 'SUMMARY', cell: ({ summary }) => summary, isFlexible: true },
    ],
    id: ({ event_id }) => event_id,
    empty: 'No events.',
  });
  return exit;
};
