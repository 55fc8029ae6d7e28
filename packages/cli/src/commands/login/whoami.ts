import { listMemberTokens, type MemberToken } from '@culprit/contract/workspace/tokens';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { printRecord } from '../../output/print.ts';
import { tokenPreview } from '../../output/secrets.ts';
import { visibleProjects } from '../../references/project-reference.ts';
import { tokenRecord } from './sign-in.ts';

export const run: Run = async (context) => {
  const settings = context.settings();
  const credential = await context.credential();
  const projects = await visibleProjects(context);
  const owned = projects.find(({ relationship }) => relationship === 'owned');
  const token = await currentToken(context, credential.token);
  const { profileName, origin, project } = settings;
  printRecord(context, {
    body: {
      profile: profileName,
      url: origin,
      email: owned?.owner_email ?? null,
      user_id: token?.user_id ?? null,
      token: token === null ? null : tokenRecord(token),
      store: credential.store,
      project_id: project,
    },
    id: owned?.owner_email ?? token?.user_id ?? null,
    rows: [
      ['Server', origin],
      ['Profile', profileName],
      ['Person', owned?.owner_email ?? token?.user_id],
      ['Token', `${token === null ? '' : `${token.label} `}(${tokenPreview(credential.token)})`],
      ['Store', credential.store],
      ['Project', projects.find((each) => each.project_id === project)?.slug ?? project],
    ],
  });
  return EXIT.ok;
};

/** The record of the token in use: the one that says so; of older servers the only live one with its preview. */
export async function currentToken(context: Context, token: string): Promise<MemberToken | null> {
  const api = await context.api();
  const fitting: MemberToken[] = [];
  let cursor: string | null = null;
  do {
    const page: { tokens: MemberToken[]; next_cursor: string | null } = await api.call(listMemberTokens, {
      query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
    });
    // Older servers do not say which one it is.
    const current = page.tokens.find(({ is_current }) => is_current === true);
    if (current !== undefined) return current;
    fitting.push(
      ...page.tokens.filter((each) => each.revoked_at === null && each.token_preview === tokenPreview(token)),
    );
    cursor = page.next_cursor;
  } while (cursor !== null);
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined ? only : null;
}
