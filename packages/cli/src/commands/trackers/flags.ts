import { createTracker, createTrackerHook, listTrackerTargets } from '@culprit/contract/alerts/trackers';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createTracker);

export const TRACKER_FIELDS = [
  flag('--name NAME', 'how people know it'),
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
  flag('--issue-type TYPE', 'Jira: of the tickets that are created'),
  flag('--extra-fields JSON', 'Jira: required fields, [{"id":"components","value":"…"}]'),
  flag('--close-on-resolve true|false', 'whether a resolved incident closes its ticket'),
  flag('--reopen-on-regress true|false', 'whether an incident that is active again reopens it'),
  flag('--resolve-on-close true|false', 'whether a closed ticket resolves its incident'),
  flag('--wont-fix EFFECT', 'of a ticket that is closed as not to be fixed'),
  flag('--sync-assignee DIRECTION', 'in which direction the assignee crosses'),
  flag('--sync-notes true|false', 'whether notes become comments of the ticket, and comments notes'),
];

/** The fields of a list of targets: a connection that is not stored, and a text to search for. */
export const TARGETS_FIELDS = [
  ...TRACKER_FIELDS.filter(({ name }) => ['token-file', 'user', 'target'].includes(name)),
  flagsOf(listTrackerTargets)('--query TEXT', 'a part of the name', 'q'),
];

export const KIND_FIELDS = [
  flag('--kind KIND', 'the product'),
  flag('--base-url URL', 'of the API; the public one of the product where it is left out'),
];

export const HOOK_FIELDS = [
  flagsOf(createTrackerHook)(
    '--secret-file FILE',
    'file with a secret that the tracker made, as Linear does',
    'secret',
  ),
];
