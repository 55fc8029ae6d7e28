import { frameWithSource, sourceText } from '@culprit/contract/events/source-text';
import type { BundleContext } from '@culprit/contract/incidents/bundle-context';
import type { StackFrame } from '@culprit/contract/incidents/bundle-stack';
import { heartbeatSentences } from '@culprit/contract/monitor/heartbeat-words';
import { symbolicationSentence } from '@culprit/contract/releases/map-words';
import { causeSentences } from '@culprit/contract/schemas/hint';
import type { EvidenceText } from './evidence-text.ts';
import type { Evidence, Item } from './item.ts';

/** Service, title, the first frame of the application, and the hint of the rule that fits. */
export function causeItems({ bundle, codeUrl }: Evidence, text: EvidenceText): Item[] {
  const { service, project, summary } = bundle;
  const { first_application_frame: own } = summary;
  const items: Item[] = [
    [`${text.line(service.name)} (${text.line(project.environment)}): ${text.line(summary.title)}`],
  ];
  if (own !== null) {
    const place = `${text.line(own.file ?? '?')}${own.line === null ? '' : `:${own.line}`}`;
    items.push([`in-app frame: ${own.function === null ? '' : `${text.line(own.function)} `}${place}`]);
  }
  if (codeUrl !== null) items.push([`code: ${text.line(codeUrl)}`]);
  const { error, heartbeat } = bundle.context;
  for (const sentence of heartbeatSentences(heartbeat)) items.push([text.line(sentence)]);
  // The title may be shorter than the message.
  if (error !== null && !summary.title.includes(error.message)) {
    items.push([`${text.line(error.name)}: ${text.line(error.message)}`]);
  }
  for (const sentence of causeSentences(summary)) items.push([text.line(sentence)]);
  return items;
}

/** The reason and the next step of a stack that is not counted as unmapped, as that of a development server. */
function firstProblem({ symbolication }: BundleContext): string | null {
  const [first] = symbolication?.problems ?? [];
  return first === undefined ? null : `${first.words} Next: ${first.hint}`;
}

/** The resource that failed to load, the frames nearest to the failure, then the causes, outermost first. */
export function errorItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  const { error, error_chain, resource_failure } = context;
  if (error === null) return [];
  const items: Item[] = [
    [`${text.line(error.name)}: ${text.line(error.message)}${error.handled ? ' (handled)' : ''}`],
  ];
  if (resource_failure !== undefined) {
    const { tag_name, host, path, routes } = resource_failure;
    items.push([
      `resource ${text.line(tag_name ?? '?')} ${text.line(`${host ?? ''}${path ?? ''}`)} on ${text.line(routes.join(', '))}`,
    ]);
  }
  const sourced = frameWithSource(context.stack);
  if (sourced !== null)
    items.push([frameLine(sourced, text), ...sourceText(sourced).map((line) => text.line(line))]);
  const maps = symbolicationSentence(context.symbolication) ?? firstProblem(context);
  if (maps !== null) items.push([`source maps: ${text.line(maps)}`]);
  for (const frame of error.top_frames) items.push([text.line(frame.trim())]);
  for (const [index, cause] of (error_chain?.items ?? []).entries()) {
    // The first of the chain is the error itself.
    if (index === 0 && cause.message === error.message) continue;
    items.push([
      `caused by ${text.line(cause.type)}: ${text.line(cause.message)}`,
      ...cause.top_frames.map((frame) => `  ${text.line(frame.trim())}`),
    ]);
  }
  return items;
}

/** The whole stack, a frame an item. */
export function stackItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  const { stack, error } = context;
  if (stack !== undefined) {
    return [
      ...stack.frames.map((frame) => [frameLine(frame, text), ...failingLine(frame, text)]),
      ...stack.causes.flatMap(({ type, frames }) =>
        frames.map((frame, index) => [
          ...(index === 0 ? [`caused by ${text.line(type)}`] : []),
          frameLine(frame, text),
          ...failingLine(frame, text),
        ]),
      ),
    ];
  }
  if (error === null || error.stack === 'unavailable') return [];
  return text.lines(error.stack).map((line) => [line.trim()]);
}

/** The source at the place of a frame of the application, where it is known. */
function failingLine({ in_app, line, context_line: source }: StackFrame, text: EvidenceText): Item {
  return !in_app || source === undefined ? [] : [`  > ${line ?? '?'} | ${text.line(source.trim())}`];
}

function frameLine(frame: StackFrame, text: EvidenceText): string {
  const { file, line, column, in_app } = frame;
  const place = [file === null ? '?' : text.line(file), line, column]
    .filter((part) => part !== null)
    .join(':');
  return `${in_app ? '' : 'library '}${text.line(frame.function)} ${place}`;
}

/** Chosen events of the incident. */
export function occurrenceItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  return (context.occurrences?.items ?? []).map(
    ({ occurred_at, sender_time, event_type, roles, severity, deploy_version }) => [
      `${occurred_at}${sender_time === undefined ? '' : ` (sender's clock, not believed: ${sender_time})`} ${text.line(event_type)} ${severity} (${roles.join(', ')})${deploy_version === null ? '' : ` deploy ${text.line(deploy_version)}`}`,
    ],
  );
}

/** Runtime and device; without names of hosts, processes and directories. */
export function placeItems({ bundle: { context, sdk } }: Evidence, text: EvidenceText): Item[] {
  const { runtime, device, environment } = context;
  const items: Item[] = [];
  if (runtime !== null) {
    const { name, runtime_version, platform, arch, framework, framework_version } = runtime;
    const parts = [name, runtime_version, platform, arch, framework, framework_version].filter(
      (part) => part !== null,
    );
    items.push([
      `runtime ${text.line(parts.join(' '))} · library ${text.line(`${sdk.name} ${sdk.version}`)}`,
    ]);
    const left = [runtime.hostname, runtime.cwd, runtime.pid, environment?.host ?? null];
    text.redaction.leftOut('field', left.filter((value) => value !== null).length);
  }
  if (device !== null) {
    const { browser, os, device_type, language } = device;
    const parts = [browser?.name, browser?.version, os.name, os.version, device_type, language];
    items.push([
      `device ${text.line(parts.filter((part) => part !== null && part !== undefined).join(' '))}`,
    ]);
  }
  return items;
}
