import { postSlackMessage } from '../../src/notify/slack/post-slack-message.ts';
import { checkTarget } from '../../src/platform/outbound/check-target.ts';
import type { OutboundPolicy } from '../../src/platform/outbound/outbound-policy.ts';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import type { DnsServer } from '../support/dns-server.ts';
import { asHost, BLOCKED_ADDRESSES, BLOCKED_HOSTS } from './blocked-addresses.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

interface BatteryOutcome {
  /** Different targets, each asked with http and https at every sink. */
  targets: number;
  /** Sink and URL of every target that was not refused as blocked, with what came instead. */
  wrong: string[];
}

const AT_A_TIME = 32;

/**
 * Asks every sink for every blocked target: as written, and under a name with that address
 * (docs/contract/reliability.md test 32).
 */
export async function runBattery(dns: DnsServer): Promise<BatteryOutcome> {
  const hosts = [...BLOCKED_ADDRESSES.map(asHost), ...BLOCKED_HOSTS, ...nameEach(dns, BLOCKED_ADDRESSES)];
  const policy = policyWith({ nameServers: [dns.address] });
  const cases = hosts.flatMap((host) =>
    ['http', 'https'].flatMap((scheme) =>
      Object.entries(SINKS).map(([sink, ask]) => ({ sink, ask, url: `${scheme}://${host}/x` })),
    ),
  );
  const wrong: string[] = [];
  for (let first = 0; first < cases.length; first += AT_A_TIME) {
    const outcomes = cases.slice(first, first + AT_A_TIME).map(async ({ sink, ask, url }) => {
      const outcome = await ask(url, policy);
      if (outcome !== 'blocked') wrong.push(`${sink} ${url}: ${outcome}`);
    });
    await Promise.all(outcomes);
  }
  return { targets: hosts.length, wrong };
}

/** Gives each address a name. */
export function nameEach(dns: DnsServer, addresses: readonly string[]): string[] {
  return addresses.map((address, index) => {
    const name = `host-${index}.example.com`;
    dns.set(name, { addresses: [address] });
    return name;
  });
}

const SINKS: Record<string, (url: string, policy: OutboundPolicy) => Promise<string>> = {
  delivery: async (url, policy) => outcomeOf(await sendGuarded(policy, deliveryTo(url))),
  check: async (url, policy) => outcomeOf(await sendGuarded(policy, checkOf(url))),
  'check target': checkTarget,
  'slack message': async (url, policy) => {
    const outcome = await postSlackMessage(policy, url, { text: 'hello', blocks: [] });
    const isBlocked = outcome.kind === 'failed' && outcome.error === 'target_blocked' && outcome.isFinal;
    return isBlocked ? 'blocked' : outcome.kind;
  },
};

function outcomeOf(result: Awaited<ReturnType<typeof sendGuarded>>): string {
  if (result.kind === 'answered') return `answered ${result.status}`;
  return result.errorKind === 'address_blocked' && result.word === 'target_blocked'
    ? 'blocked'
    : `${result.word} ${result.detail}`;
}
