import { Problem } from '../../platform/http/binding/problem.ts';

/** The answer of a way to sign in that this installation does not have. @throws Problem `auth_not_configured` */
export async function answerNotConfigured(): Promise<never> {
  throw new Problem('auth_not_configured');
}
