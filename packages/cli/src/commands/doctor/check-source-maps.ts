import { baseName } from '@culprit/contract/releases/map-words';
import { listMissingMaps, listSourceMaps } from '@culprit/contract/releases/source-maps';
import type { Api } from '../../api/api.ts';
import { type Finding, ok, warning } from './finding.ts';

const DAY_MS = 86_400_000;
const MISSING_MAX = 100;
const FULL_SHARE = 0.9;

/**
 * Returns the maps for which stacks of the last day wait, and a warning if old maps are about to be removed. Nothing if
 * the server accepts none.
 */
export async function sourceMapFindings(api: Api, id: string): Promise<Finding[]> {
  const kept = await api.attempt(listSourceMaps, { params: { id }, query: { limit: 1 } });
  const waiting = await api.attempt(listMissingMaps, { params: { id }, query: { limit: MISSING_MAX } });
  if (!kept.ok || !waiting.ok) return [];
  const { usage } = kept.body;
  const findings: Finding[] = [];
  const missing = waiting.body.missing.filter((each) => Date.parse(each.last_seen_at) > Date.now() - DAY_MS);
  const [first] = missing;
  if (first !== undefined) {
    const events = missing.reduce((sum, each) => sum + each.events, 0);
    const name = first.debug_id ?? `${first.release} ${baseName(first.file)}`;
    const more = waiting.body.next_cursor === null ? '' : ' or more';
    findings.push(
      warning(
        'source maps',
        `${missing.length}${more} are missing for stacks of the last 24 h, ${events} events in all; most for ${name} (${first.reason})`,
        'culprit sourcemaps missing, then culprit sourcemaps upload DIR',
      ),
    );
  } else if (usage.source_maps > 0) {
    findings.push(ok('source maps', `${usage.source_maps} stored, none missing for stacks of the last 24 h`));
  }
  if (usage.stored_bytes > FULL_SHARE * usage.budget_bytes) {
    findings.push(
      warning(
        'source maps',
        `${Math.round((100 * usage.stored_bytes) / usage.budget_bytes)} % of the project's bytes are used, so the least recently needed ones will be removed soon`,
        'raise CULPRIT_SOURCE_MAP_BYTES, or delete some: culprit sourcemaps list',
      ),
    );
  }
  return findings;
}
