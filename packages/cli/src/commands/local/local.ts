import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { hintOf } from '@culprit/contract/schemas/hint';
import { readQuery } from '@culprit/contract/search/incident-query';
import { fitsQuery } from '@culprit/contract/search/query-match';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { frameText } from '../../bundle-text/frame-text.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { writeWhole } from '../../config/write-file.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printJson, printList, printRecord, say } from '../../output/print.ts';
import { visibleJson } from '../../output/visible-text.ts';
import { bundleForm, bundlePage, bundleSections } from '../bundle/bundle-page.ts';
import { incidentColumns } from '../incidents/columns.ts';
import { printReproduction } from '../reproduce/print-reproduction.ts';
import { localBundle, localIncident, readLocal, rememberLocalList, reportSkipped } from './local-files.ts';

export const list: Run = async (context, input) => {
  const read = readLocal(context, input);
  const matching = read.local.incidents.filter((each) => isListed(each, input));
  const items = matching.slice(0, input.number('limit') ?? matching.length);
  rememberLocalList(
    context,
    read,
    items.map(({ incident_id }) => incident_id),
  );
  printList(context, {
    items,
    key: 'incidents',
    body: { incidents: items, skipped: read.skipped },
    columns: incidentColumns(context.terminal, Date.now()),
    id: ({ incident_id }) => incident_id,
    empty: 'No incidents.',
  });
  if (context.globals.json) return EXIT.ok;
  const hidden = matching.length - items.length;
  if (hidden > 0) say(context, `${hidden} more are not shown. Use a larger --limit.`);
  reportSkipped(context, read.skipped);
  const { refusedByPolicy, invalid } = read.local.counts;
  if (refusedByPolicy > 0) {
    say(context, `${refusedByPolicy} events were filtered by the capture policy: --preset investigative.`);
  }
  if (invalid > 0) say(context, `${invalid} events are not valid; a server would refuse them.`);
  return EXIT.ok;
};

/** Returns true if the filters of `incidents list` include this incident (docs/contract/incidents.md 7). */
function isListed(incident: Incident, input: Input): boolean {
  const { severity, service_name, environment, regressed_at } = incident;
  const status = input.text('status') ?? 'active';
  const isActive = incident.status !== 'resolved';
  if (status === 'active' ? !isActive : status !== 'all' && status !== incident.status) return false;
  const isExactly = (name: string, value: string | null) => !input.has(name) || input.text(name) === value;
  const isSince = (name: string, times: readonly (string | null)[]) => {
    const since = input.time(name);
    return since === null || times.some((time) => time !== null && Date.parse(time) >= Date.parse(since));
  };
  const severityMin = input.choice('severity-min', SEVERITIES);
  const { terms, fault } = readQuery(input.text('search') ?? '');
  if (fault !== null) throw usageError(`--search ${fault.words}.`);
  return (
    isExactly('severity', severity) &&
    isExactly('service', service_name) &&
    isExactly('environment', environment) &&
    isSince('since', [incident.first_seen_at, regressed_at]) &&
    isSince('first-seen-since', [incident.first_seen_at]) &&
    (severityMin === null || SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(severityMin)) &&
    fitsQuery(incident, terms, Date.now())
  );
}

export const show: Run = async (context, input) => {
  const read = readLocal(context, input);
  reportSkipped(context, read.skipped);
  const incident = localIncident(read, input.first);
  const summary = read.local.bundle(incident.incident_id)?.summary ?? null;
  printRecord(context, {
    body: { incident },
    key: 'incident',
    id: incident.incident_id,
    rows: [
      ['Title', incident.title],
      ['Severity', incident.severity],
      ['Status', incident.status],
      ['Where', `${incident.service_name ?? '-'} / ${incident.environment}`],
      ['Occurrences', incident.occurrence_count],
      ['First seen', incident.first_seen_at],
      ['Last seen', incident.last_seen_at],
      ['Because', incident.incident_reason.description],
      ['Hint', summary === null ? null : hintOf(summary)?.sentence],
      ['Code', frameText(summary?.first_application_frame ?? null)],
      ['Id', incident.incident_id],
    ],
  });
  return EXIT.ok;
};

export const bundle: Run = async (context, input) => {
  const read = readLocal(context, input);
  reportSkipped(context, read.skipped);
  const incident = localIncident(read, input.first);
  const document = localBundle(read, incident);
  if (input.has('write')) {
    const path = join(
      dirname(read.directories[0] ?? context.directory),
      'bundles',
      `${incident.incident_id}.json`,
    );
    writeWhole(path, `${JSON.stringify(document, null, 2)}\n`);
    say(context, `Written to ${path}`);
    if (!context.globals.json) return EXIT.ok;
  }
  const form = bundleForm(context, input);
  const file = input.text('output');
  if (form === 'json') {
    if (file === null) printJson(context, document);
    else writeFileSync(file, `${visibleJson(document, 2)}\n`);
    return EXIT.ok;
  }
  const text = await bundlePage(context, input, {
    codeUrl: null,
    incident,
    bundle: document,
    form,
    sections: bundleSections(input),
    next: {
      reproduce: `culprit local reproduce ${input.first}`,
      resolve: `culprit local resolve ${input.first}`,
    },
  });
  if (file === null) context.terminal.out(text);
  else writeFileSync(file, text);
  return EXIT.ok;
};

/** The log lines that the bundle holds: local mode keeps no list of events. */
export const logs: Run = async (context, input) => {
  const read = readLocal(context, input);
  reportSkipped(context, read.skipped);
  const { context: evidence } = localBundle(read, localIncident(read, input.first));
  const level = input.text('level');
  const items = (evidence.logs?.items ?? []).filter((each) => level === null || each.level === level);
  printList(context, {
    items,
    key: 'logs',
    body: { logs: items },
    columns: [
      { title: 'TIME', cell: ({ timestamp }) => timestamp },
      { title: 'LEVEL', cell: (each) => each.level },
      { title: 'MESSAGE', cell: ({ message }) => message, isFlexible: true },
    ],
    id: ({ timestamp }) => timestamp,
    empty: 'No logs.',
  });
  return EXIT.ok;
};

export const reproduce: Run = async (context, input) => {
  const read = readLocal(context, input);
  reportSkipped(context, read.skipped);
  return printReproduction(context, input, localBundle(read, localIncident(read, input.first)).reproduction);
};
