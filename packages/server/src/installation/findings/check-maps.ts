import type { MapSettings } from '../../maps/map-settings.ts';
import type { Database } from '../../platform/db/database.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { bytesText, type Finding, failureText, ok, warning, wrong } from './finding.ts';
import { readMapUse, readNeededForms } from './map-findings.queries.ts';

const SOURCE_MAPS = 'source maps';
/** The share of its budget from which a project is named. */
const FULL_SHARE = 0.9;
/** Stored maps whose objects are looked for, those that were needed last. */
const FORMS_LOOKED_AT = 100;

interface MapInspection {
  database: Database;
  /** Null if the store cannot be opened, which is a separate finding. */
  objects: Pick<ObjectStore, 'exists'> | null;
  maps: Pick<MapSettings, 'isOn' | 'budgetBytes'>;
}

/**
 * Checks the stored source maps: whether they fit their budget, whether their objects exist, and which maps stacks lack
 * (docs/contract/source-maps.md 12).
 */
export async function checkMaps({ database, objects, maps }: MapInspection): Promise<Finding[]> {
  if (!maps.isOn) return [];
  const use = await readMapUse(database, maps.budgetBytes * FULL_SHARE);
  const findings: Finding[] = objects === null ? [] : await checkForms(database, objects);
  if (use.full_projects > 0) {
    findings.push(
      warning(
        SOURCE_MAPS,
        `${use.full_projects} projects use more than ${FULL_SHARE * 100} % of the ${bytesText(maps.budgetBytes)} that they can store, the most in ${use.fullest_project} (${bytesText(use.fullest_bytes)})`,
        'set CULPRIT_SOURCE_MAP_BYTES higher; otherwise the least recently needed maps are removed',
      ),
    );
  }
  const unnamed = use.unnamed === 0 ? '' : `, ${use.unnamed} of them without a debug id or a release`;
  const facts = [
    `${use.maps} take ${bytesText(use.stored_bytes)} in ${use.projects} projects${unnamed}`,
    `${use.refused} uploaded files were refused in the last day`,
    `stacks of the last day lack ${use.missing} maps in ${use.missing_projects} projects`,
  ];
  return findings.length > 0 ? findings : [ok(SOURCE_MAPS, facts.join('; '))];
}

/** Checks that the objects of maps that events need exist. */
async function checkForms(database: Database, objects: Pick<ObjectStore, 'exists'>): Promise<Finding[]> {
  const keys = await readNeededForms(database, FORMS_LOOKED_AT);
  let missing = 0;
  try {
    for (const key of keys) if (!(await objects.exists(key))) missing += 1;
  } catch (error) {
    return [
      warning(
        SOURCE_MAPS,
        `the object store could not be read: ${failureText(error)}`,
        'see the finding for the object store',
      ),
    ];
  }
  if (missing === 0) return [];
  return [
    wrong(
      SOURCE_MAPS,
      `the objects of ${missing} of the ${keys.length} most recently needed maps no longer exist, so their frames stay minified`,
      'check the object store; restore it, or delete these maps and upload them again (their frames say `map_damaged`)',
    ),
  ];
}
