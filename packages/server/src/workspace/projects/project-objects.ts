/**
 * Kinds of objects a project has. Every key begins with its kind and the project, so that all of them are found when the
 * project is deleted, also those no row names.
 */
export const PROJECT_OBJECT_KINDS = ['raw', 'bundles', 'maps', 'map-parts'] as const;
type ProjectObjectKind = (typeof PROJECT_OBJECT_KINDS)[number];

/** The folder of a project's objects of one kind, without a slash at the end. */
export function projectFolder(kind: ProjectObjectKind, projectId: string): string {
  return `${kind}/${projectId}`;
}
