import { newUuid } from '../../../platform/ids.ts';
import { projectFolder } from '../../../workspace/projects/project-objects.ts';

/** The beginning of a time-ordered UUID that ids of the same four seconds have in common. */
const GROUP_CHARACTERS = 10;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Returns a key for the next document of an incident. No key is used twice. Incidents that were opened together share a
 * folder: a folder is created, synced and stored with a separate block, which costs more than the file in it.
 */
export function newBundleKey(projectId: string, incidentId: string): string {
  const { folder, nameBegins } = bundlePlace(projectId, incidentId);
  return `${folder}/${nameBegins}${newUuid()}`;
}

/** A folder and the names in it of all documents of an incident, also those that no row names. */
interface BundlePlace {
  folder: string;
  /** The beginning of the names of the incident's documents. */
  nameBegins: string;
  /** The ids of incidents that share the folder, from the first to the last that there can be. */
  sharedBy: { firstId: string; lastId: string };
}

/** Returns the place of the documents of an incident of a project. */
export function bundlePlace(projectId: string, incidentId: string): BundlePlace {
  const group = incidentId.slice(0, GROUP_CHARACTERS);
  return {
    folder: `${projectFolder('bundles', projectId)}/${group}`,
    nameBegins: `${incidentId}-`,
    sharedBy: {
      firstId: group + FIRST_ID.slice(GROUP_CHARACTERS),
      lastId: group + LAST_ID.slice(GROUP_CHARACTERS),
    },
  };
}

/** The folder of an incident whose bundle was built before folders were shared. */
export function earlierBundleFolder(projectId: string, incidentId: string): string {
  return `${projectFolder('bundles', projectId)}/${incidentId}`;
}
