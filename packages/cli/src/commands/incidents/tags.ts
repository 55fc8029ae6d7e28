import {
  listIncidentTags,
  listIncidentTagValues,
  listProjectTags,
} from '@culprit/contract/incidents/incident-tags';
import { countIncidents } from '@culprit/contract/incidents/incidents';
import { readIncidentQuery } from '@culprit/contract/search/query-reading';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { gather } from '../../lists/gather.ts';
import { printJson, printLines, printList } from '../../output/print.ts';
import { incidentIdOf } from '../../references/incident-reference.ts';
import { chosenProjectId, projectId } from '../../references/project-reference.ts';
import { incidentQuery } from './filter.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

export const tags: Run = async (context, input) => {
  const api = await context.api();
  const id = await incidentIdOf(context, input.first);
  const key = input.text('key');
  if (key !== null) {
    const { items, nextCursor, body, exit } = await gather(
      context,
      input,
      async (query) => {
        const page = await api.call(listIncidentTagValues, { params: { id, key }, query });
        return { items: page.values, nextCursor: page.next_cursor, body: page };
      },
      ({ value }) => value,
    );
    printList(context, {
      items,
      key: 'values',
      body,
      nextCursor,
      columns: [
        { title: 'VALUE', cell: ({ value }) => value, isFlexible: true },
        { title: 'EVENTS', cell: ({ count }) => count, isNumber: true },
        { title: 'SHARE', cell: ({ share }) => percent(share), isNumber: true },
      ],
      id: ({ value }) => value,
      empty: 'No events have this tag.',
    });
    return exit;
  }
  const body = await api.call(listIncidentTags, { params: { id } });
  printList(context, {
    items: body.tags,
    key: 'tags',
    body,
    columns: [
      { title: 'TAG', cell: ({ key: name }) => name },
      { title: 'VALUES', cell: ({ distinct }) => distinct, isNumber: true },
      { title: 'MOST', cell: ({ top }) => top[0]?.value ?? null, isFlexible: true },
      { title: 'SHARE', cell: ({ top }) => percent(top[0]?.share ?? 0), isNumber: true },
      {
        title: 'USUAL',
        cell: ({ top }) => {
          const lift = top[0]?.lift ?? null;
          return lift === null ? null : `${lift.toFixed(1)} times`;
        },
        isNumber: true,
      },
    ],
    id: ({ key: name }) => name,
    empty: 'Its events have no tags.',
  });
  return EXIT.ok;
};

export const projectTags: Run = async (context, input) => {
  const api = await context.api();
  const prefix = input.text('prefix');
  const body = await api.call(listProjectTags, {
    params: { id: await projectId(context) },
    query: prefix === null ? {} : { prefix },
  });
  printList(context, {
    items: body.tags,
    key: 'tags',
    body,
    columns: [
      { title: 'TAG', cell: ({ key }) => key },
      { title: 'EVENTS', cell: ({ events_7d }) => events_7d, isNumber: true },
      { title: 'VALUES', cell: ({ values }) => values.join(', '), isFlexible: true },
    ],
    id: ({ key }) => key,
    empty: 'No events of the last 7 days have tags.',
  });
  return EXIT.ok;
};

export const count: Run = async (context, input) => {
  const api = await context.api();
  const body = await api.call(countIncidents, { query: await incidentQuery(context, input) });
  if (context.globals.json) printJson(context, body);
  else printLines(context, [body.is_exact ? String(body.count) : `more than ${body.count}`]);
  return EXIT.ok;
};

export const explain: Run = async (context, input) => {
  const api = await context.api();
  const project = await chosenProjectId(context, { isOptional: true });
  const q = input.args.join(' ');
  const body = await api.call(readIncidentQuery, {
    query: { ...(project === null ? {} : { project_id: project }), ...(q === '' ? {} : { q }) },
  });
  if (context.globals.json) {
    printJson(context, body);
    return EXIT.ok;
  }
  printLines(context, [
    ...body.terms.map(
      ({ text, key, is_negated: isNegated }) =>
        `${text}  ${isNegated ? 'not ' : ''}${key === null ? 'text' : `filter ${key}`}`,
    ),
    ...(body.problem === null ? [] : [body.problem]),
    ...(body.suggestions.length === 0 ? [] : ['Suggestions:']),
    ...body.suggestions.map(({ text, hint }) => `  ${text}  ${hint}`),
  ]);
  return EXIT.ok;
};
