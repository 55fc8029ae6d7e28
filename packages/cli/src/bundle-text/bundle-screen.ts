import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { heartbeatSentences } from '@culprit/contract/monitor/heartbeat-words';
import { symbolicationSentence } from '@culprit/contract/releases/map-words';
import { releasesSentence } from '@culprit/contract/releases/release-words';
import { hintOf } from '@culprit/contract/schemas/hint';
import { shownTime } from '../output/shown-time.ts';
import { cutLine, visibleLine } from '../output/visible-text.ts';
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
} from './bundle-facts.ts';
import type { BundleSection } from './bundle-sections.ts';
import { reproductionWords } from './reproduction-words.ts';
import { STORY_STEPS_MAX, storyOf } from './story.ts';

/** The settings of a bundle on a screen. */
interface BundleScreen {
  /** Columns; 60 to 120 are used. */
  width: number;
  /** Null: points in time instead of ages, for equal bytes. */
  nowMs: number | null;
  /** Nothing is left out, and nothing cut but by the terminal. */
  isFull: boolean;
  /** Times of steps in the zone of this machine. */
  isLocalTime?: boolean;
  sections: readonly BundleSection[] | null;
  /** Command lines for what to do next. */
  next: { reproduce: string; resolve: string };
  dim: (text: string) => string;
  strong: (text: string) => string;
  severity: (text: string) => string;
}

const LABEL_WIDTH = 13;
const WIDTH_MIN = 60;
const WIDTH_MAX = 120;
const FRAMES_SHOWN = 3;
const LINES_OF_A_VALUE_MAX = 3;

/** The bundle in a screenful, best evidence first (docs/contract/command-line.md 4.5). Empty blocks are left out. */
export function bundleScreen(incident: Incident, bundle: DebugBundle, screen: BundleScreen): string[] {
  const width = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, screen.width));
  const { summary, context, redaction, reproduction } = bundle;
  const rows = new Rows(width, screen);
  const has = (section: BundleSection) => screen.sections === null || screen.sections.includes(section);

  const head = `${incident.severity.toUpperCase()}  ${incident.status}  ${visibleLine(incident.title)}`;
  rows.plain(screen.isFull ? head : cutLine(head, width), (text) =>
    text.replace(/^\S+/, (word) => screen.severity(word)),
  );
  rows.wrapped('', placeLine(incident, bundle, screen.nowMs), 6);
  if (has('cause')) {
    rows.gap();
    const hint = hintOf(summary);
    rows.wrapped('Hint', hint?.sentence ?? null);
    rows.wrapped('Do', hint?.action ?? null);
    for (const [index, sentence] of heartbeatSentences(context.heartbeat).entries())
      rows.wrapped(index === 0 ? 'Job' : '', sentence);
  }
  if (has('stack')) {
    const { own, others } = framesOf(bundle);
    rows.line('Where', own === null ? null : `▸ ${own}`, screen.strong);
    for (const line of sourceLines(context)) rows.line('', `  ${line}`);
    const shown = screen.isFull ? others : others.slice(0, FRAMES_SHOWN);
    for (const frame of shown) rows.line(own === null && frame === shown[0] ? 'Where' : '', `  ${frame}`);
    const left = others.length - shown.length;
    if (left > 0) rows.line('', `  ${left} more (--full)`);
    const maps = symbolicationSentence(context.symbolication);
    rows.wrapped('Maps', maps);
    for (const [index, line] of (screen.isFull ? mapProblemLines(context) : []).entries())
      rows.wrapped(index === 0 && maps === null ? 'Maps' : '', line);
    for (const item of context.error_chain?.items ?? [])
      rows.line('Caused by', `${item.type}: ${item.message}`);
  }
  if (has('request')) {
    rows.gap();
    const { line, answer, body } = requestLines(bundle);
    rows.line('Request', line);
    rows.line(line === null ? 'Answer' : '', answer === null ? null : `→ ${answer}`);
    rows.value('', body);
  }
  if (has('story')) {
    const story = storyOf(context, screen.isFull ? Number.POSITIVE_INFINITY : STORY_STEPS_MAX);
    for (const [index, { at, source, text }] of story.entries()) {
      const time = at === null ? '            ' : shownTime(at, screen.isLocalTime ?? false).slice(11, 23);
      rows.line(index === 0 ? 'Story' : '', `${time}  ${source.padEnd(7)}  ${text}`);
    }
  }
  if (has('probes'))
    for (const [index, probe] of probeLines(bundle).entries()) rows.line(index === 0 ? 'Probes' : '', probe);
  if (has('deploy')) {
    rows.wrapped('Deploy', deployLine(bundle));
    rows.wrapped('Releases', releasesSentence(context.releases));
  }
  if (has('device')) rows.line('Device', deviceLine(bundle));
  if (has('grouping'))
    for (const [index, sentence] of groupingLines(bundle).entries())
      rows.wrapped(index === 0 ? 'Grouping' : '', sentence);
  if (has('redaction'))
    rows.wrapped('Redacted', redaction.fields.length === 0 ? null : redaction.fields.join(' · '));
  if (has('reproduction')) {
    rows.gap();
    if (reproduction.possible) rows.line('Reproduce', screen.next.reproduce);
    else rows.wrapped('Reproduce', `not possible: ${reproductionWords(reproduction.reason)}`);
    rows.line('Resolve', screen.next.resolve);
  }
  return rows.lines;
}

