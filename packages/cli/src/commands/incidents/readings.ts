import { getIncidentActivity } from '@culprit/contract/incidents/incident-activity';
import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import { listSimilarIncidents } from '@culprit/contract/incidents/incident-similar';
import { getIncidentOccurrences, getProjectOccurrences } from '@culprit/contract/incidents/occurrences';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { gather } from '../../lists/gather.ts';
import { barsOf } from '../../output/bars.ts';
import { printJson, printLines, printList } from '../../output/print.ts';
import { shownTime } from '../../output/shown-time.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { projectId } from '../../references/project-reference.ts';

export const history: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const { items, nextCursor, body, exit } = await gather(
    context,
    input,
    async (query) => {
      const page = await api.call(getIncidentHistory, { params: { id }, query });
      return { items: page.history, nextCursor: page.next_cursor, body: page };
    },
    (each) => each.id,
  );
  printList(context, {
    items,
    key: 'history',
    body,
    nextCursor,
    columns: [
      { title: 'TIME', cell: ({ occurred_at }) => occurred_at },
      { title: 'WHAT', cell: ({ kind }) => kind },
      {
        title: 'BY',
        cell: ({ actor }) => (actor === null ? null : Object.values(actor).join(' ')),
        isFlexible: true,
      },
    ],
    id: (each) => each.id,
    empty: 'No activity.',
  });
  return exit;
};

export const occurrences: Run = async (context, input) => {
  const api = await context.api();
  const [reference] = input.args;
  const from = input.time('from');
  const to = input.time('to');
  const query = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  const body =
    reference === undefined
      ? await api.call(getProjectOccurrences, { params: { id: await projectId(context) }, query })
      : await api.call(getIncidentOccurrences, {
          params: { id: await incidentIdOf(context, reference) },
          query,
        });
  if (context.globals.json) {
    printJson(context, body);
    return EXIT.ok;
  }
  const time = (text: string) => shownTime(text, context.globals.localTime);
  const total = body.counts.reduce((sum, count) => sum + count, 0);
  printLines(context, [
    barsOf(body.counts),
    `${total} from ${time(body.from)} to ${time(body.to)}, ${body.bucket_seconds} s a character`,
    ...body.markers.map(({ at, kind, label }) => `${time(at)}  ${kind}${label === null ? '' : `  ${label}`}`),
  ]);
  return EXIT.ok;
};

export const activity: Run = async (context, input) => {
  const api = await context.api();
  const ids: string[] = [];
  for (const reference of input.args) ids.push(await incidentIdOf(context, reference));
  const window = input.choice('window', getIncidentActivity.query.properties.window.enum);
  const body = await api.call(getIncidentActivity, {
    query: { incident_ids: ids.join(','), ...(window === null ? {} : { window }) },
  });
  printList(context, {
    items: body.activity,
    key: 'activity',
    body,
    columns: [
      { title: 'TREND', cell: ({ counts }) => barsOf(counts) },
      { title: 'USERS', cell: ({ affected_users }) => affected_users, isNumber: true },
      {
        title: 'PLACE',
        cell: ({ top_frame }) => (top_frame === null ? null : Object.values(top_frame).join(' ')),
        isFlexible: true,
      },
      { title: 'ID', cell: ({ incident_id }) => incident_id.slice(-8) },
    ],
    id: ({ incident_id }) => incident_id,
    empty: 'No activity.',
  });
  return EXIT.ok;
};

export const similar: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const body = await api.call(listSimilarIncidents, { params: { id } });
  printList(context, {
    items: body.similar,
    key: 'similar',
    body,
    columns: [
      { title: 'SCORE', cell: ({ score }) => score.toFixed(2), isNumber: true },
      { title: 'STATUS', cell: ({ incident }) => incident.status },
      { title: 'TITLE', cell: ({ incident }) => incident.title, isFlexible: true },
      { title: 'WHY', cell: ({ reasons }) => reasons.join(', ') },
      { title: 'ID', cell: ({ incident }) => incident.short_id ?? incident.incident_id.slice(-8) },
    ],
    id: ({ incident }) => incident.incident_id,
    empty: 'No similar incidents in this project.',
  });
  return EXIT.ok;
};
