import { groupingSentences } from '@culprit/contract/incidents/grouping-words';
import { releasesSentence } from '@culprit/contract/releases/release-words';
import { browserItems, customItems, logItems, probeItems, requestItems } from './context-items.ts';
import { causeItems, errorItems, occurrenceItems, placeItems, stackItems } from './error-items.ts';
import type { EvidenceText } from './evidence-text.ts';
import type { Evidence, Item } from './item.ts';
import { noteItems, tagItems } from './people-items.ts';

/** One section of an answer, best evidence first (docs/contract/command-line.md 5.4). */
interface SectionRow {
  readonly name: string;
  /** The noun for its items, in the note about those that are left out. */
  readonly noun: string;
  /** Tokens that it gets before others. */
  readonly share: number;
  /** Items that are shown however small the answer is. */
  readonly first: number;
  readonly isOnDemand?: true;
  /** The most telling are chosen first; those that were chosen are shown by their time. */
  readonly isShownByTime?: true;
  items(evidence: Evidence, text: EvidenceText): Item[];
}

export const SECTIONS = [
  { name: 'cause', noun: 'facts', share: 300, first: 3, items: causeItems },
  { name: 'error', noun: 'frames', share: 700, first: 1, items: errorItems },
  { name: 'request', noun: 'parts', share: 700, first: 1, items: requestItems },
  { name: 'logs', noun: 'logs', share: 800, first: 0, isShownByTime: true, items: logItems },
  { name: 'probes', noun: 'probes', share: 500, first: 0, items: probeItems },
  { name: 'browser', noun: 'steps', share: 500, first: 0, isShownByTime: true, items: browserItems },
  { name: 'deploy', noun: 'facts', share: 200, first: 0, items: deployItems },
  { name: 'reproduction', noun: 'facts', share: 150, first: 0, items: reproductionItems },
  { name: 'occurrences', noun: 'facts', share: 300, first: 0, items: placesAndOccurrences },
  { name: 'grouping', noun: 'facts', share: 200, first: 0, items: groupingItems },
  { name: 'custom', noun: 'values', share: 400, first: 0, items: customItems },
  { name: 'stack', noun: 'frames', share: 1500, first: 0, items: stackItems },
  { name: 'tags', noun: 'tags', share: 0, first: 0, isOnDemand: true, items: tagItems },
  { name: 'notes', noun: 'notes', share: 0, first: 0, isOnDemand: true, items: noteItems },
  { name: 'rules', noun: 'suggestions', share: 0, first: 0, isOnDemand: true, items: ruleItems },
] as const satisfies readonly SectionRow[];

export type SectionName = (typeof SECTIONS)[number]['name'];
export const SECTION_NAMES: readonly SectionName[] = SECTIONS.map(({ name }) => name);

/** The row of a section. */
export function sectionRow(name: SectionName): SectionRow {
  const row = SECTIONS.find((each) => each.name === name);
  if (row === undefined) throw new RangeError(`there is no section ${name}`);
  return row;
}

function deployItems({ bundle }: Evidence, text: EvidenceText): Item[] {
  const { deploy, git, dependencies, releases } = bundle.context;
  const items: Item[] = [];
  if (deploy !== null) {
    const ageMinutes = Math.round((Date.parse(bundle.captured_at) - Date.parse(deploy.deployed_at)) / 60_000);
    const commit = deploy.commit_sha === null ? '' : ` commit ${text.line(deploy.commit_sha.slice(0, 12))}`;
    const branch = deploy.branch === null ? '' : ` branch ${text.line(deploy.branch)}`;
    items.push([
      `deploy ${text.line(deploy.deploy_version ?? '-')}${commit}${branch}, ${ageMinutes} min before the failure`,
    ]);
  }
  const sentence = releasesSentence(releases);
  if (sentence !== null) items.push([text.line(`releases: ${sentence}`)]);
  if (git !== null && git.commit !== null && git.commit !== deploy?.commit_sha) {
    items.push([
      `git ${text.line(git.commit.slice(0, 12))}${git.branch === null ? '' : ` branch ${text.line(git.branch)}`}`,
    ]);
  }
  for (const { name, status, notes } of dependencies?.items ?? []) {
    if (status === 'ok') continue;
    items.push([
      `dependency ${text.line(name)} is ${status}${notes === null ? '' : `: ${text.line(notes)}`}`,
    ]);
  }
  return items;
}

/** Never a command: a reading agent must not be handed something to run. */
function reproductionItems({ bundle: { reproduction } }: Evidence, text: EvidenceText): Item[] {
  const request = reproduction.artifacts?.json_spec;
  const what =
    request === undefined ? 'not possible' : `${text.line(request.method)} ${text.line(pathOf(request.url))}`;
  return [[`${what} (${reproduction.reason})`]];
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}

/** Returns the origin of the incident's key, and the reasons why events with other keys are part of it. */
function groupingItems({ bundle: { context } }: Evidence, text: EvidenceText): Item[] {
  const { grouping } = context;
  return grouping === undefined ? [] : groupingSentences(grouping).map((sentence) => [text.line(sentence)]);
}

function placesAndOccurrences(evidence: Evidence, text: EvidenceText): Item[] {
  return [...placeItems(evidence, text), ...occurrenceItems(evidence, text)];
}

function ruleItems({ suggestions }: Evidence, text: EvidenceText): Item[] {
  return suggestions.map(({ suggestion_id, label, recommended_action, reason, confidence }) => [
    `${text.line(suggestion_id)}: ${recommended_action}${confidence === 'low' ? ', weak match' : ''} · ${text.line(label)}`,
    `  ${text.line(reason)}`,
  ]);
}