/** Lines of labels and values; every character that a terminal would obey is shown. */
class Rows {
  readonly lines: string[] = [];
  readonly #width: number;
  readonly #screen: BundleScreen;
  #wantsGap = false;

  constructor(width: number, screen: BundleScreen) {
    this.#width = width;
    this.#screen = screen;
  }

  /** An empty line before the next one that there is. */
  gap(): void {
    this.#wantsGap = true;
  }

  plain(text: string, style: (text: string) => string = (each) => each): void {
    if (this.#wantsGap && this.lines.length > 0) this.lines.push('');
    this.#wantsGap = false;
    this.lines.push(style(text));
  }

  /** A label and one line, cut at the width. */
  line(label: string, value: string | null, style?: (text: string) => string): void {
    if (value === null) return;
    const text = visibleLine(value);
    this.#labelled(label, this.#screen.isFull ? text : cutLine(text, this.#width - LABEL_WIDTH), style);
  }

  /** A label and as many lines as the text needs. */
  wrapped(label: string, value: string | null, indent = LABEL_WIDTH): void {
    if (value === null) return;
    for (const [index, text] of wrapText(visibleLine(value), this.#width - indent).entries()) {
      this.#labelled(index === 0 ? label : '', text, undefined, indent);
    }
  }

  /** A long value, cut after some lines. */
  value(label: string, value: string | null): void {
    if (value === null) return;
    const lines = wrapText(visibleLine(value), this.#width - LABEL_WIDTH);
    const shown = this.#screen.isFull ? lines : lines.slice(0, LINES_OF_A_VALUE_MAX);
    for (const [index, text] of shown.entries()) {
      const isCut = index === shown.length - 1 && shown.length < lines.length;
      this.#labelled(index === 0 ? label : '', isCut ? cutLine(`${text}…`, this.#width - LABEL_WIDTH) : text);
    }
  }

  #labelled(
    label: string,
    text: string,
    style: (text: string) => string = (each) => each,
    indent = LABEL_WIDTH,
  ): void {
    const left = label === '' ? ' '.repeat(indent) : this.#screen.dim(label.padEnd(indent));
    this.plain(`${left}${style(text)}`);
  }
}

/** Breaks a line at blanks, and where there are none within a width. */
function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = [...word];
    const joined = line === '' ? word : `${line} ${word}`;
    if ([...joined].length <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line.trimEnd());
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width).join(''));
    line = rest.join('');
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}
