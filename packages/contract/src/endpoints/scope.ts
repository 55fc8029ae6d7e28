import type { ProblemCode } from './problems.ts';

/** The part of a request and the key in it that name something, such as `body.project_id`. */
export type RequestField = `${'params' | 'query' | 'body'}.${string}`;

/** The kinds of record that a request names by id, with the prefixes of their ids and the code of one that is unseen. */
export const RECORD_KINDS = {
  alert: { prefixes: ['alt'], missing: 'alert_not_found' },
  availability_check: { prefixes: [], missing: 'availability_check_not_found' },
  capture_rule: { prefixes: [], missing: 'rule_not_found' },
  heartbeat: { prefixes: [], missing: 'heartbeat_not_found' },
  improvement: { prefixes: ['bun'], missing: 'improvement_not_found' },
  incident: { prefixes: ['inc', 'bun'], missing: 'incident_not_found' },
  invite: { prefixes: [], missing: 'invite_not_found' },
  project_member: { prefixes: [], missing: 'member_not_found' },
  release: { prefixes: [], missing: 'release_not_found' },
  source_map: { prefixes: [], missing: 'source_map_not_found' },
  source_map_upload: { prefixes: [], missing: 'upload_not_found' },
  slack_destination: { prefixes: [], missing: 'slack_destination_not_found' },
  tracker: { prefixes: [], missing: 'tracker_not_found' },
  team: { prefixes: [], missing: 'team_not_found' },
  webhook: { prefixes: ['whk'], missing: 'webhook_not_found' },
  weekly_report_channel: { prefixes: [], missing: 'weekly_report_channel_not_found' },
} as const satisfies Record<string, { prefixes: readonly string[]; missing: ProblemCode }>;

export type RecordKind = keyof typeof RECORD_KINDS;

/**
 * The subject of a request of a member or a session. The binder resolves it and checks visibility, the endpoint's role
 * and paused sharing (docs/contract/account.md 0, steps 7 to 9) before the operation runs, so no operation can
 * leave it out.
 */
export type Scope =
  /** The data of the caller alone. */
  | { readonly of: 'person' }
  /** The organization that the caller owns. */
  | { readonly of: 'organization' }
  /** The installation itself, which only its operators see. */
  | { readonly of: 'installation' }
  /** One project. */
  | { readonly of: 'project'; readonly id: RequestField }
  /** The named project or, without the field, every project that the caller sees. */
  | { readonly of: 'projects'; readonly id: RequestField }
  /** A record whose own id leads to its project. */
  | { readonly of: 'record'; readonly kind: RecordKind; readonly id: RequestField }
  /** Records of one kind that must all be visible. */
  | { readonly of: 'records'; readonly kind: RecordKind; readonly ids: RequestField }
  /** A record inside a project that the request names too. */
  | {
      readonly of: 'project_record';
      readonly kind: RecordKind;
      readonly project: RequestField;
      readonly id: RequestField;
      /** Answers for a project that is unseen as well, in place of `project_not_found`. */
      readonly hidesProject?: true;
    };

/** Returns the code for a caller who cannot see the subject; null if the scope is visible to every caller. */
export function unseenProblem(scope: Scope): ProblemCode | null {
  switch (scope.of) {
    case 'person':
    case 'organization':
      return null;
    case 'installation':
      return 'not_found';
    case 'project':
    case 'projects':
      return 'project_not_found';
    case 'record':
    case 'records':
      return RECORD_KINDS[scope.kind].missing;
    case 'project_record':
      return scope.hidesProject === true ? RECORD_KINDS[scope.kind].missing : 'project_not_found';
  }
}
