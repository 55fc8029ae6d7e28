import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import {
  createEvidenceRedaction,
  type EvidenceRedaction,
} from '@culprit/evidence/bundles/sharing/redact-shared-text';
import { type ChosenItems, chooseItems } from '@culprit/mcp/evidence/choose-items';
import { createEvidenceText } from '@culprit/mcp/evidence/evidence-text';
import { SECTIONS, sectionRow } from '@culprit/mcp/evidence/sections';
import { tokenBound } from '@culprit/mcp/tokens/token-bound';
import { usageError } from '../cli-error.ts';
import { placeLine } from './bundle-facts.ts';
import { fence, inline } from './bundle-markdown.ts';

const VALUE_CHARACTERS_MAX = 600;
const VALUE_CHARACTERS_MIN = 120;
/** Heading and fence of one section, at most. */
const SECTION_TOKENS = 20;

/**
 * The best evidence of a bundle as Markdown of at most so many tokens: ranked and cut as for an agent, without its fence
 * (docs/contract/command-line.md 4.5).
 * @param isRaw only what the server removed is missing
 */
export function budgetedMarkdown(
  incident: Incident,
  bundle: DebugBundle,
  { tokensMax, isRaw, codeUrl }: { tokensMax: number; isRaw: boolean; codeUrl: string | null },
): string {
  const redaction = isRaw ? RAW : createEvidenceRedaction();
  const valueMax = Math.min(VALUE_CHARACTERS_MAX, Math.max(VALUE_CHARACTERS_MIN, Math.floor(tokensMax / 4)));
  const text = createEvidenceText(redaction, valueMax);
  const head = [
    `## ${inline(redaction.text(incident.title))}`,
    inline(`${incident.severity} · ${incident.status} · ${placeLine(incident, bundle, null)}`),
  ].join('\n\n');
  const sections = SECTIONS.filter((row) => !('isOnDemand' in row)).map((row) => ({
    name: row.name,
    items: row.items({ bundle, suggestions: [], codeUrl }, text),
    offset: 0,
  }));
  const reserved = tokenBound(head) + SECTION_TOKENS * sections.length;
  const { chosen } = chooseItems(sections, {
    tokensMax: Math.max(0, tokensMax - reserved),
    hasShares: true,
    firstsOf: ({ name }) => sectionRow(name).first,
  });
  for (;;) {
    const page = pageOf(head, chosen);
    if (tokenBound(page) <= tokensMax) return page;
    if (!dropLast(chosen))
      throw usageError(`An incident does not fit into ${tokensMax} tokens.`, 'raise --max-tokens');
  }
}

/** The redaction that leaves everything unchanged. */
const RAW: EvidenceRedaction = { removed: {}, leftOut: () => {}, text: (text) => text };

function pageOf(head: string, chosen: readonly ChosenItems[]): string {
  const shown = chosen.filter(({ end, offset }) => end > offset);
  const parts = shown.map(({ name, items, end }) => {
    const lines = items.slice(0, end).map((item) => [...item]);
    // Each begins with its time.
    if (sectionRow(name).isShownByTime === true) lines.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
    return `### ${name}\n\n${fence(lines.flat().join('\n'))}`;
  });
  const left = chosen.reduce((sum, { items, end }) => sum + items.length - end, 0);
  return `${[head, ...parts, ...(left === 0 ? [] : [`${left} more left out.`])].join('\n\n')}\n`;
}

/** Removes the item that matters least; false when there is none. */
function dropLast(chosen: readonly ChosenItems[]): boolean {
  const last =
    chosen.findLast(({ name, end }) => end > sectionRow(name).first) ?? chosen.findLast(({ end }) => end > 0);
  if (last === undefined) return false;
  last.end -= 1;
  return true;
}
