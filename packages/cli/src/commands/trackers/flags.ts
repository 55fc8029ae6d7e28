import {
  createTracker,
  createTrackerHook,
  listTrackerTargets,
  listTrackerTickets,
} from '@culprit/contract/alerts/trackers';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createTracker);

export const TRACKER_FIELDS = [
  flag('--name NAME', 'displayed name'),
  flag(
    '--target TARGET',
    'where tickets are created: acme/shop, the key of a project or team, the name of a queue',
  ),
  flag(
    '--token-file FILE',
    'file with the token of the tracker, or the private key of a GitHub App',
    'token',
  ),
  flag('--user USER', 'Jira Cloud: the address that belongs to the token; GitHub: the ID of the App'),
  flag('--issue-type TYPE', 'Jira: issue type of new tickets'),
  flag('--extra-fields JSON', 'Jira: required fields, [{"id":"components","value":"…"}]'),
  flag('--close-on-resolve true|false', 'whether resolving an incident closes its ticket'),
  flag('--reopen-on-regress true|false', 'whether an incident that returns reopens its ticket'),
  flag('--resolve-on-close true|false', 'whether closing a ticket resolves its incident'),
  flag('--wont-fix EFFECT', 'effect of closing a ticket as "not planned" on its incident'),
  flag('--sync-assignee DIRECTION', 'direction in which the assignee is synchronized'),
  flag('--sync-notes true|false', 'whether notes and ticket comments are synchronized'),
];

/** The fields of a list of targets: a connection that is not stored, and a text to search for. */
export const TARGETS_FIELDS = [
  ...TRACKER_FIELDS.filter(({ name }) => ['token-file', 'user', 'target'].includes(name)),
  flagsOf(listTrackerTargets)('--query TEXT', 'part of the name', 'q'),
];

/** The text by which tickets are looked for. */
export const TICKETS_FIELDS = [
  flagsOf(listTrackerTickets)('--query TEXT', 'part of the title, or a key or address', 'q'),
];

export const KIND_FIELDS = [
  flag('--kind KIND', 'product'),
  flag('--base-url URL', 'base address of the API; default the public one of the product'),
];

export const HOOK_FIELDS = [
  flagsOf(createTrackerHook)(
    '--secret-file FILE',
    'file with a secret from the tracker, as for Linear',
    'secret',
  ),
];
