import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** Characters of a label once it is trimmed (docs/contract/account.md 4.3). */
export const TOKEN_LABEL_LENGTH_MAX = 120;
export const ALLOWED_ORIGINS_MAX = 20;
export const ALLOWED_ORIGIN_LENGTH_MAX = 2048;
/** Hours that a rotated token still works beside the one in its place (docs/contract/account.md 4.4). */
export const ROTATION_OVERLAP_HOURS = 24;
const ROTATION_OVERLAP_HOURS_MAX = 720;

/** The name that a person gives a token. Blanks around it are dropped, and the rest is counted. */
export const TokenLabel = Type.String({
  minLength: 1,
  pattern: '\\S',
  description: `1 to ${TOKEN_LABEL_LENGTH_MAX} characters after trimming`,
});

const Preview = Type.String({ description: 'First four characters, three periods, last four characters' });
const Plaintext = Type.String({ description: 'Only in this response' });

const tokenTimes = {
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  expires_at: Nullable({
    ...Timestamp,
    description: 'When a rotated token is revoked; null for one that was not rotated, and for a revoked one',
  }),
};

const projectTokenFields = {
  token_id: AnswerId('tok'),
  project_id: AnswerId('proj'),
  label: Type.String(),
  allowed_origins: Type.Array(Type.String(), {
    description: 'Empty: requests from any origin, and without one, are accepted',
  }),
  token_preview: Preview,
};

/** A credential for sending events, as lists show it (docs/contract/account.md 4.2). */
export const ProjectToken = Named('ProjectToken', { ...projectTokenFields, ...tokenTimes });
export type ProjectToken = Static<typeof ProjectToken>;

/** The same in the answer that made it: the only place that holds the plaintext. */
export const CreatedProjectToken = Named('CreatedProjectToken', {
  ...projectTokenFields,
  plaintext: Plaintext,
  ...tokenTimes,
});
export type CreatedProjectToken = Static<typeof CreatedProjectToken>;

/** The access of a member token: everything that its person may do, only reading, or what a build needs. */
export const TokenAccess = Type.Enum(['full', 'read', 'build'], {
  description:
    '`read` refuses all changes with `forbidden`; `build` refuses everything except uploading source maps',
});
export type TokenAccess = Static<typeof TokenAccess>;

const memberTokenFields = {
  token_id: AnswerId('tok'),
  user_id: AnswerId(null),
  organization_id: AnswerId(null),
  label: Type.String(),
  access: TokenAccess,
  is_current: Type.Boolean({ description: 'The token of this request' }),
  token_preview: Preview,
};

/** A person's credential, as lists show it (docs/contract/account.md 4.2). */
export const MemberToken = Named('MemberToken', { ...memberTokenFields, ...tokenTimes });
export type MemberToken = Static<typeof MemberToken>;

/** The same in the answer that made it: creation, device claim and exchange. */
export const CreatedMemberToken = Named('CreatedMemberToken', {
  ...memberTokenFields,
  plaintext: Plaintext,
  ...tokenTimes,
});
export type CreatedMemberToken = Static<typeof CreatedMemberToken>;

export const listProjectTokens = defineEndpoint({
  id: 'listProjectTokens',
  method: 'GET',
  path: '/v1/projects/:id/tokens',
  summary: 'List the tokens of a project, live and revoked, newest first',
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ tokens: Type.Array(ProjectToken), next_cursor: NextCursor }),
  },
});

export const createProjectToken = defineEndpoint({
  id: 'createProjectToken',
  method: 'POST',
  path: '/v1/projects/:id/tokens',
  summary: 'Create a project token; its plaintext is only in this response',
  ...OF_PROJECT,
  body: Closed({
    label: TokenLabel,
    allowed_origins: Type.Optional(
      Type.Array(Type.String({ maxLength: ALLOWED_ORIGIN_LENGTH_MAX }), {
        maxItems: ALLOWED_ORIGINS_MAX,
        description: 'Browser origins, `scheme://host[:port]`, that can use the token; no others can',
      }),
    ),
  }),
  responses: { 201: Closed({ token: CreatedProjectToken }) },
  errors: ['resource_limit_reached'],
});

export const revokeProjectToken = defineEndpoint({
  id: 'revokeProjectToken',
  method: 'POST',
  path: '/v1/projects/:id/tokens/:tokenId/revoke',
  summary: 'Revoke a project token; revoking it again changes nothing',
  scope: { of: 'project', id: 'params.id' },
  params: Closed({ id: PathId('project'), tokenId: PathId('token') }),
  body: 'none',
  responses: { 200: Closed({ token: ProjectToken }) },
  errors: ['token_not_found'],
});

const RotationBody = Closed({
  overlap_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: ROTATION_OVERLAP_HOURS_MAX,
      default: ROTATION_OVERLAP_HOURS,
      description: 'Hours that the old token still works; 0 revokes it in the same step',
    }),
  ),
});

export const rotateProjectToken = defineEndpoint({
  id: 'rotateProjectToken',
  method: 'POST',
  path: '/v1/projects/:id/tokens/:tokenId/rotate',
  summary: 'Replace a token with a new one; the old one is revoked immediately or some hours later',
  scope: { of: 'project', id: 'params.id' },
  params: Closed({ id: PathId('project'), tokenId: PathId('token') }),
  body: RotationBody,
  responses: {
    201: Closed({ token: CreatedProjectToken, replaced: ProjectToken }),
  },
  errors: ['token_not_found', 'resource_limit_reached'],
});

export const listMemberTokens = defineEndpoint({
  id: 'listMemberTokens',
  method: 'GET',
  path: '/v1/member/tokens',
  summary: "List the caller's own tokens, live and revoked, newest first",
  scope: { of: 'person' },
  group: 'tokens',
  query: Closed(pageQuery),
  responses: {
    200: Closed({ tokens: Type.Array(MemberToken), next_cursor: NextCursor }),
  },
});

export const createMemberToken = defineEndpoint({
  id: 'createMemberToken',
  method: 'POST',
  path: '/v1/member/tokens',
  summary: 'Create a token of the caller; its plaintext is only in this response',
  scope: { of: 'person' },
  group: 'tokens',
  body: Closed({ label: TokenLabel, access: Type.Optional({ ...TokenAccess, default: 'full' }) }),
  responses: { 201: Closed({ token: CreatedMemberToken }) },
  errors: ['email_verification_required', 'resource_limit_reached'],
});

export const revokeMemberToken = defineEndpoint({
  id: 'revokeMemberToken',
  method: 'POST',
  path: '/v1/member/tokens/:tokenId/revoke',
  summary: 'Revoke a token of the caller, including the one in use; revoking it again changes nothing',
  scope: { of: 'person' },
  group: 'tokens',
  params: Closed({ tokenId: PathId('token') }),
  body: 'none',
  responses: { 200: Closed({ token: MemberToken }) },
  errors: ['token_not_found'],
});

export const rotateMemberToken = defineEndpoint({
  id: 'rotateMemberToken',
  method: 'POST',
  path: '/v1/member/tokens/:tokenId/rotate',
  summary:
    'Replace a token of the caller with a new one; the old one is revoked immediately or some hours later',
  scope: { of: 'person' },
  group: 'tokens',
  params: Closed({ tokenId: PathId('token') }),
  body: RotationBody,
  responses: {
    201: Closed({ token: CreatedMemberToken, replaced: MemberToken }),
  },
  errors: ['token_not_found', 'email_verification_required', 'resource_limit_reached'],
});
