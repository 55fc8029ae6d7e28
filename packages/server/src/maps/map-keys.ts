import { baseName } from '@culprit/contract/releases/map-words';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { newUuid } from '../platform/ids.ts';
import { projectFolder } from '../workspace/projects/project-objects.ts';

/** The object of a look-up form. */
export function formKey(projectId: string, sourceMapId: string): string {
  return `${projectFolder('maps', projectId)}/${sourceMapId}.map1`;
}

/** The folder of an upload's parts. */
export function partsFolder(projectId: string, uploadId: string): string {
  return `${projectFolder('map-parts', projectId)}/${uploadId}`;
}

/** A new object for a part: a key is never used twice, and a part may come again. */
export function newPartKey(projectId: string, uploadId: string, sha256: string, part: number): string {
  return `${partsFolder(projectId, uploadId)}/${sha256}.${part}.${newUuid()}`;
}

/** By which files of a release are found: of the last part of their path, which an address may have encoded. */
export function baseHash(file: string): bigint {
  return identifierHash(decodedPart(baseName(file)));
}

/** Returns the decoded form of a part of a path: a file may be named directly, or in the form of an address. */
export function decodedPart(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
