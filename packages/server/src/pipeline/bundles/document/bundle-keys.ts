import { newUuid } from '../../../platform/ids.ts';
import { projectFolder } from '../../../workspace/projects/project-objects.ts';

/** The beginning of a time-ordered UUID that ids of the same four seconds have in common. */
const GROUP_CHARACTERS = 10;

/** A key for the next document of an incident. No key is used twice. */
export function newBundleKey(projectId: string, incidentId: string): string {
  return `${groupFolder(projectId, incidentId)}/${bundleNames(incidentId)}${newUuid()}`;
}

/** Where the documents of an incident lie, also those that no row names. */
export function bundlePlaces(
  projectId: string,
  incidentId: string,
): readonly { folder: string; nameBegins: string }[] {
  return [
    { folder: groupFolder(projectId, incidentId), nameBegins: bundleNames(incidentId) },
    // Of an incident whose bundle was built before folders were shared.
    { folder: `${projectFolder('bundles', projectId)}/${incidentId}`, nameBegins: '' },
  ];
}

/**
 * Incidents that were opened together share a folder: a folder is made, synced and kept with a block of its own, which
 * costs more than the file in it.
 */
function groupFolder(projectId: string, incidentId: string): string {
  return `${projectFolder('bundles', projectId)}/${incidentId.slice(0, GROUP_CHARACTERS)}`;
}

function bundleNames(incidentId: string): string {
  return `${incidentId}-`;
}
