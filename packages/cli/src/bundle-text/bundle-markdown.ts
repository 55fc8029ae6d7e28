import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { BundleContext } from '@culprit/contract/incidents/bundle-context';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { heartbeatSentences } from '@culprit/contract/monitor/heartbeat-words';
import { symbolicationSentence } from '@culprit/contract/releases/map-words';
import { releasesSentence } from '@culprit/contract/releases/release-words';
import { hintOf } from '@culprit/contract/schemas/hint';
import { visibleLine, visibleText } from '../output/visible-text.ts';
import {
  deployLine,
  deviceLine,
  framesOf,
  groupingLines,
  mapProblemLines,
  placeLine,
  probeLines,
  requestLines,
  sourceLines,
  stackLines,
} from './bundle-facts.ts';
import type { BundleSection } from './bundle-sections.ts';
import { storyOf } from './story.ts';

/** The bundle for an issue or an agent (docs/contract/command-line.md 4.5). Equal bundles give equal bytes. */
export function bundleMarkdown(
  incident: Incident,
  bundle: DebugBundle,
  sections: readonly BundleSection[] | null,
  codeUrl: string | null = null,
): string {
  const { summary, context, redaction, reproduction } = bundle;
  const hint = hintOf(summary);
  const has = (section: BundleSection) => sections === null || sections.includes(section);
  const parts: string[] = [`## ${inline(incident.title)}`, inline(placeLine(incident, bundle, null))];
  const facts = new Map<string, string | null>([
    ['Severity', incident.severity],
    ['Status', incident.status],
    ['First seen', incident.first_seen_at],
    ...(has('cause')
      ? ([
          ['Hint', hint?.sentence ?? null],
          ['Recommended', hint?.action ?? null],
        ] as const)
      : []),
    ...(has('stack') ? ([['Code', codeUrl]] as const) : []),
    ...(has('stack') ? ([['Source maps', sourceMapsFact(context)]] as const) : []),
    ...(has('deploy')
      ? ([
          ['Deploy', deployLine(bundle)],
          ['Releases', releasesSentence(context.releases)],
        ] as const)
      : []),
    ...(has('device') ? ([['Device', deviceLine(bundle)]] as const) : []),
  ]);
  const rows = [...facts].flatMap(([label, value]) =>
    value === null ? [] : [`| ${label} | ${cell(value)} |`],
  );
  parts.push(['| Fact | Value |', '| --- | --- |', ...rows].join('\n'));
  const job = has('cause') ? heartbeatSentences(context.heartbeat).map(visibleLine) : [];
  if (job.length > 0) parts.push('### Job', fence(job.join('\n')));
  if (has('stack')) {
    const { own } = framesOf(bundle);
    const source = sourceLines(context);
    if (own !== null || source.length > 0)
      parts.push('### Where', fence([own ?? '', ...source].join('\n').trim()));
    if (context.error !== null) {
      const head = `${context.error.name}: ${context.error.message}`;
      const stack = stackLines(context).join('\n');
      // Stacks of some languages begin with the error itself.
      parts.push(details('Stack', fence(stack.startsWith(head) ? stack : `${head}\n${stack}`)));
    }
    for (const item of context.error_chain?.items ?? []) {
      parts.push(
        details('Caused by', fence([`${item.type}: ${item.message}`, ...item.top_frames].join('\n'))),
      );
    }
  }
  if (has('request')) {
    const { line, answer, body } = requestLines(bundle);
    const lines = [line, body, answer === null ? null : `→ ${answer}`].filter((each) => each !== null);
    if (lines.length > 0) parts.push('### Request', fence(lines.join('\n')));
  }
  if (has('story')) {
    const story = storyOf(context).map(
      ({ at, source, text }) => `${at ?? '-'}  ${source}  ${visibleLine(text)}`,
    );
    if (story.length > 0) parts.push('### Story', fence(story.join('\n')));
  }
  const probes = has('probes') ? probeLines(bundle) : [];
  if (probes.length > 0) parts.push('### Probes', fence(probes.join('\n')));
  const grouped = has('grouping') ? groupingLines(bundle) : [];
  if (grouped.length > 0) parts.push('### Grouping', fence(grouped.map(visibleLine).join('\n')));
  if (has('redaction') && redaction.fields.length > 0) {
    parts.push('### Redacted', fence(redaction.fields.join('\n')));
  }
  if (has('reproduction')) {
    const { artifacts, reason } = reproduction;
    parts.push(
      '### Reproduce',
      artifacts === null ? inline(`Not possible: ${reason}.`) : fence(artifacts.curl, 'sh'),
    );
  }
  parts.push(`<!-- culprit ${commentId(bundle.bundle_id)} g${bundle.metadata.generation_number} -->`);
  return `${parts.join('\n\n')}\n`;
}

/** Returns what source maps did for the stack, with every reason why they did not; null if there is nothing to report. */
function sourceMapsFact(context: BundleContext): string | null {
  const sentence = symbolicationSentence(context.symbolication);
  const lines = [...(sentence === null ? [] : [sentence]), ...mapProblemLines(context)];
  return lines.length === 0 ? null : lines.join(' ');
}

/** Returns text of an event for a paragraph: no markup, mention, reference or image in it survives. */
export function inline(text: string): string {
  return visibleLine(text)
    .replace(/[\\`*_{}[\]()<>#+\-.!|~&:/=$]/g, '\\$&')
    .replace(/@(?=\w)/g, '@\u2060')
    .replace(/(\\#)(?=\d)/g, '$1\u2060')
    .replace(/\b(https?|www)(?=\\[:.])/gi, '$1\u2060');
}

function cell(text: string): string {
  return inline(text);
}

/** A block of code whose fence is longer than every run of backticks inside. */
export function fence(text: string, language = 'text'): string {
  const content = visibleText(text.replace(/\r\n?/g, '\n'));
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${content}\n${mark}`;
}

function details(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

function commentId(id: string): string {
  return id.replace(/[^\w-]/g, '');
}
