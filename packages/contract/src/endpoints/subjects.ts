import { Closed } from '../schemas/closed-object.ts';
import { PathId } from '../schemas/identifiers.ts';

/** The subject of an endpoint whose path has the id of a project as `:id`. */
export const OF_PROJECT = {
  scope: { of: 'project', id: 'params.id' },
  params: Closed({ id: PathId('project') }),
} as const;

/** The subject of an endpoint whose path has the id of an incident as `:id`. */
export const OF_INCIDENT = {
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: Closed({ id: PathId('incident') }),
} as const;
