import { frameWithSource, frameText as placeText, sourceText } from '@culprit/contract/events/source-text';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { BundleContext } from '@culprit/contract/incidents/bundle-context';
import { groupingSentences } from '@culprit/contract/incidents/grouping-words';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { symbolicationSentence } from '@culprit/contract/releases/map-words';
import { ageText } from '../duration.ts';
import { visibleLine } from '../output/visible-text.ts';
import { frameText } from './frame-text.ts';
import { shortValue } from './story.ts';

/** Returns the first line about an incident after its title. */
export function placeLine(incident: Incident, bundle: DebugBundle | null, nowMs: number | null): string {
  const { occurrence_count: count } = incident;
  const users = bundle?.impact.affected_users_estimate ?? null;
  return [
    `${incident.service_name ?? '-'} / ${incident.environment}`,
    count === 1 ? '1 occurrence' : `${count} occurrences`,
    ...(users === null ? [] : [users === 1 ? '1 user' : `${users} users`]),
    ...(bundle?.impact.customer_visible === true ? ['seen by customers'] : []),
    nowMs === null ? `last ${incident.last_seen_at}` : `last ${ageText(incident.last_seen_at, nowMs)} ago`,
    incident.incident_id,
  ].join(' · ');
}

/** Frames of the stack: the own one first, then the others in their order. */
export function framesOf({ summary, context }: DebugBundle): { own: string | null; others: string[] } {
  const own = frameText(summary.first_application_frame);
  const place = own?.split('  ')[0] ?? null;
  const others = (context.error?.top_frames ?? []).filter(
    (frame) => place === null || !isPlaceOf(frame, place),
  );
  return { own, others };
}

/** Returns true if a frame of the stack is the in-app place, whose path may be longer. */
function isPlaceOf(frame: string, place: string): boolean {
  return frame.includes(place) || place.endsWith(`/${frame.replace(/^\//, '')}`);
}

/** The source around the newest application frame; empty when none was sent. */
export function sourceLines({ stack }: BundleContext): string[] {
  const frame = frameWithSource(stack);
  return frame === null ? [] : sourceText(frame);
}

/**
 * Returns a line for each file with frames that no source map resolved: how many, why, and the next step. The first one is
 * left out where the sentence above them has it.
 */
export function mapProblemLines({ symbolication }: BundleContext): string[] {
  const problems = symbolication?.problems ?? [];
  const others = symbolicationSentence(symbolication) === null ? problems : problems.slice(1);
  return others.map(({ frames, file, words, hint }) => {
    const count = frames === 1 ? '1 frame' : `${frames} frames`;
    return `${count} of ${visibleLine(file)}: ${visibleLine(words)} Next: ${hint}`;
  });
}

/** Returns the raw stack, or its frames if they came as objects. */
export function stackLines({ error, stack }: BundleContext): string[] {
  if (error !== null && error.stack !== 'unavailable') return [error.stack];
  return (stack?.frames ?? []).map((frame) => `    at ${placeText(frame)}`);
}

/** The request line, its answer and its body. */
export function requestLines({ context: { request, response } }: DebugBundle): {
  line: string | null;
  answer: string | null;
  body: string | null;
} {
  const query = Object.entries(request?.query ?? {}).map(([key, value]) => `${key}=${shortValue(value)}`);
  const path = `${request?.path ?? '?'}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const hasBody = response !== null && response.body !== null && response.body !== undefined;
  return {
    line: request === null ? null : `${request.method ?? 'GET'} ${path}`,
    answer:
      response === null
        ? null
        : `${response.status_code ?? '?'}${hasBody ? ` ${shortValue(response.body)}` : ''}`,
    body:
      request === null || request.body === null || request.body === undefined
        ? null
        : shortValue(request.body),
  };
}

/** Returns the reports of probes, one text each. */
export function probeLines({ context: { probe_data } }: DebugBundle): string[] {
  return (probe_data?.items ?? []).map(({ label, data }) =>
    [label, ...Object.entries(data).map(([key, value]) => `${key}=${shortValue(value)}`)].join('  '),
  );
}

/** The deployment before the failure. */
export function deployLine({ context: { deploy }, captured_at }: DebugBundle): string | null {
  if (deploy === null) return null;
  const commit = deploy.commit_sha === null ? '' : `  ${deploy.commit_sha.slice(0, 8)}`;
  const branch = deploy.branch === null ? '' : ` on ${deploy.branch}`;
  const before = ageText(deploy.deployed_at, Date.parse(captured_at));
  return `${deploy.deploy_version ?? '-'}${commit}${branch}, ${before} before the failure`;
}

/** Browser, system and kind of device. */
export function deviceLine({ context: { device } }: DebugBundle): string | null {
  if (device === null) return null;
  const { browser, os, device_type } = device;
  const parts = [
    browser === null ? null : `${browser.name} ${browser.version}`,
    os.name === null ? null : `${os.name} ${os.version ?? ''}`.trim(),
    device_type === 'unknown' ? null : device_type,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' · ');
}

/** Returns the reasons why events with different keys are grouped, a sentence each. */
export function groupingLines({ context: { grouping } }: DebugBundle): string[] {
  return grouping === undefined ? [] : groupingSentences(grouping);
}
