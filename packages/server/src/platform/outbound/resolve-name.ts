import { Resolver } from 'node:dns/promises';
import { errorCode, OutboundFailure } from './outbound-failure.ts';

/** Limit of a look-up (docs/contract/reliability.md A13). */
const DNS_TIMEOUT_MS = 2000;
/** Leaves room for a second try within the limit: a lost packet is no failure. */
const TRY_TIMEOUT_MS = 600;
const TRIES = 2;
/** The name exists without such an address, or does not exist. */
const NO_ANSWER_CODES = ['ENODATA', 'ENOTFOUND'];

/**
 * All addresses a name has now, IPv4 first, at least one. Asks the name servers and nothing else: no hosts file, no
 * search domains, nothing remembered. The system's look-up would hold one of the few threads that also serve files,
 * for as long as a dead server lets it wait.
 * @param options.nameServers null: those of the system
 * @throws OutboundFailure `dns_no_answer`, or `dns_failed` within `DNS_TIMEOUT_MS`
 */
export async function resolveName(
  name: string,
  options: { nameServers: readonly string[] | null; signal?: AbortSignal },
): Promise<string[]> {
  const { nameServers, signal } = options;
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (nameServers !== null) resolver.setServers(nameServers);
  const cancel = () => resolver.cancel();
  const timer = setTimeout(cancel, DNS_TIMEOUT_MS);
  signal?.addEventListener('abort', cancel);
  try {
    signal?.throwIfAborted();
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    signal?.throwIfAborted();
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    // One family without an answer hides nothing: only addresses that were answered, and judged, are connected to.
    if (addresses.length > 0) return addresses;
    const codes = answers.map((answer) =>
      answer.status === 'rejected' ? errorCode(answer.reason) : 'ENODATA',
    );
    const isWithoutAnswer = codes.every((code) => NO_ANSWER_CODES.includes(code));
    throw new OutboundFailure(isWithoutAnswer ? 'dns_no_answer' : 'dns_failed', codes.join(', '));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
