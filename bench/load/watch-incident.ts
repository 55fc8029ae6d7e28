import { setTimeout as delay } from 'node:timers/promises';
import { exceptionEvent } from './exception-event.ts';
import { getRequest, type HttpConnection, openConnection } from './http-connection.ts';
import { createLatencies, type LatencySummary } from './latencies.ts';
import { prepareRequest } from './request-bytes.ts';

/** Sends single new errors to an idle service and asks for them without pause. */
export interface IncidentWatch {
  host: string;
  port: number;
  projectToken: string;
  memberToken: string;
  /** New errors, one after the other. */
  rounds: number;
  pauseMs: number;
  /** Also waits for the first bundle of each. */
  untilBundle: boolean;
}

export interface WatchResult {
  /** From the first byte sent to the answer that shows the incident. */
  incident: LatencySummary;
  bundle: LatencySummary;
  accepted: number;
}

const VISIBLE_TIMEOUT_MS = 30_000;

export async function watchIncidents(watch: IncidentWatch): Promise<WatchResult> {
  const { host, port } = watch;
  const sender = await openConnection(host, port);
  const reader = await openConnection(host, port);
  const incident = createLatencies();
  const bundle = createLatencies();
  const run = letters(Date.now());
  try {
    for (let round = 0; round < watch.rounds; round += 1) {
      // In the message, and so in the title by which the incident is known.
      const mark = `Watched${run}${letters(round)}`;
      const text = exceptionEvent(1, 1500).replaceAll('Cannot read properties', mark);
      const request = prepareRequest({ host, port, token: watch.projectToken }, [text]);
      const begin = performance.now();
      const answer = await sender.exchange(request.bytes);
      if (answer.status !== 202) throw new Error(`answered ${answer.status} ${answer.body}`);
      const incidentId = await untilListed(reader, watch, mark, begin);
      incident.add(performance.now() - begin);
      if (watch.untilBundle) {
        await untilBundle(reader, watch, incidentId, begin);
        bundle.add(performance.now() - begin);
      }
      await delay(watch.pauseMs);
    }
  } finally {
    sender.close();
    reader.close();
  }
  return { incident: incident.summary(), bundle: bundle.summary(), accepted: watch.rounds };
}

/** A number as a word: grouping takes digits for what changes within one error. */
function letters(number: number): string {
  return `Z${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
}

async function untilListed(
  reader: HttpConnection,
  watch: IncidentWatch,
  mark: string,
  beginMs: number,
): Promise<string> {
  const request = getRequest({ ...watch, token: watch.memberToken }, '/v1/incidents?limit=1');
  for (;;) {
    const { status, body } = await reader.exchange(request);
    if (status !== 200) throw new Error(`the list of incidents answered ${status} ${body}`);
    if (body.includes(mark)) return /"incident_id":"(inc_[0-9a-f-]+)"/.exec(body)?.[1] ?? '';
    if (performance.now() - beginMs > VISIBLE_TIMEOUT_MS) throw new Error('an incident did not appear');
  }
}

async function untilBundle(
  reader: HttpConnection,
  watch: IncidentWatch,
  incidentId: string,
  beginMs: number,
): Promise<void> {
  const request = getRequest({ ...watch, token: watch.memberToken }, `/v1/incidents/${incidentId}/bundle`);
  for (;;) {
    const { status, body } = await reader.exchange(request);
    if (status === 200 && body.includes('"bundle_version"')) return;
    if (performance.now() - beginMs > VISIBLE_TIMEOUT_MS) {
      throw new Error(`a bundle did not appear; its last answer was ${status} ${body.slice(0, 200)}`);
    }
  }
}
