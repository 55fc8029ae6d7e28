import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import { GENERIC } from './generic.ts';
import { GITHUB } from './github.ts';
import { GITLAB } from './gitlab.ts';
import { JIRA } from './jira.ts';
import { LINEAR } from './linear.ts';
import type { TrackerApi } from './tracker-api.ts';

/** Every product, by the documented calls of docs/contract/team-workflow.md 7.2, and the generic one of 7.5. */
export const TRACKER_APIS: Readonly<Record<TrackerKind, TrackerApi>> = {
  github: GITHUB,
  jira: JIRA,
  gitlab: GITLAB,
  linear: LINEAR,
  generic: GENERIC,
};
