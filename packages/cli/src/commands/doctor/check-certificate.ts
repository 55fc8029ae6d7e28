import { certificateEnd } from '../../api/certificate-end.ts';
import { type Finding, ok, warning } from './finding.ts';

const DAY_MS = 86_400_000;
const WARNING_DAYS = 14;

/** How long the certificate of a server that was reached still lasts; null where a proxy hides it. */
export async function certificateFinding(origin: string): Promise<Finding | null> {
  const endsAt = await certificateEnd(origin);
  if (endsAt === null) return null;
  const days = Math.floor((endsAt - Date.now()) / DAY_MS);
  const day = new Date(endsAt).toISOString().slice(0, 10);
  return days < WARNING_DAYS
    ? warning(
        'certificate',
        `It ends on ${day}, in ${days} days.`,
        'renew it, or ask the operator of the server',
      )
    : ok('certificate', `lasts until ${day}`);
}
